//! Arguments that several commands share, each written once.

mod units;

pub use units::{LimitArgs, Share, Size, Timeout};

use crate::output::Form;
#[cfg(feature = "experiments")]
use pidlab_harness::execute::run::Request;
#[cfg(feature = "experiments")]
use pidlab_harness::experiment::ScaleName;
#[cfg(feature = "experiments")]
use pidlab_harness::experiment::library::ExperimentSource;
use std::path::PathBuf;

/// How an experiment is measured.
#[derive(clap::Args, Clone, Debug)]
pub struct RunArgs {
    /// Seed of everything random [default: the experiment's, 2010 unless it says otherwise]
    #[arg(long)]
    pub seed: Option<u64>,
    /// Folder for what is measured [default: below results/local]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Worker processes [default: one a core]
    #[arg(long, value_name = "N")]
    pub workers: Option<usize>,
    /// Measure anew instead of continuing what an earlier command left in the folder
    #[arg(long)]
    pub fresh: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
}

#[cfg(feature = "experiments")]
impl RunArgs {
    /// The run that they ask for, with the experiment's own backends and the usual folder.
    pub fn request(&self, experiment: ExperimentSource, scale: ScaleName) -> Request {
        Request {
            experiment,
            scale,
            seed: self.seed,
            backends: None,
            shard: None,
            out: self.out.clone(),
            workers: self.workers,
            seconds: self.limits.seconds(),
            memory_mib: self.limits.mebibytes(),
            fresh: self.fresh,
        }
    }
}

/// Which backends are measured.
#[derive(clap::Args, Clone, Debug)]
pub struct BackendArgs {
    /// Backends in place of the usual ones; repeat or separate by commas
    #[arg(long = "backend", alias = "backends", value_name = "NAME", value_delimiter = ',')]
    pub backends: Vec<String>,
}

/// The printers by name, where that is customary.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct FormatArgs {
    /// A table to read, or the same as --json or --csv
    #[arg(long, value_enum)]
    pub format: Option<Form>,
}

impl BackendArgs {
    /// Those that were named, if any were.
    pub fn chosen(&self) -> Option<Vec<String>> {
        (!self.backends.is_empty()).then(|| self.backends.clone())
    }
}

/// Cores that this process may use; where several threads may work, that many do unless told otherwise.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}
