//! Who runs a search: this process alone, or this one together with others.

use super::model::{Canonizer, Failure, Model};
use super::options::Options;
use super::report::SearchReport;
use super::search;
use super::store::Store;

/// A way to run searches.
pub trait Searcher {
    /// Whether all states stay in this process, so that keys may mean what only it knows.
    fn is_alone(&self) -> bool {
        false
    }

    /// Explores `model` and returns the visited states with the report. `fresh` makes an empty store;
    /// the store that comes back may hold no more than the states on the ways to what was found.
    fn search<M, C, S>(
        &self,
        model: &M,
        canonizer: &C,
        fresh: &(impl Fn() -> S + Sync),
        options: &Options<'_>,
    ) -> Result<(SearchReport, S), Failure>
    where
        M: Model,
        C: Canonizer<M::State>,
        S: Store;
}

/// Searches in this process alone.
pub struct Alone;

impl Searcher for Alone {
    fn is_alone(&self) -> bool {
        true
    }

    fn search<M, C, S>(
        &self,
        model: &M,
        canonizer: &C,
        fresh: &(impl Fn() -> S + Sync),
        options: &Options<'_>,
    ) -> Result<(SearchReport, S), Failure>
    where
        M: Model,
        C: Canonizer<M::State>,
        S: Store,
    {
        let mut store = fresh();
        let report = search(model, canonizer, &mut store, options)?;
        Ok((report, store))
    }
}
