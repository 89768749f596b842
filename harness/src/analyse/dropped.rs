//! What the analysis does not see: rows that are left out as obvious, rows that never reached a solver.
//!
//! Both belong beside every figure of times, so they are counted in the run and told with the deviations.

use super::Analysis;
use pidlab_analysis::{Table, TableError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Rows of a transformation that differ in a mere count.
#[derive(Clone, Serialize, Deserialize)]
pub struct Obvious {
    /// The transformation.
    pub transformation: String,
    /// Obvious rows.
    pub obvious: u64,
    /// All its rows.
    pub rows: u64,
}

/// Obvious rows by transformation; transformations without any are left out.
pub fn obvious(table: &Table) -> Result<Vec<Obvious>, TableError> {
    let there = |name: &str| table.columns().iter().any(|column| column == name);
    if !there("obvious") || !there("transformation") {
        return Ok(Vec::new());
    }
    let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (name, obvious) in table.texts("transformation")?.into_iter().zip(table.flags("obvious")?) {
        let count = counts.entry(name).or_default();
        *count = (count.0 + u64::from(obvious), count.1 + 1);
    }
    let found = counts.into_iter().filter(|(_, (obvious, _))| *obvious > 0);
    Ok(found
        .map(|(name, (obvious, rows))| Obvious { transformation: name.into(), obvious, rows })
        .collect())
}

/// The sentences for readers; `left_out` says whether the analysis drops obvious rows.
pub fn sentences(analysis: &Analysis, left_out: bool) -> Vec<String> {
    let mut told = Vec::new();
    let parts: Vec<String> = analysis
        .obvious
        .iter()
        .map(|o| format!("{} of {} of {}", o.obvious, o.rows, o.transformation))
        .collect();
    if left_out && !parts.is_empty() {
        told.push(format!("Left out as obvious (a count differs): {} rows.", parts.join(", ")));
    }
    let mut backends: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for group in &analysis.decided {
        let count = backends.entry(&group.backend).or_default();
        let short = matches!(group.decided_by.as_str(), "encoder" | "pre-check");
        *count = (count.0 + if short { group.rows } else { 0 }, count.1 + group.rows);
    }
    for (backend, (short, rows)) in backends.into_iter().filter(|(_, (short, _))| *short > 0) {
        let share = 100.0 * short as f64 / rows as f64;
        told.push(format!(
            "{share:.0} % of the rows of {backend} ({short} of {rows}) never reached its solver: counts or building showed \
             the difference."
        ));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_analysis::Values;

    #[test]
    fn obvious_rows_are_counted_by_transformation() {
        let columns = vec![
            ("transformation", Values::Text(vec!["a", "b", "a", "b"])),
            ("obvious", Values::Flag(vec![true, false, false, false])),
        ];
        let found = obvious(&Table::new(columns).unwrap()).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].obvious, found[0].rows), (1, 2));
    }
}
