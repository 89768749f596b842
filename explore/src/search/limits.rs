//! What ends a search early: states, time, memory, or the user.

use pidlab_backends::{Budget, Exhausted};
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// Largest number of stored states.
    pub states: Option<u64>,
    /// Bytes in the store, the frontier and what else grows with the search.
    pub memory: Option<u64>,
    pub time: Option<Duration>,
    /// Set from outside, by a signal handler for instance.
    pub interrupt: Option<&'a AtomicBool>,
}

/// Why a search ended before everything was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    MaxStates,
    Memory,
    Time,
    Interrupted,
    /// A property found what it looks for.
    Found,
    /// A state without successor, where the search was told to stop there.
    Deadlock,
}

/// What one canonical form may use: the time that is left to the search, and its memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowance {
    deadline: Option<Instant>,
    memory: Option<u64>,
}

impl Allowance {
    pub fn budget(&self) -> Budget {
        Budget::until(self.deadline, self.memory)
    }
}

impl From<Exhausted> for StopReason {
    fn from(what: Exhausted) -> StopReason {
        match what {
            Exhausted::Time => StopReason::Time,
            Exhausted::Memory => StopReason::Memory,
        }
    }
}

impl StopReason {
    /// Whether the question stays open: a limit was reached and nothing was found.
    pub fn is_limit(self) -> bool {
        !matches!(self, StopReason::Found | StopReason::Deadlock)
    }
}

/// Limits with a running clock.
pub(super) struct Watch<'a> {
    limits: Limits<'a>,
    deadline: Option<Instant>,
}

impl<'a> Watch<'a> {
    pub fn start(limits: Limits<'a>) -> Watch<'a> {
        let deadline = limits.time.and_then(|time| Instant::now().checked_add(time));
        Watch { limits, deadline }
    }

    pub fn allowance(&self) -> Allowance {
        Allowance { deadline: self.deadline, memory: self.limits.memory }
    }

    /// Whether one more state would be too many.
    #[inline]
    pub fn full(&self, states: u64) -> bool {
        self.limits.states.is_some_and(|limit| states >= limit)
    }

    /// Reads clock and flag; call it once in many expansions. `bytes` is what the search holds.
    pub fn check(&self, bytes: u64) -> Result<(), StopReason> {
        if self.interrupted() {
            return Err(StopReason::Interrupted);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(StopReason::Time);
        }
        match self.limits.memory {
            Some(limit) if bytes > limit => Err(StopReason::Memory),
            _ => Ok(()),
        }
    }

    fn interrupted(&self) -> bool {
        self.limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
