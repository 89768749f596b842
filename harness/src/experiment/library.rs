//! Experiments by name: a file, or one of those that come with the program.

use crate::built_in;
use crate::experiment::{Experiment, ExperimentError};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// Name of the experiment that a tournament ranks the rows of.
pub const TOURNAMENT: &str = "tournament";

/// An experiment's text and where it comes from, for messages.
pub struct ExperimentSource {
    /// The file's text.
    pub text: String,
    /// What messages call it.
    pub path: PathBuf,
}

/// A file if there is one of that name, else a built-in experiment.
pub fn find(name: &str) -> anyhow::Result<ExperimentSource> {
    let path = Path::new(name);
    if path.is_file() {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        return Ok(ExperimentSource { text, path: path.to_path_buf() });
    }
    let built_in = built_in::get();
    let listed = || built_in.published.iter().chain(built_in.compared);
    let found = listed().copied().chain([(TOURNAMENT, built_in.tournament)]);
    match found.into_iter().find(|(known, _)| *known == name) {
        Some((_, text)) => {
            let path = Path::new("experiments").join(format!("{name}.toml"));
            Ok(ExperimentSource { text: text.to_string(), path })
        }
        None => bail!(
            "there is no file or experiment `{name}`; the experiments are {}",
            listed().map(|(known, _)| *known).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// The names of the experiments with claims to judge.
pub fn names() -> Vec<&'static str> {
    built_in::get().published.iter().map(|(name, _)| *name).collect()
}

/// The experiments with claims to judge.
pub fn all() -> Result<Vec<Experiment>, ExperimentError> {
    let published = built_in::get().published.iter();
    published.map(|(name, text)| Experiment::parse(text, Path::new(name))).collect()
}
