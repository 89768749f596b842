//! `pidlab cover`: can a bad state be reached with some number of threads?

mod answer;
#[cfg(feature = "experiments")]
mod compare;
mod emit;
mod set;
mod stress;

use super::verify::Verified;
use crate::arguments::{LimitArgs, RunArgs};
use crate::outcome::Outcome;
use crate::output::{Done, Open};
use answer::Answer;
use anyhow::bail;
use pidlab_cover::check::Rejection;
use pidlab_cover::{Budget, CoverVerdict, EmitFormat, FORMAT, SolveError, SolveOptions};
pub use pidlab_harness::question::About;
use pidlab_harness::question::{limit_reached, read_answer, read_question};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Parameterised coverability: is a bad state reachable with some number of threads?
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab cover models/rockall.bp
  pidlab cover models/rockall-no-lock-B0_New.bp --json > answer.json
  pidlab cover models/rockall-no-lock-B0_New.bp --verify answer.json
  pidlab cover --compare models --timeout 10s")]
pub struct Args {
    /// The model: .spec, .tts or .pnml (with its .prop), .lgfsm or .bp
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// auto, beacon, beacon:bfs, karp-miller, mp, backward, directed or bounded:<n>
    #[arg(long, default_value = "auto", value_name = "NAME")]
    algorithm: String,
    /// Property of a .tts or .pnml file (default: FILE.prop, or FILE with .prop instead of .tts)
    #[arg(long, value_name = "FILE")]
    prop: Option<PathBuf>,
    /// Start of a .tts file: shared state, `|` and local states with one thread each, `/` and local
    /// states with any number, such as `0|1/2` (default: any number in local state 0, `0/0`)
    #[arg(long, value_name = "S|L,…/L,…")]
    init: Option<String>,
    /// Label of a .bp file that no thread may reach, beside SLIC_ERROR
    #[arg(long, value_name = "NAME")]
    label: Option<String>,
    /// Search the model as it is, without merging states that behave alike or leaving out parts of a
    /// program that the property does not see
    #[arg(long)]
    no_reduce: bool,
    /// Check the trace or certificate of an earlier answer (its --json output) against FILE
    #[arg(long, value_name = "ANSWER")]
    verify: Option<PathBuf>,
    /// Write the model in another format instead of answering: lgfsm, tts, spec or pnml
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["verify", "stress", "compare", "set"])]
    emit: Option<EmitFormat>,
    /// File for --emit; the property of .tts and .pnml goes beside it, with the ending .prop
    #[arg(long, value_name = "FILE", requires = "emit")]
    output: Option<PathBuf>,
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
        #[cfg(feature = "experiments")]
        return compare::run(folder, &args);
        #[cfg(not(feature = "experiments"))]
        bail!("--compare {}: this program was built without experiments", folder.display());
    }
    let Some(file) = &args.file else {
        bail!("which model? give a .spec, .tts, .pnml, .lgfsm or .bp file");
    };
    if let Some("tnet" | "bir") = file.extension().and_then(|ending| ending.to_str()) {
        let file = file.display();
        bail!("{file}: a model with its threads; use `pidlab explore {file}`");
    }
    let (prop, init) = (args.prop.as_deref(), args.init.as_deref());
    let about = About { prop, init, label: args.label.as_deref(), slice: !args.no_reduce };
    if let Some(format) = args.emit {
        return emit_model(file, About { slice: false, ..about }, format, &args);
    }
    if args.set {
        return set::run(file, About { slice: false, ..about }, &args);
    }
    match &args.verify {
        Some(answer) => verify_answer(file, about, answer, &args.run.limits),
        None => solve(file, about, &args),
    }
}

fn emit_model(file: &Path, about: About, format: EmitFormat, args: &Args) -> anyhow::Result<Done> {
    let budget = args.run.limits.budget();
    let written = match read_question(file, about, &budget) {
        Ok(question) => emit::run(file, question.net(), format, args.output.as_deref(), &budget)?,
        Err(error) => Err(limit_reached(&error, &budget).ok_or(error)?),
    };
    written.or_else(|reason| {
        let known =
            json!({"format": "pidlab-cover-emit/1", "language": format.name(), "model": null});
        Ok(Open::new(Outcome::Undecided, reason, known).into())
    })
}

fn solve(file: &Path, about: About, args: &Args) -> anyhow::Result<Done> {
    let start = Instant::now();
    let budget = args.run.limits.budget();
    let question = match read_question(file, about, &budget) {
        Ok(question) => question,
        Err(error) => {
            let reason = limit_reached(&error, &budget).ok_or(error)?;
            return Ok(Answer::unknown(&args.algorithm, reason).into());
        }
    };
    let options =
        SolveOptions { algorithm: args.algorithm.clone(), budget, reduce: !args.no_reduce };
    match question.solve(&options) {
        Ok(mut document) => {
            document.seconds = start.elapsed().as_secs_f64();
            // what decides nothing is short
            let budget = match document.verdict {
                CoverVerdict::Unknown => Budget::unlimited(),
                _ => options.budget.to_present(),
            };
            Ok(Answer::within(document, question.net(), &budget)?.into())
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
    let document = read_answer(answer, budget)?;
    let about = About { slice: document.sliced, ..about };
    let question = read_question(model, about, budget)?;
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
