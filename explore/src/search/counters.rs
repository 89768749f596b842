//! What a search counts, and where its time goes.

use std::time::{Duration, Instant};

/// The counts of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Stored states: classes, the initial ones included.
    pub states: u64,
    /// Distinct triples (stored state, transition label, stored state).
    pub edges: u64,
    /// Transitions into a state that was stored already.
    pub seen: u64,
    /// States without successor, among those expanded.
    pub deadlocks: u64,
    /// Deadlocks that are proper ends; see [`Options::ends`](super::Options::ends).
    pub ends: u64,
    /// States whose successors have been generated.
    pub expanded: u64,
    /// Transitions generated; symmetric ones that were not built are counted.
    pub transitions: u64,
}

/// Where time goes, from samples: one expansion in [`Timing::EVERY`] is clocked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// Successors.
    pub generate: Duration,
    /// Keys: canonical forms and their bytes.
    pub canonize: Duration,
    /// Lookups and insertions.
    pub store: Duration,
}

impl Timing {
    /// Reading the clock at every expansion would cost more than a small model's steps.
    pub const EVERY: u64 = 64;

    /// The share of the clocked time spent on canonical forms.
    pub fn canonize_share(&self) -> f64 {
        let total = (self.generate + self.canonize + self.store).as_secs_f64();
        if total == 0.0 { 0.0 } else { self.canonize.as_secs_f64() / total }
    }

    pub(super) fn add(&mut self, other: &Timing) {
        self.generate += other.generate;
        self.canonize += other.canonize;
        self.store += other.store;
    }
}

/// A clock that is read for some expansions only.
#[derive(Clone, Copy)]
pub(super) struct Stopwatch(Option<Instant>);

impl Stopwatch {
    #[inline]
    pub fn sample(expansion: u64) -> Stopwatch {
        Stopwatch(expansion.is_multiple_of(Timing::EVERY).then(Instant::now))
    }

    /// Adds the time since the last reading to `to`.
    #[inline]
    pub fn lap(&mut self, to: &mut Duration) {
        if let Some(start) = &mut self.0 {
            let now = Instant::now();
            *to += now - *start;
            *start = now;
        }
    }
}
