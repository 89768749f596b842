//! What went wrong between processes: the first fault is kept, and everybody looks at it.

use pidlab_explore::search::Failure;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

#[derive(Default)]
pub struct Faults {
    any: AtomicBool,
    first: Mutex<Option<Failure>>,
    over: AtomicBool,
}

impl Faults {
    /// Takes note of a lost process, unless the search is over or there was a fault before.
    pub fn note(&self, text: String) {
        self.note_failure(Failure::Lost(text));
    }

    /// The same for what ended a worker of this process.
    pub fn note_failure(&self, failure: Failure) {
        if self.over.load(Ordering::Acquire) {
            return;
        }
        self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        self.any.store(true, Ordering::Release);
    }

    /// All results are here: what happens to connections from now on does not matter.
    pub fn end(&self) {
        self.over.store(true, Ordering::Release);
    }

    pub fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    #[inline]
    pub fn check(&self) -> Result<(), Failure> {
        if self.any.load(Ordering::Relaxed) { Err(self.first()) } else { Ok(()) }
    }

    fn first(&self) -> Failure {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.clone().unwrap_or(Failure::Lost(String::new()))
    }
}
