//! The algorithms by name, behind one trait.

use super::beacon::Order;
use super::{backward, beacon, bounded, karp_miller, mp};
use crate::answer::{Finding, Stats};
use crate::budget::Budget;
use crate::error::Stop;
use crate::invariants::pairs::Pairs;
use crate::net::Net;

/// A coverability algorithm. Findings are checked by the caller before they are reported.
pub trait Algorithm: Send + Sync {
    fn name(&self) -> String;
    /// Whether it decides every net it applies to, given time and memory.
    fn is_complete(&self) -> bool;
    fn source(&self) -> &'static str;
    fn run(
        &self,
        net: &Net,
        pairs: &Pairs,
        budget: &Budget,
        stats: &mut Stats,
    ) -> Result<Finding, Stop>;
}

macro_rules! algorithm {
    ($type:ident, $name:literal, $complete:literal, $source:literal, $run:expr) => {
        struct $type;
        impl Algorithm for $type {
            fn name(&self) -> String {
                $name.into()
            }
            fn is_complete(&self) -> bool {
                $complete
            }
            fn source(&self) -> &'static str {
                $source
            }
            fn run(
                &self,
                net: &Net,
                pairs: &Pairs,
                budget: &Budget,
                stats: &mut Stats,
            ) -> Result<Finding, Stop> {
                $run(net, pairs, budget, stats)
            }
        }
    };
}

algorithm!(Backward, "backward", true, "Abdulla et al. 1996, with pruning", backward::run);
algorithm!(Mp, "mp", true, "Reynier, Servais 2013", mp::run);
algorithm!(KarpMiller, "karp-miller", true, "Karp, Miller 1969", karp_miller::run);
algorithm!(
    BeaconDepth,
    "beacon",
    true,
    "Ball, Chaki, Rajamani 2001, figure 1, depth-first",
    |net: &Net, pairs: &Pairs, budget: &Budget, stats: &mut Stats| {
        beacon::run(net, pairs, Order::DepthFirst, budget, stats)
    }
);
algorithm!(
    BeaconBreadth,
    "beacon:bfs",
    false,
    "Ball, Chaki, Rajamani 2001, figure 1, breadth-first",
    |net: &Net, pairs: &Pairs, budget: &Budget, stats: &mut Stats| {
        beacon::run(net, pairs, Order::BreadthFirst, budget, stats)
    }
);

struct Bounded(u32);

impl Algorithm for Bounded {
    fn name(&self) -> String {
        format!("bounded:{}", self.0)
    }
    fn is_complete(&self) -> bool {
        false
    }
    fn source(&self) -> &'static str {
        "explicit search with exactly n threads"
    }
    fn run(
        &self,
        net: &Net,
        _: &Pairs,
        budget: &Budget,
        stats: &mut Stats,
    ) -> Result<Finding, Stop> {
        bounded::run(net, self.0, budget, stats)
    }
}

/// Names accepted by [`by_name`], for messages.
pub const NAMES: &str =
    "auto, beacon (or beacon:dfs), beacon:bfs, karp-miller, mp, backward, bounded:<n>";

/// The algorithm of a name; `None` if there is none (`auto` is the caller's business).
pub fn by_name(name: &str) -> Option<Box<dyn Algorithm>> {
    Some(match name {
        "beacon" | "beacon:dfs" => Box::new(BeaconDepth),
        "beacon:bfs" => Box::new(BeaconBreadth),
        "karp-miller" => Box::new(KarpMiller),
        "mp" => Box::new(Mp),
        "backward" => Box::new(Backward),
        _ => {
            let threads = name.strip_prefix("bounded:")?.parse().ok()?;
            (threads <= crate::config::MAX_COUNT).then(|| Box::new(Bounded(threads)))?
        }
    })
}
