//! `pidlab generate`: states for experiments, made from a seed.

mod hard;
mod random;
mod transform;

use crate::outcome::Outcome;
use crate::output;
use pidlab_core::State;
use std::path::PathBuf;

/// Make states: random ones, transformed ones, hard families
#[derive(clap::Args)]
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

pub fn run(args: Args) -> anyhow::Result<Outcome> {
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
    /// Print JSON; states are JSON anyway unless a file says otherwise
    #[arg(long)]
    json: bool,
}

impl Common {
    /// Writes the state and says on standard error what it is.
    fn write(&self, state: &State, about: &str) -> anyhow::Result<Outcome> {
        output::save(state, self.output.as_deref())?;
        note!(
            "seed {}: {about}; {} pids, {} vectors",
            self.seed,
            state.pid_count(),
            state.vector_count()
        );
        Ok(Outcome::Yes)
    }
}
