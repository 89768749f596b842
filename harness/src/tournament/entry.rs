//! Who takes part, on what: the built-in experiment cut down to the families and clock asked for.

use crate::experiment::library::{self, Source};
use anyhow::bail;
use pidlab_backends::registry;

/// Name of the built-in experiment and of its run folders.
pub const NAME: &str = "tournament";

/// Every backend that can be used here, in the order of `pidlab backends`.
pub fn available() -> Vec<String> {
    let usable = registry::list().into_iter().filter(|info| info.unavailable.is_none());
    usable.map(|info| info.name).collect()
}

/// Backends that run as programs of their own: rows of earlier versions have no CPU time of theirs.
fn is_external(backend: &str) -> bool {
    let in_process = ["canon", "refine", "vf2", "petgraph", "wl"];
    !in_process.contains(&backend)
        && !backend.starts_with("nauty")
        && !backend.starts_with("traces")
        && !backend.starts_with("double:")
}

/// The experiment with these families only (all if none are named), timed by the clock that is fair
/// to these backends.
pub fn experiment(families: &[String], backends: &[String]) -> anyhow::Result<Source> {
    let Source { text, path } = library::find(NAME)?;
    let mut table: toml::Table = toml::from_str(&text)?;
    if !families.is_empty() {
        keep(&mut table, families)?;
    }
    if backends.iter().any(|backend| is_external(backend))
        && let Some(toml::Value::Table(analysis)) = table.get_mut("analysis")
    {
        analysis.insert("clock".into(), "wall".into());
    }
    Ok(Source { text: toml::to_string(&table)?, path })
}

fn keep(table: &mut toml::Table, families: &[String]) -> anyhow::Result<()> {
    let Some(toml::Value::Array(sets)) = table.get_mut("states") else {
        bail!("the tournament has no states");
    };
    let label = |set: &toml::Value| set.get("label").and_then(|l| l.as_str()).map(str::to_string);
    let known: Vec<String> = sets.iter().filter_map(label).collect();
    if let Some(unknown) = families.iter().find(|family| !known.contains(family)) {
        bail!("there is no family `{unknown}`; the families are {}", known.join(", "));
    }
    sets.retain(|set| label(set).is_some_and(|label| families.contains(&label)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Clock, Experiment};
    use pidlab_generators::hard::REGISTRY;
    use std::path::Path;

    fn parse(families: &[&str], backends: &[&str]) -> anyhow::Result<Experiment> {
        let own = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        let source = experiment(&own(families), &own(backends))?;
        Ok(Experiment::parse(&source.text, Path::new("tournament"))?)
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
