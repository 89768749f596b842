//! `pidlab bench`: the backends against each other, in one run on one machine; how searches by several processes
//! scale; and how often verdicts are wrong.
//!
//! Not the harness: no rows are kept, nothing is fitted but a growth exponent. It answers "how much
//! faster is `canon`, and on what" in minutes.

mod engine;
mod hard;
mod scaling;
#[cfg(feature = "experiments")]
mod verdicts;

use crate::arguments::BackendArgs;
use crate::outcome::Outcome;
use crate::output::{Done, Form, Stream, has_failed};
use crate::{heartbeat, interrupt};
use anyhow::{Context, anyhow};
use std::io;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Measure the backends against each other in one run
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab bench engine --sizes 50,200,800
  pidlab bench hard --family cfi")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Engine(engine::Args),
    Hard(hard::Args),
    Scaling(scaling::Args),
    #[cfg(feature = "experiments")]
    Verdicts(verdicts::Args),
}

/// What the benches share.
#[derive(clap::Args, Clone)]
struct Common {
    #[command(flatten)]
    backends: BackendArgs,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn run(args: Args, form: Form) -> anyhow::Result<Done> {
    let parts = Stream::new(form);
    match args.what {
        What::Engine(args) => engine::run(args, parts),
        What::Hard(args) => hard::run(args, parts),
        What::Scaling(args) => scaling::run(args),
        #[cfg(feature = "experiments")]
        What::Verdicts(args) => verdicts::run(args, parts),
    }
}

/// What measuring came to: whether a backend was wrong, whether all was measured.
fn outcome(wrong: bool, complete: bool) -> Outcome {
    match (wrong, complete) {
        (true, _) => Outcome::Disagreement,
        (false, true) => Outcome::Yes,
        (false, false) => Outcome::Undecided,
    }
}

/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// As much stack as the thread has that runs `main`.
const STACK: usize = 8 << 20;

/// Measures in a thread of its own and shows the parts here as they come, so that Ctrl-C is answered at
/// once whatever a backend is doing. `show` prints a part, and tells the heartbeat how far it is. False if the
/// user or a closed output ended it; the measuring is then left where it is, and ends with the program.
fn watched<T: Send + 'static>(
    measure: impl FnOnce(&dyn Fn(T)) -> anyhow::Result<()> + Send + 'static,
    mut show: impl FnMut(T) -> io::Result<()>,
    kept: &str,
) -> anyhow::Result<bool> {
    heartbeat::start("measuring");
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
            heartbeat::end();
            note!("interrupted: {kept}");
            return Ok(false);
        }
        if has_failed() {
            return Ok(false);
        }
        match parts.recv_timeout(LOOK) {
            Ok(part) => show(part)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    heartbeat::end();
    measuring.join().map_err(|_| anyhow!("the measuring ended in a panic"))??;
    Ok(true)
}

/// Seconds in a readable unit.
fn human(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
