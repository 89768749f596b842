//! `pidlab bench`: the backends against each other, in one run on one machine.
//!
//! Not the harness: no rows are kept, nothing is fitted but a growth exponent. It answers "how much
//! faster is `canon`, and on what" in minutes.

mod clock;
mod engine;
mod hard;

use crate::outcome::Outcome;
use crate::{interrupt, output};
use anyhow::{Context, anyhow};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

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

/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// As much stack as the thread has that runs `main`.
const STACK: usize = 8 << 20;

/// Measures in a thread of its own and shows the parts here as they come, so that Ctrl-C is answered at
/// once whatever a backend is doing. False if the user or a closed output ended it; the measuring is
/// then left where it is, and ends with the program.
fn watched<T: Send + 'static>(
    measure: impl FnOnce(&dyn Fn(T)) -> anyhow::Result<()> + Send + 'static,
    mut show: impl FnMut(T),
    kept: &str,
) -> anyhow::Result<bool> {
    let (sender, parts) = channel();
    let measuring = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            measure(&|part| {
                // nobody listens any more after Ctrl-C
                let _ = sender.send(part);
            })
        })
        .context("cannot start a thread to measure in")?;
    loop {
        if interrupt::pressed() {
            note!("interrupted: {kept}");
            return Ok(false);
        }
        if output::has_failed() {
            return Ok(false);
        }
        match parts.recv_timeout(LOOK) {
            Ok(part) => show(part),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    measuring.join().map_err(|_| anyhow!("the measuring ended in a panic"))??;
    Ok(true)
}
