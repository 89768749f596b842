//! From the result table to observations: one series for each backend, relation set and graph kind.
//!
//! The unit of analysis is the base state. Rows of one state are brought down to a median; rows that
//! hit a limit count as longer than anything, so a state that mostly times out has no finite median
//! and is *censored*, not dropped: sizes from where censoring starts are left out of the fits, since
//! keeping only the lucky states there would bend every curve down. Where the growth of the typical state is asked for, sizes
//! count as long as the median of their states is known.

use super::machines;
use crate::distinct::distinct;
use crate::experiment::{AnalysisOptions, Clock, Time};
use pidlab_analysis::{Table, TableError, Values};
use pidlab_stats::order::quantile;
use pidlab_stats::sample::typical_cut;
use pidlab_stats::{Growth, Interval, Law, Observation, Sample, exponent_of, growth_of};
use std::collections::BTreeMap;

/// The table with the analysed size `x` and time `t` (seconds; infinite where a limit was hit). Of several machines
/// only one has times, unless they are to be taken together.
pub fn prepare(
    table: Table,
    analysis: &AnalysisOptions,
    machines_together: bool,
) -> Result<Table, TableError> {
    let x = table.numbers(analysis.size().column())?;
    let mut t = seconds(&table, analysis)?;
    let by = analysis.decided_by.map(|_| table.texts("decided_by")).transpose()?;
    let others = |i: usize| match (analysis.decided_by, &by) {
        (Some(wanted), Some(by)) => by[i] != wanted.name(),
        _ => false,
    };
    let rows = table.texts("status")?.into_iter().zip(table.flags("obvious")?);
    for (i, (t, (status, obvious))) in t.iter_mut().zip(rows).enumerate() {
        let dropped = status == "open" || status == "ok" && others(i);
        if dropped || analysis.similar_only && obvious {
            *t = f64::NAN;
        }
    }
    if !machines_together {
        machines::forget_others(&table, &mut t)?;
    }
    table.with("x", Values::Real(x))?.with("t", Values::Real(t))
}

/// The time of every row: infinite where a limit was hit, not a number where there was nothing to decide.
/// CPU time is known for building and deciding together; it is shared out as the wall time is.
pub fn seconds(table: &Table, analysis: &AnalysisOptions) -> Result<Vec<f64>, TableError> {
    let (build, decide) = (table.numbers("build_ns")?, table.numbers("decide_ns")?);
    let cpu = table.numbers("cpu_ns")?;
    let measured = |i: usize| {
        let part = match analysis.time {
            Time::Total => 1.0,
            Time::Decide => decide[i] / (build[i] + decide[i]).max(1.0),
            Time::Build => build[i] / (build[i] + decide[i]).max(1.0),
        };
        let whole = match analysis.clock {
            Clock::Cpu => cpu[i],
            Clock::Wall => build[i] + decide[i],
        };
        whole * part / 1e9
    };
    let time = |(i, status): (usize, &str)| match status {
        "ok" | "open" => measured(i),
        "failed" | "skipped" => f64::NAN,
        _ => f64::INFINITY,
    };
    Ok(table.texts("status")?.into_iter().enumerate().map(time).collect())
}

/// Rows whose timed part took no time, because they were decided before it.
pub fn untimed(table: &Table) -> Result<usize, TableError> {
    Ok(table.numbers("t")?.into_iter().filter(|t| *t == 0.0).count())
}

/// All rows of one series.
#[derive(Default)]
pub struct SeriesRows {
    pub state: Vec<u64>,
    pub row: Vec<u64>,
    pub transformation: Vec<String>,
    pub answer: Vec<String>,
    /// Pre-check, encoder or solver; empty in tables of earlier versions.
    pub decided_by: Vec<String>,
    pub points: Vec<Observation>,
}

impl SeriesRows {
    /// SeriesRows with a time, finite or not, against the size of the analysis.
    pub fn of(table: &Table) -> Result<SeriesRows, TableError> {
        SeriesRows::against(table, "x")
    }

    /// The same against another column.
    pub fn against(table: &Table, size: &str) -> Result<SeriesRows, TableError> {
        let (x, t) = (table.numbers(size)?, table.numbers("t")?);
        let (state, row) = (table.numbers("state")?, table.numbers("row")?);
        let (what, answer) = (table.texts("transformation")?, table.texts("answer")?);
        let by = match table.columns().iter().any(|name| name == "decided_by") {
            true => table.texts("decided_by")?,
            false => vec![""; x.len()],
        };
        let mut rows = SeriesRows::default();
        for i in 0..x.len() {
            if x[i] > 0.0 && t[i] > 0.0 {
                rows.state.push(state[i] as u64);
                rows.row.push(row[i] as u64);
                rows.transformation.push(what[i].to_string());
                rows.answer.push(answer[i].to_string());
                rows.decided_by.push(by[i].to_string());
                rows.points.push(Observation { size: x[i], time: t[i] });
            }
        }
        Ok(rows)
    }

    /// Adds a row about which nothing else is known.
    pub fn push(&mut self, state: u64, point: Observation) {
        self.state.push(state);
        self.row.push(self.points.len() as u64);
        self.transformation.push(String::new());
        self.answer.push(String::new());
        self.decided_by.push(String::new());
        self.points.push(point);
    }

    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Who decided rows with a time; nothing where all were decided by the same.
    pub fn deciders(&self) -> Vec<&str> {
        let finite = (0..self.len()).filter(|&i| self.points[i].time.is_finite());
        let deciders = distinct(finite.map(|i| self.decided_by[i].as_str()));
        if deciders.len() > 1 { deciders } else { Vec::new() }
    }

    pub fn finite(&self) -> Vec<Observation> {
        self.points.iter().filter(|point| point.time.is_finite()).copied().collect()
    }

    /// Medians per base state over the rows that `keep` accepts.
    pub fn per_state(&self, keep: impl Fn(usize) -> bool) -> Vec<Observation> {
        let mut groups: BTreeMap<u64, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
        for i in (0..self.len()).filter(|&i| keep(i)) {
            let group = groups.entry(self.state[i]).or_default();
            group.0.push(self.points[i].size);
            group.1.push(self.points[i].time);
        }
        groups
            .into_values()
            .map(|(mut sizes, mut times)| Observation {
                size: pidlab_stats::order::median(&mut sizes),
                time: pidlab_stats::order::median(&mut times),
            })
            .collect()
    }
}

/// States that count in a fit, and what was left out.
pub struct Fittable {
    /// With a time, unless medians of sizes are fitted.
    pub states: Vec<Observation>,
    pub censored: usize,
    /// Sizes from here on were left out because of limits.
    pub cut: Option<f64>,
    typical: bool,
}

impl Fittable {
    /// What is fitted; nothing with too few states.
    fn sample(&self) -> Option<Sample> {
        match self.typical {
            true => Sample::of_medians(&self.states),
            false => Sample::of_states(&self.states),
        }
    }

    pub fn growth(&self, laws: &[Law], variable: &str, seed: u64) -> Option<Growth> {
        self.sample().map(|sample| growth_of(&sample, laws, variable, seed))
    }

    /// The free exponent alone.
    pub fn exponent(&self, seed: u64) -> Option<Interval> {
        exponent_of(&self.sample()?, 120, seed)
    }
}

/// Of states with their medians: those of sizes that limits leave alone; where the growth is that of the typical state,
/// those of sizes whose median is known.
pub fn fittable(states: Vec<Observation>, typical: bool) -> Fittable {
    let mut sizes: Vec<f64> =
        states.iter().filter(|state| !state.time.is_finite()).map(|state| state.size).collect();
    let censored = sizes.len();
    let cut = match typical {
        true => typical_cut(&states),
        false => (censored > 0).then(|| quantile(&mut sizes, 0.05)),
    };
    let inside = |state: &Observation| {
        (typical || state.time.is_finite()) && cut.is_none_or(|cut| state.size < cut)
    };
    Fittable { states: states.into_iter().filter(inside).collect(), censored, cut, typical }
}
