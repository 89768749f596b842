//! `pidlab selftest`: does this program, as it is installed here, do what it says?
//!
//! Checks of the whole program come first: it is started as a child in a folder of its own ([`whole`]). The rest
//! of the time goes to the engine against an enumeration of all bijections ([`engine`]). A check is `ok`, `failed`
//! or `skipped` with its reason; a failed one is exit code 4.

mod child;
mod engine;
mod whole;

use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Form, Rows, Stream, painted};
use anyhow::Result;
use child::Folder;
use serde::Serialize;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Check that this program works here: engine, checkers, runs that are killed, full disks, lying backends
///
/// One line a check. Exit code 0 if none failed, 4 if one did, 3 if Ctrl-C came first.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab selftest
  pidlab selftest --seconds 600 --seed 7      (more random states)")]
pub struct Args {
    /// How long; the checks of the whole program take a few seconds in any case
    #[arg(long, default_value_t = 10.0, value_name = "N")]
    seconds: f64,
    /// Seed of the random states
    #[arg(long, default_value_t = 2010)]
    seed: u64,
}

/// What a check came to: what was seen, or why it could not be made.
enum Seen {
    Ok(String),
    Skipped(String),
}

/// An error is a failed check: it says what is wrong.
type Checked = Result<Seen>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Failed,
    Skipped,
}

#[derive(Serialize)]
struct Check {
    name: String,
    status: Status,
    detail: String,
}

impl Check {
    fn new(name: String, checked: Checked) -> Check {
        let (status, detail) = match checked {
            Ok(Seen::Ok(detail)) => (Status::Ok, detail),
            Ok(Seen::Skipped(detail)) => (Status::Skipped, detail),
            // what Ctrl-C broke off has not failed
            Err(_) if interrupt::pressed() => (Status::Skipped, INTERRUPTED.to_string()),
            Err(error) => (Status::Failed, format!("{error:#}")),
        };
        Check { name, status, detail }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let status = match self.status {
            Status::Ok => painted(Outcome::Yes, "ok"),
            Status::Failed => painted(Outcome::Disagreement, "FAILED"),
            Status::Skipped => painted(Outcome::Undecided, "skipped"),
        };
        writeln!(out, "{status:7}  {}: {}", self.name, self.detail)
    }
}

pub const INTERRUPTED: &str = "interrupted";

#[derive(Serialize)]
struct Tested {
    format: &'static str,
    seed: u64,
    seconds: f64,
    complete: bool,
    failed: usize,
    checks: Vec<Check>,
}

pub fn run(args: Args, form: Form) -> Result<Done> {
    let begin = Instant::now();
    let seconds = Duration::try_from_secs_f64(args.seconds).map_err(|_| {
        anyhow::anyhow!("--seconds {}: expected a number of seconds, such as 10", args.seconds)
    })?;
    let mut lines = Stream::new(form);
    let mut checks = Vec::new();
    let mut add = |name: String, checked| -> Result<()> {
        let check = Check::new(name, checked);
        lines.part(|out| check.write(out))?;
        checks.push(check);
        Ok(())
    };
    let folder = Folder::new()?;
    for (name, test) in whole::CHECKS {
        match interrupt::pressed() {
            true => add(name.into(), Ok(Seen::Skipped(INTERRUPTED.into())))?,
            false => add(name.into(), test(&folder))?,
        }
    }
    let mut engine = engine::Engine::new(args.seed);
    let examined = engine.examine(begin + seconds);
    for (name, checked) in engine.checks(examined) {
        add(name, checked)?;
    }
    let failed = checks.iter().filter(|check| check.status == Status::Failed).count();
    let (seconds, complete) = (begin.elapsed().as_secs_f64(), !interrupt::pressed());
    let format = "pidlab-selftest/1";
    Ok(Tested { format, seed: args.seed, seconds, complete, failed, checks }.into())
}

impl Document for Tested {
    fn outcome(&self) -> Outcome {
        match (self.failed, self.complete) {
            (0, true) => Outcome::Yes,
            (0, false) => Outcome::Undecided,
            _ => Outcome::Disagreement,
        }
    }

    /// The checks have been shown one by one.
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Tested { seed, seconds, failed, checks, complete, .. } = self;
        let ended = if *complete { "" } else { ", interrupted" };
        let count = |status| checks.iter().filter(|check| check.status == status).count();
        let (ok, skipped) = (count(Status::Ok), count(Status::Skipped));
        writeln!(
            out,
            "{ok} ok, {failed} failed, {skipped} skipped in {seconds:.1} s (seed {seed}){ended}"
        )
    }

    fn rows(&self) -> Result<Rows> {
        Rows::of("name status detail", &self.checks)
    }
}
