//! `pidlab worker`: a worker process of `pidlab run`; not for users.

use crate::outcome::Outcome;
use crate::output::Done;
use pidlab_harness::execute::worker;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    folder: PathBuf,
    segment: PathBuf,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    worker::run(&args.folder, &args.segment)?;
    Ok(Done::Shown(Outcome::Yes))
}
