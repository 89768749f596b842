//! `pidlab bench`: the backends against each other, in one run on one machine.
//!
//! Not the harness: no rows are kept, nothing is fitted but a growth exponent. It answers "how much
//! faster is `canon`, and on what" in minutes.

mod clock;
mod engine;
mod hard;

use crate::outcome::Outcome;

/// Measure the backends against each other in one run
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Engine(engine::Args),
    Hard(hard::Args),
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.what {
        What::Engine(args) => engine::run(args),
        What::Hard(args) => hard::run(args),
    }
}

/// Whether Ctrl-C was pressed; says what is kept.
fn interrupted(kept: &str) -> bool {
    let pressed = crate::interrupt::pressed();
    if pressed {
        eprintln!("interrupted: {kept}");
    }
    pressed
}
