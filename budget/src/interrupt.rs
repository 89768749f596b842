//! Who else may end a computation: a signal handler, another thread, or a caller that must be asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What says that a computation is no longer wanted.
#[derive(Clone, Debug)]
pub enum Interrupt {
    /// A flag of the program, set by a signal handler for instance.
    Flag(&'static AtomicBool),
    /// A flag that another thread sets.
    Shared(Arc<AtomicBool>),
    /// Asked in the thread that polls, for runtimes that take signals in a thread of theirs.
    Asked(fn() -> bool),
}

impl Interrupt {
    /// Whether the computation is to end.
    pub fn is_set(&self) -> bool {
        match self {
            Interrupt::Flag(flag) => flag.load(Ordering::Relaxed),
            Interrupt::Shared(flag) => flag.load(Ordering::Relaxed),
            Interrupt::Asked(ask) => ask(),
        }
    }
}

impl From<&'static AtomicBool> for Interrupt {
    fn from(flag: &'static AtomicBool) -> Interrupt {
        Interrupt::Flag(flag)
    }
}

impl From<Arc<AtomicBool>> for Interrupt {
    fn from(flag: Arc<AtomicBool>) -> Interrupt {
        Interrupt::Shared(flag)
    }
}

impl From<fn() -> bool> for Interrupt {
    fn from(ask: fn() -> bool) -> Interrupt {
        Interrupt::Asked(ask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Exhausted};

    #[test]
    fn an_interrupted_caller_ends_the_search() {
        let asked: fn() -> bool = || true;
        let budget = Budget::unlimited().interrupted_by(asked);
        let taken = (1_u64..).find(|_| budget.step().is_err());
        assert!(taken.is_some_and(|steps| steps > 1), "{taken:?}");
        assert_eq!(budget.poll(), Err(Exhausted::Interrupted));
        let asked: fn() -> bool = || false;
        assert_eq!(Budget::unlimited().interrupted_by(asked).poll(), Ok(()));
    }

    #[test]
    fn an_interrupt_ends_runs_inside_runs() {
        let flag = Arc::new(AtomicBool::new(false));
        let inner = Budget::unlimited().interrupted_by(flag.clone()).detached().part(4);
        assert_eq!(inner.poll(), Ok(()));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(inner.poll(), Err(Exhausted::Interrupted));
    }
}
