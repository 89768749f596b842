//! A history as a table to read, as one JSON document, and as CSV.

use super::series::{Machine, Series, Value};
use crate::compare::present::aligned;
use crate::grid::quoted;
use pidlab_stats::changepoint::{ChangePoint, FEWEST};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};

pub const FORMAT: &str = "pidlab-track/1";

/// How much longer it takes since a change: 0.1 for 10 %.
pub fn step(change: &ChangePoint) -> f64 {
    (change.after - change.before).exp() - 1.0
}

/// A change with everything that names it.
pub struct Named<'h> {
    pub machine: &'h Machine,
    pub series: &'h Series,
    pub change: &'h ChangePoint,
    /// The last commit of the old level and the first of the new: the change came in between or with it.
    pub last: &'h Value,
    pub first: &'h Value,
}

pub fn changes(machines: &[Machine]) -> Vec<Named<'_>> {
    let mut all = Vec::new();
    for machine in machines {
        for series in &machine.series {
            for change in &series.changes {
                let (last, first) = (&series.values[change.at - 1], &series.values[change.at]);
                all.push(Named { machine, series, change, last, first });
            }
        }
    }
    all
}

/// Format `pidlab-track/1`.
pub fn document(
    history: &Path,
    added: &[PathBuf],
    machines: &[Machine],
    page: &Path,
) -> serde_json::Value {
    let change = |named: &Named<'_>| {
        let subject = &named.series.subject;
        json!({
            "machine": named.machine.machine.to_string(),
            "experiment": subject.experiment,
            "backend": subject.backend,
            "relations": subject.relations,
            "graph": subject.graph,
            "class": subject.class,
            "commit": named.first.commit,
            "title": named.first.title,
            "when": named.first.when,
            "after_commit": named.last.commit,
            "step": step(named.change),
        })
    };
    json!({
        "format": FORMAT,
        "history": history.display().to_string(),
        "added": added.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        "page": page.display().to_string(),
        "changes": changes(machines).iter().map(change).collect::<Vec<_>>(),
        "machines": machines.iter().map(of_machine).collect::<Vec<_>>(),
    })
}

fn of_machine(machine: &Machine) -> serde_json::Value {
    let value = |v: &Value| {
        json!({
            "commit": v.commit,
            "when": v.when,
            "seconds": v.seconds,
            "relative": v.level.exp(),
        })
    };
    let series = |series: &Series| {
        json!({
            "experiment": series.subject.experiment,
            "scale": series.subject.scale,
            "seed": series.subject.seed,
            "backend": series.subject.backend,
            "relations": series.subject.relations,
            "graph": series.subject.graph,
            "class": series.subject.class,
            "other_inputs": series.other_inputs,
            "values": series.values.iter().map(value).collect::<Vec<_>>(),
            "changes": series.changes,
        })
    };
    json!({
        "machine": machine.machine.to_string(),
        "commits": machine.commits,
        "kernels": machine.kernels,
        "series": machine.series.iter().map(series).collect::<Vec<_>>(),
    })
}

const COLUMNS: [&str; 13] = [
    "machine",
    "experiment",
    "scale",
    "seed",
    "backend",
    "relations",
    "graph",
    "class",
    "commit",
    "when",
    "seconds",
    "relative",
    "step",
];

/// One line for each series and commit; `step` is filled where a new level begins.
pub fn csv(machines: &[Machine]) -> String {
    let mut out = COLUMNS.join(",") + "\n";
    for machine in machines {
        for series in &machine.series {
            for (i, value) in series.values.iter().enumerate() {
                let change = series.changes.iter().find(|change| change.at == i);
                let subject = &series.subject;
                let fields = [
                    machine.machine.to_string(),
                    subject.experiment.clone(),
                    subject.scale.clone(),
                    subject.seed.to_string(),
                    subject.backend.clone(),
                    subject.relations.clone(),
                    subject.graph.clone(),
                    subject.class.clone(),
                    value.commit.clone(),
                    value.when.clone(),
                    format!("{:.9}", value.seconds),
                    format!("{:.5}", value.level.exp()),
                    change.map_or(String::new(), |change| format!("{:.5}", step(change))),
                ];
                let line: Vec<_> = fields.iter().map(|field| quoted(field)).collect();
                writeln!(out, "{}", line.join(",")).ok();
            }
        }
    }
    out
}

pub fn table(machines: &[Machine], page: &Path) -> String {
    let mut out = String::new();
    for machine in machines {
        let (commits, series) = (machine.commits, machine.series.len());
        writeln!(out, "{}: {commits} commits, {series} series", machine.machine).ok();
    }
    let named = changes(machines);
    if named.is_empty() {
        let few = machines.iter().all(|machine| machine.commits < FEWEST);
        let why =
            if few { format!(" (it takes {FEWEST} commits to see one)") } else { String::new() };
        writeln!(out, "no change of level{why}").ok();
    } else {
        let mut lines =
            vec![["commit", "date", "series", "time", "title", "machine"].map(String::from)];
        lines.extend(named.iter().map(line));
        write!(out, "\n{}\n", aligned(&lines)).ok();
    }
    writeln!(out, "page: {}", page.display()).ok();
    out
}

fn line(named: &Named<'_>) -> [String; 6] {
    let subject = &named.series.subject;
    [
        format!("{}..{}", named.last.commit, named.first.commit),
        named.first.when.chars().take(10).collect(),
        format!(
            "{} {} {{{}}} {}",
            subject.experiment, subject.backend, subject.relations, subject.class
        ),
        format!("{:+.1} %", 100.0 * step(named.change)),
        named.first.title.clone(),
        named.machine.machine.to_string(),
    ]
}
