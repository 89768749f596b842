//! Rows of several machines, as a merged run or one that went on elsewhere has them: counted together, timed apart.
//!
//! Answers and counts do not depend on the machine. Times do, and nothing that is fitted or compared may take those of
//! two machines together unasked: the analysis is that of the machine with the most rows, and the growth on
//! each of the others stands beside it. Processor and number of cores make a machine: nodes of a cluster
//! that are built alike are one.

use super::series::{self, SeriesRows};
use crate::experiment::AnalysisOptions;
use pidlab_analysis::{Table, TableError};
use pidlab_stats::Interval;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const COLUMN: &str = "machine";

/// The rows of one machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OnMachine {
    /// Processor and cores.
    pub machine: String,
    /// Rows that were measured there.
    pub rows: usize,
    /// Whether its times are those of fits, comparisons, claims and figures.
    pub analysed: bool,
    /// Growth there, by backend, relations and graph; where there are states enough.
    pub growth: Vec<MachineGrowth>,
}

/// Growth of one backend on one machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineGrowth {
    /// Who was asked.
    pub backend: String,
    /// Under which relations.
    pub relations: String,
    /// On which graphs.
    pub graph: String,
    /// States behind it.
    pub states: usize,
    /// The exponent.
    pub exponent: Interval,
    /// The verdict in words.
    pub verdict: String,
}

/// Machines and their rows, the one with the most rows first; one at most in tables that do not tell.
fn counted(table: &Table) -> Result<Vec<(String, usize)>, TableError> {
    if !table.columns().iter().any(|name| name == COLUMN) {
        return Ok(Vec::new());
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    table.texts(COLUMN)?.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
    let mut found: Vec<(String, usize)> =
        counts.into_iter().map(|(name, rows)| (name.to_string(), rows)).collect();
    found.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
    Ok(found)
}

/// The machine whose times are analysed, if there are several.
pub fn chosen(table: &Table) -> Result<Option<String>, TableError> {
    let counted = counted(table)?;
    Ok((counted.len() > 1).then(|| counted.into_iter().next()).flatten().map(|(name, _)| name))
}

/// The rows of the machine whose times are analysed.
pub fn only_chosen(table: Table) -> Result<Table, TableError> {
    match chosen(&table)? {
        Some(name) => table.only(COLUMN, &name),
        None => Ok(table),
    }
}

/// Takes the times of other machines than the chosen one away.
pub fn forget_others(table: &Table, times: &mut [f64]) -> Result<(), TableError> {
    let Some(chosen) = chosen(table)? else { return Ok(()) };
    for (time, machine) in times.iter_mut().zip(table.texts(COLUMN)?) {
        if machine != chosen {
            *time = f64::NAN;
        }
    }
    Ok(())
}

/// Every machine on its own; nothing if there is only one.
pub fn apart(
    table: &Table,
    analysis: &AnalysisOptions,
    (seed, together): (u64, bool),
) -> anyhow::Result<Vec<OnMachine>> {
    let counted = counted(table)?;
    if counted.len() < 2 {
        return Ok(Vec::new());
    }
    let on = |(at, (machine, rows)): (usize, (String, usize))| {
        let own = series::prepare(table.only(COLUMN, &machine)?, analysis, together)?;
        Ok(OnMachine {
            growth: growths(&own, analysis, seed)?,
            machine,
            rows,
            analysed: together || at == 0,
        })
    };
    counted.into_iter().enumerate().map(on).collect()
}

fn growths(
    table: &Table,
    analysis: &AnalysisOptions,
    seed: u64,
) -> anyhow::Result<Vec<MachineGrowth>> {
    let (laws, variable) = (&analysis.laws, analysis.size().symbol());
    let mut found = Vec::new();
    for ((backend, relations, graph), part) in super::parts(table)? {
        let states = SeriesRows::of(&part)?.per_state(|_| true);
        let states = series::fittable(states, analysis.typical);
        if let Some(growth) = states.growth(laws, variable, seed) {
            let (exponent, verdict) = (growth.exponent, growth.text());
            let states = growth.states;
            found.push(MachineGrowth { backend, relations, graph, states, exponent, verdict });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_analysis::Values;

    fn table(machines: Vec<&str>) -> Table {
        Table::new(vec![(COLUMN, Values::Text(machines))]).unwrap()
    }

    #[test]
    fn times_of_the_machine_with_the_most_rows_stay() {
        let mut times = [1.0, 2.0, 3.0];
        forget_others(&table(vec!["b", "a", "b"]), &mut times).unwrap();
        assert!(times[1].is_nan() && times[0] == 1.0 && times[2] == 3.0);
        assert_eq!(chosen(&table(vec!["b", "a"])).unwrap().as_deref(), Some("a"));
    }

    #[test]
    fn one_machine_and_tables_that_do_not_tell_are_left_alone() {
        assert_eq!(chosen(&table(vec!["a", "a"])).unwrap(), None);
        let old = Table::new(vec![("row", Values::Whole(vec![1]))]).unwrap();
        assert_eq!(only_chosen(old).unwrap().rows(), 1);
    }
}
