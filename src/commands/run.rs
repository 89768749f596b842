//! `pidlab run`: measure an experiment; resumes where an earlier run of the same plan stopped.

use crate::limits::LimitArgs;
use crate::outcome::Outcome;
use crate::output;
use pidlab_harness::execute::replay;
use pidlab_harness::execute::run::{self, Report, Request};
use pidlab_harness::experiment::{ScaleName, library};
use pidlab_harness::store::manifest::End;
use serde_json::json;
use std::path::PathBuf;

/// Run an experiment: every row measured, checked and stored as it comes; resumes by itself
#[derive(clap::Args)]
pub struct Args {
    /// A file such as experiments/sacs10.toml, or the name of a built-in experiment
    experiment: String,
    #[arg(long, value_enum, default_value = "small")]
    scale: ScaleName,
    /// Seed of all states [default: the experiment's, 2010 unless it says otherwise]
    #[arg(long)]
    seed: Option<u64>,
    /// Backends to use instead of the experiment's; repeat or separate by commas
    #[arg(long = "backend", value_delimiter = ',')]
    backends: Vec<String>,
    /// Run folder [default: results/local/NAME-SCALE]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Worker processes [default: one a core]
    #[arg(long)]
    workers: Option<usize>,
    /// Discard an earlier run in the folder
    #[arg(long)]
    fresh: bool,
    /// Do one row again, by its number, and print it
    #[arg(long, value_name = "ROW")]
    replay: Option<u64>,
    /// With --replay: write the row's states here as q.json and r.json
    #[arg(long, value_name = "DIR", requires = "replay")]
    save: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Args {
    fn request(&self) -> anyhow::Result<Request> {
        Ok(Request {
            experiment: library::find(&self.experiment)?,
            scale: self.scale,
            seed: self.seed,
            backends: (!self.backends.is_empty()).then(|| self.backends.clone()),
            out: self.out.clone(),
            workers: self.workers,
            seconds: self.limits.seconds(),
            memory_mib: self.limits.mebibytes(),
            fresh: self.fresh,
        })
    }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let request = args.request()?;
    if let Some(row) = args.replay {
        let (plan, _) = run::plan(&request)?;
        let document = replay::replay(&plan, row, args.save.as_deref())?;
        output::pretty(&document)?;
        return Ok(match document["finding"].is_null() {
            true => Outcome::Yes,
            false => Outcome::Disagreement,
        });
    }
    let report = run::run(&request)?;
    match args.json {
        true => output::json(&document(&report))?,
        false => print(&report, &args.experiment),
    }
    Ok(outcome(&report))
}

/// A backend that failed on all of its rows leaves the question of the run undecided.
pub fn outcome(report: &Report) -> Outcome {
    match report.end {
        End::Complete if report.is_conclusive() => Outcome::Yes,
        End::Disagreement => Outcome::Disagreement,
        End::Complete | End::Running | End::Interrupted | End::Failed => Outcome::Undecided,
    }
}

fn document(report: &Report) -> serde_json::Value {
    json!({
        "format": "pidlab-run-result/1",
        "run": report.folder.display().to_string(),
        "complete": report.end == End::Complete,
        "end": report.end,
        "rows": report.rows,
        "rows_total": report.rows_total,
        "lost_rows": report.lost,
        "seconds": report.seconds,
        "overhead": report.overhead,
        "findings": report.findings,
        "reproducers": texts(&report.reproducers),
        "failures": report.failures,
    })
}

/// Paths as text; what is not UTF-8 in them is shown as �.
pub fn texts(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

fn print(report: &Report, name: &str) {
    let folder = report.folder.display();
    match report.end {
        End::Complete => outln!("{} rows in {folder} ({:.1} s)", report.rows, report.seconds),
        End::Disagreement => print_findings(report),
        _ => outln!(
            "interrupted: {} of {} rows are in {folder}; `pidlab run {name}` with the same options continues",
            report.rows,
            report.rows_total
        ),
    }
    if report.lost > 0 {
        outln!(
            "{} rows ended a worker (crash, memory or timeout) and are recorded so",
            report.lost
        );
    }
    report.failures.iter().for_each(|failures| outln!("FAILED: {}", failures.sentence()));
}

/// Says which backends failed, for commands whose output is something else.
pub fn warn_of_failures(report: &Report) {
    report.failures.iter().for_each(|failures| note!("FAILED: {}", failures.sentence()));
}

/// Says where a run that did not come to its end stands.
pub fn print_stopped(report: &Report) {
    print_findings(report);
    note!(
        "stopped with {} of {} rows in {}; the same command continues",
        report.rows,
        report.rows_total,
        report.folder.display()
    );
}

fn print_findings(report: &Report) {
    for (finding, folder) in report.findings.iter().zip(&report.reproducers) {
        outln!(
            "DISAGREEMENT in row {}: {} says {}, but {}",
            finding.row,
            finding.backend,
            finding.answer,
            finding.against
        );
        outln!("  shrunk pair and how to replay it: {}", folder.display());
    }
}
