//! `analysis.json` of a run, format `pidlab-analysis/2`: every number that claims and figures use.

pub mod cells;
pub mod components;
pub(crate) mod crossed;
pub(crate) mod decided;
pub mod dropped;
pub mod machines;
pub mod ratios;
pub mod sensitivity;
pub(crate) mod series;
pub(crate) mod table;

use self::cells::{CaseCount, RowEnding};
use self::components::Divider;
pub use self::components::{Components, LinePart};
pub use self::crossed::Crossed;
pub use self::decided::ByDecider;
use self::decided::Decided;
use self::dropped::Obvious;
use self::machines::OnMachine;
pub use self::ratios::{Medians, Ratio, RelationRatio, by_state};
use self::sensitivity::Condition;
use self::series::SeriesRows;
use crate::experiment::{AnalysisOptions, Experiment, FigureName, QuestionKind, Time};
use crate::store::failures::{self, Failures};
use crate::store::manifest::Manifest;
use pidlab_analysis::{Table, Values};
use pidlab_stats::effect::{FactorEffect, Factored, factor_effect};
use pidlab_stats::mixture::{Mixture, Stability, split, stability};
use pidlab_stats::published::SegmentAnalysis;
use pidlab_stats::{Growth, Interval, Observation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The format of `analysis.json`.
pub const FORMAT: &str = "pidlab-analysis/2";

/// Every number that claims and figures use.
#[derive(Serialize, Deserialize)]
pub struct Analysis {
    /// See [`FORMAT`].
    pub format: String,
    /// Name of the experiment.
    pub experiment: String,
    /// Name of the scale.
    pub scale: String,
    /// Of states and resampling.
    pub seed: u64,
    /// Rows of the table.
    pub rows: usize,
    /// Base states, models or instances.
    pub states: usize,
    /// What the checks said.
    pub correctness: Correctness,
    /// Every machine, if the rows are of several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<OnMachine>,
    /// How rows ended, by backend.
    pub statuses: Vec<StatusCount>,
    /// Who decided, by whose clock; of pairs.
    #[serde(default)]
    pub decided: Vec<Decided>,
    /// Rows that differ in a mere count, by transformation.
    #[serde(default)]
    pub obvious: Vec<Obvious>,
    /// Backends with failed or crashed rows, and why.
    pub failures: Vec<Failures>,
    /// Backends that failed on some rows of what they can do, so that their times are not a sample.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uneven_failures: Vec<Failures>,
    /// By backend, relations and graph.
    pub series: Vec<Series>,
    /// Counts by case and backend; of models and instances.
    pub cells: Vec<CaseCount>,
    /// How rows ended, by set and backend.
    pub outcomes: Vec<RowEnding>,
    /// Every two backends.
    pub ratios: Vec<Ratio>,
    /// Every two sets of relations, by backend.
    #[serde(default)]
    pub relation_ratios: Vec<RelationRatio>,
    /// Effects of parameters of the states.
    pub factors: Vec<Factor>,
    /// Shares below the dividing line by condition and mix of transformations, where the experiment draws them.
    #[serde(default)]
    pub sensitivity: Vec<Condition>,
    /// Largest over smallest time among vertex orders of one question: median and 95th percentile.
    pub order_spread: Vec<Spread>,
    /// The same among repetitions of one row: the noise of the clock and the machine.
    pub noise: Vec<Spread>,
}

/// What the checks said of all answers.
#[derive(Clone, Serialize, Deserialize)]
pub struct Correctness {
    /// Rows that were decided.
    pub answers: usize,
    /// Of these accepted.
    pub accepted: usize,
    /// Of these rejected.
    pub rejected: usize,
    /// Answers whose truth was known by construction.
    pub by_construction: usize,
}

/// How many rows of a backend ended so.
#[derive(Clone, Serialize, Deserialize)]
pub struct StatusCount {
    /// Who was asked.
    pub backend: String,
    /// How they ended.
    pub status: String,
    /// How many.
    pub rows: u64,
}

/// Everything about one backend under one set of relations and graph kind.
#[derive(Serialize, Deserialize)]
pub struct Series {
    /// Who was asked.
    pub backend: String,
    /// Under which relations.
    pub relations: String,
    /// On which graphs.
    pub graph: String,
    /// Rows with a time.
    pub rows: usize,
    /// Rows that were decided before the timed part began: no fit and no figure has them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub untimed: usize,
    /// States without a finite median: most of their rows hit a limit.
    pub censored_states: usize,
    /// Sizes from here on are left out of the fit because of limits.
    pub cut: Option<f64>,
    /// Growth against the size of the analysis.
    pub growth: Option<Growth>,
    /// The part of building in the time of pairs.
    #[serde(default)]
    pub building: Option<Building>,
    /// Exponents of pids and vectors beside each other, where they vary independently.
    #[serde(default)]
    pub crossed: Option<Crossed>,
    /// Exponents by transformation and component.
    pub transformations: Vec<Exponent>,
    /// The procedure of SACS'10.
    pub published: Option<SegmentAnalysis>,
    /// Rigorous form of the published segment test, on medians per state.
    pub components: Option<Components>,
    /// Components as a mixture of regressions.
    pub mixture: Option<Mixture>,
    /// Whether random halves of the states give the same number of components.
    pub stability: Option<Stability>,
    /// LinePart of the mixture × answer, rows.
    pub mixture_answers: Vec<(usize, String, u64)>,
    /// Transformation × component of the published line, rows.
    pub cross: Vec<(String, String, u64)>,
    /// The rows by who decided them, where it was not always the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deciders: Vec<ByDecider>,
}

fn is_none(rows: &usize) -> bool {
    *rows == 0
}

/// How much of the time building the structures takes.
#[derive(Clone, Serialize, Deserialize)]
pub struct Building {
    /// Median share of building in building and deciding.
    pub share: f64,
    /// Exponent of the size in the time of building alone.
    pub exponent: Option<Interval>,
}

/// The growth exponent of one transformation.
#[derive(Serialize, Deserialize)]
pub struct Exponent {
    /// The transformation.
    pub transformation: String,
    /// `all`, or the component of the published line.
    pub component: String,
    /// The exponent.
    pub exponent: Interval,
    /// A typical time.
    pub median_seconds: f64,
}

/// The effect of a parameter of the states on a backend.
#[derive(Serialize, Deserialize)]
pub struct Factor {
    /// The parameter.
    pub factor: String,
    /// The backend.
    pub backend: String,
    /// Its effect.
    pub effect: FactorEffect,
}

/// How far times of one question are apart.
#[derive(Serialize, Deserialize)]
pub struct Spread {
    /// The backend.
    pub backend: String,
    /// Median of largest over smallest.
    pub median: f64,
    /// Its 95th percentile.
    pub p95: f64,
}

impl Analysis {
    /// The first series of a backend.
    pub fn series_of(&self, backend: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.backend == backend)
    }
}

/// The table of a run with the analysed columns, ready for [`analyse`] and for the figures.
pub fn load(folder: &Path, experiment: &Experiment, manifest: &Manifest) -> anyhow::Result<Table> {
    let table = table::read(folder)?;
    Ok(series::prepare(table, &experiment.analysis, manifest.across_machines)?)
}

/// Analyses the rows of a run.
pub fn analyse(
    table: &Table,
    experiment: &Experiment,
    manifest: &Manifest,
) -> anyhow::Result<Analysis> {
    let mut all = Vec::new();
    for (key, part) in parts(table)? {
        all.push(series_of(&key, &part, experiment, manifest.seed)?);
    }
    Ok(Analysis {
        format: FORMAT.into(),
        experiment: experiment.name.clone(),
        scale: manifest.scale.name().into(),
        seed: manifest.seed,
        rows: table.rows(),
        states: count_states(table)?,
        correctness: correctness(table)?,
        machines: machines::apart(
            table,
            &experiment.analysis,
            (manifest.seed, manifest.across_machines),
        )?,
        statuses: statuses(table)?,
        decided: decided::decided(table)?,
        obvious: dropped::obvious(table)?,
        failures: failures::of_table(table)?,
        uneven_failures: failures::uneven(table)?,
        series: all,
        cells: cells::cells(table, experiment)?,
        outcomes: cells::outcomes(table)?,
        ratios: ratios::ratios(table, manifest.seed)?,
        relation_ratios: ratios::relation_ratios(table, manifest.seed)?,
        factors: factors(table, experiment, manifest)?,
        sensitivity: match experiment.figures().contains(&FigureName::Sensitivity) {
            true => sensitivity::conditions(table, experiment)?,
            false => Vec::new(),
        },
        order_spread: spreads(table, "order")?,
        noise: spreads(table, "repetition")?,
    })
}

/// Backend, relations and graph kind.
type Key = (String, String, String);

/// The rows by backend, relations and graph kind.
pub fn parts(table: &Table) -> anyhow::Result<Vec<(Key, Table)>> {
    let mut parts = Vec::new();
    for backend in table.distinct("backend")? {
        let of_backend = table.only("backend", &backend)?;
        for relations in table.distinct("relations")? {
            let of_relations = of_backend.only("relations", &relations)?;
            for graph in table.distinct("graph")? {
                let part = of_relations.only("graph", &graph)?;
                parts.push(((backend.clone(), relations.clone(), graph), part));
            }
        }
    }
    Ok(parts)
}

fn series_of(
    key: &Key,
    part: &Table,
    experiment: &Experiment,
    seed: u64,
) -> anyhow::Result<Series> {
    let (rows, options) = (SeriesRows::of(part)?, &experiment.analysis);
    let states = series::fittable(rows.per_state(|_| true), options.typical);
    let line = Divider::of(&rows, options);
    let large = line.map_or(Vec::new(), |line| line.large(&rows));
    let thin = thinned(&large);
    let mixture = split(&of(&thin, &|i| rows.points[i]));
    Ok(Series {
        backend: key.0.clone(),
        relations: key.1.clone(),
        graph: key.2.clone(),
        rows: rows.len(),
        untimed: series::untimed(part)?,
        censored_states: states.censored,
        cut: states.cut,
        growth: states.growth(&options.laws, options.size().symbol(), seed),
        building: building(part, experiment, seed)?,
        crossed: crossed::crossed(part, experiment, seed)?,
        transformations: exponents(&rows, line, options.typical, seed),
        published: options.segments.and_then(|procedure| procedure.analyze(&rows.finite())),
        components: line.and_then(|line| line.components(&rows, options, seed)),
        mixture_answers: mixture.as_ref().map_or(Vec::new(), |m| answers_of(m, &rows, &thin)),
        stability: mixture.as_ref().and_then(|_| {
            let (points, states) =
                (of(&large, &|i| rows.points[i]), of(&large, &|i| rows.state[i]));
            stability(&points, &states, seed)
        }),
        mixture,
        cross: cross(&rows, |i| side(line, &rows.points[i])),
        deciders: decided::by_decider(&rows, line, options.typical, seed),
    })
}

/// The time of building apart from the rest.
fn building(part: &Table, experiment: &Experiment, seed: u64) -> anyhow::Result<Option<Building>> {
    if experiment.kind() != QuestionKind::Pairs {
        return Ok(None);
    }
    let (build, decide) = (part.numbers("build_ns")?, part.numbers("decide_ns")?);
    let timed = part.numbers("t")?;
    let known = |i: &usize| timed[*i].is_finite() && build[*i] + decide[*i] > 0.0;
    let shares = (0..build.len()).filter(known).map(|i| build[i] / (build[i] + decide[i]));
    let share = pidlab_stats::order::median_of(shares);
    if !share.is_finite() || share == 0.0 {
        return Ok(None);
    }
    let options = AnalysisOptions { time: Time::Build, ..experiment.analysis.clone() };
    let alone = series::seconds(part, &options)?.into_iter().zip(&timed);
    let alone = alone.map(|(t, timed)| if timed.is_nan() { f64::NAN } else { t }).collect();
    let rows = SeriesRows::of(&part.clone().with("t", Values::Real(alone))?)?;
    let states = series::fittable(rows.per_state(|_| true), options.typical);
    Ok(Some(Building { share, exponent: states.exponent(seed) }))
}

/// The mixture describes; a thinned sample describes as well and keeps two million rows quick.
fn thinned(rows: &[usize]) -> Vec<usize> {
    let step = rows.len().div_ceil(20_000).max(1);
    rows.iter().step_by(step).copied().collect()
}

fn of<T>(rows: &[usize], value: &dyn Fn(usize) -> T) -> Vec<T> {
    rows.iter().map(|&i| value(i)).collect()
}

/// Answers by component of the mixture that was fitted to these rows.
fn answers_of(mixture: &Mixture, rows: &SeriesRows, thin: &[usize]) -> Vec<(usize, String, u64)> {
    let mut counts = BTreeMap::new();
    for (&component, &i) in mixture.component.iter().zip(thin) {
        *counts.entry((component, rows.answer[i].clone())).or_insert(0) += 1;
    }
    counts.into_iter().map(|((component, answer), n)| (component, answer, n)).collect()
}

/// The side of a measurement, `all` for those that belong to none.
fn side(line: Option<Divider>, point: &Observation) -> &'static str {
    line.and_then(|line| line.part(point)).map_or("all", LinePart::name)
}

fn exponents(rows: &SeriesRows, line: Option<Divider>, typical: bool, seed: u64) -> Vec<Exponent> {
    let mut names: Vec<&String> = rows.transformation.iter().collect();
    names.sort_unstable();
    names.dedup();
    let components: &[&str] = if line.is_some() { &["all", "lower", "upper"] } else { &["all"] };
    let mut found = Vec::new();
    for name in names {
        for &component in components {
            let inside = |i: usize| {
                rows.transformation[i] == *name
                    && (component == "all" || side(line, &rows.points[i]) == component)
            };
            let fittable = series::fittable(rows.per_state(inside), typical);
            if let Some(exponent) = fittable.exponent(seed) {
                let times = fittable.states.iter().map(|state| state.time);
                let median_seconds = pidlab_stats::order::median_of(times);
                found.push(Exponent {
                    transformation: name.clone(),
                    component: component.to_string(),
                    exponent,
                    median_seconds,
                });
            }
        }
    }
    found
}

fn cross(
    rows: &SeriesRows,
    component: impl Fn(usize) -> &'static str,
) -> Vec<(String, String, u64)> {
    let mut counts = BTreeMap::new();
    for i in 0..rows.len() {
        let what = format!("{} / {}", rows.transformation[i], rows.answer[i]);
        *counts.entry((what, component(i).to_string())).or_insert(0) += 1;
    }
    counts.into_iter().map(|((what, component), n)| (what, component, n)).collect()
}

fn count_states(table: &Table) -> anyhow::Result<usize> {
    let mut states = table.numbers("state")?;
    states.sort_unstable_by(f64::total_cmp);
    states.dedup();
    Ok(states.len())
}

fn correctness(table: &Table) -> anyhow::Result<Correctness> {
    let count = |column: &str, value: &str| -> anyhow::Result<usize> {
        Ok(table.texts(column)?.into_iter().filter(|text| *text == value).count())
    };
    let known = table.texts("expected")?.into_iter().filter(|text| *text != "unknown").count();
    Ok(Correctness {
        answers: count("status", "ok")?,
        accepted: count("check", "accepted")?,
        rejected: count("check", "rejected")?,
        by_construction: known,
    })
}

fn statuses(table: &Table) -> anyhow::Result<Vec<StatusCount>> {
    let counts = table.counts("backend", "status")?;
    Ok(counts
        .into_iter()
        .map(|(backend, status, rows)| StatusCount { backend, status, rows })
        .collect())
}

fn factors(
    table: &Table,
    experiment: &Experiment,
    manifest: &Manifest,
) -> anyhow::Result<Vec<Factor>> {
    let mut found = Vec::new();
    for factor in &experiment.analysis.factors {
        for backend in table.distinct("backend")? {
            let part = table.only("backend", &backend)?;
            let rows = factored(&part, experiment, factor)?;
            if let Some(effect) = factor_effect(&rows, manifest.seed) {
                found.push(Factor { factor: factor.clone(), backend, effect });
            }
        }
    }
    Ok(found)
}

/// Medians by state with the value of a parameter of the state's set.
fn factored(part: &Table, experiment: &Experiment, factor: &str) -> anyhow::Result<Vec<Factored>> {
    let medians = part.medians(&["set", "state"], &["x", "t"])?;
    let (labels, x, t) = (medians.texts("set")?, medians.numbers("x")?, medians.numbers("t")?);
    let values = experiment.factor_values(factor);
    let value = |label: &str| {
        let at = experiment.states.iter().position(|set| set.label == label)?;
        values[at]
    };
    Ok((0..x.len())
        .filter(|&i| !t[i].is_nan())
        .filter_map(|i| Some(Factored { size: x[i], factor: value(labels[i])?, time: t[i] }))
        .collect())
}

/// Median and 95th percentile of how far rows that differ in one column only are apart.
fn spreads(table: &Table, column: &str) -> anyhow::Result<Vec<Spread>> {
    let mut found = Vec::new();
    if table.numbers(column)?.iter().all(|value| *value == 0.0) {
        return Ok(found);
    }
    for backend in table.distinct("backend")? {
        let mut spread = spread(&table.only("backend", &backend)?, column)?;
        if !spread.is_empty() {
            let median = pidlab_stats::order::quantile(&mut spread, 0.5);
            let p95 = pidlab_stats::order::quantile(&mut spread, 0.95);
            found.push(Spread { backend, median, p95 });
        }
    }
    Ok(found)
}

/// Largest over smallest time among rows that differ in one column only, `order` or `repetition`.
pub fn spread(part: &Table, column: &str) -> anyhow::Result<Vec<f64>> {
    let other = if column == "order" { "repetition" } else { "order" };
    let (t, pair, fixed) = (part.numbers("t")?, part.numbers("pair")?, part.numbers(other)?);
    let (relations, graph) = (part.texts("relations")?, part.texts("graph")?);
    let mut groups: BTreeMap<(u64, &str, &str, u64), (f64, f64)> = BTreeMap::new();
    for i in (0..t.len()).filter(|&i| t[i].is_finite()) {
        let key = (pair[i].to_bits(), relations[i], graph[i], fixed[i] as u64);
        let range = groups.entry(key).or_insert((f64::INFINITY, 0.0));
        *range = (range.0.min(t[i]), range.1.max(t[i]));
    }
    let ranges = groups.into_values().filter(|(low, _)| *low > 0.0);
    Ok(ranges.map(|(low, high)| high / low).collect())
}
