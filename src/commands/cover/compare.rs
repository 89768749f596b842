//! `pidlab cover --compare DIR`: all algorithms on every model below a folder, as an experiment.

use super::CoverArgs;
use crate::commands::run::{outcome, print_stopped, warn_of_failures};
use crate::outcome::Outcome;
use crate::output;
use pidlab_harness::analyse::cells::CaseCount;
use pidlab_harness::execute::run::{self, Request};
use pidlab_harness::experiment::ScaleName;
use pidlab_harness::experiment::library::ExperimentSource;
use pidlab_harness::pipeline;
use pidlab_harness::store::manifest::End;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time for each algorithm on a model, unless told.
const TIMEOUT: Duration = Duration::from_secs(30);

pub fn run(folder: &Path, args: &CoverArgs) -> anyhow::Result<Outcome> {
    let request = Request {
        experiment: experiment(folder, args)?,
        scale: ScaleName::Small,
        seed: None,
        backends: None,
        out: Some(args.out.clone()),
        workers: None,
        seconds: Some(args.limits.seconds().unwrap_or(TIMEOUT.as_secs_f64())),
        memory_mib: args.limits.mebibytes(),
        fresh: false,
    };
    let report = run::run(&request)?;
    if report.end != End::Complete {
        print_stopped(&report);
        return Ok(outcome(&report));
    }
    warn_of_failures(&report);
    let finished = pipeline::analyse(&report.folder)?;
    let page = finished.report(&finished.plot()?)?;
    let solved = solved(&finished.analysis.cells);
    match args.json {
        true => output::json(&json!({
            "format": "pidlab-cover-comparison/2",
            "run": report.folder.display().to_string(),
            "report": page.display().to_string(),
            "solved": solved,
            "cells": finished.analysis.cells,
        }))?,
        false => {
            for (algorithm, (solved, asked)) in &solved {
                outln!("{algorithm:12} solved {solved} of {asked}");
            }
            outln!("report: {}", page.display());
        }
    }
    Ok(outcome(&report))
}

/// The experiment that the options stand for.
fn experiment(folder: &Path, args: &CoverArgs) -> anyhow::Result<ExperimentSource> {
    let text = |value: &str| toml::Value::from(value).to_string();
    let algorithms: Vec<String> = args.algorithms.iter().map(|name| text(name)).collect();
    let experiment = format!(
        "name = \"coverability\"\ntitle = \"Coverability algorithms side by side\"\nsource = \"ours\"\n\
         claim = \"none\"\nbackends = [{}]\nfigures = [\"cactus\"]\n\
         [[instances]]\nlabel = \"models\"\nfolder = {}\nreduce = {}\n\
         [scale]\nsmoke = {{ seconds = 0 }}\nsmall = {{ seconds = 0 }}\npaper = {{ seconds = 0 }}\n\
         [analysis]\ntime = \"decide\"\nclock = \"wall\"\n",
        algorithms.join(", "),
        text(&folder.display().to_string()),
        !args.no_reduce
    );
    Ok(ExperimentSource { text: experiment, path: PathBuf::from("--compare") })
}

/// Instances solved and asked, by algorithm.
fn solved(cells: &[CaseCount]) -> BTreeMap<&str, (usize, usize)> {
    let mut solved: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for cell in cells {
        let counts = solved.entry(&cell.backend).or_default();
        counts.0 += usize::from(cell.is_complete());
        counts.1 += 1;
    }
    solved
}
