//! `pidlab tournament`: all backends on all families, ranked, with tables and figures for a paper.

use super::run::{Ran, warn_of_failures};
use crate::arguments::{BackendArgs, RunArgs};
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, paths};
use pidlab_harness::execute::run::{self, Request};
use pidlab_harness::experiment::ScaleName;
use pidlab_harness::store::manifest::End;
use pidlab_harness::tournament::standings::Standings;
use pidlab_harness::tournament::{self, entry};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// Let all backends compete on all families: ranking, cactus plot, performance profile, scatters, LaTeX
///
/// Random states (equivalent and near miss) and every hard family (equivalent and twin) at several
/// sizes. Rows are stored as they come: after a kill or Ctrl-C the same command continues.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab tournament
  pidlab tournament --scale smoke --backend canon,refine --family cubic")]
pub struct Args {
    /// A file or built-in experiment on states, models or instances whose backends, configurations or algorithms are
    /// ranked
    #[arg(default_value = entry::NAME)]
    experiment: String,
    #[arg(long, value_enum, default_value = "small")]
    scale: Scale,
    #[command(flatten)]
    backends: BackendArgs,
    /// Families that take part, by their labels; repeat or separate by commas [default: all]
    #[arg(long = "family", value_delimiter = ',')]
    families: Vec<String>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Scale {
    /// One size of each family
    Smoke,
    /// Three sizes, two states each
    Small,
    /// Five sizes, five states each
    Full,
}

impl Scale {
    fn names(self) -> (ScaleName, &'static str) {
        match self {
            Scale::Smoke => (ScaleName::Smoke, "smoke"),
            Scale::Small => (ScaleName::Small, "small"),
            Scale::Full => (ScaleName::Paper, "full"),
        }
    }
}

impl Args {
    fn request(&self) -> anyhow::Result<Request> {
        let (scale, name) = self.scale.names();
        let backends = self.backends.chosen().unwrap_or_default();
        let contest = entry::contest(&self.experiment, &self.families, &backends)?;
        let folder = || Path::new("results/local").join(format!("{}-{name}", contest.name));
        let mut request = self.run.request(contest.experiment, scale);
        request.out.get_or_insert_with(folder);
        request.backends = contest.backends;
        Ok(request)
    }
}

#[derive(Serialize)]
struct Ranked {
    #[serde(flatten)]
    standings: Standings,
    run: String,
    files: Vec<String>,
    #[serde(skip)]
    text: String,
    #[serde(skip)]
    outcome: Outcome,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let request = args.request()?;
    let (plan, _) = run::plan(&request)?;
    note!(
        "{} backends, {} rows, at most {} s each, seed {}",
        plan.backends.len(),
        plan.rows(),
        plan.experiment.budget.seconds,
        plan.seed
    );
    let report = run::run(&request)?;
    if report.end != End::Complete {
        return Ok(Ran::stopped(report).into());
    }
    warn_of_failures(&report);
    let done = tournament::judge(&report.folder)?;
    let ranked = Ranked {
        run: report.folder.display().to_string(),
        files: paths(&done.files),
        text: format!("{}\n{}\n", done.ranking(), done.sentence()),
        outcome: Outcome::of_run(&report),
        standings: done.standings,
    };
    Ok(ranked.into())
}

impl Document for Ranked {
    fn outcome(&self) -> Outcome {
        self.outcome
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.text)?;
        self.files.iter().try_for_each(|path| writeln!(out, "{path}"))
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("rank backend decided par2_seconds.value *", &self.standings.backends)
    }
}
