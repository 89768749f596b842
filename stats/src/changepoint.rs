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

/// The changes of series over the same commits, of which one commit may slow down several: size classes of one
/// backend. A change that one of them shows, or their mean, which is quieter than any of them, is looked
/// for in the others at that very place, where far weaker evidence is enough (Student's t, two-sided 0.5 %)
/// than for a change anywhere.
pub fn common_change_points(series: &[(&[f64], f64)], smallest: f64) -> Vec<Vec<ChangePoint>> {
    let own: Vec<Vec<ChangePoint>> =
        series.iter().map(|(values, error)| change_points(values, *error, smallest)).collect();
    let mut places: Vec<usize> = own.iter().flatten().map(|change| change.at).collect();
    if let Some(mean) = mean_series(series) {
        places.extend(change_points(&mean, 0.0, smallest).iter().map(|change| change.at));
    }
    places.sort_unstable();
    places.dedup();
    let complete = |(&(values, error), own): (&(&[f64], f64), &Vec<ChangePoint>)| {
        let mut cuts: Vec<usize> = own.iter().map(|change| change.at).collect();
        for &at in &places {
            if is_change_at(values, &cuts, at, error, smallest) {
                cuts.push(at);
                cuts.sort_unstable();
            }
        }
        if cuts.len() == own.len() { own.clone() } else { levels(values, &cuts) }
    };
    series.iter().zip(&own).map(complete).collect()
}

/// Commit by commit; nothing if the series are not of the same commits.
fn mean_series(series: &[(&[f64], f64)]) -> Option<Vec<f64>> {
    let length = series.first()?.0.len();
    let alike = series.len() > 1 && series.iter().all(|(values, _)| values.len() == length);
    let at = |i: usize| mean(&series.iter().map(|(values, _)| values[i]).collect::<Vec<f64>>());
    alike.then(|| (0..length).map(at).collect())
}

/// Whether the level changes at a given place that no other cut is next to.
fn is_change_at(values: &[f64], cuts: &[usize], at: usize, error: f64, smallest: f64) -> bool {
    let start = cuts.iter().copied().filter(|&cut| cut < at).max().unwrap_or(0);
    let end = cuts.iter().copied().filter(|&cut| cut > at).min().unwrap_or(values.len());
    let known = cuts.iter().any(|&cut| cut.abs_diff(at) <= 1);
    if known || at < start + SHORTEST_LEVEL || end < at + SHORTEST_LEVEL {
        return false;
    }
    let (before, after) = (&values[start..at], &values[at..end]);
    let squares = |part: &[f64]| part.iter().map(|v| (v - mean(part)).powi(2)).sum::<f64>();
    let freedom = (end - start - 2) as f64;
    let spread = ((squares(before) + squares(after)) / freedom).sqrt().max(error).max(1e-4);
    let lengths = 1.0 / before.len() as f64 + 1.0 / after.len() as f64;
    let step = (mean(after) - mean(before)).abs();
    step >= smallest && step / (spread * lengths.sqrt()) >= student(freedom)
}

/// The 99.75 % quantile of Student's t, by the expansion of Cornish and Fisher: within 4 % from 4 degrees of
/// freedom on, and larger than it should be below.
fn student(freedom: f64) -> f64 {
    const Z: f64 = 2.807_034;
    let term = |power: i32, factor: f64| factor * Z.powi(power);
    let first = (term(3, 1.0) + term(1, 1.0)) / (4.0 * freedom);
    let second = (term(5, 5.0) + term(3, 16.0) + term(1, 3.0)) / (96.0 * freedom.powi(2));
    let third =
        (term(7, 3.0) + term(5, 19.0) + term(3, 17.0) - term(1, 15.0)) / (384.0 * freedom.powi(3));
    Z + first + second + third
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

    /// Three size classes of one backend; the noise is that of each class on its own.
    fn classes(n: usize, noise: f64, steps: &[(usize, f64)], seed: u64) -> Vec<Vec<f64>> {
        (0..3).map(|class| series(n, noise, steps, 1000 * seed + class)).collect()
    }

    fn found(classes: &[Vec<f64>]) -> Vec<Vec<ChangePoint>> {
        let series: Vec<(&[f64], f64)> = classes.iter().map(|v| (v.as_slice(), 0.0)).collect();
        common_change_points(&series, 1.05f64.ln())
    }

    /// 30 % over 4 + 4 runs, 10 % over 10 + 10 runs, with 3 % of noise.
    #[test]
    fn a_slowdown_is_flagged_in_every_class_it_touches() {
        for (n, step, least) in [(8, 1.3f64.ln(), 95), (20, 1.1f64.ln(), 85)] {
            let near = |change: &ChangePoint| change.at.abs_diff(n / 2) <= 1;
            let flagged = (0..100).filter(|&seed| {
                let found = found(&classes(n, 0.03, &[(n / 2, step)], seed));
                found.iter().all(|changes| changes.iter().any(near))
            });
            let flagged = flagged.count();
            assert!(flagged >= least, "{flagged} of 100 histories of {n} commits");
        }
    }

    /// The rate at which histories without a change get one, in any of three classes.
    #[test]
    fn quiet_classes_raise_few_alarms() {
        for (n, noise) in [(8, 0.03), (8, 0.05), (20, 0.03), (20, 0.05), (60, 0.05)] {
            let alarm =
                |seed: &u64| found(&classes(n, noise, &[], *seed)).iter().any(|c| !c.is_empty());
            let alarms = (0..200).filter(alarm).count();
            println!("{n} commits, noise {noise}: {alarms} of 200 histories with a false alarm");
            assert!(alarms <= 12, "{alarms} of 200 histories of {n} commits");
        }
    }

    /// Three classes whose noise is that of whole sessions, which all share, and a third as much of their own.
    fn sessions(n: usize, noise: f64, step: f64, seed: u64) -> Vec<Vec<f64>> {
        let shared = series(n, noise, &[(n / 2, step)], 7000 + seed);
        let own = classes(n, noise / 3.0, &[], 9000 + seed);
        let sum = |class: &Vec<f64>| class.iter().zip(&shared).map(|(a, b)| a + b).collect();
        own.iter().map(sum).collect()
    }

    /// How often a history without a change raises an alarm in any class, and how often a slowdown is found in every class:
    /// `cargo test --release -p pidlab-stats rates_of_track -- --ignored --nocapture`.
    #[test]
    #[ignore = "a quarter of a minute: 2,000 histories of each kind"]
    fn rates_of_track() {
        const HISTORIES: u64 = 2000;
        println!("| commits | noise | of | false alarms | slowdown | found in every class |");
        println!("|---|---|---|---|---|---|");
        for (n, factor) in [(8, 1.3f64), (20, 1.1), (60, 1.1)] {
            for noise in [0.01, 0.02, 0.03, 0.05] {
                for of in ["classes", "sessions"] {
                    let draw = |step: f64, seed: u64| match of {
                        "classes" => classes(n, noise, &[(n / 2, step)], seed),
                        _ => sessions(n, noise, step, seed),
                    };
                    let near = |change: &ChangePoint| change.at.abs_diff(n / 2) <= 1;
                    let alarm = |seed: &u64| found(&draw(0.0, *seed)).iter().any(|c| !c.is_empty());
                    let hit = |seed: &u64| {
                        found(&draw(factor.ln(), *seed)).iter().all(|c| c.iter().any(near))
                    };
                    let share = |test: &dyn Fn(&u64) -> bool| {
                        100.0 * (0..HISTORIES).filter(test).count() as f64 / HISTORIES as f64
                    };
                    let (alarms, hits) = (share(&alarm), share(&hit));
                    let (noise, step) = (100.0 * noise, 100.0 * (factor - 1.0));
                    println!(
                        "| {n} | {noise:.0} % | {of} | {alarms:.1} % | {step:.0} % | {hits:.1} % |"
                    );
                    assert!(alarms <= 5.0, "{alarms} % of histories of {n} commits");
                }
            }
        }
    }

    #[test]
    fn a_change_of_one_class_alone_stays_with_it() {
        let mut all = classes(20, 0.01, &[], 5);
        all[1] = series(20, 0.01, &[(10, 0.3)], 77);
        let found = found(&all);
        assert!(found[0].is_empty() && found[2].is_empty(), "{found:?}");
        assert_eq!(found[1].iter().map(|c| c.at).collect::<Vec<_>>(), [10]);
    }

    #[test]
    fn quantiles_of_student() {
        for (freedom, t) in [(6.0, 4.317), (18.0, 3.197), (100.0, 2.871)] {
            assert!((student(freedom) / t - 1.0).abs() < 0.04, "{freedom}: {}", student(freedom));
        }
    }
}
