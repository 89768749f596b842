//! `pidlab report`: one self-contained HTML page for a run, or one table of the claims of many.

use super::analyse::claim_rows;
use crate::output::{Document, Done, Rows};
use pidlab_harness::claims::Decided;
use pidlab_harness::pipeline;
use pidlab_harness::report::summary;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Write the report of a run: one HTML file with claims, figures, fits, correctness and machine
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab report results/local/sacs10-small")]
pub struct Args {
    /// Run folder, as `pidlab run` printed it; with --claims, a folder of run folders
    run: PathBuf,
    /// Instead, print one table of the claims of all runs in the folder, as Markdown
    #[arg(long)]
    claims: bool,
    /// With --claims: put the table between the lines `<!-- claims: begin -->` and `<!-- claims: end -->` of this file
    #[arg(long, value_name = "FILE", requires = "claims")]
    into: Option<PathBuf>,
}

#[derive(Serialize)]
struct Reported {
    format: &'static str,
    run: String,
    report: String,
    claims: Vec<Decided>,
}

/// The claims of many runs.
#[derive(Serialize)]
struct Summary {
    format: &'static str,
    runs: Vec<String>,
    claims: Vec<Decided>,
    written: Option<PathBuf>,
    #[serde(skip)]
    table: String,
}

fn summarize(args: Args) -> anyhow::Result<Done> {
    let runs = summary::read(&args.run)?;
    let table = summary::markdown(&runs);
    if let Some(file) = &args.into {
        summary::put_into(file, &table)?;
    }
    let (names, claims): (Vec<_>, Vec<_>) =
        runs.into_iter().map(|(name, run)| (name, run.claims)).unzip();
    let claims = claims.into_iter().flatten().collect();
    let format = "pidlab-claims-table/1";
    Ok(Summary { format, runs: names, claims, written: args.into, table }.into())
}

impl Document for Summary {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.written {
            Some(file) => writeln!(out, "{}", file.display()),
            None => write!(out, "{}", self.table),
        }
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        claim_rows(&self.claims)
    }
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    if args.claims {
        return summarize(args);
    }
    let finished = pipeline::open(&args.run)?;
    let report = finished.report(&finished.plot()?)?.display().to_string();
    let (run, claims) = (args.run.display().to_string(), finished.claims);
    Ok(Reported { format: "pidlab-report/1", run, report, claims }.into())
}

impl Document for Reported {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.report)
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        claim_rows(&self.claims)
    }
}
