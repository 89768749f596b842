//! Experiment files of this command: `experiments/coverability.toml`, `experiments/beacon-rockall.toml`.

use super::{CoverArgs, compare, input::read, run_reproduce};
use crate::outcome::Outcome;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Experiment {
    format: String,
    name: String,
    /// What it is and where it comes from, for the reader.
    #[serde(rename = "title")]
    _title: String,
    #[serde(rename = "source")]
    _source: String,
    /// A folder of models to compare algorithms on, or a reproduction.
    folder: Option<PathBuf>,
    reproduce: Option<String>,
    algorithms: Option<Vec<String>>,
    timeout: Option<f64>,
    memory_limit: Option<u64>,
    out: Option<PathBuf>,
    scale: Option<String>,
    seed: Option<u64>,
}

const FORMAT: &str = "pidlab-cover-experiment/1";

/// Runs an experiment file; paths in it are relative to the working folder.
pub fn run(path: &Path, mut args: CoverArgs) -> anyhow::Result<Outcome> {
    let experiment: Experiment =
        toml::from_str(&read(path)?).with_context(|| path.display().to_string())?;
    if experiment.format != FORMAT {
        bail!("{}: format `{}`, expected `{FORMAT}`", path.display(), experiment.format);
    }
    args.algorithms = experiment.algorithms.unwrap_or(args.algorithms);
    args.timeout = args.timeout.or(experiment.timeout);
    args.memory_limit = args.memory_limit.or(experiment.memory_limit);
    args.out = experiment.out.unwrap_or(args.out);
    args.scale = experiment.scale.unwrap_or(args.scale);
    args.seed = experiment.seed.unwrap_or(args.seed);
    match (experiment.folder, experiment.reproduce) {
        (Some(folder), None) => compare::run(&folder, &args),
        (None, Some(name)) => run_reproduce(&name, &args),
        _ => bail!("{}: {} needs either `folder` or `reproduce`", path.display(), experiment.name),
    }
}
