//! `pidlab explain`: how a state of a heap program is taken apart by collapse compression.

use super::explore::{budget, heap};
use crate::arguments::LimitArgs;
use crate::output::{Document, Done, Rows};
use pidlab_explore::heap::{
    CollapseRow, CollapseTable, ExplainError, HeapModel, HeapOrder, ThreadSymmetry, explain,
};
use pidlab_explore::search::{Failure, Limits};
use serde::Serialize;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;

/// Show the collapse table of a state of a heap program (Bogor'03, figures 5 and 6)
///
/// The state is the one after the given moves. Threads are named by type and order of creation:
/// `--move "MAIN 1" --move "Philosopher 1"`. A number marked with `=` was in the pool before.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab explain models/philosophers.bir --set N=3
  pidlab explain models/philosophers.bir --set N=3 --move 'MAIN 1'")]
pub struct Args {
    /// Program (.bir)
    model: PathBuf,
    /// Value of a constant, NAME=VALUE
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
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
}

const FORMAT: &str = "pidlab-explain/1";

#[derive(Serialize)]
struct Explained {
    format: &'static str,
    tables: Vec<CollapseTable>,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let limits = budget::limits(&args.limits, None);
    let nothing = json!({ "format": FORMAT, "tables": [] });
    budget::or_undecided(explain_within(&args, limits), nothing)
}

fn explain_within(args: &Args, limits: Limits) -> anyhow::Result<Done> {
    let program = heap::load(&args.model, &args.settings, &[], &limits)?;
    let model = HeapModel::new(program, HeapOrder::DepthFirst);
    let (symmetry, budget) = (args.thread_symmetry, &limits.budget);
    let tables = match explain(&model, symmetry, &args.moves, args.last, budget) {
        Err(ExplainError::Limit(what)) => return Err(Failure::Limit(what).into()),
        other => other?,
    };
    Ok(Explained { format: FORMAT, tables }.into())
}

/// A row with the state that it is of.
#[derive(Serialize)]
struct TableEntry<'t> {
    after: &'t str,
    #[serde(flatten)]
    row: &'t CollapseRow,
}

impl Document for Explained {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        self.tables.iter().try_for_each(|table| write_table(table, out))
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        let entries = self
            .tables
            .iter()
            .flat_map(|table| table.rows.iter().map(|row| TableEntry { after: &table.after, row }));
        Rows::of("after structure vector number known", entries)
    }
}

fn write_table(table: &CollapseTable, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "state after {}\n", table.after)?;
    let vectors = table.rows.iter().map(|row| format!("<{}>", row.vector.join(", ")));
    let vectors: Vec<String> = vectors.collect();
    let longest = |texts: &mut dyn Iterator<Item = &String>, least: &str| {
        texts.map(|text| text.chars().count()).max().unwrap_or(0).max(least.len())
    };
    let structure = longest(&mut table.rows.iter().map(|row| &row.structure), "Structure");
    let wide = longest(&mut vectors.iter(), "Bit-vector");
    writeln!(out, "{:structure$}  {:wide$}  n", "Structure", "Bit-vector")?;
    for (row, vector) in table.rows.iter().zip(&vectors) {
        let mark = if row.known { " =" } else { "" };
        writeln!(out, "{:structure$}  {vector:wide$}  {}{mark}", row.structure, row.number)?;
    }
    writeln!(out)
}
