//! Who runs a search: this process alone, or this one together with others.

use super::model::{Canoniser, Failure, Model};
use super::options::Options;
use super::report::Report;
use super::search;
use super::store::Store;

/// A way to run searches.
pub trait Searcher {
    /// Explores `model` and returns the visited states with the report. `fresh` makes an empty store;
    /// the store that comes back may hold no more than the states on the ways to what was found.
    fn search<M, C, S>(
        &self,
        model: &M,
        canoniser: &C,
        fresh: &(impl Fn() -> S + Sync),
        options: &Options<'_>,
    ) -> Result<(Report, S), Failure>
    where
        M: Model,
        C: Canoniser<M::State>,
        S: Store;
}

/// Searches in this process alone.
pub struct Alone;

impl Searcher for Alone {
    fn search<M, C, S>(
        &self,
        model: &M,
        canoniser: &C,
        fresh: &(impl Fn() -> S + Sync),
        options: &Options<'_>,
    ) -> Result<(Report, S), Failure>
    where
        M: Model,
        C: Canoniser<M::State>,
        S: Store,
    {
        let mut store = fresh();
        let report = search(model, canoniser, &mut store, options)?;
        Ok((report, store))
    }
}
