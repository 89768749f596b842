//! What the harness itself costs: CPU time that neither generates, decides nor checks.
//!
//! CPU time, not wall time: on a machine that others use, a worker is put aside wherever it happens to
//! hand over to the kernel, and wall time would call that overhead of ours. The wall time that no
//! CPU time accounts for is reported beside it as idle.

use crate::clock::process_cpu;
use crate::inputs;
use serde::{Deserialize, Serialize};

/// Nanoseconds of a worker, summed over blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Making pairs.
    pub generating: u64,
    /// Deciding them.
    pub deciding: u64,
    /// Checking answers.
    pub checking: u64,
    /// All CPU time of the process.
    pub cpu: u64,
    /// Time that passed.
    pub wall: u64,
}

impl Spent {
    /// Adds that of another block.
    pub fn add(&mut self, other: Spent) {
        self.generating += other.generating;
        self.deciding += other.deciding;
        self.checking += other.checking;
        self.cpu += other.cpu;
        self.wall += other.wall;
    }

    fn useful(&self) -> u64 {
        self.generating + self.deciding
    }

    fn other(&self) -> u64 {
        self.cpu.saturating_sub(self.useful() + self.checking)
    }
}

/// Where a session's CPU time went, in seconds summed over workers.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overhead {
    /// Making pairs, and reading the user's own before the first row.
    pub generating: f64,
    /// Deciding them.
    pub deciding: f64,
    /// Checking answers.
    pub checking: f64,
    /// Taking orders, pipe traffic, writing rows.
    pub other: f64,
    /// CPU time of the scheduling process.
    pub scheduler: f64,
    /// Wall time of workers without CPU time: waiting, or put aside for other processes.
    pub idle: f64,
    /// (other + scheduler) / (generating + deciding), all blocks.
    pub share: f64,
    /// The same over blocks with 150 ≤ p ≤ 250; nothing if there are none.
    pub share_at_200: Option<f64>,
}

/// The overhead of a session; the scheduler's own time is spread over blocks by their CPU time.
pub fn of(all: &Spent, near_200: &Spent) -> Overhead {
    let seconds = |nanos: u64| nanos as f64 / 1e9;
    // reading the user's own inputs is part of making pairs, and done before there is anything to schedule
    let reading = inputs::reading_time().as_secs_f64();
    let scheduler = (process_cpu().as_secs_f64() - reading).max(0.0);
    let part = scheduler * near_200.cpu as f64 / all.cpu.max(1) as f64;
    let share = |spent: &Spent, scheduler: f64| {
        (seconds(spent.other()) + scheduler) / seconds(spent.useful()).max(1e-9)
    };
    Overhead {
        generating: seconds(all.generating) + reading,
        deciding: seconds(all.deciding),
        checking: seconds(all.checking),
        other: seconds(all.other()),
        scheduler,
        idle: seconds(all.wall.saturating_sub(all.cpu)),
        share: share(all, scheduler),
        share_at_200: (near_200.useful() > 0).then(|| share(near_200, part)),
    }
}
