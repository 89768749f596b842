//! `pidlab merge`: shards of a run made into the run.

use crate::output::{Document, Done, Rows, paths};
use pidlab_harness::merge::{self, Request};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Put the shards of a run together: the same run folder as one of `pidlab run`, timings aside
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab run sacs10 --shard 1/2 --out part1
  pidlab run sacs10 --shard 2/2 --out part2
  pidlab merge part1 part2 --out whole")]
pub struct Args {
    /// Folders that `pidlab run --shard` wrote, all of one run, in any order; they are left as they are
    #[arg(required = true, value_name = "DIR")]
    shards: Vec<PathBuf>,
    /// Folder for the whole run
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Discard a run that is in the folder
    #[arg(long)]
    fresh: bool,
    /// Analyse times of several machines together, as if they were of one
    #[arg(long)]
    across_machines: bool,
}

#[derive(Serialize)]
struct Merged {
    format: &'static str,
    run: String,
    shards: Vec<String>,
    rows: u64,
    machines: Vec<MachineRows>,
    /// Whether times of several machines are analysed together.
    across_machines: bool,
}

#[derive(Serialize)]
struct MachineRows {
    machine: String,
    rows: u64,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let shards = paths(&args.shards);
    let request = Request {
        shards: args.shards,
        out: args.out,
        fresh: args.fresh,
        across_machines: args.across_machines,
    };
    let merged = merge::merge(&request)?;
    let machines = merged.machines.into_iter().map(|(machine, rows)| MachineRows { machine, rows });
    let document = Merged {
        format: "pidlab-merge-result/1",
        run: merged.folder.display().to_string(),
        shards,
        rows: merged.rows,
        machines: machines.collect(),
        across_machines: args.across_machines,
    };
    Ok(document.into())
}

impl Document for Merged {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{} rows of {} shards in {}", self.rows, self.shards.len(), self.run)?;
        let [first, others @ ..] = &self.machines[..] else { return Ok(()) };
        if others.is_empty() {
            return Ok(());
        }
        for MachineRows { machine, rows } in &self.machines {
            writeln!(out, "  {rows} rows of {machine}")?;
        }
        match self.across_machines {
            true => writeln!(out, "times of these machines are analysed together, as you asked"),
            false => writeln!(
                out,
                "times of machines do not mix: those of {} are analysed, growth is shown for each \
                 (--across-machines takes them together)",
                first.machine
            ),
        }
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("run rows machines *", [self])
    }
}
