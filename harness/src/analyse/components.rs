//! The two components that SACS'10 divides its measurements into by a line, and what grows how in each.

use super::series::SeriesRows;
use crate::experiment::AnalysisOptions;
use pidlab_stats::order::quantile;
use pidlab_stats::trend::{Trend, trend};
use pidlab_stats::verdict::{Growth, growth};
use pidlab_stats::{Interval, Law, Observation, Procedure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A side of the line that SACS'10 divides its measurements by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinePart {
    /// Below the line.
    Lower,
    /// Above it.
    Upper,
}

impl LinePart {
    /// In files and tables.
    pub fn name(self) -> &'static str {
        match self {
            LinePart::Lower => "lower",
            LinePart::Upper => "upper",
        }
    }
}

/// The two components of the line.
#[derive(Serialize, Deserialize)]
pub struct Components {
    /// Share of rows below the line; the line is found anew in every resample.
    pub lower_share: Interval,
    /// States with rows that are large enough.
    pub states: usize,
    /// Drift of t / law on each side.
    pub trends: Vec<PartTrend>,
    /// Growth below the line.
    pub lower_growth: Option<Growth>,
    /// Growth above it.
    pub upper_growth: Option<Growth>,
}

/// How t / law drifts with size on one side of the line.
#[derive(Serialize, Deserialize)]
pub struct PartTrend {
    /// The side.
    pub component: LinePart,
    /// The law that times are divided by.
    pub law: Law,
    /// The drift.
    pub trend: Trend,
    /// Where the line cuts the component off.
    #[serde(default)]
    pub cut_off: CutOff,
}

/// Whether the line runs through a component instead of between two, at either end of the sizes of a side.
///
/// Rows beyond the line are then missing from the side, or rows of the other component are among its own, and the median of
/// that segment is off. By how much is unknown, but hardly by more than the quarters of its rows are apart: for a normal
/// distribution cut in half the median moves by 0.67 of its spread, and the quarters of what is left are 0.83 of it apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CutOff {
    /// Rows close to the line, as a share of the side's rows in its first and in its last segment.
    pub close: (f64, f64),
    /// By which factor the last segment over the first may be off because of it; 1 where few rows are close.
    pub factor: f64,
}

/// How close to the line counts: within this factor.
const CLOSE: f64 = 1.25;
/// Share of close rows from which on a side counts as cut off. With normal noise in log t, less than one row in a hundred is
/// on the wrong side below it.
const MOST_CLOSE: f64 = 0.05;

impl Default for CutOff {
    fn default() -> CutOff {
        CutOff { close: (0.0, 0.0), factor: 1.0 }
    }
}

impl Components {
    /// The drift of t / law on a side.
    pub fn trend(&self, component: LinePart, law: Law) -> Option<&PartTrend> {
        self.trends.iter().find(|found| found.component == component && found.law == law)
    }

    /// Growth on a side.
    pub fn growth(&self, component: LinePart) -> Option<&Growth> {
        match component {
            LinePart::Lower => self.lower_growth.as_ref(),
            LinePart::Upper => self.upper_growth.as_ref(),
        }
    }
}

/// The line of a series.
#[derive(Clone, Copy)]
pub struct Divider {
    procedure: Procedure,
    slope: f64,
}

impl Divider {
    /// `None` where the experiment asks for none, or nothing is large enough.
    pub fn of(rows: &SeriesRows, options: &AnalysisOptions) -> Option<Divider> {
        let procedure = options.segments?;
        Some(Divider { procedure, slope: procedure.slope(&rows.finite())? })
    }

    /// The side of a measurement; none for small ones.
    pub fn part(&self, point: &Observation) -> Option<LinePart> {
        if !self.procedure.takes(point.size) {
            return None;
        }
        let below = point.time < self.slope * point.size;
        Some(if below { LinePart::Lower } else { LinePart::Upper })
    }

    /// Places of the rows that are large enough and have a time.
    pub fn large(&self, rows: &SeriesRows) -> Vec<usize> {
        let large =
            |point: &Observation| self.procedure.takes(point.size) && point.time.is_finite();
        (0..rows.len()).filter(|&i| large(&rows.points[i])).collect()
    }

    /// Everything about the two sides.
    pub fn components(
        &self,
        rows: &SeriesRows,
        options: &AnalysisOptions,
        seed: u64,
    ) -> Option<Components> {
        let of = |part| rows.per_state(|i| self.part(&rows.points[i]) == Some(part));
        let sides =
            [(LinePart::Lower, of(LinePart::Lower)), (LinePart::Upper, of(LinePart::Upper))];
        let mut trends = Vec::new();
        for (component, states) in &sides {
            for &law in &options.laws {
                let cut_off = self.cut_off(rows, *component, law);
                let found = trend(states, self.procedure.number, |o| o.time / law.at(o.size));
                let of = |trend| PartTrend { component: *component, law, trend, cut_off };
                trends.extend(found.map(of));
            }
        }
        let variable = options.size().symbol();
        let [lower_growth, upper_growth] =
            sides.map(|(_, states)| growth(&states, &options.laws, variable, seed));
        let (lower_share, states) = self.lower_share(rows, seed)?;
        Some(Components { lower_share, states, trends, lower_growth, upper_growth })
    }

    /// How far the line cuts a side off at either end of its sizes.
    pub fn cut_off(&self, rows: &SeriesRows, component: LinePart, law: Law) -> CutOff {
        let finite = rows.points.iter().filter(|point| point.time.is_finite());
        let mut large: Vec<&Observation> = finite.filter(|o| self.part(o).is_some()).collect();
        large.sort_by(|a, b| a.size.total_cmp(&b.size));
        let segment = large.len() / self.procedure.number.max(1);
        let ends = [&large[..segment], &large[large.len() - segment..]];
        let [first, last] = ends.map(|part| self.closeness(part, component, law));
        CutOff { close: (first.0, last.0), factor: first.1 * last.1 }
    }

    /// Rows close to the line, on both sides of it, over rows of one side; and how far the quarters of these are apart, if
    /// there are many.
    fn closeness(&self, part: &[&Observation], component: LinePart, law: Law) -> (f64, f64) {
        let far = |point: &Observation| (point.time / (self.slope * point.size)).ln().abs();
        let close = part.iter().filter(|point| far(point) < CLOSE.ln()).count();
        let own = part.iter().filter(|point| self.part(point) == Some(component));
        let mut ratios: Vec<f64> = own.map(|o| o.time / law.at(o.size)).collect();
        let share = close as f64 / ratios.len().max(1) as f64;
        match share > MOST_CLOSE && !ratios.is_empty() {
            true => (share, quantile(&mut ratios, 0.75) / quantile(&mut ratios, 0.25)),
            false => (share, 1.0),
        }
    }

    /// Share of rows below the line, and of how many states.
    pub fn lower_share(&self, rows: &SeriesRows, seed: u64) -> Option<(Interval, usize)> {
        let mut by_state: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for i in self.large(rows) {
            let point = &rows.points[i];
            by_state.entry(rows.state[i]).or_default().push(point.time / point.size);
        }
        let ratios: Vec<Vec<f64>> = by_state.into_values().collect();
        Some((self.procedure.lower_share(&ratios, seed)?, ratios.len()))
    }
}
