//! `pidlab canon`: the canonical form of a state.

use crate::input;
use crate::limits::LimitArgs;
use crate::outcome::Outcome;
use crate::output;
use pidlab_backends::canon::{FormError, canonical_form};
use pidlab_core::Relations;
use serde_json::json;
use std::path::PathBuf;

/// Print the canonical form of a state: equal text for equivalent states and only for them
///
/// Exit code 3: not found within the limits.
#[derive(clap::Args)]
pub struct Args {
    /// The state (`-` for standard input)
    state: PathBuf,
    /// Ω*: parent, ancestor, adjacent-sibling, elder-sibling (joined by commas), none or all
    #[arg(long, value_name = "R", default_value_t)]
    relations: Relations,
    /// Have the independent checker verify that the form is equivalent to the state; exit code 4 if not
    #[arg(long)]
    check: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let state = input::load_state(&args.state, false)?;
    let form = match canonical_form(&state, args.relations, &args.limits.budget()) {
        Ok(form) => form,
        Err(FormError::Exhausted(limit)) => {
            note!("undecided: {limit}");
            return Ok(Outcome::Undecided);
        }
        Err(error) => return Err(error.into()),
    };
    if args.check
        && let Err(violation) =
            pidlab_check::verify(&state, &form.state, args.relations, &form.image)
    {
        note!("the checker rejects the canonical form: {violation}");
        return Ok(Outcome::Disagreement);
    }
    let hash = format!("{:032x}", form.hash);
    if args.json {
        output::json(&json!({"format": "pidlab-canon/1", "hash": hash, "canonical": form.state}))?;
    } else {
        outln!("hash {hash}");
        output::write(&form.state, true, &mut output::Stdout)?;
    }
    Ok(Outcome::Yes)
}
