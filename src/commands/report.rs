//! `pidlab report`: one self-contained HTML page for a run.

use super::analyse::claim_rows;
use crate::output::{Document, Done, Rows};
use pidlab_harness::claims::Decided;
use pidlab_harness::pipeline;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Write the report of a run: one HTML file with claims, figures, fits, correctness and machine
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab report results/local/sacs10-small")]
pub struct Args {
    /// Run folder, as `pidlab run` printed it
    run: PathBuf,
}

#[derive(Serialize)]
struct Reported {
    format: &'static str,
    run: String,
    report: String,
    claims: Vec<Decided>,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
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
