//! The algorithms by name.

use super::beacon::WorklistOrder;
use super::forward::Forward;
use super::tree::Tree;
use super::{backward, beacon, bounded, directed, karp_miller, mp};
use crate::answer::{Finding, Stats};
use crate::budget::Budget;
use crate::config::MAX_COUNT;
use crate::error::Stop;
use crate::invariants::pairs::PairInvariant;
use crate::net::Net;

/// A coverability algorithm. Findings are checked by the caller before they are reported.
///
/// An enum and not a trait: the set is closed, and a trait with a method each for name, source and
/// completeness was longer than what it described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    /// Abdulla et al. 1996, with pruning; complete.
    Backward,
    /// Reynier, Servais 2013; complete.
    Mp,
    /// Karp, Miller 1969; complete.
    KarpMiller,
    /// Ball, Chaki, Rajamani 2001, figure 1; complete if depth-first (`docs/coverability.md`).
    Beacon(WorklistOrder),
    /// Best-first by an additive estimate; for runs to targets.
    Directed,
    /// Explicit search with exactly so many threads.
    Bounded(u32),
}

impl Algorithm {
    pub fn name(self) -> String {
        match self {
            Algorithm::Backward => "backward".into(),
            Algorithm::Mp => "mp".into(),
            Algorithm::KarpMiller => "karp-miller".into(),
            Algorithm::Beacon(WorklistOrder::BreadthFirst) => "beacon:bfs".into(),
            Algorithm::Beacon(_) => "beacon".into(),
            Algorithm::Directed => "directed".into(),
            Algorithm::Bounded(threads) => format!("bounded:{threads}"),
        }
    }

    /// Decides the question of `net` until `budget` ends; `pairs` are those of the same net. What was
    /// explored is added to `stats` also where the run ends without a finding.
    pub fn run(
        self,
        net: &Net,
        pairs: &PairInvariant,
        budget: &Budget,
        stats: &mut Stats,
    ) -> Result<Finding, Stop> {
        match self {
            Algorithm::Backward => backward::run(net, pairs, budget, stats),
            Algorithm::Mp => mp::run(net, pairs, budget, stats),
            Algorithm::KarpMiller => karp_miller::run(net, pairs, budget, stats),
            Algorithm::Beacon(order) => beacon::run(net, pairs, order, budget, stats),
            Algorithm::Directed => directed::run(net, pairs, budget, stats),
            Algorithm::Bounded(threads) => bounded::run(net, threads, budget, stats),
        }
    }

    /// The coverability set of a net without targets.
    pub fn derive(
        self,
        net: &Net,
        pairs: &PairInvariant,
        budget: &Budget,
        stats: &mut Stats,
    ) -> Result<Derived, Stop> {
        let forward = Forward::new(net, pairs, budget)?;
        let (tree, last) = match self {
            Algorithm::Mp => mp::derive(&forward, budget, stats)?,
            Algorithm::KarpMiller => karp_miller::derive(&forward, budget, stats)?,
            Algorithm::Beacon(order) => beacon::derive(&forward, order, budget, stats)?,
            Algorithm::Backward | Algorithm::Directed | Algorithm::Bounded(_) => {
                let message = "it needs a target; mp, karp-miller and beacon compute sets";
                return Err(Stop::Inapplicable(message.into()));
            }
        };
        let maximal = forward.maximal(&tree, &last, budget)?;
        Ok(Derived { tree, maximal })
    }
}

/// A search that has come to its end without a target: how everything was derived, and the maximal
/// configurations.
pub(crate) struct Derived {
    pub tree: Tree,
    pub maximal: Vec<u32>,
}

/// The names, for messages.
pub const NAMES: &str =
    "auto, beacon (or beacon:dfs), beacon:bfs, karp-miller, mp, backward, directed, bounded:<n>";

/// Whether an algorithm has this name; `auto` is the choice between them and is not one of them.
pub fn is_known(name: &str) -> bool {
    by_name(name).is_some()
}

/// The algorithm of a name; `None` if there is none.
pub(crate) fn by_name(name: &str) -> Option<Algorithm> {
    Some(match name {
        "beacon" | "beacon:dfs" => Algorithm::Beacon(WorklistOrder::DepthFirst),
        "beacon:bfs" => Algorithm::Beacon(WorklistOrder::BreadthFirst),
        "karp-miller" => Algorithm::KarpMiller,
        "mp" => Algorithm::Mp,
        "backward" => Algorithm::Backward,
        "directed" => Algorithm::Directed,
        _ => {
            let threads = name.strip_prefix("bounded:")?.parse().ok()?;
            (threads <= MAX_COUNT).then_some(Algorithm::Bounded(threads))?
        }
    })
}
