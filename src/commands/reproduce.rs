//! `pidlab reproduce`: run, analyse, draw and report a published experiment, verdicts beside its claims.

use super::analyse::print_claims;
use super::run::{outcome, print_stopped, texts, warn_of_failures};
use super::{bogor, cover};
use crate::harness::claims::{Decided, Verdict};
use crate::harness::experiment::ScaleName;
use crate::harness::folder::Folder;
use crate::harness::manifest::End;
use crate::harness::run::{self, Request};
use crate::harness::{backend_pool, library, pipeline};
use crate::outcome::Outcome;
use crate::output;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

/// Reproduce a published figure or table: data, fits, figures and a verdict beside the paper's claim
#[derive(clap::Args)]
pub struct Args {
    /// An experiment (see `pidlab experiments`), bogor-table1, -table2, -table3, bogor-k, beacon-rockall,
    /// or `all`
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

/// A table that is counted, not timed: it needs no rows, fits or figures.
enum Counted {
    Heap(bogor::Reproduction),
    Rockall(pidlab_cover::rockall::Reproduction),
}

impl Counted {
    fn names() -> anyhow::Result<Vec<String>> {
        let mut names = bogor::names()?;
        names.push(cover::ROCKALL.into());
        Ok(names)
    }

    fn measure(name: &str, scale: ScaleName) -> anyhow::Result<Counted> {
        if name == cover::ROCKALL {
            return Ok(Counted::Rockall(cover::reproduce(scale.name(), cover::SEED)?));
        }
        Ok(Counted::Heap(bogor::reproduce(name, scale.name())?))
    }

    fn claims(&self) -> anyhow::Result<Vec<Value>> {
        Ok(match self {
            Counted::Heap(done) => {
                done.claims.iter().map(serde_json::to_value).collect::<Result<_, _>>()?
            }
            Counted::Rockall(done) => {
                done.claims.iter().map(serde_json::to_value).collect::<Result<_, _>>()?
            }
        })
    }

    fn print(&self) {
        match self {
            Counted::Heap(done) => done.print(),
            Counted::Rockall(done) => outln!("{}", cover::text(done)),
        }
    }

    /// The folder for its files, if it has any; opened before anything is measured.
    fn folder(name: &str, args: &Args) -> anyhow::Result<Option<Folder>> {
        let out = args.out.as_ref().filter(|_| name != cover::ROCKALL);
        let path = out.map(|out| out.join(format!("{name}-{}", args.scale.name())));
        Ok(path.as_deref().map(Folder::open).transpose()?)
    }

    fn write(&self, files: &Folder) -> anyhow::Result<()> {
        match self {
            Counted::Heap(done) => done.write(files),
            Counted::Rockall(_) => Ok(()),
        }
    }
}

/// What reproducing one experiment left.
struct Reproduced {
    /// Whether every backend had something to say.
    conclusive: bool,
    claims: Vec<Decided>,
    run: PathBuf,
    report: PathBuf,
    figures: Vec<PathBuf>,
    rows: u64,
    seconds: f64,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let counted = Counted::names()?;
    let (timed, counted): (Vec<String>, Vec<String>) = match args.name.as_str() {
        "all" => (library::names().into_iter().map(String::from).collect(), counted),
        one if counted.iter().any(|name| name == one) => (Vec::new(), vec![one.to_string()]),
        one => (vec![one.to_string()], Vec::new()),
    };
    let mut all = Vec::new();
    for name in &timed {
        let clock = Instant::now();
        if let Some(reason) = missing(&args, name)? {
            note!("SKIPPED {name}: {reason}");
            continue;
        }
        note!("reproducing {name} at scale {}", args.scale.name());
        match reproduce(&args, name)? {
            Ok(mut done) => {
                done.seconds = clock.elapsed().as_secs_f64();
                if !args.json {
                    print(name, &done);
                }
                all.push(done);
            }
            Err(stopped) => return Ok(stopped),
        }
    }
    let mut claims: Vec<Value> = Vec::new();
    if !counted.is_empty() {
        crate::interrupt::end_with("finished runs are kept; counted tables are made anew");
    }
    for name in &counted {
        note!("reproducing {name} at scale {}", args.scale.name());
        let files = Counted::folder(name, &args)?;
        let done = Counted::measure(name, args.scale)?;
        if let Some(files) = &files {
            done.write(files)?;
        }
        if !args.json {
            done.print();
        }
        claims.extend(done.claims()?);
    }
    if args.json {
        output::pretty(&document(&args, &all, claims)?)?;
    } else if !all.is_empty() {
        summarise(&all);
    }
    Ok(match all.iter().all(|done| done.conclusive) {
        true => Outcome::Yes,
        false => Outcome::Undecided,
    })
}

/// Why an experiment among all of them cannot run here: a program that it compares is not installed.
fn missing(args: &Args, name: &str) -> anyhow::Result<Option<String>> {
    if args.name != "all" {
        return Ok(None);
    }
    let (plan, _) = run::plan(&request(args, name)?)?;
    let opened = backend_pool::open(&plan.backends);
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
        claims: finished.claims,
        run: report.folder,
        report: page,
        figures: figures.into_iter().map(|figure| figure.path).collect(),
        rows: report.rows,
        seconds: 0.0,
    }))
}

fn print(name: &str, done: &Reproduced) {
    outln!("\n{name}: {} rows, {:.1} s", done.rows, done.seconds);
    print_claims(&done.claims);
    outln!("\nreport: {}", done.report.display());
}

fn summarise(all: &[Reproduced]) {
    let count =
        |verdict| all.iter().flat_map(|r| &r.claims).filter(|c| c.verdict == verdict).count();
    outln!(
        "\n{} claims reproduced, {} not reproduced, {} inconclusive",
        count(Verdict::Reproduced),
        count(Verdict::NotReproduced),
        count(Verdict::Inconclusive)
    );
}

fn document(args: &Args, all: &[Reproduced], counted: Vec<Value>) -> anyhow::Result<Value> {
    let timed = all.iter().flat_map(|done| &done.claims).map(serde_json::to_value);
    let mut claims: Vec<Value> = timed.collect::<Result<_, _>>()?;
    claims.extend(counted);
    let runs: Vec<_> = all
        .iter()
        .map(|done| {
            json!({
                "run": done.run.display().to_string(),
                "report": done.report.display().to_string(),
                "figures": texts(&done.figures),
                "rows": done.rows,
                "seconds": done.seconds,
            })
        })
        .collect();
    Ok(json!({
        "format": "pidlab-reproduction/1",
        "scale": args.scale,
        "claims": claims,
        "runs": runs,
    }))
}
