//! The one search loop of this crate.
//!
//! Nets and heap programs are two clients of it; neither has a loop of its own. Four parts plug in:
//!
//! | part | trait or type | says |
//! |---|---|---|
//! | what is searched | [`Model`] | initial states, successors with transition labels, properties |
//! | when two states are one | [`Canonizer`] | the key of a state in the visited set, and the way back |
//! | where states live | [`Store`] | keys to numbers; [`ArenaStore`] is the plain one, compression is another |
//! | in which order | [`Options`] | breadth-first or depth-first, threads, limits, when to stop |
//!
//! [`search`] runs them and returns a [`SearchReport`].
//!
//! # Representative or concrete
//! With [`Continue::Representative`] the search goes on from the state that the key decodes to:
//! states live in canonical form only and a breadth-first frontier is a range of numbers. With
//! [`Continue::Concrete`] the key is the key and nothing else, the search goes on from the concrete
//! successor (Bogor'03, section 3.3): the frontier then holds states. For an exact canoniser the
//! counts are the same; for a heuristic one they depend on it.
//!
//! # Order
//! Depth-first is faithful to the recursive formulation: the successors of a state are taken in
//! order, and whether one is known is asked when its turn comes, after everything below the
//! ones before it is done. Breadth-first numbers states in the order of a queue, also with several
//! threads (see `parallel`): counts, numbers and traces do not depend on the number of threads.
//!
//! # Counts
//! See [`Counters`]. Limits end a search early; the report then says so and holds everything found
//! so far.

mod batch;
mod counters;
mod frontier;
#[allow(missing_docs, reason = "fields and variants are named after the limit")]
mod limits;
mod memory;
mod model;
mod options;
mod parallel;
mod path;
mod report;
mod searcher;
mod sequential;
mod store;

pub use batch::KeyBatch;
pub use counters::{Counters, Timing};
pub use limits::{Limits, StopReason};
pub use model::{Canonizer, Change, Failure, Label, Model, Successors};
pub use options::{Continue, Options, Order};
pub use path::{Parents, PathStep};
pub use report::{Edge, SearchReport};
pub use searcher::{Alone, Searcher};
pub(crate) use store::room_of;
pub use store::{ArenaStore, Id, Store, key_hash};

/// Explores `model` and leaves the visited states in `store`, which must be empty.
pub fn search<M, C, S>(
    model: &M,
    canonizer: &C,
    store: &mut S,
    options: &Options<'_>,
) -> Result<SearchReport, Failure>
where
    M: Model,
    C: Canonizer<M::State>,
    S: Store,
{
    options.check().map_err(Failure::Model)?;
    match options.order {
        Order::DepthFirst => sequential::depth_first(model, canonizer, store, options),
        Order::BreadthFirst if options.threads > 1 => {
            parallel::breadth_first(model, canonizer, store, options)
        }
        Order::BreadthFirst => sequential::breadth_first(model, canonizer, store, options),
    }
}

#[cfg(test)]
mod tests;
