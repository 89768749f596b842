//! The same work measured twice, paired: is the new one slower, by how much, and is that sure?
//!
//! Owen, "The pigeonhole bootstrap", Annals of Applied Statistics 1 (2007), section 3. A measurement
//! belongs to a state and to a round, and both leave their mark: states differ in what a change does
//! to them, rounds in where the processes of that round were placed in memory. So states and rounds
//! are resampled, independently of each other, and a measurement counts as often as its state times
//! its round were drawn. The statistic is the weighted median of log(new / base).
//!
//! Cost: one sort, then O(n) a resample. Known weakness: with few rounds the interval is too wide
//! rather than too narrow; a change that touches less than half of the measurements moves no median.

use crate::Interval;
use crate::order::quantile_sorted;
use pidlab_random::Rng;
use serde::Serialize;

const RESAMPLES: usize = 2000;
/// Fewer states than this say nothing.
pub const FEWEST_STATES: usize = 5;

/// One state in one round: the logarithm of its new time over its base time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedRatio {
    /// Number of the base state.
    pub state: u32,
    /// Number of the round of measurement.
    pub round: u32,
    /// log(new / base); NaN is left out.
    pub log_ratio: f64,
}

/// What can be said of the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Change {
    /// The whole interval is below no change.
    Faster,
    /// The whole interval is above no change.
    Slower,
    /// The whole interval lies within δ of no change.
    Same,
    /// The interval holds both no change and a change of more than δ.
    Undecided {
        /// About so many times the measurements there are would decide; nothing if there are too few.
        times: Option<u32>,
    },
}

/// The interval of new / base at a level of confidence such as 0.99; nothing with too few states.
pub fn ratio(cells: &[PairedRatio], confidence: f64, seed: u64) -> Option<Interval> {
    let mut sorted: Vec<PairedRatio> =
        cells.iter().filter(|c| !c.log_ratio.is_nan()).copied().collect();
    sorted.sort_by(|a, b| a.log_ratio.total_cmp(&b.log_ratio));
    let states = Numbers::of(sorted.iter().map(|cell| cell.state));
    let rounds = Numbers::of(sorted.iter().map(|cell| cell.round));
    if states.count < FEWEST_STATES {
        return None;
    }
    let places: Vec<(usize, usize)> =
        sorted.iter().map(|c| (states.place(c.state), rounds.place(c.round))).collect();
    let mut draws = Rng::for_analysis(seed, 0x9A1);
    let mut weights = vec![0; sorted.len()];
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let drawn = (drawn(states.count, &mut draws), drawn(rounds.count, &mut draws));
            for (weight, &(state, round)) in weights.iter_mut().zip(&places) {
                *weight = drawn.0[state] * drawn.1[round];
            }
            weighted_median(&sorted, &weights)
        })
        .collect();
    medians.sort_unstable_by(f64::total_cmp);
    let value = weighted_median(&sorted, &vec![1; sorted.len()])?;
    let tail = (1.0 - confidence) / 2.0;
    // the bootstrap of very few rounds may miss the estimate itself
    let low = quantile_sorted(&medians, tail).min(value);
    let high = quantile_sorted(&medians, 1.0 - tail).max(value);
    Some(Interval { value, low, high }.map(f64::exp))
}

/// The verdict on a ratio: `delta` is the change that does not matter, 0.05 for 5 %.
pub fn judge(ratio: Option<Interval>, delta: f64) -> Change {
    let Some(ratio) = ratio else { return Change::Undecided { times: None } };
    let (log, margin) = (ratio.map(f64::ln), delta.ln_1p());
    if -margin < log.low && log.high < margin {
        return Change::Same;
    }
    if log.low > 0.0 {
        return Change::Slower;
    }
    if log.high < 0.0 {
        return Change::Faster;
    }
    // either the interval leaves out no change, or it fits into the margin: whichever is nearer
    let target = log.value.abs().max(margin - log.value.abs());
    let factor = (log.half_width() / target).powi(2).clamp(1.2, 1e6);
    Change::Undecided { times: Some(factor.ceil() as u32) }
}

/// Numbers of states or rounds, made dense.
struct Numbers {
    known: std::collections::BTreeMap<u32, usize>,
    count: usize,
}

impl Numbers {
    fn of(numbers: impl Iterator<Item = u32>) -> Numbers {
        let mut known = std::collections::BTreeMap::new();
        for number in numbers {
            let next = known.len();
            known.entry(number).or_insert(next);
        }
        Numbers { count: known.len(), known }
    }

    fn place(&self, number: u32) -> usize {
        self.known.get(&number).copied().unwrap_or(0)
    }
}

/// How often each of `n` things is drawn in `n` draws.
fn drawn(n: usize, draws: &mut Rng) -> Vec<u32> {
    let mut counts = vec![0; n];
    for _ in 0..n {
        counts[draws.index(n)] += 1;
    }
    counts
}

/// The median of sorted cells of which each counts `weights` times.
fn weighted_median(sorted: &[PairedRatio], weights: &[u32]) -> Option<f64> {
    let total: u64 = weights.iter().map(|&w| u64::from(w)).sum();
    let (mut below, mut lower) = (0, None);
    for (cell, &weight) in sorted.iter().zip(weights) {
        below += u64::from(weight);
        if weight > 0 && 2 * below >= total {
            let here = cell.log_ratio;
            match lower {
                None if 2 * below > total => return Some(here),
                None => lower = Some(here),
                Some(lower) => return Some((lower + here) / 2.0),
            }
        }
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 24 states in 8 rounds: states, rounds and single measurements all vary.
    fn cells(effect: f64, seed: u64) -> Vec<PairedRatio> {
        let mut draws = Rng::for_analysis(seed, 1);
        let states: Vec<f64> = (0..24).map(|_| 0.01 * draws.normal()).collect();
        (0..8)
            .flat_map(|round| {
                let shift = 0.015 * draws.normal();
                let line: Vec<PairedRatio> = (0..24)
                    .map(|state| PairedRatio {
                        state,
                        round,
                        log_ratio: effect + shift + states[state as usize] + 0.04 * draws.normal(),
                    })
                    .collect();
                line
            })
            .collect()
    }

    #[test]
    fn the_interval_covers_the_truth_though_rounds_share_their_noise() {
        let mut covered = 0;
        for seed in 0..200 {
            let interval = ratio(&cells(0.1, seed), 0.99, 7).unwrap();
            covered += u32::from(interval.contains(0.1f64.exp()));
        }
        assert!(covered >= 194, "{covered} of 200");
    }

    #[test]
    fn ten_percent_is_seen_and_nothing_is_not() {
        let (mut seen, mut alarms) = (0, 0);
        for seed in 0..100 {
            seen += u32::from(ratio(&cells(1.1f64.ln(), seed), 0.99, 7).unwrap().low > 1.05);
            alarms += u32::from(ratio(&cells(0.0, seed), 0.99, 7).unwrap().low > 1.05);
        }
        assert!(seen >= 90, "{seen} of 100");
        assert_eq!(alarms, 0);
    }

    #[test]
    fn verdicts_of_known_intervals() {
        let of = |low: f64, value: f64, high: f64| judge(Some(Interval { value, low, high }), 0.05);
        assert_eq!(of(0.98, 1.0, 1.02), Change::Same);
        assert_eq!(of(1.01, 1.02, 1.03), Change::Same);
        assert_eq!(of(1.06, 1.1, 1.14), Change::Slower);
        assert_eq!(of(0.8, 0.85, 0.9), Change::Faster);
        assert!(matches!(of(0.8, 1.0, 1.25), Change::Undecided { times: Some(15..=25) }));
        assert_eq!(judge(None, 0.05), Change::Undecided { times: None });
    }

    #[test]
    fn one_round_is_a_bootstrap_over_states() {
        let one: Vec<PairedRatio> = cells(0.2, 3).into_iter().filter(|c| c.round == 0).collect();
        let interval = ratio(&one, 0.95, 1).unwrap();
        assert!(interval.low > 1.1 && interval.high < 1.4, "{interval}");
        assert!(ratio(&one[..4], 0.95, 1).is_none());
    }

    #[test]
    fn weighted_medians_are_medians_of_the_repeated_sample() {
        let mut draws = Rng::for_analysis(9, 9);
        for _ in 0..300 {
            let n = 1 + draws.index(9);
            let mut values: Vec<f64> = (0..n).map(|_| draws.unit()).collect();
            values.sort_unstable_by(f64::total_cmp);
            let weights: Vec<u32> = (0..n).map(|_| draws.index(4) as u32).collect();
            let sorted: Vec<PairedRatio> = values
                .iter()
                .map(|&log_ratio| PairedRatio { state: 0, round: 0, log_ratio })
                .collect();
            let mut repeated: Vec<f64> = values
                .iter()
                .zip(&weights)
                .flat_map(|(&v, &w)| std::iter::repeat_n(v, w as usize))
                .collect();
            let expected = crate::order::median(&mut repeated);
            match weighted_median(&sorted, &weights) {
                Some(median) => assert!((median - expected).abs() < 1e-12),
                None => assert!(repeated.is_empty()),
            }
        }
    }
}
