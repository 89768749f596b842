//! The budget: what it holds, how it is shared, when it is exhausted.
//!
//! Limits are the same for all who share a budget; counters are each clone's own. They are atomic so
//! that threads may share a budget, but read and written without a lock: a step costs what it costs
//! with plain integers, and threads that meet at one counter may lose steps of each other. A thread
//! that counts many has its own clone.

use crate::interrupt::Interrupt;
use crate::memory::{give_back, held_at_start, resident_bytes};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use thiserror::Error;

/// A limit was reached or somebody asked to stop; the question stays open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Exhausted {
    /// The deadline is over.
    #[error("the time limit was reached")]
    Time,
    /// The process holds more than it may.
    #[error("the memory limit was reached")]
    Memory,
    /// Whoever shares the budget needs no answer any more.
    #[error("cancelled")]
    Cancelled,
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Memory that is not counted: stacks of threads, rooms of the allocator, pages in part.
pub const SLACK: u64 = 8 << 20;

/// Units of work between two looks at the clock.
const UNITS_PER_POLL: u64 = 1 << 14;

/// Units of work of one step.
const UNITS_PER_STEP: u64 = 1 << 4;

/// How long the memory of the process may go unseen while work is polled.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// Allocations below this size are left to the looks that come anyway.
const SMALL: u64 = 1 << 20;

/// What a computation may use. Clones share deadline, memory and cancellation; each counts its own
/// steps.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The limit as it was given, for messages.
    time: Option<Duration>,
    deadline: Option<Instant>,
    /// How much later than the deadline what was found must be presented.
    grace: Duration,
    memory: Option<MemoryLimit>,
    cancelled: Option<Arc<AtomicBool>>,
    interrupted: Option<Interrupt>,
    one_thread: bool,
    no_short_cuts: bool,
    /// Units of work since the last poll.
    spent: Counter,
    /// Bytes that the caller is known to hold.
    counted: Counter,
    /// When the memory of the process is looked at next, in microseconds since the start.
    next_look: Counter,
}

#[derive(Clone, Copy, Debug)]
struct MemoryLimit {
    /// Bytes beyond those that the process held at the start.
    bytes: u64,
    /// Bytes that it held then.
    held: u64,
    start: Instant,
}

/// A number that threads may share; additions of several at once may be lost.
#[derive(Debug, Default)]
struct Counter(AtomicU64);

impl Counter {
    /// For [`Budget::next_look`] where memory has just been looked at.
    fn first_look() -> Counter {
        Counter(AtomicU64::new(LOOK_EVERY.as_micros() as u64))
    }

    #[inline]
    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline]
    fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }
}

impl Clone for Counter {
    fn clone(&self) -> Counter {
        Counter(AtomicU64::new(self.get()))
    }
}

/// Making budgets and shares of them.
impl Budget {
    /// Nothing is limited.
    pub fn unlimited() -> Budget {
        Budget::default()
    }

    /// Limits whose clock, and whose count of memory, starts now.
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Budget {
        Budget {
            time,
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            // a part of what may be exceeded: a tenth and 0.2 s
            grace: time.map_or(Duration::ZERO, |time| time / 20 + Duration::from_millis(50)),
            memory: memory.map(|bytes| MemoryLimit {
                bytes,
                held: held_at_start(),
                start: Instant::now(),
            }),
            next_look: Counter::first_look(),
            ..Budget::default()
        }
    }

    /// The same limits for the next of many short computations: the clock starts now, memory is counted from where it
    /// was counted before, which saves looking at it.
    pub fn anew(&self) -> Budget {
        let now = Instant::now();
        Budget {
            deadline: self.time.and_then(|time| now.checked_add(time)),
            memory: self.memory.map(|limit| MemoryLimit { start: now, ..limit }),
            next_look: Counter::first_look(),
            spent: Counter::default(),
            counted: Counter::default(),
            ..self.detached()
        }
    }

    /// The same, which also ends when somebody else says so, a signal handler for instance.
    pub fn interrupted_by(self, interrupt: impl Into<Interrupt>) -> Budget {
        Budget { interrupted: Some(interrupt.into()), ..self }
    }

    /// The same for a caller that has no core to spare.
    pub fn on_one_thread(self) -> Budget {
        Budget { one_thread: true, ..self }
    }

    /// The same for a caller that wants the solver to see every pair.
    pub fn without_short_cuts(self) -> Budget {
        Budget { no_short_cuts: true, ..self }
    }

    /// A budget with the same limits that [`cancel`](Self::cancel) ends, with all its clones, and
    /// that ends nobody else: for runs inside a run.
    pub fn detached(&self) -> Budget {
        Budget { cancelled: Some(Arc::default()), ..self.clone() }
    }

    /// A detached budget that ends after `time` at the latest.
    pub fn slice(&self, time: Duration) -> Budget {
        let end = Instant::now().checked_add(time);
        let deadline = match (self.deadline, end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Budget { deadline, ..self.detached() }
    }

    /// A detached budget that ends when the given part of the time left is over.
    pub fn part(&self, part: u32) -> Budget {
        match self.remaining() {
            Some(left) => self.slice(left / part),
            None => self.detached(),
        }
    }

    /// A budget for presenting what was found until this one ended: a little more of all, and no
    /// interruption, which has been obeyed.
    pub fn to_present(&self) -> Budget {
        let more = |limit: MemoryLimit| MemoryLimit {
            bytes: limit.bytes.saturating_add(limit.bytes / 10 + (16 << 20)),
            ..limit
        };
        Budget {
            memory: self.memory.map(more),
            deadline: self.deadline.and_then(|deadline| deadline.checked_add(self.grace)),
            grace: Duration::ZERO,
            interrupted: None,
            ..self.detached()
        }
    }
}

/// What is limited.
impl Budget {
    /// Whether a computation may start threads of its own.
    pub fn allows_threads(&self) -> bool {
        !self.one_thread
    }

    /// Whether a backend may answer from counts, or from what building shows, without asking its solver.
    pub fn allows_short_cuts(&self) -> bool {
        !self.no_short_cuts
    }

    /// Time left; `None` if time is not limited.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Bytes beyond what the process held at the start; `None` if memory is not limited.
    pub fn memory_limit(&self) -> Option<u64> {
        self.memory.map(|limit| limit.bytes)
    }

    /// Why a computation ended, with the limit that was given.
    pub fn describe(&self, what: Exhausted) -> String {
        match (what, self.time, self.memory) {
            (Exhausted::Time, Some(time), _) => format!("time limit of {time:?} reached"),
            (Exhausted::Memory, _, Some(limit)) => {
                format!("memory limit of {} reached", size(limit.bytes))
            }
            _ => what.to_string(),
        }
    }
}

/// Polling.
impl Budget {
    /// Ends every computation that shares a [detached](Self::detached) budget.
    pub fn cancel(&self) {
        if let Some(flag) = &self.cancelled {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Whether somebody else has ended the computation.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.as_ref().is_some_and(Interrupt::is_set)
    }

    /// Counts one step of a search, of up to some microseconds.
    #[inline]
    pub fn step(&self) -> Result<(), Exhausted> {
        self.spend(UNITS_PER_STEP)
    }

    /// Counts so many steps.
    #[inline]
    pub fn steps(&self, steps: usize) -> Result<(), Exhausted> {
        self.spend((steps as u64).wrapping_mul(UNITS_PER_STEP))
    }

    /// Counts work in units of some nanoseconds, for innermost loops.
    #[inline]
    pub fn spend(&self, units: u64) -> Result<(), Exhausted> {
        // a sum that wraps loses a poll; no computation counts that far
        let spent = self.spent.get().wrapping_add(units);
        if spent < UNITS_PER_POLL {
            self.spent.set(spent);
            return Ok(());
        }
        self.poll_in_a_loop()
    }

    #[cold]
    fn poll_in_a_loop(&self) -> Result<(), Exhausted> {
        self.poll()
    }

    /// Reads the clock, which costs less than a tenth of a microsecond; now and then the memory.
    pub fn poll(&self) -> Result<(), Exhausted> {
        self.spent.set(0);
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if self.cancelled.as_deref().is_some_and(is_set) {
            return Err(Exhausted::Cancelled);
        }
        if self.is_interrupted() {
            return Err(Exhausted::Interrupted);
        }
        if self.deadline.is_none() && self.memory.is_none() {
            return Ok(());
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|end| now >= end) {
            return Err(Exhausted::Time);
        }
        match self.memory {
            Some(limit) => self.look(now, limit),
            None => Ok(()),
        }
    }

    fn look(&self, now: Instant, limit: MemoryLimit) -> Result<(), Exhausted> {
        if self.counted.get() > limit.bytes {
            return Err(Exhausted::Memory);
        }
        let time = now.saturating_duration_since(limit.start).as_micros() as u64;
        if time < self.next_look.get() {
            return Ok(());
        }
        self.next_look.set(time + LOOK_EVERY.as_micros() as u64);
        self.fits(0)
    }

    /// Asks before an allocation of so many elements, which would be there before the next poll.
    pub fn reserve<T>(&self, elements: usize) -> Result<(), Exhausted> {
        self.reserve_bytes(elements.saturating_mul(size_of::<T>()) as u64)
    }

    /// The same for a number of bytes.
    pub fn reserve_bytes(&self, bytes: u64) -> Result<(), Exhausted> {
        if bytes < SMALL { self.poll() } else { self.fits(bytes) }
    }

    /// Asks before one more entry makes a hash table grow: old and new are held at the same time.
    #[inline]
    pub fn grow<T>(&self, entries: usize, capacity: usize) -> Result<(), Exhausted> {
        if entries < capacity { Ok(()) } else { self.reserve::<T>(2 * capacity) }
    }

    /// Counts memory that will be held to the end; a limit is obeyed to the byte.
    pub fn allocate(&self, bytes: u64) -> Result<(), Exhausted> {
        if bytes >= SMALL {
            self.fits(bytes)?;
        }
        let counted = self.counted.get().saturating_add(bytes);
        self.counted.set(counted);
        match self.memory {
            Some(limit) if counted > limit.bytes => Err(Exhausted::Memory),
            _ => Ok(()),
        }
    }

    /// Says how much the caller holds, in place of what was counted so far.
    pub fn hold(&self, bytes: u64) {
        self.counted.set(bytes);
    }

    fn fits(&self, more: u64) -> Result<(), Exhausted> {
        let Some(limit) = self.memory else { return Ok(()) };
        let is_over = || self.used(limit).saturating_add(more) > limit.bytes;
        if !is_over() {
            return Ok(());
        }
        give_back();
        if is_over() { Err(Exhausted::Memory) } else { Ok(()) }
    }

    fn used(&self, limit: MemoryLimit) -> u64 {
        let beyond = resident_bytes().unwrap_or(0).saturating_sub(limit.held + SLACK);
        beyond.max(self.counted.get())
    }
}

/// A number of bytes in the largest unit that keeps it exact.
fn size(bytes: u64) -> String {
    let units = [("GiB", 1u64 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("MB", 1_000_000)];
    let fits = units.iter().find(|unit| bytes != 0 && bytes.is_multiple_of(unit.1));
    fits.map_or(format!("{bytes} bytes"), |unit| format!("{} {}", bytes / unit.1, unit.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exhausted_budget_says_why() {
        let spent = Budget::new(Some(Duration::ZERO), None);
        assert_eq!(spent.poll(), Err(Exhausted::Time));
        assert_eq!(spent.describe(Exhausted::Time), "time limit of 0ns reached");
        assert_eq!(spent.describe(Exhausted::Memory), "the memory limit was reached");
    }

    #[test]
    fn cancellation_reaches_clones_and_nobody_else() {
        let run = Budget::unlimited().detached();
        let shared = run.clone();
        shared.cancel();
        assert_eq!(run.poll(), Err(Exhausted::Cancelled));
        assert_eq!(run.detached().poll(), Ok(()));
        assert_eq!(run.slice(Duration::from_secs(60)).poll(), Ok(()));
    }

    #[test]
    fn the_next_of_many_has_a_clock_of_its_own() {
        // long enough that a busy machine does not use it up between two lines
        let time = Duration::from_millis(500);
        let used = Budget::new(Some(time), Some(1 << 30));
        used.hold(2 << 30);
        std::thread::sleep(time);
        assert_eq!(used.poll(), Err(Exhausted::Time));
        let next = used.anew();
        assert_eq!(next.poll(), Ok(()), "neither time nor memory of the one before");
        std::thread::sleep(time);
        assert_eq!(next.poll(), Err(Exhausted::Time));
    }

    #[test]
    fn an_interrupt_reaches_all_but_the_presentation() {
        static FLAG: AtomicBool = AtomicBool::new(false);
        let budget = Budget::unlimited().interrupted_by(&FLAG);
        assert_eq!(budget.poll(), Ok(()));
        FLAG.store(true, Ordering::Relaxed);
        for share in [budget.clone(), budget.detached(), budget.part(2)] {
            assert_eq!(share.poll(), Err(Exhausted::Interrupted));
        }
        assert_eq!(budget.to_present().poll(), Ok(()));
    }

    #[test]
    fn many_small_steps_are_noticed() {
        let most = |count: &dyn Fn(&Budget) -> Result<(), Exhausted>, units: u64| {
            let spent = Budget::new(Some(Duration::ZERO), None);
            (0..=UNITS_PER_POLL / units).any(|_| count(&spent).is_err())
        };
        assert!(most(&|budget| budget.step(), UNITS_PER_STEP));
        assert!(most(&|budget| budget.steps(3), 3 * UNITS_PER_STEP));
        assert!(most(&|budget| budget.spend(1), 1));
    }

    #[test]
    fn shares_end_no_later_than_the_whole() {
        let spent = Budget::new(Some(Duration::ZERO), None);
        let hour = Duration::from_secs(3600);
        assert_eq!(spent.slice(hour).poll(), Err(Exhausted::Time));
        assert_eq!(spent.part(4).poll(), Err(Exhausted::Time));
        assert_eq!(spent.to_present().poll(), Ok(()), "there is a grace for presenting");
        let left = Budget::new(Some(hour), None).part(4).remaining().unwrap();
        assert!(left <= hour / 4);
    }

    #[test]
    fn what_is_counted_is_limited_to_the_byte() {
        let budget = Budget::new(None, Some(100));
        assert_eq!(budget.allocate(60), Ok(()));
        assert_eq!(budget.allocate(60), Err(Exhausted::Memory));
        budget.hold(40);
        assert_eq!(budget.allocate(60), Ok(()));
        budget.hold(101);
        assert_eq!(budget.poll(), Err(Exhausted::Memory));
    }

    #[test]
    fn an_allocation_that_would_not_fit_is_refused_before_it_is_made() {
        if resident_bytes().is_none() {
            return;
        }
        let budget = Budget::new(None, Some(1 << 30));
        assert_eq!(budget.poll(), Ok(()));
        assert_eq!(budget.reserve::<u64>(1 << 30), Err(Exhausted::Memory));
        assert_eq!(budget.grow::<u64>(1 << 30, 1 << 30), Err(Exhausted::Memory));
        assert_eq!(budget.describe(Exhausted::Memory), "memory limit of 1 GiB reached");
    }

    #[test]
    fn sizes_are_shown_as_they_were_given() {
        assert_eq!(size(200 << 20), "200 MiB");
        assert_eq!(size(2 << 30), "2 GiB");
        assert_eq!(size(512_000_000), "512 MB");
        assert_eq!(size(200), "200 bytes");
    }
}
