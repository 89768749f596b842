//! `pidlab generate`: states for experiments, made from a seed.

mod hard;
mod random;
mod transform;

use crate::output::{Done, StateDocument, Written};
use pidlab_core::State;
use std::path::PathBuf;

/// Make states: random ones, transformed ones, hard families
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab generate random --pids 200 --seed 7 > q.json
  pidlab generate transform --list
  pidlab generate hard --list")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Hard(hard::Args),
    Random(random::Args),
    Transform(transform::Args),
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    match args.what {
        What::Hard(args) => hard::run(args),
        What::Random(args) => random::run(args),
        What::Transform(args) => transform::run(args),
    }
}

/// Where the state goes and what it is made from.
#[derive(clap::Args)]
struct Common {
    /// Seed; the same seed gives the same state, byte for byte
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File to write: `.pst` for the papers' notation, JSON otherwise; without it, JSON on standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Common {
    /// The state, in its file or still to be printed; what it is is said on standard error.
    fn done(&self, state: State, about: &str) -> anyhow::Result<Done> {
        let (pids, vectors) = (state.pid_count(), state.vector_count());
        let done = match &self.output {
            Some(path) => Written::save(&state, path)?.into(),
            None => StateDocument { state, as_text: false }.into(),
        };
        note!("seed {}: {about}; {pids} pids, {vectors} vectors", self.seed);
        Ok(done)
    }
}
