//! The analysis of SACS'10, section 5 (figures 5 and 6), to the letter.
//!
//! Measurements with p ≥ 200 are split by the line t = 20p/1800 into a lower component C1 and an upper
//! component C2, each sorted by p. D1 = t/p over C1, D2 = t/(p log p) and D2' = t/p² over C2 are cut into
//! 4 segments of equal number, and the histograms of the segments are compared: alike, drifting right
//! or drifting left. The line belongs to the authors' machine: there t/p was densest at 0.0045, so
//! here the line lies at the same multiple (20/1800)/0.0045 of the densest t/p. Every measurement
//! counts, as published, variants of one state included: [`mod@crate::trend`] says what is wrong with it.

use crate::histogram::{Histogram, bin_count};
use crate::order::{half_sample_mode, median, quantile};
use crate::trend::segments;
use crate::{Law, Observation};
use serde::{Deserialize, Serialize};

/// Measurements of smaller states are left out, as in the paper.
pub const SMALLEST_P: f64 = 200.0;
/// Segments of a column, as in the paper.
pub const SEGMENTS: usize = 4;
/// How far above the densest t/p the published line lies.
pub const LINE_FACTOR: f64 = (20.0 / 1800.0) / 0.0045;

/// What the procedure finds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SegmentAnalysis {
    /// Slope of the dividing line in seconds per pid.
    pub slope: f64,
    /// How many measurements are large enough to count.
    pub measurements: usize,
    /// Share of them below the line.
    pub lower_share: f64,
    /// t/p over the lower component; `None` with too few values, as below.
    pub d1: Option<Column>,
    /// t/(p log p) over the upper component.
    pub d2: Option<Column>,
    /// t/p² over the upper component.
    pub d2_prime: Option<Column>,
}

/// One column of figure 6.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Column {
    /// The law that times are divided by.
    pub law: Law,
    /// Median of t / law over the whole column.
    pub median: f64,
    /// Median of each segment, smallest p first.
    pub segment_medians: Vec<f64>,
    /// Smallest and largest p of each segment.
    pub segment_sizes: Vec<(f64, f64)>,
    /// One for each segment, over the same bins.
    pub histograms: Vec<Histogram>,
    /// How the histograms move from segment to segment.
    pub shift: Shift,
}

/// What the papers read off a column of histograms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shift {
    /// They stay where they are: times grow as the law.
    Alike,
    /// They move right: times grow more than the law.
    Right,
    /// They move left: times grow less than the law.
    Left,
}

impl Shift {
    /// In the words of a report: the histograms …
    pub fn text(self) -> &'static str {
        match self {
            Shift::Alike => "look alike",
            Shift::Right => "move right",
            Shift::Left => "move left",
        }
    }
}

impl SegmentAnalysis {
    /// The column of figure 6 for a law.
    pub fn column(&self, law: Law) -> Option<&Column> {
        let columns = [&self.d1, &self.d2, &self.d2_prime];
        columns.into_iter().flatten().find(|column| column.law == law)
    }
}

/// Which measurements belong to which component; those below p = 200 to none.
pub struct Split {
    /// Slope of the dividing line in seconds per pid.
    pub slope: f64,
    /// Component C1, sorted by p.
    pub lower: Vec<Observation>,
    /// Component C2, sorted by p.
    pub upper: Vec<Observation>,
}

/// The slope of the line for these measurements; `None` without any at p ≥ 200.
pub fn line_slope(measurements: &[Observation]) -> Option<f64> {
    let mut ratios: Vec<f64> = large(measurements).map(|o| o.time / o.size).collect();
    (!ratios.is_empty()).then(|| LINE_FACTOR * half_sample_mode(&mut ratios))
}

/// Divides measurements by the line; `None` without any at p ≥ 200.
pub fn split(measurements: &[Observation]) -> Option<Split> {
    let slope = line_slope(measurements)?;
    let mut sorted: Vec<Observation> = large(measurements).copied().collect();
    sorted.sort_by(|x, y| x.size.total_cmp(&y.size));
    let (lower, upper) = sorted.into_iter().partition(|o| o.time < slope * o.size);
    Some(Split { slope, lower, upper })
}

fn large(measurements: &[Observation]) -> impl Iterator<Item = &Observation> {
    measurements.iter().filter(|o| o.size >= SMALLEST_P && o.time.is_finite())
}

/// The whole procedure; `None` without any measurement at p ≥ 200.
pub fn analyze(measurements: &[Observation]) -> Option<SegmentAnalysis> {
    let split = split(measurements)?;
    let all = split.lower.len() + split.upper.len();
    Some(SegmentAnalysis {
        slope: split.slope,
        measurements: all,
        lower_share: split.lower.len() as f64 / all as f64,
        d1: column(&split.lower, Law::Linear),
        d2: column(&split.upper, Law::LinearLog),
        d2_prime: column(&split.upper, Law::Square),
    })
}

/// One column of figure 6; `None` with fewer than ten values a segment.
pub fn column(component: &[Observation], law: Law) -> Option<Column> {
    if component.len() < 10 * SEGMENTS {
        return None;
    }
    let values: Vec<f64> = component.iter().map(|o| o.time / law.at(o.size)).collect();
    let (low, high) = (quantile(&mut values.clone(), 0.005), quantile(&mut values.clone(), 0.99));
    let parts = segments(&values, SEGMENTS);
    let bins = bin_count(parts[0], low, high);
    let sizes: Vec<f64> = component.iter().map(|o| o.size).collect();
    let ends = |part: &&[f64]| (part[0], part[part.len() - 1]);
    let segment_sizes = segments(&sizes, SEGMENTS).iter().map(ends).collect();
    let medians: Vec<f64> = parts.iter().map(|part| median(&mut part.to_vec())).collect();
    let histograms = parts.iter().map(|part| Histogram::with_bins(part, low, high, bins)).collect();
    let shift = shift_of(&medians);
    Some(Column {
        law,
        median: median(&mut values.clone()),
        segment_medians: medians,
        segment_sizes,
        histograms,
        shift,
    })
}

/// What the eye sees: a steady move of the medians by more than a tenth over the column.
fn shift_of(medians: &[f64]) -> Shift {
    let total = medians[medians.len() - 1] / medians[0];
    let rising = medians.windows(2).filter(|w| w[1] > w[0]).count();
    let steps = medians.len() - 1;
    if total > 1.1 && rising + 1 >= steps {
        Shift::Right
    } else if total < 1.0 / 1.1 && rising <= 1 {
        Shift::Left
    } else {
        Shift::Alike
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_random::Rng;

    /// The papers' own picture: 78 % at 0.0045 p, 22 % a little above p log p.
    fn as_published() -> Vec<Observation> {
        let mut draws = Rng::for_analysis(2010, 0);
        (0..8000)
            .map(|i| {
                let p = 200.0 + 1600.0 * draws.unit();
                let noise = (0.15 * draws.normal()).exp();
                let upper = 0.0075 * p.powf(1.3) / 1000f64.powf(0.3) * 1000f64.ln();
                let time = if i % 100 < 78 { 0.0045 * p } else { upper };
                Observation { size: p, time: time * noise }
            })
            .collect()
    }

    #[test]
    fn the_published_picture_gives_the_published_conclusions() {
        let result = analyze(&as_published()).unwrap();
        assert!((result.slope - 20.0 / 1800.0).abs() < 0.001, "{}", result.slope);
        assert!((result.lower_share - 0.78).abs() < 0.01);
        let d1 = result.d1.unwrap();
        assert_eq!(d1.shift, Shift::Alike);
        assert_eq!(d1.segment_sizes.len(), SEGMENTS);
        assert!(d1.segment_sizes[0].0 >= SMALLEST_P);
        assert!(d1.segment_sizes.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        assert_eq!(result.d2.unwrap().shift, Shift::Right);
        assert_eq!(result.d2_prime.unwrap().shift, Shift::Left);
    }

    #[test]
    fn one_component_leaves_the_upper_columns_empty() {
        let one: Vec<Observation> =
            as_published().into_iter().filter(|o| o.time < 0.01 * o.size).collect();
        let result = analyze(&one).unwrap();
        assert!(result.lower_share > 0.99 && result.d2.is_none());
        assert!(analyze(&[]).is_none());
    }
}
