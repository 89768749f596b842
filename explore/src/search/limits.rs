//! What ends a search early: states, time, memory, or the user.
//!
//! Time is a point in time, and memory is what the whole process holds beyond what it held at the
//! start, so that all phases of a command share one budget: whoever is handed the same [`Limits`]
//! stops at the same moment.

use super::memory::resident_bytes;
use pidlab_backends::{Budget, Exhausted};
use serde::Serialize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// Largest number of stored states.
    pub states: Option<u64>,
    /// Bytes beyond those that the process held at the start.
    pub memory: Option<u64>,
    /// Bytes that it held then.
    pub held: u64,
    pub deadline: Option<Instant>,
    /// Set from outside, by a signal handler for instance.
    pub interrupt: Option<&'a AtomicBool>,
    /// How much later than the deadline what was found must be presented.
    pub grace: Duration,
}

impl Limits<'_> {
    /// The same for a command that starts now, with a time that runs from now.
    pub fn within(self, time: Option<Duration>) -> Self {
        let held = resident_bytes().unwrap_or(0);
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        // a part of what may be exceeded: a tenth and 0.2 s
        let grace = time.map_or(Duration::ZERO, |time| time / 20 + Duration::from_millis(50));
        Limits { deadline, grace, held, ..self }
    }

    /// The same for presenting what was found until a limit was reached: a little more of all.
    pub fn to_present(self) -> Self {
        let memory = self.memory.map(|bytes| bytes.saturating_add(bytes / 10 + (16 << 20)));
        let deadline = self.deadline.and_then(|deadline| deadline.checked_add(self.grace));
        Limits { memory, deadline, grace: Duration::ZERO, ..self }
    }

    pub fn allowance(&self) -> Allowance {
        Allowance { deadline: self.deadline, memory: self.memory, held: self.held }
    }
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

impl From<Exhausted> for StopReason {
    fn from(what: Exhausted) -> StopReason {
        match what {
            Exhausted::Time => StopReason::Time,
            Exhausted::Memory => StopReason::Memory,
            Exhausted::Interrupted => StopReason::Interrupted,
        }
    }
}

impl StopReason {
    /// Whether the question stays open: a limit was reached and nothing was found.
    pub fn is_limit(self) -> bool {
        !matches!(self, StopReason::Found | StopReason::Deadlock)
    }
}

/// What one step within a phase may use: the time and the memory that are left to the command.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowance {
    deadline: Option<Instant>,
    memory: Option<u64>,
    held: u64,
}

impl Allowance {
    pub fn budget(&self) -> Budget {
        Budget::until(self.deadline, self.memory)
    }

    /// Reads the clock and the memory in use; call it once in many steps.
    pub fn check(&self) -> Result<(), Exhausted> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Exhausted::Time);
        }
        match self.memory {
            Some(limit) if bytes_beyond(self.held) > limit => Err(Exhausted::Memory),
            _ => Ok(()),
        }
    }
}

/// Memory that is not counted: stacks of threads, rooms of the allocator, pages in part.
pub const SLACK: u64 = 8 << 20;

/// What the process holds beyond what it held at the start.
fn bytes_beyond(held: u64) -> u64 {
    resident_bytes().unwrap_or(0).saturating_sub(held + SLACK)
}

/// An allowance looked at once in a while; a step costs a counter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    allowance: Allowance,
    spent: u64,
    /// When the memory in use was looked at last.
    looked: Option<Instant>,
}

impl Meter {
    /// Units of work between two looks at the clock.
    const STRIDE: u64 = 1 << 14;

    pub fn new(allowance: Allowance) -> Meter {
        Meter { allowance, ..Meter::default() }
    }

    /// Counts work, in units of some nanoseconds.
    #[inline]
    pub fn spend(&mut self, units: u64) -> Result<(), Exhausted> {
        self.spent += units;
        if self.spent < Meter::STRIDE {
            return Ok(());
        }
        self.look()
    }

    #[cold]
    fn look(&mut self) -> Result<(), Exhausted> {
        self.spent = 0;
        let Allowance { deadline, memory, held } = self.allowance;
        if deadline.is_none() && memory.is_none() {
            return Ok(());
        }
        let now = Instant::now();
        if deadline.is_some_and(|deadline| now >= deadline) {
            return Err(Exhausted::Time);
        }
        let is_due = self.looked.is_none_or(|looked| now >= looked + LOOK_EVERY);
        if let Some(limit) = memory.filter(|_| is_due) {
            self.looked = Some(now);
            if bytes_beyond(held) > limit {
                return Err(Exhausted::Memory);
            }
        }
        Ok(())
    }
}

/// Limits under which a search runs; threads share it.
pub(super) struct Watch<'a> {
    limits: Limits<'a>,
    started: Instant,
    /// When the memory of the process was looked at last, in microseconds since the start.
    looked: AtomicU64,
}

/// Time between two looks at the memory of the process.
const LOOK_EVERY: Duration = Duration::from_millis(1);

impl<'a> Watch<'a> {
    pub fn start(limits: Limits<'a>) -> Watch<'a> {
        Watch { limits, started: Instant::now(), looked: AtomicU64::new(0) }
    }

    pub fn allowance(&self) -> Allowance {
        self.limits.allowance()
    }

    pub fn state_limit(&self) -> u64 {
        self.limits.states.unwrap_or(u64::MAX)
    }

    pub fn limits_memory(&self) -> bool {
        self.limits.memory.is_some()
    }

    /// Whether `more` bytes at once would be too many for a search that knows of `bytes`.
    pub fn forbids(&self, bytes: u64, more: u64) -> bool {
        let used = bytes_beyond(self.limits.held).max(bytes);
        self.limits.memory.is_some_and(|limit| used.saturating_add(more) > limit)
    }

    /// Reads clock and flag, and the memory of the process now and then; call it once in many
    /// expansions. `bytes` is what the search knows of, for systems that do not tell.
    pub fn check(&self, bytes: u64) -> Result<(), StopReason> {
        if self.interrupted() {
            return Err(StopReason::Interrupted);
        }
        let now = Instant::now();
        if self.limits.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(StopReason::Time);
        }
        match self.limits.memory {
            Some(limit) if bytes > limit || self.is_due(now) && self.is_beyond(limit) => {
                Err(StopReason::Memory)
            }
            _ => Ok(()),
        }
    }

    fn is_beyond(&self, limit: u64) -> bool {
        bytes_beyond(self.limits.held) > limit
    }

    /// Whether it is time to look at the memory of the process.
    fn is_due(&self, now: Instant) -> bool {
        let time = (now - self.started).as_micros() as u64;
        let is_due = time >= self.looked.load(Ordering::Relaxed) + LOOK_EVERY.as_micros() as u64;
        if is_due {
            self.looked.store(time, Ordering::Relaxed);
        }
        is_due
    }

    fn interrupted(&self) -> bool {
        self.limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
