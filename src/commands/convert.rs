//! `pidlab convert`: a state from JSON to the papers' notation and back, a graph to a state.

use crate::input;
use crate::output::{Done, StateDocument, Written};
use std::path::PathBuf;

/// Convert a state between JSON and the papers' notation (`.pst`), or a graph to a state
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab convert examples/q3.json > q3.pst
  pidlab convert q3.pst > q3.json")]
pub struct Args {
    /// State to read: `.pst` is the papers' notation; .col, .dimacs, .bliss, .g6, .s6, .d6, .graphml, .edges and .arcs
    /// are graphs (docs/graphs.md); all else is JSON
    state: PathBuf,
    /// File to write: in the papers' notation if it ends in .pst, else as JSON; without it, the other form on standard output (of a graph: JSON)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Accept a state that is not a consistent thread configuration
    #[arg(long)]
    allow_inconsistent: bool,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let state = input::load_state(&args.state, args.allow_inconsistent)?;
    match &args.output {
        Some(path) => Ok(Written::save(&state, path)?.into()),
        None => {
            let as_text = !input::is_text(&args.state) && !input::is_graph(&args.state);
            Ok(StateDocument { state, as_text }.into())
        }
    }
}
