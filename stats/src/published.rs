//! The analysis of SACS'10, section 5 (figures 5 and 6), to the letter.
//!
//! With the settings of the paper, the default of [`Procedure`]: measurements with p ≥ 200 are split by the line t = 20p/1800 into a lower component C1 and an upper
//! component C2, each sorted by p. D1 = t/p over C1, D2 = t/(p log p) and D2' = t/p² over C2 are cut into
//! 4 segments of equal number, and the histograms of the segments are compared: alike, drifting right
//! or drifting left. The line belongs to the authors' machine: there t/p was densest at 0.0045, so
//! here the line lies at the same multiple (20/1800)/0.0045 of the densest t/p. Every measurement
//! counts, as published, variants of one state included: [`mod@crate::trend`] says what is wrong with it.

use crate::histogram::{Histogram, bin_count};
use crate::order::{half_sample_mode, median, quantile, quantile_sorted};
use crate::trend::segments;
use crate::{Interval, Law, Observation};
use pidlab_random::Rng;
use serde::{Deserialize, Serialize};

/// How far above the densest t/p the published line lies.
pub const LINE_FACTOR: f64 = (20.0 / 1800.0) / 0.0045;

const RESAMPLES: usize = 400;
/// States that a resample draws; deviations are scaled to all.
const SUBSAMPLE: usize = 1_000;

/// The settings of the procedure; those of the paper by default.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Procedure {
    /// Segments of a column.
    pub number: usize,
    /// Smaller states are left out.
    pub from: f64,
    /// What divides the components.
    pub line: DividingLine,
}

/// A straight line through the origin that divides measurements into two components.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DividingLine {
    /// Its slope is so many times the densest t/p.
    TimesDensest(f64),
    /// Its slope in seconds per unit of size.
    SecondsPerSize(f64),
}

impl Default for Procedure {
    fn default() -> Procedure {
        Procedure { number: 4, from: 200.0, line: DividingLine::TimesDensest(LINE_FACTOR) }
    }
}

/// What the procedure finds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SegmentAnalysis {
    /// The settings.
    pub procedure: Procedure,
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

/// Which measurements belong to which component; smaller ones than the procedure takes belong to none.
pub struct Split {
    /// Slope of the dividing line in seconds per pid.
    pub slope: f64,
    /// Component C1, sorted by p.
    pub lower: Vec<Observation>,
    /// Component C2, sorted by p.
    pub upper: Vec<Observation>,
}

impl Procedure {
    /// The slope of the line for these measurements; `None` without any that is large enough.
    pub fn slope(&self, measurements: &[Observation]) -> Option<f64> {
        let mut ratios: Vec<f64> = self.large(measurements).map(|o| o.time / o.size).collect();
        (!ratios.is_empty()).then(|| self.slope_of(&mut ratios))
    }

    fn slope_of(&self, ratios: &mut [f64]) -> f64 {
        match self.line {
            DividingLine::TimesDensest(factor) => factor * half_sample_mode(ratios),
            DividingLine::SecondsPerSize(slope) => slope,
        }
    }

    /// Share of measurements below the line with its 95 % interval, from the ratios t/p of each state. States are
    /// resampled as a whole, and the line is found anew in each resample: where t/p is densest is an estimate, too.
    pub fn lower_share(&self, states: &[Vec<f64>], seed: u64) -> Option<Interval> {
        let share = |chosen: &mut dyn Iterator<Item = &Vec<f64>>| {
            let mut ratios: Vec<f64> = chosen.flatten().copied().collect();
            let slope = self.slope_of(&mut ratios);
            ratios.iter().filter(|&&ratio| ratio < slope).count() as f64 / ratios.len() as f64
        };
        if states.iter().all(Vec::is_empty) {
            return None;
        }
        let value = share(&mut states.iter());
        let (n, m) = (states.len(), states.len().min(SUBSAMPLE));
        let scale = (m as f64 / n as f64).sqrt();
        let mut draws = Rng::for_analysis(seed, 0x5A4E);
        let mut deviations: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                let chosen: Vec<usize> = (0..m).map(|_| draws.index(n)).collect();
                (share(&mut chosen.iter().map(|&i| &states[i])) - value) * scale
            })
            .filter(|deviation| deviation.is_finite())
            .collect();
        deviations.sort_unstable_by(f64::total_cmp);
        let at = |q: f64| (value + quantile_sorted(&deviations, q)).clamp(0.0, 1.0);
        Some(Interval { value, low: at(0.025).min(value), high: at(0.975).max(value) })
    }

    /// Divides measurements by the line; `None` without any that is large enough.
    pub fn split(&self, measurements: &[Observation]) -> Option<Split> {
        let slope = self.slope(measurements)?;
        let mut sorted: Vec<Observation> = self.large(measurements).copied().collect();
        sorted.sort_by(|x, y| x.size.total_cmp(&y.size));
        let (lower, upper) = sorted.into_iter().partition(|o| o.time < slope * o.size);
        Some(Split { slope, lower, upper })
    }

    /// Whether a size takes part.
    pub fn takes(&self, size: f64) -> bool {
        size >= self.from
    }

    fn large<'o>(&self, all: &'o [Observation]) -> impl Iterator<Item = &'o Observation> {
        let from = self.from;
        all.iter().filter(move |o| o.size >= from && o.time.is_finite())
    }

    /// The whole procedure; `None` without any measurement that is large enough.
    pub fn analyze(&self, measurements: &[Observation]) -> Option<SegmentAnalysis> {
        let split = self.split(measurements)?;
        let all = split.lower.len() + split.upper.len();
        Some(SegmentAnalysis {
            procedure: *self,
            slope: split.slope,
            measurements: all,
            lower_share: split.lower.len() as f64 / all as f64,
            d1: column(&split.lower, Law::LINEAR, self.number),
            d2: column(&split.upper, Law::LINEAR_LOG, self.number),
            d2_prime: column(&split.upper, Law::SQUARE, self.number),
        })
    }
}

/// One column of figure 6; `None` with fewer than ten values a segment.
pub fn column(component: &[Observation], law: Law, number: usize) -> Option<Column> {
    if number < 2 || component.len() < 10 * number {
        return None;
    }
    let values: Vec<f64> = component.iter().map(|o| o.time / law.at(o.size)).collect();
    let (low, high) = (quantile(&mut values.clone(), 0.005), quantile(&mut values.clone(), 0.99));
    let parts = segments(&values, number);
    let bins = bin_count(parts[0], low, high);
    let sizes: Vec<f64> = component.iter().map(|o| o.size).collect();
    let ends = |part: &&[f64]| (part[0], part[part.len() - 1]);
    let segment_sizes = segments(&sizes, number).iter().map(ends).collect();
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
        let result = Procedure::default().analyze(&as_published()).unwrap();
        assert!((result.slope - 20.0 / 1800.0).abs() < 0.001, "{}", result.slope);
        assert!((result.lower_share - 0.78).abs() < 0.01);
        let d1 = result.d1.unwrap();
        assert_eq!(d1.shift, Shift::Alike);
        assert_eq!(d1.segment_sizes.len(), 4);
        assert!(d1.segment_sizes[0].0 >= 200.0);
        assert!(d1.segment_sizes.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        assert_eq!(result.d2.unwrap().shift, Shift::Right);
        assert_eq!(result.d2_prime.unwrap().shift, Shift::Left);
    }

    #[test]
    fn the_settings_are_followed() {
        let line = DividingLine::SecondsPerSize(20.0 / 1800.0);
        let other = Procedure { number: 6, from: 500.0, line }.analyze(&as_published()).unwrap();
        assert_eq!(other.slope, 20.0 / 1800.0);
        let d1 = other.d1.unwrap();
        assert_eq!((d1.histograms.len(), d1.segment_sizes.len()), (6, 6));
        assert!(d1.segment_sizes[0].0 >= 500.0);
    }

    #[test]
    fn one_component_leaves_the_upper_columns_empty() {
        let one: Vec<Observation> =
            as_published().into_iter().filter(|o| o.time < 0.01 * o.size).collect();
        let result = Procedure::default().analyze(&one).unwrap();
        assert!(result.lower_share > 0.99 && result.d2.is_none());
        assert!(Procedure::default().analyze(&[]).is_none());
    }
}
