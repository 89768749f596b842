//! `pidlab experiments`: what can be run, what the paper claims, how long it takes.

use crate::output::{Document, Done, Rows};
use pidlab_harness::experiment::{Experiment, ScaleName, library};
use pidlab_harness::plan::Plan;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// List the experiments with the paper's claim and the estimated duration at each scale
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab experiments
  pidlab experiments --json | jq -r '.experiments[].name'")]
pub struct Args {}

#[derive(Serialize)]
struct Listing {
    format: &'static str,
    experiments: Vec<ListedExperiment>,
}

#[derive(Serialize)]
struct ListedExperiment {
    name: String,
    title: String,
    source: String,
    claim: String,
    backends: Vec<String>,
    scales: BTreeMap<&'static str, Size>,
}

#[derive(Serialize)]
struct Size {
    rows: u64,
    seconds: f64,
}

const SCALES: [ScaleName; 3] = [ScaleName::Smoke, ScaleName::Small, ScaleName::Paper];

pub fn run(_: Args) -> anyhow::Result<Done> {
    let experiments = library::all()?.into_iter().map(entry).collect();
    Ok(Listing { format: "pidlab-experiments/1", experiments }.into())
}

fn entry(experiment: Experiment) -> ListedExperiment {
    let size = |scale| Size {
        rows: Plan::new(experiment.clone(), "", scale, None).map_or(0, |plan| plan.rows()),
        seconds: experiment.scale(scale).seconds,
    };
    ListedExperiment {
        scales: SCALES.iter().map(|&scale| (scale.name(), size(scale))).collect(),
        name: experiment.name,
        title: experiment.title,
        source: experiment.source,
        claim: experiment.claim,
        backends: experiment.backends,
    }
}

impl Size {
    fn text(&self) -> String {
        let duration = match self.seconds {
            s if s < 120.0 => format!("{s:.0} s"),
            s if s < 7200.0 => format!("{:.0} min", s / 60.0),
            s => format!("{:.1} h", s / 3600.0),
        };
        format!("{} rows, about {duration}", self.rows)
    }
}

impl Document for Listing {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for ListedExperiment { name, title, source, claim, scales, .. } in &self.experiments {
            writeln!(out, "{name}  ({source})\n    {title}\n    claim: {claim}")?;
            let sizes = SCALES.map(|s| format!("{}: {}", s.name(), scales[s.name()].text()));
            writeln!(out, "    {}", sizes.join("; "))?;
        }
        Ok(())
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("name title source *", &self.experiments)
    }
}
