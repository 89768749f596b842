//! `pidlab explain`: how a state of a heap program is taken apart by collapse compression.

use super::explore_bir::{load, setting};
use super::model_budget;
use crate::limits::LimitArgs;
use crate::outcome::Outcome;
use crate::output;
use pidlab_explore::heap::{
    CollapseRow, CollapseTable, ExplainError, HeapModel, HeapOrder, ThreadSymmetry, explain,
};
use pidlab_explore::search::{Failure, Limits};
use serde_json::json;
use std::path::PathBuf;

/// Show the collapse table of a state of a heap program (Bogor'03, figures 5 and 6)
///
/// The state is the one after the given moves. Threads are named by type and order of creation:
/// `--move "MAIN 1" --move "Philosopher 1"`. A number marked with `=` was in the pool before.
#[derive(clap::Args)]
pub struct Args {
    /// Program (.bir)
    model: PathBuf,
    /// Value of a constant, NAME=VALUE
    #[arg(long = "set", value_parser = setting)]
    settings: Vec<(String, i64)>,
    /// The thread that moves next; repeat for a longer run
    #[arg(long = "move", value_name = "THREAD")]
    moves: Vec<String>,
    /// Show the states after the last so many moves, with one pool for all
    #[arg(long, default_value_t = 1)]
    last: usize,
    /// How threads are sorted: none, pc, kbots:<k> or kbots:inf
    #[arg(long, default_value = "kbots:inf", value_parser = |text: &str| text.parse::<ThreadSymmetry>())]
    thread_symmetry: ThreadSymmetry,
    #[command(flatten)]
    limits: LimitArgs,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let limits = model_budget::limits(&args.limits, None);
    let nothing = args.json.then(|| json!({ "format": "pidlab-explain/1", "tables": [] }));
    model_budget::undecided_at_limit(explain_within(&args, limits), nothing)
}

fn explain_within(args: &Args, limits: Limits) -> anyhow::Result<Outcome> {
    let program = load(&args.model, &args.settings, &limits)?;
    let model = HeapModel::new(program, HeapOrder::DepthFirst);
    let (symmetry, budget) = (args.thread_symmetry, &limits.budget);
    let tables = match explain(&model, symmetry, &args.moves, args.last, budget) {
        Err(ExplainError::Limit(what)) => return Err(Failure::Limit(what).into()),
        other => other?,
    };
    if args.json {
        output::json(&json!({"format": "pidlab-explain/1", "tables": tables}))?;
    } else {
        tables.iter().for_each(print_table);
    }
    Ok(Outcome::Yes)
}

fn print_table(table: &CollapseTable) {
    outln!("state after {}\n", table.after);
    let vector = |row: &CollapseRow| format!("<{}>", row.vector.join(", "));
    let longest = |text: fn(&CollapseRow) -> String| {
        table.rows.iter().map(|row| text(row).chars().count()).max()
    };
    let structure = longest(|row| row.structure.clone()).unwrap_or(0).max("Structure".len());
    let wide =
        longest(|row| format!("<{}>", row.vector.join(", "))).unwrap_or(0).max("Bit-vector".len());
    outln!("{:structure$}  {:wide$}  n", "Structure", "Bit-vector");
    for row in &table.rows {
        let mark = if row.known { " =" } else { "" };
        outln!("{:structure$}  {:wide$}  {}{mark}", row.structure, vector(row), row.number);
    }
    outln!();
}
