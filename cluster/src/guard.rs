//! The limits of one process, looked at by each of its workers now and then.

use pidlab_explore::search::{Limits, SLACK, StopReason, Store, resident_bytes};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Time between two looks at the memory of the process.
const LOOK_EVERY: Duration = Duration::from_millis(2);

pub struct Guard<'a> {
    limits: Limits<'a>,
    looked: Option<Instant>,
}

impl<'a> Guard<'a> {
    pub fn new(limits: Limits<'a>) -> Guard<'a> {
        Guard { limits, looked: None }
    }

    /// Whether the search may go on.
    pub fn check(&mut self) -> Result<(), StopReason> {
        if self.limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(StopReason::Interrupted);
        }
        let now = Instant::now();
        if self.limits.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(StopReason::Time);
        }
        let is_due = self.looked.is_none_or(|looked| now >= looked + LOOK_EVERY);
        if self.limits.memory.is_some() && is_due {
            self.looked = Some(now);
            if self.forbids(0) {
                return Err(StopReason::Memory);
            }
        }
        Ok(())
    }

    /// Whether so many more bytes at once would be too many.
    fn forbids(&self, more: u64) -> bool {
        let Some(limit) = self.limits.memory else { return false };
        let used = resident_bytes().unwrap_or(0).saturating_sub(self.limits.held + SLACK);
        used.saturating_add(more) > limit
    }

    /// Whether a store can take in the keys of a message of some length.
    pub fn has_room(&self, store: &impl Store, length: usize) -> bool {
        // a candidate takes four bytes at least
        self.limits.memory.is_none()
            || store.room() > length as u64 / 4
            || !self.forbids(store.growth_bytes())
    }
}
