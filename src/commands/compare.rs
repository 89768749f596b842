//! `pidlab compare`: two runs, two programs or two commits; exit 1 on a confirmed regression.

use crate::arguments::{BackendArgs, FormatArgs, RunArgs, Share, Timeout};
use crate::outcome::Outcome;
use crate::output::{Document, Done, Open, Rows, paths, write_table};
use anyhow::bail;
use pidlab_harness::compare::instructions::Choice;
use pidlab_harness::compare::judge::{Gate, Rules, Standing};
use pidlab_harness::compare::runs::Runs;
use pidlab_harness::compare::session::{Programs, keep};
use pidlab_harness::compare::subject::{Program, Subject, resolve};
use pidlab_harness::compare::{Comparison, Ended, present};
use pidlab_harness::experiment::{DEFAULT_SEED, ScaleName};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Did it get slower? Two run folders, two programs, or two commits (both are built)
///
/// Programs and commits are measured interleaved: the same states, one right after the other. Exit
/// code 1 means: some backend is slower by more than the threshold, with confidence, and was so again
/// when measured a second time.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab compare HEAD~1 HEAD
  pidlab compare --base-binary old/pidlab --threshold 5%
  pidlab compare results/local/before results/local/after")]
pub struct Args {
    /// The old one: a run folder, a program, or a commit
    #[arg(required_unless_present = "base_binary", requires = "new")]
    base: Option<String>,
    /// The new one, of the same kind
    #[arg(conflicts_with = "base_binary")]
    new: Option<String>,
    /// Compare this program with the one that runs now (or with --new-binary)
    #[arg(long, value_name = "PROGRAM")]
    base_binary: Option<PathBuf>,
    /// The new program, in place of the one that runs now
    #[arg(long, value_name = "PROGRAM", requires = "base_binary")]
    new_binary: Option<PathBuf>,
    /// A confident slowdown above this is a regression
    #[arg(long, default_value = "5%")]
    threshold: Share,
    /// A change within this counts as none [default: the threshold]
    #[arg(long)]
    delta: Option<Share>,
    /// Confidence of every interval
    #[arg(long, default_value = "99%")]
    confidence: Share,
    /// Experiments to measure, files or names; repeat or separate by commas [default: regression,
    /// regression-search]
    #[arg(long = "experiment", value_delimiter = ',')]
    experiments: Vec<String>,
    #[arg(long, value_enum, default_value = "small")]
    scale: ScaleName,
    #[command(flatten)]
    backends: BackendArgs,
    /// Rounds of measuring, each with fresh processes
    #[arg(long, default_value_t = 10)]
    rounds: u32,
    /// No new round starts after this time, neither of the measurement nor of the rerun
    #[arg(long, default_value = "80s", value_name = "TIME")]
    budget: Timeout,
    /// A verdict for each transformation too
    #[arg(long)]
    each_transformation: bool,
    /// Count instructions with this tool
    #[arg(long, value_enum, default_value = "auto")]
    instructions: Choice,
    /// What a regression is read off
    #[arg(long, value_enum, default_value = "time")]
    gate: Gate,
    /// Do not measure suspects again; each half of the states must confirm them instead
    #[arg(long)]
    no_rerun: bool,
    /// Compare runs of different machines all the same
    #[arg(long)]
    across_machines: bool,
    /// Where commits are built [default: target/compare in the repository]
    #[arg(long, value_name = "DIR")]
    build_dir: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    pub format: FormatArgs,
}

impl Args {
    fn rules(&self) -> Rules {
        Rules {
            threshold: self.threshold.0,
            delta: self.delta.unwrap_or(self.threshold).0,
            confidence: self.confidence.0,
            seed: self.run.seed.unwrap_or(DEFAULT_SEED),
            gate: self.gate,
        }
    }

    fn subjects(&self) -> anyhow::Result<(Subject, Subject)> {
        if let Some(base) = &self.base_binary {
            let new = match &self.new_binary {
                Some(new) => Program::open(new, None)?,
                None => Program::own()?,
            };
            return Ok((Subject::Program(Program::open(base, None)?), Subject::Program(new)));
        }
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        let resolve = |name: String| resolve(&name, self.build_dir.as_deref());
        Ok((resolve(name(&self.base))?, resolve(name(&self.new))?))
    }

    fn out(&self, name: &str) -> PathBuf {
        self.run.out.clone().unwrap_or_else(|| Path::new("results/local").join(name))
    }

    fn programs(&self, base: Program, new: Program) -> Programs {
        Programs {
            base,
            new,
            experiments: self.experiments.clone(),
            scale: self.scale,
            seed: self.run.seed,
            backends: self.backends.backends.clone(),
            rules: self.rules(),
            each_transformation: self.each_transformation,
            rounds: self.rounds.max(1),
            budget: self.budget.0,
            workers: self.run.workers,
            counter: self.instructions,
            rerun: !self.no_rerun,
            seconds: self.run.limits.seconds(),
            memory_mib: self.run.limits.mebibytes(),
            out: self.out("compare"),
            fresh: self.run.fresh,
        }
    }

    fn runs<'r>(&self, base: &'r Path, new: &'r Path) -> Runs<'r> {
        Runs {
            base,
            new,
            rules: self.rules(),
            each_transformation: self.each_transformation,
            across_machines: self.across_machines,
            rerun: !self.no_rerun,
            out: self.out("compare-rerun"),
            workers: self.run.workers,
        }
    }
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let ended = match args.subjects()? {
        (Subject::Program(base), Subject::Program(new)) => args.programs(base, new).compare()?,
        (Subject::Run(base), Subject::Run(new)) => args.runs(&base, &new).compare()?,
        _ => bail!("a run folder can only be compared with another run folder"),
    };
    match ended {
        Ended::Complete(comparison) => complete(args.rules(), *comparison),
        Ended::Interrupted(folder) => {
            let kept = folder.display();
            let reason = format!("interrupted, but {kept} is kept: the same command continues");
            Ok(open(Outcome::Undecided, "interrupted", reason, &[folder]))
        }
        Ended::Disagreement(folders) => {
            let list = paths(&folders).join(", ");
            let reason = format!("shrunk pair and how to replay it: {list}");
            Ok(open(Outcome::Disagreement, "disagreement", reason, &folders))
        }
    }
}

/// A comparison that compared nothing.
fn open(outcome: Outcome, verdict: &str, reason: String, folders: &[PathBuf]) -> Done {
    let known = json!({
        "format": present::FORMAT, "verdict": verdict, "regressions": [], "improvements": [],
        "folders": paths(folders),
    });
    Open::new(outcome, reason, known).into()
}

/// A finished comparison.
#[derive(Serialize)]
struct Compared {
    #[serde(flatten)]
    document: Value,
    #[serde(skip)]
    comparison: Comparison,
    #[serde(skip)]
    rules: Rules,
}

fn complete(rules: Rules, comparison: Comparison) -> anyhow::Result<Done> {
    let document = present::document(&comparison, &rules);
    let compared = Compared { document, comparison, rules };
    if let Some(out) = &compared.comparison.out {
        keep(out, "comparison.json", &serde_json::to_string_pretty(&compared.document)?)?;
        keep(out, "comparison.csv", &compared.rows()?.csv()?)?;
    }
    Ok(compared.into())
}

impl Document for Compared {
    fn outcome(&self) -> Outcome {
        match &self.comparison {
            c if !c.contradictions.is_empty() => Outcome::Disagreement,
            c if !c.with(Standing::Regression).is_empty() => Outcome::No,
            _ => Outcome::Yes,
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        write_table(&present::table(&self.comparison, &self.rules), self.outcome(), out)
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of(
            "experiment backend relations graph class transformation verdict standing \
             ratio=ratio.value low=ratio.low high=ratio.high rerun_ratio=rerun.value \
             rerun_low=rerun.low rerun_high=rerun.high states rows more_rows no_longer_decided \
             base_seconds new_seconds base_instructions=instructions.base \
             new_instructions=instructions.new",
            self.document["results"].as_array().into_iter().flatten(),
        )
    }
}
