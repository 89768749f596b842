//! `pidlab experiments`: what can be run, what the paper claims, how long it takes.

use crate::outcome::Outcome;
use crate::output;
use pidlab_harness::experiment::{Experiment, ScaleName, library};
use pidlab_harness::plan::Plan;
use serde_json::{Value, json};

/// List the experiments with the paper's claim and the estimated duration at each scale
#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const SCALES: [ScaleName; 3] = [ScaleName::Smoke, ScaleName::Small, ScaleName::Paper];

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let all = library::all()?;
    if args.json {
        let list: Vec<Value> = all.into_iter().map(document).collect();
        let document = json!({ "format": "pidlab-experiments/1", "experiments": list });
        output::pretty(&document)?;
        return Ok(Outcome::Yes);
    }
    for experiment in all {
        outln!("{}  ({})", experiment.name, experiment.source);
        outln!("    {}", experiment.title);
        outln!("    claim: {}", experiment.claim);
        let scales: Vec<String> =
            SCALES.iter().map(|&scale| describe(&experiment, scale)).collect();
        outln!("    {}", scales.join("; "));
    }
    Ok(Outcome::Yes)
}

fn rows(experiment: &Experiment, scale: ScaleName) -> u64 {
    Plan::new(experiment.clone(), "", scale, None).map_or(0, |plan| plan.rows())
}

fn describe(experiment: &Experiment, scale: ScaleName) -> String {
    let seconds = experiment.scale(scale).seconds;
    let duration = match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    };
    format!("{}: {} rows, about {duration}", scale.name(), rows(experiment, scale))
}

fn document(experiment: Experiment) -> Value {
    let scales: serde_json::Map<String, Value> = SCALES
        .iter()
        .map(|&scale| {
            let entry = json!({
                "rows": rows(&experiment, scale),
                "seconds": experiment.scale(scale).seconds,
            });
            (scale.name().to_string(), entry)
        })
        .collect();
    json!({
        "name": experiment.name,
        "title": experiment.title,
        "source": experiment.source,
        "claim": experiment.claim,
        "backends": experiment.backends,
        "scales": scales,
    })
}
