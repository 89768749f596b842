//! `pidlab canon`: the canonical form of a state.

use crate::arguments::LimitArgs;
use crate::input;
use crate::outcome::Outcome;
use crate::output::{self, Document, Done, Open, Rows};
use pidlab_backends::canon::{FormError, canonical_form};
use pidlab_core::{Relations, State};
use serde::Serialize;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;

/// Print the canonical form of a state: equal text for equivalent states and only for them
///
/// Exit code 3: not found within the limits.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab canon examples/q3.json
  pidlab canon examples/q3.json --relations all --json | jq -r .hash")]
pub struct Args {
    /// The state (`-` for standard input)
    state: PathBuf,
    /// Ω*: parent, ancestor, adjacent-sibling, elder-sibling (joined by commas), none or all
    #[arg(long, value_name = "R", default_value_t)]
    relations: Relations,
    /// Have the independent checker verify that the form is equivalent to the state; exit code 4 if not
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

const FORMAT: &str = "pidlab-canon/1";

#[derive(Serialize)]
struct Canonical {
    format: &'static str,
    hash: String,
    canonical: State,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let state = input::load_state(&args.state, false)?;
    let open = |outcome, reason| {
        Open::new(outcome, reason, json!({"format": FORMAT, "hash": null, "canonical": null}))
    };
    let form = match canonical_form(&state, args.relations, &args.limits.budget()) {
        Ok(form) => form,
        Err(FormError::Exhausted(limit)) => {
            return Ok(open(Outcome::Undecided, limit.to_string()).into());
        }
        Err(error) => return Err(error.into()),
    };
    if args.check
        && let Err(violation) =
            pidlab_check::verify(&state, &form.state, args.relations, &form.image)
    {
        let reason = format!("the checker rejects the canonical form: {violation}");
        return Ok(open(Outcome::Disagreement, reason).into());
    }
    let hash = format!("{:032x}", form.hash);
    Ok(Canonical { format: FORMAT, hash, canonical: form.state }.into())
}

impl Document for Canonical {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "hash {}", self.hash)?;
        output::write(&self.canonical, true, out)
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("hash canonical", [self])
    }
}
