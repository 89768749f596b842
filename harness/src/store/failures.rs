//! Backends that failed: how many of their rows came to nothing, and what they said most often.
//!
//! A limit that was hit is a measurement and not a failure; neither is a heuristic that saw no
//! difference.

use super::FoundRows;
use super::record::Status;
use crate::plan::Plan;
use pidlab_analysis::{Table, TableError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The failed and crashed rows of one backend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    /// The backend.
    pub backend: String,
    /// Rows that it was asked for.
    pub rows: u64,
    /// Rows of these that failed or crashed.
    pub failed: u64,
    /// The most frequent message; empty in tables of earlier versions.
    pub message: String,
}

impl Failures {
    /// Whether nothing is known of the backend.
    pub fn is_total(&self) -> bool {
        self.failed == self.rows
    }

    /// One line for the user.
    pub fn sentence(&self) -> String {
        let much = match self.is_total() {
            true => format!("failed on all of its {} rows", self.rows),
            false => format!("failed on {} of {} rows", self.failed, self.rows),
        };
        match self.message.is_empty() {
            true => format!("{} {much}", self.backend),
            false => format!("{} {much}: {}", self.backend, self.message),
        }
    }
}

/// Failures in the rows of a run.
pub fn of_rows(plan: &Plan, found: &FoundRows) -> Vec<Failures> {
    count(found.records.iter().map(|record| {
        let backend = plan.backends[plan.place(record.row).backend].as_str();
        let message = found.messages.get(&record.row).map_or("", String::as_str);
        (backend, record.status.name(), message)
    }))
}

/// Failures in a result table, which has no messages if an earlier version wrote it.
pub fn of_table(table: &Table) -> Result<Vec<Failures>, TableError> {
    let (backends, statuses) = (table.texts("backend")?, table.texts("status")?);
    let messages = match table.columns().iter().any(|name| name == "message") {
        true => table.texts("message")?,
        false => vec![""; backends.len()],
    };
    let rows = backends.into_iter().zip(statuses).zip(messages);
    Ok(count(rows.map(|((backend, status), message)| (backend, status, message))))
}

/// Backends that failed on more than one row in twenty where they did not fail on all: with relations or a graph that it does
/// not know a backend fails on every row, which says nothing of the others.
pub fn uneven(table: &Table) -> Result<Vec<Failures>, TableError> {
    let known = table.columns();
    let keys =
        ["backend", "relations", "graph"].into_iter().filter(|key| known.iter().any(|k| k == key));
    let keys: Vec<Vec<&str>> = keys.map(|key| table.texts(key)).collect::<Result<_, _>>()?;
    let group = |row: usize| -> Vec<&str> { keys.iter().map(|column| column[row]).collect() };
    let mut works: BTreeMap<Vec<&str>, bool> = BTreeMap::new();
    let statuses = table.texts("status")?;
    for (row, status) in statuses.iter().enumerate() {
        *works.entry(group(row)).or_default() |= !is_failure(status);
    }
    let rows = statuses.iter().enumerate().filter(|&(row, _)| works[&group(row)]);
    let mut found = count(rows.map(|(row, status)| (keys[0][row], *status, "")));
    found.retain(|failures| failures.failed * 20 > failures.rows);
    Ok(found)
}

fn is_failure(status: &str) -> bool {
    [Status::Failed, Status::Crash].iter().any(|bad| bad.name() == status)
}

fn count<'r>(rows: impl Iterator<Item = (&'r str, &'r str, &'r str)>) -> Vec<Failures> {
    let mut asked: BTreeMap<&str, u64> = BTreeMap::new();
    let mut said: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for (backend, status, message) in rows {
        *asked.entry(backend).or_default() += u64::from(status != Status::Skipped.name());
        if is_failure(status) {
            *said.entry(backend).or_default().entry(message).or_default() += 1;
        }
    }
    let failures = said.into_iter().map(|(backend, messages)| Failures {
        backend: backend.into(),
        rows: asked[backend],
        failed: messages.values().sum(),
        message: messages.iter().max_by_key(|(_, n)| **n).map_or("", |(m, _)| m).to_string(),
    });
    failures.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_everywhere_is_not_uneven() {
        use pidlab_analysis::Values;
        let table = |statuses: [&'static str; 4]| {
            Table::new(vec![
                ("backend", Values::Text(vec!["a"; 4])),
                ("graph", Values::Text(vec!["corrected", "corrected", "published", "published"])),
                ("status", Values::Text(statuses.to_vec())),
            ])
            .unwrap()
        };
        assert_eq!(uneven(&table(["ok", "ok", "failed", "failed"])).unwrap(), []);
        let found = uneven(&table(["ok", "crash", "failed", "failed"])).unwrap();
        assert_eq!((found[0].failed, found[0].rows), (1, 2));
    }

    #[test]
    fn failed_and_crashed_rows_count_and_skipped_ones_do_not() {
        let rows = [
            ("a", "failed", "no file"),
            ("a", "crash", "no file"),
            ("a", "skipped", ""),
            ("b", "ok", ""),
            ("b", "timeout", ""),
            ("c", "open", ""),
            ("c", "failed", "why"),
        ];
        let found = count(rows.into_iter());
        let sentences: Vec<String> = found.iter().map(Failures::sentence).collect();
        assert_eq!(
            sentences,
            ["a failed on all of its 2 rows: no file", "c failed on 1 of 2 rows: why"]
        );
    }
}
