//! `pidlab convert`: a state from JSON to the papers' notation and back.

use crate::outcome::Outcome;
use crate::{input, output};
use std::path::PathBuf;

/// Convert a state between JSON and the papers' notation (`.pst`)
#[derive(clap::Args)]
pub struct Args {
    /// State to read; `.pst` is the papers' notation, all else JSON
    state: PathBuf,
    /// File to write, in the form its extension asks for; without it, the other form on standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write JSON, whatever form the state has
    #[arg(long, conflicts_with = "output")]
    json: bool,
    /// Accept a state that is not a consistent thread configuration
    #[arg(long)]
    allow_inconsistent: bool,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let state = input::load_state(&args.state, args.allow_inconsistent)?;
    match args.output {
        Some(path) => output::save(&state, Some(&path))?,
        None => {
            let as_text = !args.json && !input::is_text(&args.state);
            output::write(&state, as_text, &mut output::Stdout)?;
        }
    }
    Ok(Outcome::Yes)
}
