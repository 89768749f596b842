//! A history as one document, as a list of values, and as a table to read.

use super::entry::SeriesKey;
use super::series::{CommitSeries, CommitValue, MachineHistory};
use crate::grid::aligned;
use pidlab_stats::changepoint::{ChangePoint, FEWEST};
use serde::Serialize;
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The format of the document.
pub const FORMAT: &str = "pidlab-track/1";

/// How much longer it takes since a change: 0.1 for 10 %.
pub fn step(change: &ChangePoint) -> f64 {
    (change.after - change.before).exp() - 1.0
}

/// A change with everything that names it.
pub struct NamedChange<'h> {
    /// On which machine.
    pub machine: &'h MachineHistory,
    /// In which series.
    pub series: &'h CommitSeries,
    /// The change.
    pub change: &'h ChangePoint,
    /// The last commit of the old level and the first of the new: the change came in between or with it.
    pub last: &'h CommitValue,
    /// The first of the new level.
    pub first: &'h CommitValue,
}

/// All changes of all series.
pub fn changes(machines: &[MachineHistory]) -> Vec<NamedChange<'_>> {
    let mut all = Vec::new();
    for machine in machines {
        for series in &machine.series {
            for change in &series.changes {
                let (last, first) = (&series.values[change.at - 1], &series.values[change.at]);
                all.push(NamedChange { machine, series, change, last, first });
            }
        }
    }
    all
}

/// Format `pidlab-track/1`.
pub fn document(
    history: &Path,
    added: &[PathBuf],
    machines: &[MachineHistory],
    page: &Path,
) -> serde_json::Value {
    let change = |named: &NamedChange<'_>| {
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
        "machines": machines,
    })
}

/// A commit's value in a series of a machine; `step` where a new level begins.
#[derive(Serialize)]
pub struct TrackedValue<'h> {
    machine: String,
    #[serde(flatten)]
    subject: &'h SeriesKey,
    #[serde(flatten)]
    value: &'h CommitValue,
    step: Option<f64>,
}

/// All values of all series.
pub fn values(machines: &[MachineHistory]) -> Vec<TrackedValue<'_>> {
    let of = |machine: &MachineHistory| machine.machine.to_string();
    let series = machines.iter().flat_map(|m| m.series.iter().map(move |series| (of(m), series)));
    let values = series.flat_map(|(machine, series)| {
        let begins = |at: usize| series.changes.iter().find(move |change| change.at == at);
        series.values.iter().enumerate().map(move |(at, value)| TrackedValue {
            machine: machine.clone(),
            subject: &series.subject,
            value,
            step: begins(at).map(step),
        })
    });
    values.collect()
}

/// A table to read.
pub fn table(machines: &[MachineHistory], page: &Path) -> String {
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
        write!(out, "\n{}\n", aligned(&lines, false)).ok();
    }
    writeln!(out, "page: {}", page.display()).ok();
    out
}

fn line(named: &NamedChange<'_>) -> [String; 6] {
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
