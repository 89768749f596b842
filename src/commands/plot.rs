//! `pidlab plot`: the figures of a run as SVG, PDF, pgfplots with CSV, and captions.

use crate::harness::pipeline;
use crate::outcome::Outcome;
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
    let figures = pipeline::analyse(&args.run)?.plot()?;
    if args.json {
        let list: Vec<_> = figures
            .iter()
            .map(|f| json!({ "name": f.name, "path": f.path, "caption": f.caption.trim() }))
            .collect();
        println!("{}", json!({ "format": "pidlab-figures/1", "run": args.run, "figures": list }));
    } else {
        figures.iter().for_each(|figure| println!("{}", figure.path.display()));
    }
    Ok(Outcome::Yes)
}
