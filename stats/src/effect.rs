//! Effects: one backend against another, and a generator parameter against time.
//!
//! Pairs are taken per base state, so a ratio compares the same inputs; intervals come from a
//! bootstrap over states. Known weakness: an effect is reported over the whole range of sizes and may
//! differ within it.

use crate::Interval;
use crate::order::{median, quantile_sorted};
use pidlab_random::Rng;
use serde::{Deserialize, Serialize};

const RESAMPLES: usize = 400;

/// Interval of a statistic of items resampled with repetition.
pub fn bootstrap<T: Copy>(
    items: &[T],
    seed: u64,
    statistic: impl Fn(&[T]) -> f64,
) -> Option<Interval> {
    if items.is_empty() {
        return None;
    }
    let mut draws = Rng::for_analysis(seed, 0xEF);
    let mut sample = Vec::with_capacity(items.len());
    let mut values: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            sample.clear();
            sample.extend((0..items.len()).map(|_| items[draws.index(items.len())]));
            statistic(&sample)
        })
        .collect();
    values.sort_unstable_by(f64::total_cmp);
    Some(Interval {
        value: statistic(items),
        low: quantile_sorted(&values, 0.025),
        high: quantile_sorted(&values, 0.975),
    })
}

/// Median of a/b over states that have both.
pub fn ratio(pairs: &[(f64, f64)], seed: u64) -> Option<Interval> {
    let logs: Vec<f64> = pairs
        .iter()
        .filter(|(a, b)| *a > 0.0 && *b > 0.0 && b.is_finite())
        .map(|(a, b)| (a / b).ln())
        .collect();
    Some(bootstrap(&logs, seed, |sample| median(&mut sample.to_vec()))?.map(f64::exp))
}

/// One observation of a factor: size, factor value, time.
#[derive(Clone, Copy, Debug)]
pub struct Factored {
    /// Number of pids.
    pub size: f64,
    /// The value of the factor, in its own unit.
    pub factor: f64,
    /// In seconds.
    pub time: f64,
}

/// How the time changes from the lowest to the highest value of a factor, size held fixed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FactorEffect {
    /// Time at the highest over time at the lowest value, 95 % interval.
    pub ratio: Interval,
    /// How many states the regression used.
    pub states: usize,
}

/// Regression of log t on log p and the factor scaled to 0..1.
pub fn factor_effect(observations: &[Factored], seed: u64) -> Option<FactorEffect> {
    let good: Vec<Factored> =
        observations.iter().filter(|o| o.time > 0.0 && o.time.is_finite()).copied().collect();
    let low = good.iter().map(|o| o.factor).fold(f64::INFINITY, f64::min);
    let high = good.iter().map(|o| o.factor).fold(f64::NEG_INFINITY, f64::max);
    if good.len() < 12 || high <= low {
        return None;
    }
    let rows: Vec<[f64; 3]> =
        good.iter().map(|o| [o.size.ln(), (o.factor - low) / (high - low), o.time.ln()]).collect();
    let slope = bootstrap(&rows, seed, partial_slope)?;
    Some(FactorEffect { ratio: slope.map(f64::exp), states: good.len() })
}

/// Coefficient of the second column in a least-squares plane for the third.
fn partial_slope(rows: &[[f64; 3]]) -> f64 {
    let n = rows.len() as f64;
    let mean = |j: usize| rows.iter().map(|row| row[j]).sum::<f64>() / n;
    let (m0, m1, m2) = (mean(0), mean(1), mean(2));
    let (mut s00, mut s01, mut s11, mut s0y, mut s1y) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for row in rows {
        let (x, f, y) = (row[0] - m0, row[1] - m1, row[2] - m2);
        s00 += x * x;
        s01 += x * f;
        s11 += f * f;
        s0y += x * y;
        s1y += f * y;
    }
    let determinant = s00 * s11 - s01 * s01;
    if s00 < 1e-12 {
        return s1y / s11;
    }
    (s00 * s1y - s01 * s0y) / determinant
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_ratio_is_inside_its_interval() {
        let mut draws = Rng::for_analysis(5, 0);
        let pairs: Vec<(f64, f64)> = (0..300)
            .map(|_| {
                let base = draws.unit() + 0.1;
                (2.0 * base * (0.2 * draws.normal()).exp(), base)
            })
            .collect();
        let ratio = ratio(&pairs, 1).unwrap();
        assert!(ratio.contains(2.0) && ratio.half_width() < 0.1, "{ratio}");
    }

    #[test]
    fn a_factor_is_separated_from_size() {
        let mut draws = Rng::for_analysis(6, 0);
        let states: Vec<Factored> = (0..300)
            .map(|_| {
                let size = 10.0 + 1000.0 * draws.unit();
                let factor = draws.unit();
                Factored { size, factor, time: size * (0.7 * factor + 0.1 * draws.normal()).exp() }
            })
            .collect();
        let effect = factor_effect(&states, 1).unwrap();
        assert!(effect.ratio.contains(0.7f64.exp()), "{}", effect.ratio);
        assert!(factor_effect(&states[..5], 1).is_none());
    }
}
