//! `pidlab doctor`: what is available here, and what to do about the rest.
//!
//! A finding says what was looked for, how it is, what was found, and what to do. Only what every run needs can be
//! `broken`, which is exit code 1; what is merely `missing` leaves some command or backend out.

mod machine;
mod noise;
mod python;
mod tools;

use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, painted};
use serde::Serialize;
use std::io::{self, Write};

/// Say what is available here, and what to do about the rest
///
/// Looks for the programs that some commands and backends need, and at what disturbs measurements: cores, memory,
/// governor, load, noise. Exit code 0, also where optional things are missing; 1 if something that every run needs
/// is broken.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab doctor
  pidlab doctor --json | jq '.findings[] | select(.status != \"ok\")'")]
pub struct Args {}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    /// It is not here; what needs it says so.
    Missing,
    /// It is here, and measurements or some command suffer from it.
    Warning,
    /// Runs do not work without it.
    Broken,
}

#[derive(Serialize)]
struct Finding {
    name: String,
    status: Status,
    found: String,
    /// What to do about it; empty if nothing is to be done.
    advice: String,
}

impl Finding {
    fn ok(name: &str, found: impl Into<String>) -> Finding {
        Finding::new(name, Status::Ok, found, "")
    }

    fn new(name: &str, status: Status, found: impl Into<String>, advice: &str) -> Finding {
        Finding { name: name.into(), status, found: found.into(), advice: advice.into() }
    }

    /// A warning with its advice if something is wrong.
    fn warn_if(wrong: bool, name: &str, found: impl Into<String>, advice: &str) -> Finding {
        match wrong {
            true => Finding::new(name, Status::Warning, found, advice),
            false => Finding::ok(name, found),
        }
    }
}

#[derive(Serialize)]
struct Examined {
    format: &'static str,
    version: &'static str,
    findings: Vec<Finding>,
}

pub fn run(Args {}: Args) -> anyhow::Result<Done> {
    let mut findings = machine::essentials();
    findings.extend(tools::findings());
    findings.extend(python::findings());
    findings.extend(machine::findings());
    findings.push(noise::finding());
    Ok(Examined { format: "pidlab-doctor/1", version: env!("CARGO_PKG_VERSION"), findings }.into())
}

impl Document for Examined {
    fn outcome(&self) -> Outcome {
        match self.findings.iter().any(|finding| finding.status == Status::Broken) {
            true => Outcome::No,
            false => Outcome::Yes,
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = self.findings.iter().map(|finding| finding.name.chars().count()).max();
        let width = width.unwrap_or(0);
        for Finding { name, status, found, advice } in &self.findings {
            let status = match status {
                Status::Ok => painted(Outcome::Yes, "ok"),
                Status::Missing => painted(Outcome::Undecided, "missing"),
                Status::Warning => painted(Outcome::Undecided, "warning"),
                Status::Broken => painted(Outcome::No, "BROKEN"),
            };
            writeln!(out, "{name:width$}  {status:7}  {found}")?;
            if !advice.is_empty() {
                writeln!(out, "{:width$}           -> {advice}", "")?;
            }
        }
        Ok(())
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("name status found advice", &self.findings)
    }
}
