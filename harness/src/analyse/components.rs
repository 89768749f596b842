//! The two components that SACS'10 divides its measurements into by a line, and what grows how in each.

use super::series::SeriesRows;
use crate::experiment::AnalysisOptions;
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
}

impl Components {
    /// The drift of t / law on a side.
    pub fn trend(&self, component: LinePart, law: Law) -> Option<&Trend> {
        let wanted = |found: &&PartTrend| found.component == component && found.law == law;
        self.trends.iter().find(wanted).map(|found| &found.trend)
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
                let found = trend(states, self.procedure.number, |o| o.time / law.at(o.size));
                trends.extend(found.map(|trend| PartTrend { component: *component, law, trend }));
            }
        }
        let variable = options.size().symbol();
        let [lower_growth, upper_growth] =
            sides.map(|(_, states)| growth(&states, &options.laws, variable, seed));
        let (lower_share, states) = self.lower_share(rows, seed)?;
        Some(Components { lower_share, states, trends, lower_growth, upper_growth })
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
