//! Where the level of a series changes: one value a commit, few commits, unknown noise.
//!
//! Jackson et al., "An algorithm for optimal partitioning of data on an interval", IEEE Signal
//! Processing Letters 12 (2005): the cheapest cut of the series into levels, squared errors over the
//! noise plus a price for every cut, by dynamic programming. The noise comes from differences of
//! neighbours, so that a change of level does not pass for noise. A cut is kept only if it is both
//! larger than what matters and far beyond the noise of the two levels it parts.
//!
//! Cost: O(n²). Known weakness: a level needs two values, so the newest commit alone is never blamed;
//! `compare` is the tool for that.

use crate::order::{mean, median};
use serde::Serialize;

/// Fewer values than this say nothing about noise.
pub const FEWEST: usize = 5;
const SHORTEST_LEVEL: usize = 2;
/// So many times the noise outside of both neighbours is odd.
const ODD: f64 = 4.0;

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ChangePoint {
    /// Number of the first value of the new level.
    pub at: usize,
    /// The level before, a logarithm.
    pub before: f64,
    /// The level from there on, a logarithm.
    pub after: f64,
}

/// The changes of a series of logarithms; `smallest` is the least step that matters and `error` what
/// is known of the uncertainty of one value.
pub fn change_points(values: &[f64], error: f64, smallest: f64) -> Vec<ChangePoint> {
    if values.len() < FEWEST {
        return Vec::new();
    }
    let noise = noise(values).max(error).max(1e-4);
    let values = &without_odd_ones(values, noise);
    let price = 3.0 * (values.len() as f64).ln() + 4.0;
    let mut cuts = cheapest_cuts(values, noise, price);
    loop {
        let found = levels(values, &cuts);
        let strength = |change: &ChangePoint| strength(values, &cuts, change, noise, smallest);
        let weakest = found.iter().min_by(|a, b| strength(a).total_cmp(&strength(b)));
        match weakest {
            Some(change) if strength(change) < 1.0 => {
                let at = change.at;
                cuts.retain(|&cut| cut != at);
            }
            _ => return found,
        }
    }
}

/// Standard deviation of one value, from the median difference of neighbours.
fn noise(values: &[f64]) -> f64 {
    let mut steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    1.4826 * median(&mut steps) / std::f64::consts::SQRT_2
}

/// A value far outside both its neighbours is an accident of one session: it takes their level.
fn without_odd_ones(values: &[f64], noise: f64) -> Vec<f64> {
    let last = values.len() - 1;
    let calm = |i: usize| {
        let (a, b) = match i {
            0 => (values[1], values[2]),
            i if i == last => (values[i - 1], values[i - 2]),
            i => (values[i - 1], values[i + 1]),
        };
        let odd = values[i] < a.min(b) - ODD * noise || values[i] > a.max(b) + ODD * noise;
        if odd { (a + b) / 2.0 } else { values[i] }
    };
    (0..=last).map(calm).collect()
}

fn cheapest_cuts(values: &[f64], noise: f64, price: f64) -> Vec<usize> {
    let n = values.len();
    let (mut sums, mut squares) = (vec![0.0], vec![0.0]);
    for (i, value) in values.iter().enumerate() {
        sums.push(sums[i] + value);
        squares.push(squares[i] + value * value);
    }
    let cost = |from: usize, to: usize| {
        let (sum, square) = (sums[to] - sums[from], squares[to] - squares[from]);
        (square - sum * sum / (to - from) as f64).max(0.0) / (noise * noise)
    };
    let mut best = vec![f64::INFINITY; n + 1];
    let mut from = vec![0; n + 1];
    best[0] = -price;
    for to in SHORTEST_LEVEL..=n {
        for start in 0..=to - SHORTEST_LEVEL {
            let total = best[start] + cost(start, to) + price;
            if total < best[to] {
                (best[to], from[to]) = (total, start);
            }
        }
    }
    let mut cuts = Vec::new();
    let mut at = from[n];
    while at > 0 {
        cuts.push(at);
        at = from[at];
    }
    cuts.reverse();
    cuts
}

fn levels(values: &[f64], cuts: &[usize]) -> Vec<ChangePoint> {
    let mut found = Vec::new();
    for (i, &at) in cuts.iter().enumerate() {
        let (start, end) = neighbors(values, cuts, i);
        let (before, after) = (mean(&values[start..at]), mean(&values[at..end]));
        found.push(ChangePoint { at, before, after });
    }
    found
}

fn neighbors(values: &[f64], cuts: &[usize], i: usize) -> (usize, usize) {
    let start = if i == 0 { 0 } else { cuts[i - 1] };
    (start, cuts.get(i + 1).copied().unwrap_or(values.len()))
}

/// At least 1 if the step matters and stands out of the noise; short series know their noise badly.
fn strength(
    values: &[f64],
    cuts: &[usize],
    change: &ChangePoint,
    noise: f64,
    smallest: f64,
) -> f64 {
    let Some(i) = cuts.iter().position(|&cut| cut == change.at) else { return 0.0 };
    let (start, end) = neighbors(values, cuts, i);
    let lengths = 1.0 / (change.at - start) as f64 + 1.0 / (end - change.at) as f64;
    let needed = 4.0 + 20.0 / (values.len() - 3) as f64;
    let step = (change.after - change.before).abs();
    (step / smallest).min(step / (needed * noise * lengths.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_random::Rng;

    fn series(n: usize, noise: f64, steps: &[(usize, f64)], seed: u64) -> Vec<f64> {
        let mut draws = Rng::for_analysis(seed, 2);
        let level = |i: usize| steps.iter().filter(|s| s.0 <= i).map(|s| s.1).sum::<f64>();
        (0..n).map(|i| level(i) + noise * draws.normal()).collect()
    }

    #[test]
    fn quiet_histories_have_no_changes() {
        for n in [5, 8, 12, 30, 60] {
            let mut alarms = 0;
            for seed in 0..200 {
                let found = change_points(&series(n, 0.03, &[], seed), 0.0, 0.05);
                alarms += usize::from(!found.is_empty());
            }
            assert!(alarms <= 6, "{alarms} of 200 histories of {n}");
        }
    }

    #[test]
    fn a_step_of_ten_percent_is_placed_at_its_commit() {
        for (n, at) in [(8, 4), (20, 12), (40, 37)] {
            let mut right = 0;
            for seed in 0..100 {
                let values = series(n, 0.01, &[(at, 0.1)], seed);
                let found = change_points(&values, 0.0, 0.05);
                right += usize::from(found.len() == 1 && found[0].at == at);
            }
            assert!(right >= 80, "{right} of 100 with {n} commits");
        }
    }

    #[test]
    fn two_steps_are_two_changes_and_small_ones_none() {
        let values = series(40, 0.01, &[(10, 0.2), (25, -0.15)], 1);
        let found = change_points(&values, 0.0, 0.05);
        assert_eq!(found.iter().map(|c| c.at).collect::<Vec<_>>(), [10, 25]);
        assert!((found[0].after - found[0].before - 0.2).abs() < 0.02);
        assert!(change_points(&series(40, 0.002, &[(20, 0.03)], 1), 0.0, 0.05).is_empty());
        assert!(change_points(&[0.0, 0.0, 1.0, 1.0], 0.0, 0.05).is_empty());
    }

    #[test]
    fn one_odd_value_is_no_change_of_level() {
        for odd in [0, 9, 18, 19] {
            let mut values = series(20, 0.01, &[], 4);
            values[odd] += 0.5;
            assert!(change_points(&values, 0.0, 0.05).is_empty(), "{odd}");
        }
    }
}
