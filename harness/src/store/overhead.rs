//! What the harness itself costs: CPU time that neither generates, decides nor checks.
//!
//! CPU time, not wall time: on a machine that others use, a worker is put aside wherever it happens to
//! hand over to the kernel, and wall time would call that overhead of ours. The wall time that no
//! CPU time accounts for is reported beside it as idle.

use crate::clock::process_cpu;
use serde::{Deserialize, Serialize};

/// Seconds of a worker, summed over blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    pub generating: f64,
    pub deciding: f64,
    pub checking: f64,
    /// All CPU time of the process.
    pub cpu: f64,
    pub wall: f64,
}

impl Spent {
    pub fn add(&mut self, other: Spent) {
        self.generating += other.generating;
        self.deciding += other.deciding;
        self.checking += other.checking;
        self.cpu += other.cpu;
        self.wall += other.wall;
    }

    fn useful(&self) -> f64 {
        self.generating + self.deciding
    }

    fn other(&self) -> f64 {
        (self.cpu - self.useful() - self.checking).max(0.0)
    }
}

/// Where a session's CPU time went, in seconds summed over workers.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overhead {
    pub generating: f64,
    pub deciding: f64,
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
    let scheduler = process_cpu().as_secs_f64();
    let part = scheduler * near_200.cpu / all.cpu.max(1e-9);
    Overhead {
        generating: all.generating,
        deciding: all.deciding,
        checking: all.checking,
        other: all.other(),
        scheduler,
        idle: (all.wall - all.cpu).max(0.0),
        share: (all.other() + scheduler) / all.useful().max(1e-9),
        share_at_200: (near_200.useful() > 0.0)
            .then(|| (near_200.other() + part) / near_200.useful()),
    }
}
