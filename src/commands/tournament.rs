//! `pidlab tournament`: all backends on all families, ranked, with tables and figures for a paper.

use super::run::{outcome, print_stopped, texts, warn_of_failures};
use crate::limits::LimitArgs;
use crate::outcome::Outcome;
use crate::output;
use pidlab_harness::execute::run::{self, Request};
use pidlab_harness::experiment::ScaleName;
use pidlab_harness::store::manifest::End;
use pidlab_harness::tournament::{self, Tournament, entry};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Let all backends compete on all families: ranking, cactus plot, performance profile, scatters, LaTeX
///
/// Random states (equivalent and near miss) and every hard family (equivalent and twin) at several
/// sizes. Rows are stored as they come: after a kill or Ctrl-C the same command continues.
#[derive(clap::Args)]
pub struct Args {
    /// A file or built-in experiment on states, models or instances whose backends, configurations or algorithms are
    /// ranked
    #[arg(default_value = entry::NAME)]
    experiment: String,
    #[arg(long, value_enum, default_value = "small")]
    scale: Scale,
    /// Backends that take part; repeat or separate by commas [default: all that are available; those of
    /// another experiment]
    #[arg(long = "backend", value_delimiter = ',')]
    backends: Vec<String>,
    /// Families that take part, by their labels; repeat or separate by commas [default: all]
    #[arg(long = "family", value_delimiter = ',')]
    families: Vec<String>,
    /// Seed of all states [default: 2010]
    #[arg(long)]
    seed: Option<u64>,
    /// Run folder [default: results/local/tournament-SCALE, or tournament-NAME-SCALE]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Worker processes [default: one a core]
    #[arg(long)]
    workers: Option<usize>,
    /// Discard an earlier tournament in the folder
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
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
        let contest = entry::contest(&self.experiment, &self.families, &self.backends)?;
        let (scale, name) = self.scale.names();
        let folder = Path::new("results/local").join(format!("{}-{name}", contest.name));
        Ok(Request {
            experiment: contest.experiment,
            scale,
            seed: self.seed,
            backends: contest.backends,
            out: Some(self.out.clone().unwrap_or(folder)),
            workers: self.workers,
            seconds: self.limits.seconds(),
            memory_mib: self.limits.mebibytes(),
            fresh: self.fresh,
        })
    }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
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
        print_stopped(&report);
        return Ok(outcome(&report));
    }
    warn_of_failures(&report);
    let done = tournament::judge(&report.folder)?;
    match args.json {
        true => output::pretty(&document(&report.folder, &done)?)?,
        false => print(&done),
    }
    Ok(outcome(&report))
}

fn document(folder: &Path, done: &Tournament) -> anyhow::Result<Value> {
    let mut document = serde_json::to_value(&done.standings)?;
    document["run"] = json!(folder.display().to_string());
    document["files"] = json!(texts(&done.files));
    Ok(document)
}

fn print(done: &Tournament) {
    out!("{}", done.ranking());
    outln!("\n{}\n", done.sentence());
    for path in &done.files {
        outln!("{}", path.display());
    }
}
