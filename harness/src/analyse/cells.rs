//! Counts by case and method, and how rows ended: what tables of state spaces and of coverability are made of.

use crate::experiment::{Experiment, QuestionKind};
use pidlab_analysis::{Table, TableError};
use pidlab_stats::order::median;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Everything about one case under one backend, repetitions brought down to a median.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CaseCount {
    /// Entry of the experiment file.
    pub set: String,
    /// The file of an instance; empty for models.
    pub instance: String,
    /// Under which relations.
    pub relations: String,
    /// Who was asked.
    pub backend: String,
    /// How it ended.
    pub status: String,
    /// What was answered.
    pub answer: String,
    /// Counts by the names of their columns.
    pub counts: BTreeMap<String, u64>,
    /// Median time of the analysis; none where no repetition came to its end.
    pub seconds: Option<f64>,
    /// Fastest and slowest repetition, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(f64, f64)>,
}

impl CaseCount {
    /// Whether it was decided.
    pub fn is_complete(&self) -> bool {
        self.status == "ok"
    }

    /// A count by the name of its column.
    pub fn count(&self, column: &str) -> Option<u64> {
        self.counts.get(column).copied()
    }

    /// Bytes of the visited set for each state.
    pub fn bytes_per_state(&self) -> Option<f64> {
        Some(self.count("bytes")? as f64 / self.count("states")?.max(1) as f64)
    }
}

/// How many rows of a set ended so.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RowEnding {
    /// Entry of the experiment file.
    pub set: String,
    /// Who was asked.
    pub backend: String,
    /// How they ended.
    pub status: String,
    /// What is known beforehand.
    pub expected: String,
    /// What was answered.
    pub answer: String,
    /// How many.
    pub rows: u64,
}

/// The cells of an experiment on models or instances; those of random machines would say nothing each.
pub fn cells(table: &Table, experiment: &Experiment) -> Result<Vec<CaseCount>, TableError> {
    let kind = experiment.kind();
    if kind == QuestionKind::Pairs {
        return Ok(Vec::new());
    }
    let drawn: Vec<&str> =
        experiment.instances.iter().filter(|i| i.random_machines).map(|i| &*i.label).collect();
    let text = |name: &str| table.texts(name);
    let (set, relations, backend) = (text("set")?, text("relations")?, text("backend")?);
    let (status, answer, t) = (text("status")?, text("answer")?, table.numbers("t")?);
    let state = table.wholes("state")?;
    let instance = match kind {
        QuestionKind::Instances => text("instance")?,
        _ => vec![""; table.rows()],
    };
    let columns: Vec<Vec<u64>> =
        kind.counts().iter().map(|name| table.wholes(name)).collect::<Result<_, _>>()?;
    // in the order of the plan, which is that of the rows
    let mut found: Vec<(CaseCount, Vec<f64>)> = Vec::new();
    let mut known: HashMap<(u64, &str, &str), usize> = HashMap::new();
    for i in (0..table.rows()).filter(|&i| !drawn.contains(&set[i])) {
        let cell = || CaseCount {
            set: set[i].into(),
            instance: instance[i].into(),
            relations: relations[i].into(),
            backend: backend[i].into(),
            status: status[i].into(),
            answer: answer[i].into(),
            counts: kind
                .counts()
                .iter()
                .zip(&columns)
                .map(|(n, c)| (n.to_string(), c[i]))
                .collect(),
            seconds: None,
            range: None,
        };
        let at = *known.entry((state[i], relations[i], backend[i])).or_insert_with(|| {
            found.push((cell(), Vec::new()));
            found.len() - 1
        });
        found[at].1.push(t[i]);
    }
    let finish = |(mut cell, mut times): (CaseCount, Vec<f64>)| {
        times.retain(|time| time.is_finite());
        cell.seconds = (!times.is_empty()).then(|| median(&mut times));
        let [fastest, slowest] =
            [f64::min, f64::max].map(|of| times.iter().copied().reduce(of).unwrap_or(f64::NAN));
        cell.range = (times.len() > 1).then_some((fastest, slowest));
        cell
    };
    Ok(found.into_iter().map(finish).collect())
}

/// How rows ended, by set and backend.
pub fn outcomes(table: &Table) -> Result<Vec<RowEnding>, TableError> {
    let names = ["set", "backend", "status", "expected", "answer"];
    let columns: Vec<Vec<&str>> =
        names.iter().map(|name| table.texts(name)).collect::<Result<_, _>>()?;
    let mut counts: BTreeMap<[&str; 5], u64> = BTreeMap::new();
    let key = |row: usize| std::array::from_fn(|column| columns[column][row]);
    for row in 0..table.rows() {
        *counts.entry(key(row)).or_default() += 1;
    }
    let outcome = |([set, backend, status, expected, answer], rows): ([&str; 5], u64)| RowEnding {
        set: set.into(),
        backend: backend.into(),
        status: status.into(),
        expected: expected.into(),
        answer: answer.into(),
        rows,
    };
    Ok(counts.into_iter().map(outcome).collect())
}
