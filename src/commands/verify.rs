//! `pidlab verify`: checks a witness against Definition 1 alone, with the independent checker.

use super::cover;
use crate::input;
use crate::limits::LimitArgs;
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, bail};
use pidlab_check::{verify_named, witness};
use pidlab_core::Relations;
use serde::Serialize;
use std::path::PathBuf;

/// Check that a witness proves two states equivalent (SACS'10, Definition 1), or, with --answer, the
/// trace or certificate of `pidlab cover --json` against its model
#[derive(clap::Args)]
pub struct Args {
    /// First state, or the model (.spec, .tts, .lgfsm, .bp) of an --answer
    #[arg(value_name = "A")]
    a: PathBuf,
    /// Second state
    #[arg(value_name = "B", required_unless_present = "answer", conflicts_with = "answer")]
    b: Option<PathBuf>,
    /// JSON map from pids and next-pids of A to those of B, or the output of `pidlab check --json`
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "answer",
        conflicts_with = "answer"
    )]
    witness: Option<PathBuf>,
    /// Output of `pidlab cover A --json`
    #[arg(long, value_name = "FILE")]
    answer: Option<PathBuf>,
    /// Property of a .tts model (default: beside it)
    #[arg(long, value_name = "FILE", requires = "answer")]
    prop: Option<PathBuf>,
    /// Start of a .tts model, as for `pidlab cover`
    #[arg(long, value_name = "S|L,…/L,…", requires = "answer")]
    init: Option<String>,
    /// Relations that must be preserved: a comma-separated list, `none` or `all`
    #[arg(long, default_value = "parent")]
    relations: Relations,
    #[command(flatten)]
    limits: LimitArgs,
    /// Accept states that are not consistent thread configurations
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
    if let Some(answer) = &args.answer {
        let about = cover::About { prop: args.prop.as_deref(), init: args.init.as_deref() };
        return cover::verify_answer(&args.a, about, answer, &args.limits, args.json);
    }
    if args.limits.timeout.is_some() || args.limits.memory_limit.is_some() {
        bail!("--timeout and --memory-limit go with --answer; a witness is checked in linear time");
    }
    let (Some(b), Some(witness_file)) = (&args.b, &args.witness) else {
        bail!("give two states and --witness, or a model and --answer");
    };
    let (a, b) = input::load_states(&args.a, b, args.allow_inconsistent)?;
    let pairs = input::open(witness_file)
        .and_then(|file| Ok(witness::read(file)?))
        .with_context(|| format!("cannot read witness {}", witness_file.display()))?;
    let violation = verify_named(&a, &b, args.relations, &pairs).err().map(|v| v.to_string());
    let outcome = if violation.is_none() { Outcome::Yes } else { Outcome::No };
    if args.json {
        let valid = violation.is_none();
        let report = Report { format: "pidlab-verify/1", valid, violation };
        output::json(&report)?;
    } else {
        match violation {
            None => outln!("valid: the witness preserves {}", args.relations),
            Some(violation) => outln!("not valid: {violation}"),
        }
    }
    Ok(outcome)
}
