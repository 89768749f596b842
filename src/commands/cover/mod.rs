//! `pidlab cover`: can a bad state be reached with some number of threads?

mod answer;
mod compare;
mod set;
mod stress;

use super::verify::Verified;
use crate::arguments::{LimitArgs, RunArgs};
use crate::outcome::Outcome;
use crate::output::{Done, Open};
use answer::Answer;
use anyhow::bail;
use pidlab_cover::check::Rejection;
use pidlab_cover::{Budget, CoverVerdict, Document, FORMAT, SolveError, SolveOptions};
pub use pidlab_harness::question::About;
use pidlab_harness::question::{limit_reached, read_answer, read_question};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Parameterised coverability: is a bad state reachable with some number of threads?
#[derive(clap::Args)]
pub struct Args {
    /// The model: .spec, .tts (with its .prop), .lgfsm or .bp
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// auto, beacon, beacon:bfs, karp-miller, mp, backward, directed or bounded:<n>
    #[arg(long, default_value = "auto", value_name = "NAME")]
    algorithm: String,
    /// Property of a .tts file (default: FILE.prop, or FILE with .prop instead of .tts)
    #[arg(long, value_name = "FILE")]
    prop: Option<PathBuf>,
    /// Start of a .tts file: shared state, `|` and local states with one thread each, `/` and local
    /// states with any number, such as `0|1/2` (default: any number in local state 0, `0/0`)
    #[arg(long, value_name = "S|L,…/L,…")]
    init: Option<String>,
    /// Search the model as it is, without merging states that behave alike
    #[arg(long)]
    no_reduce: bool,
    /// Check the trace or certificate of an earlier answer (its --json output) against FILE
    #[arg(long, value_name = "ANSWER")]
    verify: Option<PathBuf>,
    /// Search random machines on which the published algorithm is incomplete, no FILE needed
    #[arg(long)]
    stress: bool,
    /// How many random machines --stress tries
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    machines: u64,
    /// Number of the first random machine: any machine replays alone
    #[arg(long, default_value_t = 0, value_name = "N")]
    first: u64,
    /// Run several algorithms on every model below DIR, as an experiment: rows, a cactus plot and a report
    #[arg(long, value_name = "DIR")]
    compare: Option<PathBuf>,
    /// Algorithms for --compare
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "auto,backward,mp,beacon,karp-miller",
        value_name = "NAMES"
    )]
    algorithms: Vec<String>,
    /// Compute the coverability set, without a target: every marking that is reachable, or below one that
    /// is, is below one of its configurations, and no smaller set has them all; with --verify, check one
    #[arg(long, conflicts_with_all = ["stress", "compare", "no_reduce"])]
    set: bool,
    /// For --compare; --stress takes the seed (2001 unless told), and every search the limits
    #[command(flatten)]
    run: RunArgs,
}

impl Args {
    /// Whether many models are solved, which stops between two of them.
    pub fn is_comparison(&self) -> bool {
        self.compare.is_some()
    }
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    if args.stress {
        return stress::run(&args);
    }
    if let Some(folder) = &args.compare {
        return compare::run(folder, &args);
    }
    let Some(file) = &args.file else {
        bail!("which model? give a .spec, .tts, .lgfsm or .bp file");
    };
    let about = About { prop: args.prop.as_deref(), init: args.init.as_deref() };
    if args.set {
        return set::run(file, about, &args);
    }
    match &args.verify {
        Some(answer) => verify_answer(file, about, answer, &args.run.limits),
        None => solve(file, about, &args),
    }
}

fn solve(file: &Path, about: About, args: &Args) -> anyhow::Result<Done> {
    let budget = args.run.limits.budget();
    let question = match read_question(file, about, &budget) {
        Ok(question) => question,
        Err(error) => {
            let reason = limit_reached(&error, &budget).ok_or(error)?;
            return Ok(Answer(Document::unknown(&args.algorithm, reason)).into());
        }
    };
    let options =
        SolveOptions { algorithm: args.algorithm.clone(), budget, reduce: !args.no_reduce };
    match question.solve(&options) {
        Ok(document) => {
            // what decides nothing is short
            let budget = match document.verdict {
                CoverVerdict::Unknown => Budget::unlimited(),
                _ => options.budget.to_present(),
            };
            Ok(Answer::within(document, &budget)?.into())
        }
        Err(error @ SolveError::Rejected { .. }) => {
            let known = json!({
                "format": FORMAT, "verdict": "unknown", "algorithm": args.algorithm,
                "trace": null, "certificate": null, "explored": 0,
            });
            Ok(Open::new(Outcome::Disagreement, error.to_string(), known).into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Checks an earlier answer against its model: `pidlab verify MODEL --answer FILE`.
pub fn verify_answer(
    model: &Path,
    about: About,
    answer: &Path,
    limits: &LimitArgs,
) -> anyhow::Result<Done> {
    let budget = limits.budget();
    let (outcome, violation) = match verify(model, about, answer, &budget) {
        Ok(checked) => checked,
        Err(error) => (Outcome::Undecided, Some(limit_reached(&error, &budget).ok_or(error)?)),
    };
    let sentence = violation.clone().unwrap_or_else(|| "valid".into());
    Ok(Verified::new(outcome, violation, sentence).into())
}

/// The outcome of a check, and what was found wrong or kept it from an end.
fn verify(
    model: &Path,
    about: About,
    answer: &Path,
    budget: &Budget,
) -> anyhow::Result<(Outcome, Option<String>)> {
    let question = read_question(model, about, budget)?;
    let document = read_answer(answer, budget)?;
    Ok(match question.check(&document, budget) {
        Ok(true) => (Outcome::Yes, None),
        Ok(false) => (Outcome::Undecided, Some("the answer is \"unknown\"".to_string())),
        Err(Rejection::Stopped(stop)) => {
            let reason = format!("checking the answer: {}", budget.describe(stop));
            (Outcome::Undecided, Some(reason))
        }
        Err(rejection) => (Outcome::No, Some(rejection.to_string())),
    })
}
