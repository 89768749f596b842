//! `pidlab run`: measure an experiment; resumes where an earlier run of the same plan stopped.

use crate::arguments::{BackendArgs, RunArgs};
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, paths};
use pidlab_harness::execute::replay;
use pidlab_harness::execute::run::{self, Report};
use pidlab_harness::experiment::{ScaleName, library};
use pidlab_harness::kinds::Finding;
use pidlab_harness::shard::Shard;
use pidlab_harness::store::failures::Failures;
use pidlab_harness::store::manifest::End;
use pidlab_harness::store::overhead::Overhead;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};
use std::path::PathBuf;

/// Run an experiment: every row measured, checked and stored as it comes; resumes by itself
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab run experiments/sacs10.toml --scale smoke --out mine
  pidlab run mine.toml --backend canon,nauty --workers 4
  pidlab run experiments/sacs10.toml --scale smoke --replay 17 --save row17")]
pub struct Args {
    /// A file such as experiments/sacs10.toml, or the name of a built-in experiment
    experiment: String,
    #[arg(long, value_enum, default_value = "small")]
    scale: ScaleName,
    #[command(flatten)]
    backends: BackendArgs,
    #[command(flatten)]
    run: RunArgs,
    /// Measure one of N parts of the rows, for `pidlab merge` to put together: 2/8 is the second of eight
    #[arg(long, value_name = "I/N", conflicts_with = "replay")]
    shard: Option<Shard>,
    /// Do one row again, by its number, and print it
    #[arg(long, value_name = "ROW")]
    replay: Option<u64>,
    /// With --replay: write the row's states here as q.json and r.json
    #[arg(long, value_name = "DIR", requires = "replay")]
    save: Option<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let mut request = args.run.request(library::find(&args.experiment)?, args.scale);
    request.backends = args.backends.chosen();
    request.shard = args.shard;
    if let Some(row) = args.replay {
        let (plan, _) = run::plan(&request)?;
        return Ok(Replayed(replay::replay(&plan, row, args.save.as_deref())?).into());
    }
    let continues = format!("`pidlab run {}` with the same options", args.experiment);
    Ok(Ran::new(run::run(&request)?, &continues).into())
}

/// What a session came to.
#[derive(Serialize)]
pub struct Ran {
    format: &'static str,
    run: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<Shard>,
    complete: bool,
    end: End,
    rows: u64,
    rows_total: u64,
    lost_rows: u64,
    seconds: f64,
    overhead: Overhead,
    findings: Vec<Finding>,
    reproducers: Vec<String>,
    failures: Vec<Failures>,
    #[serde(skip)]
    outcome: Outcome,
    /// The command that goes on.
    #[serde(skip)]
    continues: String,
}

impl Ran {
    fn new(report: Report, continues: &str) -> Ran {
        Ran {
            format: "pidlab-run-result/1",
            outcome: Outcome::of_run(&report),
            run: report.folder.display().to_string(),
            shard: report.shard,
            complete: report.end == End::Complete,
            end: report.end,
            rows: report.rows,
            rows_total: report.rows_total,
            lost_rows: report.lost,
            seconds: report.seconds,
            overhead: report.overhead,
            findings: report.findings,
            reproducers: paths(&report.reproducers),
            failures: report.failures,
            continues: continues.to_string(),
        }
    }

    /// A run that did not come to its end, of a command that has nothing else to show then.
    pub fn stopped(report: Report) -> Ran {
        Ran::new(report, "the same command")
    }

    fn write_findings(&self, out: &mut dyn Write) -> io::Result<()> {
        for (found, folder) in self.findings.iter().zip(&self.reproducers) {
            let Finding { row, answer, against, .. } = found;
            let who = found.shown();
            writeln!(out, "DISAGREEMENT in row {row}: {who} says {answer}, but {against}")?;
            writeln!(out, "  shrunk pair and how to replay it: {folder}")?;
        }
        Ok(())
    }
}

impl Outcome {
    /// A backend that failed on all of its rows leaves the question of the run undecided.
    pub fn of_run(report: &Report) -> Outcome {
        match report.end {
            End::Complete if report.is_conclusive() => Outcome::Yes,
            End::Disagreement => Outcome::Disagreement,
            End::Complete | End::Running | End::Interrupted | End::Failed => Outcome::Undecided,
        }
    }
}

impl Document for Ran {
    fn outcome(&self) -> Outcome {
        self.outcome
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Ran { run, rows, rows_total, seconds, lost_rows, continues, .. } = self;
        match self.end {
            End::Complete => writeln!(out, "{rows} rows in {run} ({seconds:.1} s)")?,
            End::Disagreement => self.write_findings(out)?,
            _ => writeln!(
                out,
                "interrupted: {rows} of {rows_total} rows are in {run}; {continues} continues"
            )?,
        }
        if *lost_rows > 0 {
            let why = "ended a worker (crash, memory or timeout) and are recorded so";
            writeln!(out, "{lost_rows} rows {why}")?;
        }
        let mut failures = self.failures.iter();
        failures.try_for_each(|failures| writeln!(out, "FAILED: {}", failures.sentence()))
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("run complete rows rows_total seconds *", [self])
    }
}

/// Says which backends failed, for commands whose output is something else.
pub fn warn_of_failures(report: &Report) {
    report.failures.iter().for_each(|failures| note!("FAILED: {}", failures.sentence()));
}

/// One row again.
#[derive(Serialize)]
struct Replayed(Value);

impl Document for Replayed {
    fn outcome(&self) -> Outcome {
        match (self.0["finding"].is_null(), self.0["status"] == "ok") {
            (false, _) => Outcome::Disagreement,
            (true, true) => Outcome::Yes,
            (true, false) => Outcome::Undecided,
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{:#}", self.0)
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("*", [self])
    }
}
