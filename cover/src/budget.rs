//! Time, memory and cancellation: one budget per question, polled by every phase of answering it —
//! reading, translating, reducing, searching, writing the proof down, checking it.
//!
//! Memory is what the system says the process holds, so that everything counts: the text of the
//! model, the tables of a search, the proof. Asking costs some microseconds and is done once in
//! [`LOOK_EVERY`]; a single allocation that could be large asks first ([`Budget::reserve`]). What an
//! earlier run has freed and the allocator keeps is given back before a limit counts as reached.

use crate::error::Stop;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long the memory in use may go unseen while work is polled.
const LOOK_EVERY: Duration = Duration::from_millis(3);

/// Units of work between two looks at the clock.
const WORK_PER_POLL: usize = 2048;

/// Allocations below this size are left to the looks that come anyway.
const SMALL: u64 = 1 << 20;

/// What a run may use. Clones share the cancellation flag and the deadline; what interrupts the caller
/// ends the runs inside a run too.
#[derive(Clone)]
pub struct Budget {
    time: Option<Duration>,
    deadline: Option<Instant>,
    memory: Option<u64>,
    cancelled: Arc<AtomicBool>,
    interrupted: Option<Arc<AtomicBool>>,
    worked: Cell<usize>,
    next_look: Cell<Option<Instant>>,
}

impl Budget {
    /// The clock starts now.
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Budget {
        Budget {
            time,
            deadline: time.and_then(|t| Instant::now().checked_add(t)),
            memory,
            cancelled: Arc::new(AtomicBool::new(false)),
            interrupted: None,
            worked: Cell::new(0),
            next_look: Cell::new(None),
        }
    }

    pub fn unlimited() -> Budget {
        Budget::new(None, None)
    }

    /// Ends every run that shares this budget.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The same for a caller that may be interrupted: ends this run, and all inside it, once the flag is
    /// set.
    pub fn interrupted_by(self, flag: Arc<AtomicBool>) -> Budget {
        Budget { interrupted: Some(flag), ..self }
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

    /// A budget of its own flag with no more memory than given.
    pub fn capped(&self, memory: u64) -> Budget {
        let memory = self.memory.map_or(memory, |own| own.min(memory));
        Budget { memory: Some(memory), ..self.detached() }
    }

    /// A budget of its own flag that ends when the given part of the time left is over.
    pub fn part(&self, part: u32) -> Budget {
        match self.deadline {
            Some(end) => self.slice(end.saturating_duration_since(Instant::now()) / part),
            None => self.detached(),
        }
    }

    /// Reads the clock, which costs less than a tenth of a microsecond; now and then the memory.
    pub fn poll(&self) -> Result<(), Stop> {
        self.worked.set(0);
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        if is_set(&self.cancelled) || self.interrupted.as_ref().is_some_and(is_set) {
            return Err(Stop::Cancelled);
        }
        if self.deadline.is_none() && self.memory.is_none() {
            return Ok(());
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|end| now >= end) {
            return Err(Stop::Time);
        }
        if self.memory.is_none() || self.next_look.get().is_some_and(|next| now < next) {
            return Ok(());
        }
        self.next_look.set(now.checked_add(LOOK_EVERY));
        self.fits(0)
    }

    /// Counts steps too short to look at the clock each time; for inner loops.
    #[inline]
    pub fn work(&self, units: usize) -> Result<(), Stop> {
        let worked = self.worked.get().saturating_add(units);
        if worked < WORK_PER_POLL {
            self.worked.set(worked);
            return Ok(());
        }
        self.poll()
    }

    /// Asks before an allocation of so many elements, which would be there before the next poll.
    pub fn reserve<T>(&self, elements: usize) -> Result<(), Stop> {
        let bytes = elements.saturating_mul(size_of::<T>()) as u64;
        if bytes < SMALL { self.poll() } else { self.fits(bytes) }
    }

    /// Asks before one more entry makes a hash table grow: old and new are held at the same time.
    pub fn grow<T>(&self, entries: usize, capacity: usize) -> Result<(), Stop> {
        if entries < capacity { Ok(()) } else { self.reserve::<T>(2 * capacity) }
    }

    fn fits(&self, more: u64) -> Result<(), Stop> {
        let over = |limit| resident_bytes().is_some_and(|used| used.saturating_add(more) > limit);
        let exceeded = |limit| {
            over(limit) && {
                give_back();
                over(limit)
            }
        };
        if self.memory.is_some_and(exceeded) { Err(Stop::Memory) } else { Ok(()) }
    }

    /// Why a run ended, with the limit that was given.
    pub fn describe(&self, stop: &Stop) -> String {
        match (stop, self.time, self.memory) {
            (Stop::Time, Some(time), _) => format!("time limit of {time:?} reached"),
            (Stop::Memory, _, Some(bytes)) => format!("memory limit of {} reached", size(bytes)),
            _ => stop.to_string(),
        }
    }
}

/// A number of bytes in the largest unit that keeps it exact.
fn size(bytes: u64) -> String {
    let units = [("GiB", 1u64 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("MB", 1_000_000)];
    let fits = units.iter().find(|unit| bytes != 0 && bytes.is_multiple_of(unit.1));
    fits.map_or(format!("{bytes} bytes"), |unit| format!("{} {}", bytes / unit.1, unit.0))
}

/// Returns what the allocator holds without use to the system, where there is a way to ask for it.
fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        // SAFETY: a function of the C library in use, which may be called at any time by any thread.
        unsafe { malloc_trim(0) };
    }
}

/// Resident memory of this process where the system tells (Linux), else `None`.
pub fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exhausted_budget_says_why() {
        let spent = Budget::new(Some(Duration::ZERO), None);
        assert_eq!(spent.poll(), Err(Stop::Time));
        assert_eq!(spent.describe(&Stop::Time), "time limit of 0ns reached");
        let cancelled = Budget::unlimited();
        let shared = cancelled.clone();
        shared.cancel();
        assert_eq!(cancelled.poll(), Err(Stop::Cancelled));
        assert_eq!(cancelled.detached().poll(), Ok(()));
    }

    #[test]
    fn an_interrupt_ends_runs_inside_runs() {
        let flag = Arc::new(AtomicBool::new(false));
        let inner = Budget::unlimited().interrupted_by(flag.clone()).detached().part(4);
        assert_eq!(inner.poll(), Ok(()));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(inner.poll(), Err(Stop::Cancelled));
    }

    #[test]
    fn many_small_steps_are_noticed() {
        let spent = Budget::new(Some(Duration::ZERO), None);
        assert!((0..=WORK_PER_POLL).any(|_| spent.work(1).is_err()));
    }

    #[test]
    fn an_allocation_that_would_not_fit_is_refused_before_it_is_made() {
        let Some(used) = resident_bytes() else { return };
        let budget = Budget::new(None, Some(used + (1 << 30)));
        assert_eq!(budget.poll(), Ok(()));
        assert_eq!(budget.reserve::<u64>(1 << 30), Err(Stop::Memory));
        assert_eq!(budget.describe(&Stop::Memory).matches("memory limit of").count(), 1);
    }

    #[test]
    fn sizes_are_shown_as_they_were_given() {
        assert_eq!(size(200 << 20), "200 MiB");
        assert_eq!(size(2 << 30), "2 GiB");
        assert_eq!(size(512_000_000), "512 MB");
        assert_eq!(size(200), "200 bytes");
    }
}
