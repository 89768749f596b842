//! Exponents of pids and of vectors apart, where a design varies them independently.

use super::series::{self, SeriesRows};
use crate::experiment::{Experiment, QuestionKind};
use pidlab_analysis::Table;
use pidlab_stats::regression::{Regressed, regression, regression_of_medians};
use pidlab_stats::{Interval, Observation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How the time grows with pids and with vectors, the other held fixed.
#[derive(Clone, Serialize, Deserialize)]
pub struct Crossed {
    /// Exponent of the number of distinct pids.
    pub pids: Interval,
    /// Exponent of the number of vectors.
    pub vectors: Interval,
    /// How many states were used.
    pub states: usize,
}

/// A state: its pids and vectors, and its time.
pub type Crossing = ([f64; 2], f64);

/// Both exponents from the medians of the states; nothing where vectors follow pids.
pub fn crossed(
    part: &Table,
    experiment: &Experiment,
    seed: u64,
) -> anyhow::Result<Option<Crossed>> {
    if experiment.kind() != QuestionKind::Pairs {
        return Ok(None);
    }
    let medians = |column: &str| -> anyhow::Result<Vec<Observation>> {
        Ok(SeriesRows::against(part, column)?.per_state(|_| true))
    };
    let (pids, vectors) = (medians("p")?, medians("vectors")?);
    let typical = experiment.analysis.typical;
    let cut = series::fittable(pids.clone(), typical).cut.unwrap_or(f64::INFINITY);
    let states: Vec<Crossing> = pids
        .iter()
        .zip(&vectors)
        .filter(|(pids, _)| pids.size < cut)
        .map(|(pids, vectors)| ([pids.size, vectors.size], pids.time))
        .collect();
    let found = regressed(&states, typical, seed);
    Ok(found.map(|Regressed { exponents, states, .. }| Crossed {
        pids: exponents[0],
        vectors: exponents[1],
        states,
    }))
}

/// The exponents of the states, or of the medians of those of the same sizes.
pub fn regressed(states: &[Crossing], typical: bool, seed: u64) -> Option<Regressed> {
    if typical {
        return regression_of_medians(&by_sizes(states), seed);
    }
    let states: Vec<_> = states.iter().map(|(sizes, time)| (sizes.as_slice(), *time)).collect();
    regression(&states, seed)
}

/// The times of states of the same pids and vectors.
fn by_sizes(states: &[Crossing]) -> Vec<(Vec<f64>, Vec<f64>)> {
    let mut groups: BTreeMap<[u64; 2], (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for (sizes, time) in states {
        let group = groups.entry(sizes.map(|size| size as u64)).or_default();
        group.0 = sizes.to_vec();
        group.1.push(*time);
    }
    groups.into_values().collect()
}
