//! Several exponents at once: log t = c + e₁ log x₁ + … + e_k log x_k by least squares, intervals by a bootstrap over
//! states.
//!
//! Where two sizes grow together (vectors with pids) neither has an exponent of its own; a crossed design varies them
//! independently, and then this separates them. How far they are tangled is told by the variance inflation: 1 for a
//! crossed design, without bound for sizes that follow each other, and above 10 nothing is estimated. Cost: resamples × O(n·k²). Known
//! weakness: no overhead is modelled, so times should be well above it at the smallest sizes.

use crate::Interval;
use crate::order::median_of;
use crate::sample::mostly_at_limit;
use crate::verdict::{FEWEST_STATES, RESAMPLES, around, small_sample};
use pidlab_random::Rng;
use serde::{Deserialize, Serialize};

/// Inflation from which on two sizes are taken for one.
const MOST_INFLATION: f64 = 10.0;

/// Exponents of several sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Regressed {
    /// One for each size, in the order given.
    pub exponents: Vec<Interval>,
    /// By how much each exponent's variance is larger than if its size varied alone.
    pub inflation: Vec<f64>,
    /// How many states were used.
    pub states: usize,
}

/// One state: its sizes and its time.
pub type Sized<'a> = (&'a [f64], f64);

/// The exponents of `sizes`; `None` with too few states or where sizes follow each other.
pub fn regression(states: &[Sized<'_>], seed: u64) -> Option<Regressed> {
    let width = states.first()?.0.len();
    let good = |(sizes, time): &&Sized<'_>| {
        sizes.len() == width && sizes.iter().all(|x| *x > 0.0) && *time > 0.0 && time.is_finite()
    };
    let rows: Vec<Vec<f64>> =
        states.iter().filter(good).map(|(sizes, time)| logarithms(sizes, *time)).collect();
    if rows.len() < FEWEST_STATES.max(4 * (width + 1)) {
        return None;
    }
    let drawn =
        |draws: &mut Rng| rows.iter().map(|_| rows[draws.index(rows.len())].clone()).collect();
    regressed(&rows, rows.len(), seed, &drawn)
}

/// The same of the medians of groups of states of the same sizes, where limits cut times off: as
/// [`Sample::Medians`](crate::Sample), states are drawn anew within their groups.
pub fn regression_of_medians(groups: &[(Vec<f64>, Vec<f64>)], seed: u64) -> Option<Regressed> {
    let width = groups.first()?.0.len();
    let good = |(sizes, times): &&(Vec<f64>, Vec<f64>)| {
        sizes.len() == width && sizes.iter().all(|x| *x > 0.0) && !mostly_at_limit(times)
    };
    let groups: Vec<&(Vec<f64>, Vec<f64>)> = groups.iter().filter(good).collect();
    let states = groups.iter().map(|group| group.1.len()).sum();
    if states < FEWEST_STATES.max(4 * (width + 1)) {
        return None;
    }
    let typical = |times: &[f64]| median_of(times.iter().copied());
    let rows: Vec<Vec<f64>> =
        groups.iter().map(|(sizes, times)| logarithms(sizes, typical(times))).collect();
    let drawn = |draws: &mut Rng| {
        let row = |(sizes, times): &(Vec<f64>, Vec<f64>)| {
            let drawn: Vec<f64> = times.iter().map(|_| times[draws.index(times.len())]).collect();
            let time = Some(typical(&drawn)).filter(|time| time.is_finite());
            logarithms(sizes, time.unwrap_or_else(|| typical(times)))
        };
        groups.iter().copied().map(row).collect()
    };
    regressed(&rows, states, seed, &drawn)
}

/// Logarithms of sizes, and of the time behind them.
fn logarithms(sizes: &[f64], time: f64) -> Vec<f64> {
    sizes.iter().chain([&time]).map(|x| x.ln()).collect()
}

/// How the rows are drawn anew.
type Drawn<'a> = dyn Fn(&mut Rng) -> Vec<Vec<f64>> + 'a;

fn regressed(rows: &[Vec<f64>], states: usize, seed: u64, drawn: &Drawn<'_>) -> Option<Regressed> {
    let width = rows.first()?.len() - 1;
    let inflation: Vec<f64> =
        (0..width).map(|at| inflation(rows, at, width)).collect::<Option<_>>()?;
    if inflation.iter().any(|factor| *factor > MOST_INFLATION) {
        return None;
    }
    let value = slopes(rows, width)?;
    let scale = small_sample(states, width + 1);
    let mut draws = Rng::for_analysis(seed, 0x4E64);
    let mut deviations = vec![Vec::with_capacity(RESAMPLES); width];
    for _ in 0..RESAMPLES {
        let Some(found) = slopes(&drawn(&mut draws), width) else { continue };
        for (list, (found, value)) in deviations.iter_mut().zip(found.iter().zip(&value)) {
            list.push((found - value) * scale);
        }
    }
    let exponents =
        value.into_iter().zip(deviations).map(|(value, list)| around(value, list)).collect();
    Some(Regressed { exponents, inflation, states })
}

/// 1 / (1 − R²) of one size regressed on the others.
fn inflation(rows: &[Vec<f64>], at: usize, width: usize) -> Option<f64> {
    let others = |row: &[f64]| -> Vec<f64> {
        (0..width).filter(|&other| other != at).map(|other| row[other]).collect()
    };
    let reduced: Vec<Vec<f64>> =
        rows.iter().map(|row| others(row).into_iter().chain([row[at]]).collect()).collect();
    let total = spread(&reduced, |row| row[width - 1]);
    if total <= 1e-12 {
        return None;
    }
    let Some(slopes) = slopes(&reduced, width - 1) else { return Some(f64::INFINITY) };
    let left = spread(&reduced, |row| {
        row[width - 1] - slopes.iter().zip(row).map(|(slope, x)| slope * x).sum::<f64>()
    });
    Some(total / left.max(1e-12 * total))
}

/// Sum of squares around the mean.
fn spread(rows: &[Vec<f64>], value: impl Fn(&[f64]) -> f64) -> f64 {
    let mean = rows.iter().map(|row| value(row)).sum::<f64>() / rows.len() as f64;
    rows.iter().map(|row| (value(row) - mean).powi(2)).sum()
}

/// Least-squares slopes of the first `width` columns for the one after them; `None` where columns are not independent.
fn slopes(rows: &[Vec<f64>], width: usize) -> Option<Vec<f64>> {
    let n = rows.len() as f64;
    let means: Vec<f64> =
        (0..=width).map(|at| rows.iter().map(|row| row[at]).sum::<f64>() / n).collect();
    let mut system = vec![vec![0.0; width + 1]; width];
    for row in rows {
        for (i, equation) in system.iter_mut().enumerate() {
            for (j, entry) in equation.iter_mut().enumerate() {
                *entry += (row[i] - means[i]) * (row[j] - means[j]);
            }
        }
    }
    eliminate(system)
}

/// Solves a symmetric positive system, right side last, by elimination.
fn eliminate(mut system: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let width = system.len();
    for i in 0..width {
        if system[i][i] <= 1e-9 {
            return None;
        }
        for j in i + 1..width {
            let factor = system[j][i] / system[i][i];
            let pivot = system[i].clone();
            for (entry, above) in system[j].iter_mut().zip(&pivot).skip(i) {
                *entry -= factor * above;
            }
        }
    }
    for i in (0..width).rev() {
        for k in i + 1..width {
            system[i][width] -= system[i][k] * system[k][width];
        }
        system[i][width] /= system[i][i];
    }
    Some(system.into_iter().map(|row| row[width]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pids and vectors with exponents 1.5 and 0.4; `follow` ties vectors to pids.
    fn sample(follow: f64, run: u64) -> Vec<([f64; 2], f64)> {
        let mut draws = Rng::for_analysis(31 + run, 0);
        (0..120)
            .map(|_| {
                let p = 20.0 * 10f64.powf(draws.unit());
                let free = 20.0 * 10f64.powf(draws.unit());
                let vectors = p.powf(follow) * free.powf(1.0 - follow);
                let time = 1e-6 * p.powf(1.5) * vectors.powf(0.4) * (0.2 * draws.normal()).exp();
                ([p, vectors], time)
            })
            .collect()
    }

    fn found(follow: f64, run: u64) -> Option<Regressed> {
        let states = sample(follow, run);
        let states: Vec<Sized<'_>> = states.iter().map(|(x, t)| (x.as_slice(), *t)).collect();
        regression(&states, run)
    }

    #[test]
    fn crossed_sizes_have_exponents_of_their_own() {
        let hits = |at: usize, truth: f64| {
            (0..60).filter(|&run| found(0.0, run).unwrap().exponents[at].contains(truth)).count()
        };
        let (pids, vectors) = (hits(0, 1.5), hits(1, 0.4));
        assert!(pids >= 53 && vectors >= 53, "{pids} and {vectors} of 60 intervals hold the truth");
        let one = found(0.0, 1).unwrap();
        assert!(one.inflation.iter().all(|factor| *factor < 1.2), "{one:?}");
    }

    #[test]
    fn sizes_that_follow_each_other_have_none() {
        assert!(found(0.99, 1).is_none() && found(1.0, 1).is_none());
        assert!(regression(&[], 1).is_none());
    }
}
