//! `pidlab reproduce`: run, analyse, draw and report a published experiment, verdicts beside its claims.

use super::analyse::{claim_rows, write_claims};
use super::run::{Ran, warn_of_failures};
use crate::arguments::RunArgs;
use crate::heartbeat;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Form, Rows, Stream};
use pidlab_harness::analyse::cells::CaseCount;
use pidlab_harness::claims::{self, Decided, Judgement};
use pidlab_harness::execute::run::{self, Request};
use pidlab_harness::experiment::{ScaleName, library};
use pidlab_harness::kinds;
use pidlab_harness::pipeline::{self, Finished};
use pidlab_harness::plan::Plan;
use pidlab_harness::report::index::{self, Index, Listed};
use pidlab_harness::report::{about_run, published, reduction, sensitivity};
use pidlab_harness::store::manifest::End;
use pidlab_harness::store::other_run;
use pidlab_harness::store::single;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Reproduce a published figure or table: data, fits, figures and a verdict beside the paper's claim
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab reproduce
  pidlab reproduce bogor-table1 --scale smoke
  pidlab reproduce all --scale smoke --out everything")]
pub struct Args {
    /// An experiment (see `pidlab experiments`), or `all` [default: sacs10, and sacs10-sage at scale smoke where
    /// Sage is set up]
    name: Option<String>,
    #[arg(long, value_enum, default_value = "small")]
    scale: ScaleName,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Serialize)]
struct Reproduction {
    format: &'static str,
    scale: ScaleName,
    claims: Vec<Decided>,
    runs: Vec<ReproducedRun>,
    index: Option<String>,
    /// The run that did not come to its end; what follows it was not begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<Ran>,
    #[serde(skip)]
    conclusive: bool,
}

#[derive(Serialize)]
struct ReproducedRun {
    run: String,
    report: String,
    figures: Vec<String>,
    rows: u64,
    seconds: f64,
    cells: Vec<CaseCount>,
}

/// What reproducing one experiment left.
struct Reproduced {
    /// Whether every backend had something to say.
    conclusive: bool,
    finished: Finished,
    entry: ReproducedRun,
}

pub fn run(args: Args, form: Form) -> anyhow::Result<Done> {
    // name, scale, and whether it is left out where a program that it compares is not installed
    let names: Vec<(&str, ScaleName, bool)> = match args.name.as_deref() {
        Some("all") => library::names().into_iter().map(|name| (name, args.scale, true)).collect(),
        Some(one) => vec![(one, args.scale, false)],
        None => vec![("sacs10", args.scale, false), ("sacs10-sage", ScaleName::Smoke, true)],
    };
    let mut parts = Stream::new(form);
    let (mut all, mut skipped, mut stopped) = (Vec::new(), Vec::new(), None);
    for (name, scale, optional) in names {
        let reason = if optional { missing(&args, name, scale)? } else { None };
        if let Some(reason) = reason {
            note!("SKIPPED {name}: {reason}");
            skipped.push((name.to_string(), reason));
            continue;
        }
        note!("reproducing {name} at scale {}", scale.name());
        match reproduce(&args, name, scale)? {
            Ok(done) => {
                let tables = published_tables(&done.finished)?;
                parts.part(|out| done.write(name, &tables, out))?;
                all.push(done);
            }
            Err(ran) => {
                stopped = Some(ran);
                break;
            }
        }
    }
    let whole = args.name.as_deref() == Some("all") && stopped.is_none();
    let index = whole.then(|| write_index(&args, &all, &skipped)).transpose()?;
    let conclusive = all.iter().all(|done| done.conclusive);
    let (claims, runs): (Vec<_>, Vec<_>) =
        all.into_iter().map(|done| (done.finished.claims, done.entry)).unzip();
    let (format, scale) = ("pidlab-reproduction/1", args.scale);
    let claims = claims.into_iter().flatten().collect();
    Ok(Reproduction { format, scale, claims, runs, index, stopped, conclusive }.into())
}

/// One page with every claim, beside the run folders.
fn write_index(
    args: &Args,
    all: &[Reproduced],
    skipped: &[(String, String)],
) -> anyhow::Result<String> {
    let folder = args.run.out.clone().unwrap_or_else(|| PathBuf::from("results/local"));
    let listed = all.iter().map(|Reproduced { finished, entry, .. }| Listed {
        experiment: &finished.experiment,
        manifest: &finished.manifest,
        report: Path::new(&entry.report),
        claims: &finished.claims,
    });
    let listed: Vec<Listed<'_>> = listed.collect();
    let path = index::path(&folder);
    let page = index::render(&Index {
        entries: &listed,
        skipped,
        claims: &claims::all()?,
        folder: &folder,
        about: all.last().map(|done| about(args, done)).unwrap_or_default(),
    });
    single::replace(&path, page.as_bytes(), index::MARK)?;
    Ok(path.display().to_string())
}

/// Date and machine of the last run, and the command for all of them.
fn about(args: &Args, last: &Reproduced) -> Vec<String> {
    let mut lines = about_run(&last.finished.manifest);
    lines.truncate(1);
    let seed = args.run.seed.map_or(String::new(), |seed| format!(" --seed {seed}"));
    let scale = args.scale.name();
    lines.push(format!("Makes it again: <code>pidlab reproduce all --scale {scale}{seed}</code>"));
    lines
}

/// Why an experiment among all of them cannot run here: a program that it compares is not installed.
fn missing(args: &Args, name: &str, scale: ScaleName) -> anyhow::Result<Option<String>> {
    let opened = run::plan(&request(args, name, scale)?)
        .and_then(|(plan, _)| kinds::open(&plan).map(|_| ()));
    Ok(opened.err().map(|error| format!("{error:#}")))
}

fn request(args: &Args, name: &str, scale: ScaleName) -> anyhow::Result<Request> {
    Ok(Request { out: None, ..args.run.request(library::find(name)?, scale) })
}

fn reproduce(args: &Args, name: &str, scale: ScaleName) -> anyhow::Result<Result<Reproduced, Ran>> {
    let clock = Instant::now();
    let mut request = request(args, name, scale)?;
    let (plan, _) = run::plan(&request)?;
    note!("seed {}, {} rows", plan.seed, plan.rows());
    request.out = Some(folder(args, &plan));
    let report = run::run(&request)?;
    if report.end != End::Complete {
        return Ok(Err(Ran::stopped(report)));
    }
    warn_of_failures(&report);
    let analysing = format!("analysing {} rows", report.rows);
    let finished = heartbeat::during(&analysing, || pipeline::analyse(&report.folder))?;
    let figures = heartbeat::during("drawing figures", || finished.plot())?;
    let page = heartbeat::during("writing the report", || finished.report(&figures))?;
    let entry = ReproducedRun {
        run: finished.files.path().display().to_string(),
        report: page.display().to_string(),
        figures: figures.iter().map(|figure| figure.path.display().to_string()).collect(),
        rows: report.rows,
        seconds: clock.elapsed().as_secs_f64(),
        cells: finished.analysis.cells.clone(),
    };
    Ok(Ok(Reproduced { conclusive: report.is_conclusive(), finished, entry }))
}

/// The run's own folder; where that holds a run of other settings, as after an update of the program, one beside it.
fn folder(args: &Args, plan: &Plan) -> PathBuf {
    let usual = run::default_folder(plan);
    let usual = match (&args.run.out, usual.file_name()) {
        (Some(out), Some(name)) => out.join(name),
        _ => usual,
    };
    let Some(differences) = other_run(&usual, plan).filter(|_| !args.run.fresh) else {
        return usual;
    };
    let mut name = usual.clone().into_os_string();
    name.push(format!("-{:08x}", plan.digest() >> 32));
    let beside = PathBuf::from(name);
    note!(
        "{} holds another run ({differences}): it is kept, and this one goes to {} (--fresh measures anew in its place)",
        usual.display(),
        beside.display()
    );
    beside
}

/// The tables of a paper with our numbers, as text.
fn published_tables(finished: &Finished) -> anyhow::Result<Vec<String>> {
    let analysis = &finished.analysis;
    let own = reduction::grid(analysis).or_else(|| sensitivity::grid(analysis));
    let grids = match own {
        Some(grid) => vec![grid],
        None => published::grids(analysis, &claims::published_tables()?),
    };
    Ok(grids.iter().map(|grid| grid.text()).collect())
}

impl Reproduced {
    fn write(&self, name: &str, tables: &[String], out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n{name}: {} rows, {:.1} s", self.entry.rows, self.entry.seconds)?;
        tables.iter().try_for_each(|table| writeln!(out, "\n{table}"))?;
        write_claims(&self.finished.claims, out)?;
        writeln!(out, "\nreport: {}", self.entry.report)
    }
}

impl Document for Reproduction {
    fn outcome(&self) -> Outcome {
        match &self.stopped {
            Some(ran) => ran.outcome(),
            None if self.conclusive => Outcome::Yes,
            None => Outcome::Undecided,
        }
    }

    /// The experiments have been shown one by one.
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(ran) = &self.stopped {
            return ran.text(out);
        }
        writeln!(out, "\nclaims: {}", Judgement::tally(self.claims.iter()))?;
        match &self.index {
            Some(index) => writeln!(out, "every claim on one page: {index}"),
            None => Ok(()),
        }
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        claim_rows(&self.claims)
    }
}
