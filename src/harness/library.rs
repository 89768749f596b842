//! The experiments that come with the program, in the order of the papers.

use super::claims::{self, Claim};
use super::experiment::{Experiment, ExperimentError};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../experiments/", $name, ".toml")))),*]
    };
}

const FILES: &[(&str, &str)] = files![
    "sacs10",
    "sacs10-layered",
    "iscis09",
    "iscis09-networkx",
    "ictac08",
    "vf2-against-nauty",
    "all-backends",
    "relations",
    "hard-families",
];

/// Run by name like the others, but it reproduces nothing: `pidlab tournament` ranks its rows.
const TOURNAMENT: (&str, &str) = ("tournament", include_str!("../../experiments/tournament.toml"));

/// What `pidlab compare` measures: cheap, many states, every backend; no paper's claim.
pub const COMPARED: &[(&str, &str)] = files!["regression", "regression-search"];

const CLAIMS: &str = include_str!("../../experiments/claims.toml");

/// An experiment's text and where it comes from, for messages.
pub struct Source {
    pub text: String,
    pub path: PathBuf,
}

/// A file if there is one of that name, else a built-in experiment.
pub fn find(name: &str) -> anyhow::Result<Source> {
    let path = Path::new(name);
    if path.is_file() {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        return Ok(Source { text, path: path.to_path_buf() });
    }
    let built_in =
        FILES.iter().chain(COMPARED).chain([&TOURNAMENT]).find(|(known, _)| *known == name);
    match built_in {
        Some((_, text)) => {
            let path = Path::new("experiments").join(format!("{name}.toml"));
            Ok(Source { text: (*text).to_string(), path })
        }
        None => bail!(
            "there is no file or experiment `{name}`; the experiments are {}",
            FILES.iter().chain(COMPARED).map(|(known, _)| *known).collect::<Vec<_>>().join(", ")
        ),
    }
}

pub fn names() -> Vec<&'static str> {
    FILES.iter().map(|(name, _)| *name).collect()
}

pub fn all() -> Result<Vec<Experiment>, ExperimentError> {
    FILES.iter().map(|(name, text)| Experiment::parse(text, Path::new(name))).collect()
}

pub fn claims() -> anyhow::Result<Vec<Claim>> {
    claims::parse(CLAIMS).context("experiments/claims.toml")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::experiment::ScaleName;
    use crate::harness::plan::Plan;

    #[test]
    fn every_experiment_parses_and_has_a_claim() {
        let claims = claims().unwrap();
        for experiment in all().unwrap() {
            assert!(names().contains(&experiment.name.as_str()), "{}", experiment.name);
            assert!(
                claims.iter().any(|claim| claim.experiment == experiment.name),
                "{} has no claim",
                experiment.name
            );
        }
        for claim in &claims {
            assert!(names().contains(&claim.experiment.as_str()), "{}", claim.id);
        }
    }

    #[test]
    fn row_numbers_and_places_are_one_to_one() {
        let compared = COMPARED.iter().map(|(name, text)| Experiment::parse(text, Path::new(name)));
        for experiment in all().unwrap().into_iter().chain(compared.map(Result::unwrap)) {
            let plan = Plan::new(experiment, "", ScaleName::Smoke, None);
            let mut seen = std::collections::HashSet::new();
            for row in 0..plan.rows().min(20_000) {
                let place = plan.place(row);
                assert_eq!(place.block, row / plan.rows_per_block());
                assert!(seen.insert(format!("{place:?}")), "row {row} twice");
            }
            let mut order = plan.row_order(1);
            order.sort_unstable();
            let first = plan.rows_per_block();
            assert_eq!(order, (first..2 * first).collect::<Vec<_>>());
        }
    }
}
