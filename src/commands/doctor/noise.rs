//! How much the time of the same work varies on this machine, right now.
//!
//! A loop without memory accesses, of a fixed length that is chosen first so that one round takes about [`ROUND`], is
//! timed again and again. The noise is how much the 90th percentile of the times exceeds the fastest, so
//! nine of ten rounds lie within so many percent of it. It shows preemption and changes of frequency; it does not
//! show disturbed caches, which make measurements worse than this.

use super::Finding;
use std::hint::black_box;
use std::time::{Duration, Instant};

const ROUND: Duration = Duration::from_millis(5);
const ROUNDS: usize = 200;
/// Ends the measurement on a machine so loaded that rounds take much longer.
const LIMIT: Duration = Duration::from_millis(1500);
/// Differences of a few percent, which comparisons look for, drown in more.
const TOLERABLE: f64 = 5.0;

pub fn finding() -> Finding {
    let times = measure();
    let percent = spread(&times);
    Finding::warn_if(
        percent > TOLERABLE,
        "noise",
        format!(
            "{percent:.1} % between the fastest and the 90th percentile of {} equal loops",
            times.len()
        ),
        "believe medians of many rows and interleaved comparisons, not single times; end other programs",
    )
}

fn measure() -> Vec<Duration> {
    let begin = Instant::now();
    let steps = calibrate();
    let mut times = vec![time(steps)];
    while times.len() < ROUNDS && begin.elapsed() < LIMIT {
        times.push(time(steps));
    }
    times
}

/// As many steps as take one round.
fn calibrate() -> u64 {
    let mut steps = 1 << 12;
    while time(steps) < ROUND && steps < 1 << 40 {
        steps *= 2;
    }
    steps
}

fn time(steps: u64) -> Duration {
    let begin = Instant::now();
    let mut x = black_box(0x9E37_79B9_7F4A_7C15_u64);
    for _ in 0..steps {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    black_box(x);
    begin.elapsed()
}

/// By how many percent the 90th percentile exceeds the fastest.
fn spread(times: &[Duration]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    match (sorted.first(), sorted.get((sorted.len() * 9).div_ceil(10).saturating_sub(1))) {
        (Some(least), Some(most)) if !least.is_zero() => {
            (most.as_secs_f64() / least.as_secs_f64() - 1.0) * 100.0
        }
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_of_ten_rounds_count() {
        let mut times = vec![Duration::from_millis(100); 8];
        times.push(Duration::from_millis(110));
        times.push(Duration::from_secs(9));
        assert!((spread(&times) - 10.0).abs() < 1e-9);
        assert_eq!(spread(&times[..1]), 0.0);
        assert_eq!(spread(&[]), 0.0);
    }
}
