//! Time, memory and cancellation, polled by every search loop.

use crate::error::Stop;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How many polls pass between two looks at the memory in use, which takes a file to be read.
const MEMORY_STRIDE: u32 = 1024;

/// What a run may use. Clones share the cancellation flag and the deadline.
#[derive(Clone)]
pub struct Budget {
    deadline: Option<Instant>,
    memory: Option<u64>,
    cancelled: Arc<AtomicBool>,
    polls: Cell<u32>,
}

impl Budget {
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Budget {
        Budget {
            deadline: time.and_then(|t| Instant::now().checked_add(t)),
            memory,
            cancelled: Arc::new(AtomicBool::new(false)),
            polls: Cell::new(0),
        }
    }

    pub fn unlimited() -> Budget {
        Budget::new(None, None)
    }

    /// Ends every run that shares this budget.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// A budget of its own flag with the same limits, for a run inside a run.
    pub fn detached(&self) -> Budget {
        Budget { cancelled: Arc::new(AtomicBool::new(false)), ..self.clone() }
    }

    /// A budget of its own flag that ends after `time` at the latest.
    pub fn slice(&self, time: Duration) -> Budget {
        let end = Instant::now().checked_add(time);
        let deadline = match (self.deadline, end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Budget { deadline, ..self.detached() }
    }

    /// Cheap enough for inner loops: the clock costs less than a tenth of a microsecond, and steps
    /// between polls can be long. Looks at the memory in use once in a while.
    pub fn poll(&self) -> Result<(), Stop> {
        let polls = self.polls.get().wrapping_add(1);
        self.polls.set(polls);
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        if self.deadline.is_some_and(|end| Instant::now() >= end) {
            return Err(Stop::Time);
        }
        let due = polls % MEMORY_STRIDE == 1;
        match self.memory {
            Some(limit) if due && resident_bytes().is_some_and(|used| used > limit) => {
                Err(Stop::Memory)
            }
            _ => Ok(()),
        }
    }
}

/// Resident memory of this process where the system tells (Linux), else `None`.
pub fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exhausted_budget_says_why() {
        let spent = Budget::new(Some(Duration::ZERO), None);
        assert_eq!(spent.poll(), Err(Stop::Time));
        let cancelled = Budget::unlimited();
        let shared = cancelled.clone();
        shared.cancel();
        assert_eq!(cancelled.poll(), Err(Stop::Cancelled));
        assert_eq!(cancelled.detached().poll(), Ok(()));
    }
}
