//! The limits of one process, looked at by each of its workers now and then.

use pidlab_budget::{Budget, Exhausted};
use pidlab_explore::search::{StopReason, Store};

pub struct Guard {
    budget: Budget,
}

impl Guard {
    pub fn new(budget: Budget) -> Guard {
        Guard { budget }
    }

    /// Whether the search may go on.
    pub fn check(&self) -> Result<(), StopReason> {
        self.budget.poll().map_err(StopReason::from)
    }

    /// Whether a store can take in the keys of a message of some length.
    pub fn has_room(&self, store: &impl Store, length: usize) -> bool {
        // a candidate takes four bytes at least
        self.budget.memory_limit().is_none()
            || store.room() > length as u64 / 4
            || self.budget.reserve_bytes(store.growth_bytes()) != Err(Exhausted::Memory)
    }
}
