//! `pidlab reproduce`: run, analyse, draw and report a published experiment, verdicts beside its claims.

use super::analyse::print_claims;
use super::run::{outcome, print_stopped, texts, warn_of_failures};
use crate::outcome::Outcome;
use crate::output;
use pidlab_harness::claims::{self, Decided, Judgement};
use pidlab_harness::execute::run::{self, Request};
use pidlab_harness::experiment::{ScaleName, library};
use pidlab_harness::kinds;
use pidlab_harness::pipeline::{self, Finished};
use pidlab_harness::report::index::{self, Listed};
use pidlab_harness::report::published;
use pidlab_harness::store::manifest::End;
use pidlab_harness::store::single;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

/// Reproduce a published figure or table: data, fits, figures and a verdict beside the paper's claim
#[derive(clap::Args)]
pub struct Args {
    /// An experiment (see `pidlab experiments`), or `all`
    #[arg(default_value = "sacs10")]
    name: String,
    #[arg(long, value_enum, default_value = "small")]
    scale: ScaleName,
    /// Seed of all states [default: the experiment's, 2010 unless it says otherwise]
    #[arg(long)]
    seed: Option<u64>,
    /// Folder for the run folders [default: results/local]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Worker processes [default: one a core]
    #[arg(long)]
    workers: Option<usize>,
    /// Discard earlier runs instead of continuing them
    #[arg(long)]
    fresh: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// What reproducing one experiment left.
struct Reproduced {
    /// Whether every backend had something to say.
    conclusive: bool,
    finished: Finished,
    report: PathBuf,
    figures: Vec<PathBuf>,
    rows: u64,
    seconds: f64,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let names: Vec<String> = match args.name.as_str() {
        "all" => library::names().into_iter().map(String::from).collect(),
        one => vec![one.to_string()],
    };
    let (mut all, mut skipped) = (Vec::new(), Vec::new());
    for name in names {
        if let Some(reason) = missing(&args, &name)? {
            note!("SKIPPED {name}: {reason}");
            skipped.push((name, reason));
            continue;
        }
        note!("reproducing {name} at scale {}", args.scale.name());
        match reproduce(&args, &name)? {
            Ok(done) => {
                if !args.json {
                    print(&name, &done)?;
                }
                all.push(done);
            }
            Err(stopped) => return Ok(stopped),
        }
    }
    let index = (args.name == "all").then(|| write_index(&args, &all, &skipped)).transpose()?;
    match args.json {
        true => output::pretty(&document(&args, &all, index)?)?,
        false => summarise(&all, index),
    }
    Ok(match all.iter().all(|done| done.conclusive) {
        true => Outcome::Yes,
        false => Outcome::Undecided,
    })
}

/// One page with every claim, beside the run folders.
fn write_index(
    args: &Args,
    all: &[Reproduced],
    skipped: &[(String, String)],
) -> anyhow::Result<PathBuf> {
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("results/local"));
    let listed: Vec<Listed<'_>> = all
        .iter()
        .map(|done| Listed {
            name: &done.finished.experiment.name,
            title: &done.finished.experiment.title,
            report: &done.report,
            claims: &done.finished.claims,
        })
        .collect();
    let path = index::path(&folder);
    single::replace(&path, index::render(&listed, skipped, &folder).as_bytes(), index::MARK)?;
    Ok(path)
}

/// Why an experiment among all of them cannot run here: a program that it compares is not installed.
fn missing(args: &Args, name: &str) -> anyhow::Result<Option<String>> {
    if args.name != "all" {
        return Ok(None);
    }
    let opened =
        run::plan(&request(args, name)?).and_then(|(plan, _)| kinds::open(&plan).map(|_| ()));
    Ok(opened.err().map(|error| format!("{error:#}")))
}

fn request(args: &Args, name: &str) -> anyhow::Result<Request> {
    Ok(Request {
        experiment: library::find(name)?,
        scale: args.scale,
        seed: args.seed,
        backends: None,
        out: None,
        workers: args.workers,
        seconds: None,
        memory_mib: None,
        fresh: args.fresh,
    })
}

fn reproduce(args: &Args, name: &str) -> anyhow::Result<Result<Reproduced, Outcome>> {
    let clock = Instant::now();
    let mut request = request(args, name)?;
    let (plan, _) = run::plan(&request)?;
    note!("seed {}, {} rows", plan.seed, plan.rows());
    request.out = args
        .out
        .as_ref()
        .map(|out| out.join(format!("{}-{}", plan.experiment.name, plan.scale.name())));
    let report = run::run(&request)?;
    if report.end != End::Complete {
        print_stopped(&report);
        return Ok(Err(outcome(&report)));
    }
    warn_of_failures(&report);
    let finished = pipeline::analyse(&report.folder)?;
    let figures = finished.plot()?;
    let page = finished.report(&figures)?;
    Ok(Ok(Reproduced {
        conclusive: report.is_conclusive(),
        finished,
        report: page,
        figures: figures.into_iter().map(|figure| figure.path).collect(),
        rows: report.rows,
        seconds: clock.elapsed().as_secs_f64(),
    }))
}

fn print(name: &str, done: &Reproduced) -> anyhow::Result<()> {
    outln!("\n{name}: {} rows, {:.1} s", done.rows, done.seconds);
    for grid in published::grids(&done.finished.analysis, &claims::published_tables()?) {
        outln!("\n{}", grid.text());
    }
    print_claims(&done.finished.claims);
    outln!("\nreport: {}", done.report.display());
    Ok(())
}

fn summarise(all: &[Reproduced], index: Option<PathBuf>) {
    let claims = || all.iter().flat_map(|done| &done.finished.claims);
    let count = |verdict| claims().filter(|claim| claim.verdict == verdict).count();
    outln!(
        "\n{} claims reproduced, {} not reproduced, {} inconclusive",
        count(Judgement::Reproduced),
        count(Judgement::NotReproduced),
        count(Judgement::Inconclusive)
    );
    if let Some(index) = index {
        outln!("every claim on one page: {}", index.display());
    }
}

fn document(args: &Args, all: &[Reproduced], index: Option<PathBuf>) -> anyhow::Result<Value> {
    let claims: Vec<&Decided> = all.iter().flat_map(|done| &done.finished.claims).collect();
    let runs: Vec<_> = all
        .iter()
        .map(|done| {
            json!({
                "run": done.finished.files.path().display().to_string(),
                "report": done.report.display().to_string(),
                "figures": texts(&done.figures),
                "rows": done.rows,
                "seconds": done.seconds,
                "cells": done.finished.analysis.cells,
            })
        })
        .collect();
    Ok(json!({
        "format": "pidlab-reproduction/1",
        "scale": args.scale,
        "claims": claims,
        "runs": runs,
        "index": index.map(|path| path.display().to_string()),
    }))
}
