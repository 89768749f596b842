//! One backend against another, and one set of relations against another, on the same states.

use super::series::SeriesRows;
use pidlab_analysis::Table;
use pidlab_stats::effect::ratio;
use pidlab_stats::{Interval, Observation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Time of `a` over time of `b`, the same states.
#[derive(Serialize, Deserialize)]
pub struct Ratio {
    /// One backend.
    pub a: String,
    /// The other.
    pub b: String,
    /// Median ratio with its interval.
    pub ratio: Interval,
    /// States that both were asked about.
    pub states: usize,
    /// States on which `a` is the faster one.
    pub a_wins: usize,
}

/// Time of a backend under one set of relations over its time under another, the same states.
#[derive(Serialize, Deserialize)]
pub struct RelationRatio {
    /// The backend.
    pub backend: String,
    /// One set of relations.
    pub a: String,
    /// The other.
    pub b: String,
    /// Median ratio with its interval.
    pub ratio: Interval,
    /// States under both.
    pub states: usize,
}

/// Median size and time by state.
pub type Medians = BTreeMap<u64, Observation>;

/// The medians of a backend.
pub fn by_state(table: &Table, backend: &str) -> anyhow::Result<Medians> {
    let part = table.only("backend", backend)?;
    let rows = SeriesRows::of(&part)?;
    let mut states: Vec<u64> = rows.state.clone();
    states.sort_unstable();
    states.dedup();
    Ok(states.into_iter().zip(rows.per_state(|_| true)).collect())
}

/// Every two backends.
pub fn ratios(table: &Table, seed: u64) -> anyhow::Result<Vec<Ratio>> {
    let mut medians = Vec::new();
    for backend in table.distinct("backend")? {
        let states = by_state(table, &backend)?;
        medians.push((backend, states));
    }
    let mut found = Vec::new();
    for (i, (a, of_a)) in medians.iter().enumerate() {
        for (b, of_b) in &medians[i + 1..] {
            let pairs = both(of_a, of_b);
            if let Some(interval) = ratio(&pairs, seed) {
                let a_wins = pairs.iter().filter(|(x, y)| x < y).count();
                let (a, b) = (a.clone(), b.clone());
                found.push(Ratio { a, b, ratio: interval, states: pairs.len(), a_wins });
            }
        }
    }
    Ok(found)
}

/// Times of the states that both have and one has decided.
fn both(a: &Medians, b: &Medians) -> Vec<(f64, f64)> {
    let times = a.iter().filter_map(|(state, x)| Some((x.time, b.get(state)?.time)));
    times.filter(|(x, y)| x.is_finite() || y.is_finite()).collect()
}

/// Every two sets of relations of each backend.
pub fn relation_ratios(table: &Table, seed: u64) -> anyhow::Result<Vec<RelationRatio>> {
    let relations = table.distinct("relations")?;
    let mut found = Vec::new();
    for backend in table.distinct("backend")? {
        let mut medians: Vec<(&String, Medians)> = Vec::new();
        for set in &relations {
            medians.push((set, by_state(&table.only("relations", set)?, &backend)?));
        }
        for (i, (a, of_a)) in medians.iter().enumerate() {
            for (b, of_b) in &medians[i + 1..] {
                let pairs = both(of_a, of_b);
                let Some(ratio) = ratio(&pairs, seed) else { continue };
                let (a, b, states) = ((*a).clone(), (*b).clone(), pairs.len());
                found.push(RelationRatio { backend: backend.clone(), a, b, ratio, states });
            }
        }
    }
    Ok(found)
}
