//! A backend made slower on purpose: the known answer that regression checks are tested with.
//!
//! `PIDLAB_TEST_SLOWDOWN=canon=1.1` makes every decision of `canon` take 1.1 times as long as it does,
//! by working for the difference after deciding. The variable is read when a backend is opened.

use crate::clock::process_cpu;
use anyhow::bail;
use pidlab_backends::{Backend, Budget, Decision, Info, Problem, registry};
use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const VARIABLE: &str = "PIDLAB_TEST_SLOWDOWN";

/// A decision from here on is timed by the CPU clock: it may well be put aside for other processes in the
/// meantime. A shorter one hardly ever is, and reading that clock would cost a good part of it.
const LONG: Duration = Duration::from_micros(100);

type Reading = fn() -> Duration;

struct Slowed {
    inner: Box<dyn Backend>,
    factor: f64,
    /// What the readings of either clock cost a decision: part of the slowdown, not added to it.
    costs: [Duration; 2],
    /// Whether the last decision was long: neighbouring rows are of one size.
    long: AtomicBool,
}

/// A slower backend of that name, if the variable asks for one.
pub fn find(name: &str) -> anyhow::Result<Option<Box<dyn Backend>>> {
    let text = std::env::var(VARIABLE).unwrap_or_default();
    let Some(factor) = factor_of(name, &text)? else { return Ok(None) };
    Ok(Some(Box::new(Slowed {
        inner: registry::find(name)?,
        factor,
        costs: [3 * cost_of(monotonic), 3 * cost_of(process_cpu)],
        long: AtomicBool::new(false),
    })))
}

fn factor_of(name: &str, text: &str) -> anyhow::Result<Option<f64>> {
    let mut found = None;
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let parsed = part.rsplit_once('=').and_then(|(who, by)| Some((who, by.parse().ok()?)));
        match parsed {
            Some((who, factor)) if (1.0..=1000.0).contains(&factor) => {
                if who == name {
                    found = Some(factor);
                }
            }
            _ => bail!("{VARIABLE}: `{part}` is not BACKEND=FACTOR with a factor from 1 to 1000"),
        }
    }
    Ok(found)
}

/// Time since some moment in the past; cheaper to read than the CPU clock.
fn monotonic() -> Duration {
    let time = clock_gettime(ClockId::Monotonic);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn cost_of(reading: Reading) -> Duration {
    const READINGS: u32 = 1000;
    let begun = reading();
    for _ in 0..READINGS {
        std::hint::black_box(reading());
    }
    reading().saturating_sub(begun) / READINGS
}

impl Backend for Slowed {
    fn info(&self) -> Info {
        self.inner.info()
    }

    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision {
        let long = self.long.load(Ordering::Relaxed);
        let reading: Reading = if long { process_cpu } else { monotonic };
        let begun = reading();
        let mut decision = self.inner.decide(problem, budget);
        let own = reading().saturating_sub(begun);
        let until = own.mul_f64(self.factor).saturating_sub(self.costs[usize::from(long)]);
        while reading().saturating_sub(begun) < until {
            std::hint::spin_loop();
        }
        decision.decide += until.saturating_sub(own);
        self.long.store(own > LONG, Ordering::Relaxed);
        decision
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_read_and_nonsense_is_refused() {
        assert_eq!(factor_of("canon", "nauty=2,canon=1.1").unwrap(), Some(1.1));
        assert_eq!(factor_of("vf2", "nauty=2,canon=1.1").unwrap(), None);
        for bad in ["canon", "canon=", "canon=0.5", "canon=x", "canon=NaN"] {
            assert!(factor_of("vf2", bad).is_err(), "{bad}");
        }
    }
}
