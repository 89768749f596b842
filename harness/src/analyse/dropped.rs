//! What the analysis does not see: rows that are left out as obvious, rows that never reached a solver.
//!
//! Both belong beside every figure of times, so they are counted in the run and told with the deviations.

use super::{Analysis, Series};
use crate::distinct::distinct;
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
    let backends = distinct(analysis.decided.iter().map(|group| group.backend.as_str()));
    told.extend(backends.into_iter().filter_map(|backend| short_cuts(analysis, backend)));
    told.extend(analysis.series.iter().filter_map(untimed));
    told
}

/// How many rows of a series have no time.
fn untimed(series: &Series) -> Option<String> {
    let Series { backend, relations, graph, rows, untimed, .. } = series;
    (*untimed > 0).then(|| {
        let of = [backend, relations, graph].map(String::as_str);
        let of: Vec<&str> = of.into_iter().filter(|part| !part.is_empty()).collect();
        format!(
            "{untimed} of {} rows of {} were decided before the timed part began: no fit and no figure of times has \
             them.",
            rows + untimed,
            of.join(", ")
        )
    })
}

/// How many rows of a backend its solver never saw; nothing if it saw all.
pub fn short_cuts(analysis: &Analysis, backend: &str) -> Option<String> {
    let groups = || analysis.decided.iter().filter(|group| group.backend == backend);
    let is_short = |by: &str| matches!(by, "encoder" | "pre-check");
    let short: u64 = groups().filter(|g| is_short(&g.decided_by)).map(|g| g.rows).sum();
    let rows: u64 = groups().map(|group| group.rows).sum();
    (short > 0).then(|| {
        format!(
            "{:.0} % of the rows of {backend} ({short} of {rows}) never reached its solver: counts or building showed \
             the difference.",
            100.0 * short as f64 / rows as f64
        )
    })
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
