//! Who takes part, on what: an experiment cut down to the families and clock asked for.

use crate::experiment::library::{self, ExperimentSource};
use crate::experiment::read_toml;
use anyhow::bail;
use pidlab_backends::registry;

/// Name of the built-in experiment, and the beginning of the names of run folders.
pub const NAME: &str = "tournament";

/// Every backend that can be used here, in the order of `pidlab backends`.
fn available() -> Vec<String> {
    let usable = registry::list().into_iter().filter(|info| info.unavailable.is_none());
    usable.map(|info| info.name).collect()
}

/// Backends that run as programs of their own: rows of earlier versions have no CPU time of theirs.
fn is_external(backend: &str) -> bool {
    let in_process = ["canon", "refine", "vf2", "petgraph", "wl"];
    !in_process.contains(&backend)
        && !backend.starts_with("nauty")
        && !backend.starts_with("traces")
}

/// An experiment cut down to a tournament.
pub struct Contest {
    /// What is measured.
    pub experiment: ExperimentSource,
    /// Who takes part; the experiment's own backends if nobody was chosen.
    pub backends: Option<Vec<String>>,
    /// Begins the name of its run folder.
    pub name: String,
}

/// The tournament of an experiment, a file or a built-in one, with these families only (all if none are named): the
/// labels of its states, models or instances. Pairs of states are timed by the clock that is fair to the backends.
pub fn contest(name: &str, families: &[String], backends: &[String]) -> anyhow::Result<Contest> {
    let ExperimentSource { text, path } = library::find(name)?;
    let mut table: toml::Table = read_toml(&path, &text)?;
    if !families.is_empty() {
        keep(&mut table, families)?;
    }
    let backends = match (name, backends) {
        (NAME, []) => Some(available()),
        (_, []) => None,
        (_, chosen) => Some(chosen.to_vec()),
    };
    let external = backends.iter().flatten().any(|backend| is_external(backend));
    if external && table.contains_key("states") {
        let analysis = table.entry("analysis").or_insert_with(|| toml::Table::new().into());
        if let toml::Value::Table(analysis) = analysis {
            analysis.insert("clock".into(), "wall".into());
        }
    }
    let name = match table.get("name").and_then(|name| name.as_str()) {
        Some(own) if own != NAME => format!("{NAME}-{own}"),
        _ => NAME.to_string(),
    };
    Ok(Contest {
        experiment: ExperimentSource { text: toml::to_string(&table)?, path },
        backends,
        name,
    })
}

fn keep(table: &mut toml::Table, families: &[String]) -> anyhow::Result<()> {
    let label = |set: &toml::Value| set.get("label").and_then(|l| l.as_str()).map(str::to_string);
    let mut known = Vec::new();
    for kind in ["states", "models", "instances"] {
        if let Some(toml::Value::Array(sets)) = table.get_mut(kind) {
            known.extend(sets.iter().filter_map(label));
            sets.retain(|set| label(set).is_some_and(|label| families.contains(&label)));
        }
    }
    match families.iter().find(|family| !known.contains(family)) {
        Some(unknown) => {
            bail!("there is no family `{unknown}`; the families are {}", known.join(", "))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Clock, Experiment};
    use pidlab_generators::hard::REGISTRY;
    use std::path::Path;

    fn parse(families: &[&str], backends: &[&str]) -> anyhow::Result<Experiment> {
        let own = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        let contest = contest(NAME, &own(families), &own(backends))?;
        Ok(Experiment::parse(&contest.experiment.text, Path::new(NAME))?)
    }

    #[test]
    fn every_hard_family_takes_part() {
        let sets = parse(&[], &["canon"]).unwrap().states;
        for entry in &REGISTRY {
            assert!(sets.iter().any(|set| set.family == Some(entry.family)), "{}", entry.name);
        }
        assert!(sets.iter().any(|set| set.random.is_some()));
        for set in &sets {
            assert_eq!(set.sizes.as_ref().map(Vec::len), Some(5), "{}", set.label);
        }
    }

    #[test]
    fn programs_of_their_own_are_timed_by_the_wall_clock() {
        assert_eq!(parse(&[], &["canon", "traces"]).unwrap().analysis.clock, Clock::Cpu);
        assert_eq!(parse(&[], &["canon", "networkx"]).unwrap().analysis.clock, Clock::Wall);
        assert_eq!(parse(&["cfi"], &["canon"]).unwrap().states.len(), 1);
        assert!(parse(&["cif"], &["canon"]).unwrap_err().to_string().contains("cfi"));
    }
}
