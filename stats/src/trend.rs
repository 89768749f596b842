//! Does a ratio t / g(p) drift with p? The segment test of SACS'10 made rigorous.
//!
//! Jonckheere (1954) and Terpstra (1952): over K ordered groups, the number of pairs from different
//! groups that are in rising order, compared with what chance gives. Unlike looking at histograms it
//! has a stated error rate, and unlike a test between all groups it asks for a *trend*. The values
//! must be one per base state: variants of one state are not independent, and taking them so raises
//! false alarms in 24–79 % of runs at α = 0.05. Cost: O(n log n) by a Fenwick tree over ranks.

use crate::order::{median, quantile_sorted};
use crate::{Interval, Observation};
use pidlab_random::Rng;
use serde::{Deserialize, Serialize};

/// How t/g(p) changes with p.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drift {
    /// Segments alike: t grows as g.
    None,
    /// Right shift: t grows more than g.
    Up,
    /// Left shift: t grows less than g.
    Down,
}

/// The test with one number of segments.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SegmentTest {
    /// K, the number of segments.
    pub segments: usize,
    /// The statistic of Jonckheere and Terpstra, standardised; positive where values rise.
    pub z: f64,
    /// Two-sided.
    pub p_value: f64,
    /// Median of each segment, smallest sizes first.
    pub medians: Vec<f64>,
}

/// The tests over K = 3..8 and what they say together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trend {
    /// One for each K.
    pub tests: Vec<SegmentTest>,
    /// How many states were used.
    pub states: usize,
    /// How many segments the shift is taken over.
    pub segments: usize,
    /// Median of the last segment over that of the first, 95 % interval.
    pub shift: Interval,
    /// What most of them say.
    pub drift: Drift,
    /// Whether every K gives the same answer.
    pub unanimous: bool,
}

/// Level of significance of each test.
pub const ALPHA: f64 = 0.05;

/// Fewest states of a segment.
const FEWEST_OF_SEGMENT: usize = 3;

/// Tests `ratio` of the observations, sorted by size, for drift; the shift is that of the last over the first of so many
/// segments. `None` with fewer than 24 states or three a segment.
pub fn trend(
    observations: &[Observation],
    number: usize,
    ratio: impl Fn(&Observation) -> f64,
) -> Option<Trend> {
    let mut sorted: Vec<&Observation> =
        observations.iter().filter(|o| o.time.is_finite()).collect();
    if number < 2 || sorted.len() < (FEWEST_OF_SEGMENT * number).max(24) {
        return None;
    }
    sorted.sort_by(|x, y| x.size.total_cmp(&y.size));
    let values: Vec<f64> = sorted.into_iter().map(ratio).collect();
    let tests: Vec<SegmentTest> = (3..=8).map(|k| segment_test(&values, k)).collect();
    let drifts: Vec<Drift> = tests.iter().map(SegmentTest::drift).collect();
    let unanimous = drifts.windows(2).all(|w| w[0] == w[1]);
    let parts = segments(&values, number);
    let shift = shift(parts[0], parts[number - 1]);
    let (drift, states) = (majority(&drifts), values.len());
    Some(Trend { drift, unanimous, tests, states, segments: number, shift })
}

impl SegmentTest {
    /// What this test says at level [`ALPHA`].
    pub fn drift(&self) -> Drift {
        match self.p_value < ALPHA {
            false => Drift::None,
            true if self.z > 0.0 => Drift::Up,
            true => Drift::Down,
        }
    }
}

/// What most numbers of segments say; a tie is not evidence of drift.
fn majority(drifts: &[Drift]) -> Drift {
    let count = |d: Drift| drifts.iter().filter(|&&x| x == d).count();
    [Drift::Up, Drift::Down]
        .into_iter()
        .find(|&d| 2 * count(d) > drifts.len())
        .unwrap_or(Drift::None)
}

/// Equal numbers of consecutive values: segment j holds numbers (j/K)n < i ≤ ((j+1)/K)n.
pub fn segments(values: &[f64], k: usize) -> Vec<&[f64]> {
    let cut = |j: usize| j * values.len() / k;
    (0..k).map(|j| &values[cut(j)..cut(j + 1)]).collect()
}

fn segment_test(values: &[f64], k: usize) -> SegmentTest {
    let groups = segments(values, k);
    let z = jonckheere_z(&groups);
    let medians: Vec<f64> = groups.iter().map(|g| median(&mut g.to_vec())).collect();
    SegmentTest { segments: k, z, p_value: two_sided(z), medians }
}

/// The standardised Jonckheere–Terpstra statistic; ties count half, variance without tie correction
/// (times are practically continuous).
pub fn jonckheere_z(groups: &[&[f64]]) -> f64 {
    let mut pooled: Vec<f64> = groups.concat();
    pooled.sort_unstable_by(f64::total_cmp);
    pooled.dedup();
    let rank = |x: f64| pooled.partition_point(|&y| y < x);
    let mut seen = Fenwick::new(pooled.len());
    let (mut total, mut statistic) = (0.0, 0.0);
    for group in groups {
        for &x in *group {
            let below = seen.below(rank(x));
            let equal = seen.below(rank(x) + 1) - below;
            statistic += below + equal / 2.0;
        }
        for &x in *group {
            seen.add(rank(x));
        }
        total += group.len() as f64;
    }
    let sum = |f: &dyn Fn(f64) -> f64| groups.iter().map(|g| f(g.len() as f64)).sum::<f64>();
    let mean = (total * total - sum(&|n| n * n)) / 4.0;
    let variance = (total * total * (2.0 * total + 3.0) - sum(&|n| n * n * (2.0 * n + 3.0))) / 72.0;
    if variance > 0.0 { (statistic - mean) / variance.sqrt() } else { 0.0 }
}

/// Counts by rank with prefix sums.
struct Fenwick(Vec<f64>);

impl Fenwick {
    fn new(n: usize) -> Fenwick {
        Fenwick(vec![0.0; n + 1])
    }

    fn add(&mut self, rank: usize) {
        let mut i = rank + 1;
        while i < self.0.len() {
            self.0[i] += 1.0;
            i += i & i.wrapping_neg();
        }
    }

    fn below(&self, rank: usize) -> f64 {
        let (mut i, mut sum) = (rank, 0.0);
        while i > 0 {
            sum += self.0[i];
            i &= i - 1;
        }
        sum
    }
}

/// Two-sided tail of the standard normal distribution.
pub fn two_sided(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// Complementary error function, relative error below 1.2e-7 (Chebyshev fit after W. J. Cody's
/// rational approximations, as in the numerical literature).
fn erfc(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.5 * x);
    let series = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let polynomial = series.iter().rev().fold(0.0, |sum, c| sum * t + c);
    t * (polynomial - x * x).exp()
}

const RESAMPLES: usize = 400;
/// Values of a segment that a resample draws; deviations are scaled to the whole segment.
const SUBSAMPLE: usize = 4_000;

/// Median of `last` over median of `first`, bootstrapped as logarithms.
fn shift(first: &[f64], last: &[f64]) -> Interval {
    let mut draws = Rng::for_analysis(0x5417, (first.len() + last.len()) as u64);
    let mut resampled = |xs: &[f64]| {
        let m = xs.len().min(SUBSAMPLE);
        let mut sample: Vec<f64> = (0..m).map(|_| xs[draws.index(xs.len())]).collect();
        middle(&mut sample).ln()
    };
    let value = (median(&mut last.to_vec()) / median(&mut first.to_vec())).ln();
    let n = first.len().min(last.len());
    let scale = (n.min(SUBSAMPLE) as f64 / n as f64).sqrt();
    let mut deviations: Vec<f64> =
        (0..RESAMPLES).map(|_| (resampled(last) - resampled(first) - value) * scale).collect();
    deviations.sort_unstable_by(f64::total_cmp);
    let at = |q: f64| value + quantile_sorted(&deviations, q);
    Interval { value, low: at(0.025).min(value), high: at(0.975).max(value) }.map(f64::exp)
}

/// The median without sorting all; of an even number of values, the upper one of the two in the middle.
fn middle(values: &mut [f64]) -> f64 {
    let half = values.len() / 2;
    *values.select_nth_unstable_by(half, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistic_of_a_small_case_by_hand() {
        // groups {1,2}, {3,4}, {5,6}: all 12 pairs rise; mean 6, variance (36·15 − 3·4·7)/72 = 6.333
        let z = jonckheere_z(&[&[1.0, 2.0], &[3.0, 4.0], &[5.0, 6.0]]);
        assert!((z - 6.0 / (456.0f64 / 72.0).sqrt()).abs() < 1e-9, "{z}");
        assert_eq!(jonckheere_z(&[&[1.0, 1.0], &[1.0, 1.0]]), 0.0);
    }

    #[test]
    fn normal_tails() {
        assert!((two_sided(1.959_964) - 0.05).abs() < 1e-5);
        assert!((two_sided(0.0) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn false_alarms_stay_near_alpha() {
        let alarms = (0..300)
            .filter(|&run| {
                let mut draws = Rng::for_analysis(11, run);
                let states: Vec<Observation> = (0..200)
                    .map(|i| Observation {
                        size: f64::from(i + 1),
                        time: (0.3 * draws.normal()).exp(),
                    })
                    .collect();
                trend(&states, 4, |o| o.time).unwrap().drift != Drift::None
            })
            .count();
        assert!(alarms <= 27, "{alarms} false alarms in 300 runs at 5 %");
    }
}
