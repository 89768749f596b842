//! `pidlab plot`: the figures of a run as SVG, PDF, pgfplots with CSV, and captions.

use crate::outcome::Outcome;
use crate::output;
use pidlab_harness::pipeline;
use serde_json::json;
use std::path::PathBuf;

/// Draw the figures of a run: .svg, .pdf (84 and 174 mm wide), .tex (pgfplots) with .csv, and a caption file each
#[derive(clap::Args)]
pub struct Args {
    /// Run folder, as `pidlab run` printed it
    run: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let figures = pipeline::open(&args.run)?.plot()?;
    if args.json {
        let list: Vec<_> = figures
            .iter()
            .map(|f| json!({ "name": f.name, "path": f.path.display().to_string(), "caption": f.caption.trim() }))
            .collect();
        let run = args.run.display().to_string();
        output::json(&json!({ "format": "pidlab-figures/1", "run": run, "figures": list }))?;
    } else {
        figures.iter().for_each(|figure| outln!("{}", figure.path.display()));
    }
    Ok(Outcome::Yes)
}
