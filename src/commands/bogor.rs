//! `pidlab bogor`: the tables of Bogor'03 measured again, and the philosophers beside other explorers.

use super::{bogor_chart, bogor_peers};
use crate::outcome::Outcome;
use anyhow::{Context, bail};
use pidlab_explore::heap::tables::claims::{Claim, Verdict, decide};
use pidlab_explore::heap::tables::experiment::Experiment;
use pidlab_explore::heap::tables::measure::{Cell, measure};
use pidlab_explore::heap::tables::render;
use pidlab_explore::search::Limits;
use pidlab_explore::source::Source;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Experiments on heap programs: tables 1, 2 and 3 of Bogor'03, the influence of k, speed beside Spin and
/// Stateright
#[derive(clap::Args)]
pub struct Args {
    /// bogor-table1, bogor-table2, bogor-table3, bogor-k, or `peers`
    name: String,
    /// smoke, small or paper
    #[arg(long, default_value = "small")]
    scale: String,
    /// Folder for table, claims, cells and chart
    #[arg(long)]
    out: Option<PathBuf>,
    /// With `peers`: also build the philosophers in Stateright by cargo, which fetches it, and run them
    #[arg(long)]
    stateright: bool,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

/// Experiments and models are part of the program, so that they run from any folder.
const EXPERIMENTS: [&str; 4] = [
    include_str!("../../experiments/bogor-table1.toml"),
    include_str!("../../experiments/bogor-table2.toml"),
    include_str!("../../experiments/bogor-table3.toml"),
    include_str!("../../experiments/bogor-k.toml"),
];

const MODELS: [(&str, &str); 3] = [
    ("philosophers.bir", include_str!("../../models/philosophers.bir")),
    ("bounded-buffer.bir", include_str!("../../models/bounded-buffer.bir")),
    ("ordered-list.bir", include_str!("../../models/ordered-list.bir")),
];

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if args.name == "peers" {
        return bogor_peers::run(args.stateright, args.json);
    }
    let done = reproduce(&args.name, &args.scale)?;
    if let Some(folder) = &args.out {
        done.write(folder)?;
    }
    match args.json {
        true => println!("{}", done.document()),
        false => done.print(),
    }
    Ok(Outcome::Yes)
}

/// The names that [`reproduce`] knows.
pub fn names() -> anyhow::Result<Vec<String>> {
    EXPERIMENTS.iter().map(|text| Ok(Experiment::parse(text)?.name)).collect()
}

/// An embedded model by its file name.
pub fn model(name: &str) -> anyhow::Result<Source> {
    match MODELS.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => Ok(Source::new(format!("models/{name}"), *text)),
        None => bail!("the experiment names {name}, which is not among the embedded models"),
    }
}

/// What an experiment came to.
pub struct Reproduction {
    pub experiment: Experiment,
    pub scale: String,
    pub table: String,
    pub cells: Vec<Cell>,
    pub claims: Vec<Claim>,
}

/// Measures an experiment and decides its claims.
pub fn reproduce(name: &str, scale: &str) -> anyhow::Result<Reproduction> {
    for text in EXPERIMENTS {
        let experiment = Experiment::parse(text)?;
        if experiment.name == name {
            return measure_all(experiment, scale);
        }
    }
    bail!("there is no experiment {name:?}; known: {}, peers", names()?.join(", "))
}

fn measure_all(experiment: Experiment, scale: &str) -> anyhow::Result<Reproduction> {
    let plan = experiment.plan(scale)?;
    let source = model(&experiment.model)?;
    let cells = measure(&experiment, &plan, &source, Limits::default(), |cell| {
        let (case, symmetry, compression) = (&cell.case, cell.symmetry, cell.compression);
        eprintln!("{case}, {symmetry}, {compression}: {} states", cell.states);
    })?;
    let table = render::text(&experiment, &plan, &cells);
    let claims = decide(&experiment, &cells);
    Ok(Reproduction { experiment, scale: scale.to_string(), table, cells, claims })
}

impl Reproduction {
    pub fn document(&self) -> Value {
        json!({
            "format": "pidlab-reproduction/1",
            "experiment": self.experiment.name,
            "scale": self.scale,
            "reconstructed": self.experiment.reconstructed,
            "claims": self.claims,
            "cells": self.cells,
        })
    }

    /// Table, claims, cells, and a chart of bytes per state for every case.
    pub fn write(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{}: cannot be made", folder.display()))?;
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text)
                .with_context(|| format!("{}: cannot be written", path.display()))
        };
        let name = &self.experiment.name;
        write(&format!("{name}.txt"), &self.table)?;
        write(&format!("{name}.csv"), &render::csv(&self.cells))?;
        write(&format!("{name}.json"), &format!("{:#}\n", self.document()))?;
        for case in &self.experiment.cases {
            let chart = bogor_chart::figure(name, &self.experiment.title, &case.label, &self.cells);
            if let Some(chart) = chart {
                pidlab_figures::write(&chart, folder)?;
            }
        }
        Ok(())
    }

    pub fn print(&self) {
        println!("{}", self.table);
        for claim in &self.claims {
            let verdict = match claim.verdict {
                Verdict::Reproduced => "reproduced",
                Verdict::NotReproduced => "NOT reproduced",
                Verdict::Inconclusive => "inconclusive",
            };
            let why = claim.explanation.as_ref().map_or(String::new(), |why| format!(" ({why})"));
            println!(
                "{verdict:<14}  {}: {} [paper: {}]{why}",
                claim.claim, claim.ours, claim.paper
            );
        }
    }
}
