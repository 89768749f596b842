//! `pidlab verify`: checks a witness against Definition 1 alone, with the independent checker.

use super::cover;
use crate::arguments::LimitArgs;
use crate::input;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, painted};
use anyhow::{Context, bail};
use pidlab_check::{verify_named, witness};
use pidlab_core::Relations;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Check that a witness proves two states equivalent (SACS'10, Definition 1), or, with --answer, the
/// trace or certificate of `pidlab cover --json` against its model
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab verify examples/q3.json examples/q3-prime.json --witness w.json
  pidlab verify models/rockall.bp --answer answer.json")]
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
    /// The label of a .bp file that must not be reached, if the answer was given about one
    #[arg(long, value_name = "NAME", requires = "answer")]
    label: Option<String>,
    /// Relations that must be preserved: a comma-separated list, `none` or `all`
    #[arg(long, default_value = "parent")]
    relations: Relations,
    #[command(flatten)]
    limits: LimitArgs,
    /// Accept states that are not consistent thread configurations
    #[arg(long)]
    allow_inconsistent: bool,
}

/// What a checker says.
#[derive(Serialize)]
pub struct Verified {
    format: &'static str,
    valid: bool,
    violation: Option<String>,
    #[serde(skip)]
    outcome: Outcome,
    #[serde(skip)]
    sentence: String,
}

impl Verified {
    pub fn new(outcome: Outcome, violation: Option<String>, sentence: String) -> Verified {
        let valid = violation.is_none();
        Verified { format: "pidlab-verify/1", valid, violation, outcome, sentence }
    }
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    if let Some(answer) = &args.answer {
        let (prop, init) = (args.prop.as_deref(), args.init.as_deref());
        let about = cover::About { prop, init, label: args.label.as_deref(), slice: false };
        return cover::verify_answer(&args.a, about, answer, &args.limits);
    }
    let (Some(b), Some(witness)) = (&args.b, &args.witness) else {
        bail!("give two states and --witness, or a model and --answer");
    };
    verify_witness(&args, b, witness)
}

fn verify_witness(args: &Args, b: &Path, witness_file: &Path) -> anyhow::Result<Done> {
    // the check itself takes less time than reading
    let budget = args.limits.budget();
    let (a, b) = match input::load_states_within(&args.a, b, args.allow_inconsistent, &budget) {
        Ok(states) => states,
        Err(error) if input::limit_of(&error).is_some() => {
            let reason = error.to_string();
            return Ok(Verified::new(Outcome::Undecided, Some(reason.clone()), reason).into());
        }
        Err(error) => return Err(error),
    };
    let pairs = input::open(witness_file)
        .and_then(|file| Ok(witness::read(file)?))
        .with_context(|| format!("cannot read witness {}", witness_file.display()))?;
    let verified = match verify_named(&a, &b, args.relations, &pairs) {
        Ok(()) => {
            let sentence = format!("valid: the witness preserves {}", args.relations);
            Verified::new(Outcome::Yes, None, sentence)
        }
        Err(violation) => {
            let sentence = format!("not valid: {violation}");
            Verified::new(Outcome::No, Some(violation.to_string()), sentence)
        }
    };
    Ok(verified.into())
}

impl Document for Verified {
    fn outcome(&self) -> Outcome {
        self.outcome
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", painted(self.outcome, self.sentence.trim_end()))
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("valid violation", [self])
    }
}
