//! Who decided the rows of each backend, and by whose clock they are timed.
//!
//! A backend whose rows were decided in part by its encoder or by counts has times of two algorithms; a figure of
//! all its rows is a figure of both.

use pidlab_analysis::{Table, TableError};
use pidlab_stats::order::median;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Serialize, Deserialize)]
pub struct Decided {
    pub backend: String,
    pub decided_by: String,
    pub clock: String,
    pub rows: u64,
    /// Of the rows with a time.
    pub median_seconds: Option<f64>,
}

/// Rows by backend, decider and clock; nothing for tables of earlier versions and of other kinds of rows.
pub fn decided(table: &Table) -> Result<Vec<Decided>, TableError> {
    let there = |name: &str| table.columns().iter().any(|column| column == name);
    if !there("decided_by") || !there("clock") {
        return Ok(Vec::new());
    }
    let (backends, times) = (table.texts("backend")?, table.numbers("t")?);
    let (deciders, clocks) = (table.texts("decided_by")?, table.texts("clock")?);
    let mut groups: BTreeMap<(&str, &str, &str), (u64, Vec<f64>)> = BTreeMap::new();
    for i in 0..backends.len() {
        let group = groups.entry((backends[i], deciders[i], clocks[i])).or_default();
        group.0 += 1;
        group.1.extend(times[i].is_finite().then_some(times[i]));
    }
    let count = |((backend, decided_by, clock), (rows, mut times)): (_, (u64, Vec<f64>))| Decided {
        backend: String::from(backend),
        decided_by: String::from(decided_by),
        clock: String::from(clock),
        rows,
        median_seconds: (!times.is_empty()).then(|| median(&mut times)),
    };
    Ok(groups.into_iter().map(count).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_analysis::Values;

    #[test]
    fn rows_are_told_apart_and_old_tables_have_none() {
        let backend = ("backend", Values::Text(vec!["nauty", "nauty", "sage"]));
        let time = || ("t", Values::Real(vec![1.0, f64::NAN, 3.0]));
        let old = Table::new(vec![("backend", Values::Text(vec!["a", "a", "a"])), time()]).unwrap();
        assert!(decided(&old).unwrap().is_empty());
        let by = ("decided_by", Values::Text(vec!["encoder", "solver", "solver"]));
        let clock = ("clock", Values::Text(vec!["worker-cpu", "worker-cpu", "program-cpu"]));
        let found = decided(&Table::new(vec![backend, by, clock, time()]).unwrap()).unwrap();
        let names: Vec<&str> = found.iter().map(|group| group.decided_by.as_str()).collect();
        assert_eq!(names, ["encoder", "solver", "solver"]);
        assert_eq!(found[0].median_seconds, Some(1.0));
        assert_eq!((found[1].rows, found[1].median_seconds), (1, None));
        assert_eq!(found[2].clock, "program-cpu");
    }
}
