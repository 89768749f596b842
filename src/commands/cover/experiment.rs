//! Experiment files of this command: `experiments/coverability.toml`, `experiments/beacon-rockall.toml`.

use super::{CoverArgs, compare, input::read, run_reproduce};
use crate::outcome::Outcome;
use anyhow::{Context, bail};
use pidlab_cover::budget::Budget;
use std::path::{Path, PathBuf};
use std::str::FromStr;

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
    /// As on the command line: "5s", "4GiB"; a bare number is seconds or bytes.
    timeout: Option<Quantity>,
    memory_limit: Option<Quantity>,
    out: Option<PathBuf>,
    scale: Option<String>,
    seed: Option<u64>,
}

/// A number, with its unit or bare.
#[derive(serde::Deserialize)]
#[serde(untagged, expecting = "expected a number, or text such as \"5s\" or \"4GiB\"")]
enum Quantity {
    Text(String),
    Whole(u64),
    Number(f64),
}

impl Quantity {
    fn parse<T: FromStr<Err = anyhow::Error>>(&self, field: &str) -> anyhow::Result<T> {
        let text = match self {
            Quantity::Text(text) => text.clone(),
            Quantity::Whole(number) => number.to_string(),
            Quantity::Number(number) => number.to_string(),
        };
        text.parse().with_context(|| field.to_string())
    }
}

const FORMAT: &str = "pidlab-cover-experiment/1";

/// Runs an experiment file; paths in it are relative to the working folder.
pub fn run(path: &Path, mut args: CoverArgs) -> anyhow::Result<Outcome> {
    let experiment: Experiment = toml::from_str(&read(path, &Budget::unlimited())?)
        .with_context(|| path.display().to_string())?;
    if experiment.format != FORMAT {
        bail!("{}: format `{}`, expected `{FORMAT}`", path.display(), experiment.format);
    }
    args.algorithms = experiment.algorithms.unwrap_or(args.algorithms);
    let name = |field: &str| format!("{}: {field}", path.display());
    if let (None, Some(time)) = (args.limits.timeout, experiment.timeout) {
        args.limits.timeout = Some(time.parse(&name("timeout"))?);
    }
    if let (None, Some(size)) = (args.limits.memory_limit, experiment.memory_limit) {
        args.limits.memory_limit = Some(size.parse(&name("memory_limit"))?);
    }
    args.out = experiment.out.unwrap_or(args.out);
    args.scale = experiment.scale.unwrap_or(args.scale);
    args.seed = experiment.seed.unwrap_or(args.seed);
    match (experiment.folder, experiment.reproduce) {
        (Some(folder), None) => compare::run(&folder, &args),
        (None, Some(name)) => run_reproduce(&name, &args),
        _ => bail!("{}: {} needs either `folder` or `reproduce`", path.display(), experiment.name),
    }
}
