//! How to search: order, threads, limits, when to stop.

use super::counters::Counters;
use super::limits::Limits;

/// In which order states are expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By distance from the initial states: first traces are shortest, and several threads may take part.
    BreadthFirst,
    /// The successors of a state before its siblings: the frontier is a path.
    DepthFirst,
}

/// Which state the search goes on from when a key is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continue {
    /// The one that the key decodes to.
    Representative,
    /// The successor as it was generated.
    Concrete,
}

/// How to search. The default is breadth-first on one thread, from representatives, without limits.
#[derive(Clone)]
pub struct Options<'a> {
    /// Breadth-first or depth-first.
    pub order: Order,
    /// The state behind a new key that the search goes on from.
    pub from: Continue,
    /// Depth-first: keep one state per open level and generate its successors again on the way
    /// back. For models whose steps are cheap and whose searches go deep.
    pub one_per_level: bool,
    /// Threads of a breadth-first search; depth-first uses one.
    pub threads: usize,
    /// What ends the search early.
    pub limits: Limits,
    /// End the search at the first state where [`Model::inspect`](super::Model::inspect) finds one
    /// of these.
    pub stop_at: u64,
    /// End the search at the first state without successor, unless that is a proper end.
    pub stop_at_deadlock: bool,
    /// Findings that make a state without successor a proper end.
    pub ends: u64,
    /// Keep all edges in the report.
    pub record_edges: bool,
    /// Called now and then.
    pub progress: Option<&'a (dyn Fn(&Counters) + Sync)>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            order: Order::BreadthFirst,
            from: Continue::Representative,
            one_per_level: false,
            threads: 1,
            limits: Limits::default(),
            stop_at: 0,
            stop_at_deadlock: false,
            ends: 0,
            record_edges: false,
            progress: None,
        }
    }
}

/// Most threads of a search: far more than the cores of any machine that it was tried on.
pub const MOST_THREADS: usize = 1024;

impl Options<'_> {
    /// Refuses combinations that would be ignored in silence.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.threads == 0 {
            return Err("0 threads cannot search; use 1 or more".into());
        }
        if self.threads > MOST_THREADS {
            let given = self.threads;
            return Err(format!("{given} threads are too many; use at most {MOST_THREADS}"));
        }
        if self.threads > 1 && self.order == Order::DepthFirst {
            return Err("a depth-first search uses one thread; use breadth-first for more".into());
        }
        Ok(())
    }
}
