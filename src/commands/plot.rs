//! `pidlab plot`: the figures of a run as SVG, PDF, pgfplots with CSV, and captions.

use crate::output::{Document, Done, Rows};
use pidlab_harness::pipeline;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Draw the figures of a run: .svg, .pdf (84 and 174 mm wide), .tex (pgfplots) with .csv, and a caption file each
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab plot results/local/sacs10-small")]
pub struct Args {
    /// Run folder, as `pidlab run` printed it
    run: PathBuf,
}

#[derive(Serialize)]
struct Figures {
    format: &'static str,
    run: String,
    figures: Vec<Figure>,
}

#[derive(Serialize)]
struct Figure {
    name: String,
    path: String,
    caption: String,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let figures = pipeline::open(&args.run)?.plot()?.into_iter().map(|drawn| Figure {
        name: drawn.name,
        path: drawn.path.display().to_string(),
        caption: drawn.caption.trim().to_string(),
    });
    let (run, figures) = (args.run.display().to_string(), figures.collect());
    Ok(Figures { format: "pidlab-figures/1", run, figures }.into())
}

impl Document for Figures {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        self.figures.iter().try_for_each(|figure| writeln!(out, "{}", figure.path))
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("name path caption", &self.figures)
    }
}
