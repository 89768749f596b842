//! Time and memory limits that every backend honours.
//!
//! A backend calls [`Budget::step`] in its search loop. The clock is read once in 1,024 steps, so a
//! step costs a counter; what a backend allocates beyond its input it reports to
//! [`Budget::allocate`]. A caller that may be interrupted is asked whenever the clock is read.

use std::cell::Cell;
use std::time::{Duration, Instant};
use thiserror::Error;

/// A limit was reached; the question stays open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Exhausted {
    #[error("the time limit was reached")]
    Time,
    #[error("the memory limit was reached")]
    Memory,
    #[error("interrupted")]
    Interrupted,
}

const STEPS_PER_CLOCK: u32 = 1 << 10;

/// What one decision may use.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    memory: Option<u64>,
    one_thread: bool,
    interrupted: Option<fn() -> bool>,
    allocated: Cell<u64>,
    steps: Cell<u32>,
}

impl Budget {
    pub fn unlimited() -> Budget {
        Budget::default()
    }

    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Budget {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Budget { deadline, memory, ..Budget::default() }
    }

    /// The same with a point in time; for many decisions under one limit.
    pub fn until(deadline: Option<Instant>, memory: Option<u64>) -> Budget {
        Budget { deadline, memory, ..Budget::default() }
    }

    /// The same for a caller that has no core to spare.
    pub fn on_one_thread(self) -> Budget {
        Budget { one_thread: true, ..self }
    }

    /// The same for a caller that may be interrupted: `asked` is called in the thread that holds the
    /// budget whenever the clock is read, and ends the decision when it returns true.
    pub fn interrupted_by(self, asked: fn() -> bool) -> Budget {
        Budget { interrupted: Some(asked), ..self }
    }

    /// Whether a backend may start threads of its own.
    pub fn allows_threads(&self) -> bool {
        !self.one_thread
    }

    /// Time left; `None` if time is not limited.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    pub fn memory_limit(&self) -> Option<u64> {
        self.memory
    }

    /// Counts one unit of search; reads the clock now and then.
    #[inline]
    pub fn step(&self) -> Result<(), Exhausted> {
        let steps = self.steps.get() + 1;
        if steps < STEPS_PER_CLOCK {
            self.steps.set(steps);
            return Ok(());
        }
        self.steps.set(0);
        self.check_time()
    }

    /// Whether the caller was interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.is_some_and(|asked| asked())
    }

    /// Reads the clock at once.
    pub fn check_time(&self) -> Result<(), Exhausted> {
        if self.is_interrupted() {
            return Err(Exhausted::Interrupted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Exhausted::Time),
            _ => Ok(()),
        }
    }

    /// Accounts for `bytes` of working memory.
    pub fn allocate(&self, bytes: u64) -> Result<(), Exhausted> {
        let total = self.allocated.get().saturating_add(bytes);
        self.allocated.set(total);
        match self.memory {
            Some(limit) if total > limit => Err(Exhausted::Memory),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_caller_ends_the_search() {
        let budget = Budget::unlimited().interrupted_by(|| true);
        let taken = (1..).find(|_| budget.step().is_err());
        assert_eq!(taken, Some(STEPS_PER_CLOCK));
        assert_eq!(budget.check_time(), Err(Exhausted::Interrupted));
        assert_eq!(Budget::unlimited().interrupted_by(|| false).check_time(), Ok(()));
    }
}
