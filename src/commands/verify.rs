//! `pidlab verify`: checks a witness against Definition 1 alone, with the independent checker.

use crate::input;
use crate::outcome::Outcome;
use anyhow::Context;
use pidlab_check::{verify_named, witness};
use pidlab_core::Relations;
use serde::Serialize;
use std::path::PathBuf;

/// Check that a witness proves two states equivalent (SACS'10, Definition 1)
#[derive(clap::Args)]
pub struct Args {
    /// First state
    a: PathBuf,
    /// Second state
    b: PathBuf,
    /// JSON map from pids and next-pids of A to those of B, or the output of `pidlab check --json`
    #[arg(long, value_name = "FILE")]
    witness: PathBuf,
    /// Relations that must be preserved: a comma-separated list, `none` or `all`
    #[arg(long, default_value = "parent")]
    relations: Relations,
    /// Accept states that are no consistent thread configurations
    #[arg(long)]
    allow_inconsistent: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    format: &'static str,
    valid: bool,
    violation: Option<String>,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let (a, b) = input::load_states(&args.a, &args.b, args.allow_inconsistent)?;
    let pairs = input::open(&args.witness)
        .and_then(|file| Ok(witness::read(file)?))
        .with_context(|| format!("cannot read witness {}", args.witness.display()))?;
    let violation = verify_named(&a, &b, args.relations, &pairs).err().map(|v| v.to_string());
    let outcome = if violation.is_none() { Outcome::Yes } else { Outcome::No };
    if args.json {
        let valid = violation.is_none();
        let report = Report { format: "pidlab-verify/1", valid, violation };
        println!("{}", serde_json::to_string(&report)?);
    } else {
        match violation {
            None => println!("valid: the witness preserves {}", args.relations),
            Some(violation) => println!("not valid: {violation}"),
        }
    }
    Ok(outcome)
}
