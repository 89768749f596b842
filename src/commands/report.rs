//! `pidlab report`: one self-contained HTML page for a run.

use crate::outcome::Outcome;
use crate::output;
use pidlab_harness::pipeline;
use serde_json::json;
use std::path::PathBuf;

/// Write the report of a run: one HTML file with claims, figures, fits, correctness and machine
#[derive(clap::Args)]
pub struct Args {
    /// Run folder, as `pidlab run` printed it
    run: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let finished = pipeline::open(&args.run)?;
    let path = finished.report(&finished.plot()?)?;
    match args.json {
        true => output::json(&json!({
            "format": "pidlab-report/1",
            "run": args.run.display().to_string(),
            "report": path.display().to_string(),
            "claims": finished.claims,
        }))?,
        false => outln!("{}", path.display()),
    }
    Ok(Outcome::Yes)
}
