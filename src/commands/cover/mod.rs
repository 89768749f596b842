//! `pidlab cover`: can a bad state be reached with some number of threads?

mod compare;
mod text;

use crate::limits::LimitArgs;
use crate::outcome::Outcome;
use crate::output;
use anyhow::bail;
use clap::Args;
use pidlab_cover::answer::{Document, Verdict};
use pidlab_cover::budget::Budget;
use pidlab_cover::check::Rejection;
use pidlab_cover::solve::{Options, SolveError};
use pidlab_cover::stress::{StressOptions, stress};
pub use pidlab_harness::question::About;
use pidlab_harness::question::{limit_reached, read_answer, read_question};
use std::io::Write as _;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct CoverArgs {
    /// The model: .spec, .tts (with its .prop), .lgfsm or .bp
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// auto, beacon, beacon:bfs, karp-miller, mp, backward or bounded:<n>
    #[arg(long, default_value = "auto", value_name = "NAME")]
    algorithm: String,
    /// Property of a .tts file (default: FILE.prop, or FILE with .prop instead of .tts)
    #[arg(long, value_name = "FILE")]
    prop: Option<PathBuf>,
    /// Start of a .tts file: shared state, `|` and local states with one thread each, `/` and local
    /// states with any number, such as `0|1/2` (default: any number in local state 0, `0/0`)
    #[arg(long, value_name = "S|L,…/L,…")]
    init: Option<String>,
    #[command(flatten)]
    limits: LimitArgs,
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
    /// Seed of the random machines
    #[arg(long, default_value_t = SEED)]
    seed: u64,
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
    /// Run folder of --compare
    #[arg(long, default_value = "results/local/coverability", value_name = "DIR")]
    out: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl CoverArgs {
    /// Whether many models are solved, which stops between two of them.
    pub fn is_comparison(&self) -> bool {
        self.compare.is_some()
    }
}

pub fn run(args: CoverArgs) -> anyhow::Result<Outcome> {
    if args.stress {
        return run_stress(&args);
    }
    if let Some(folder) = &args.compare {
        return compare::run(folder, &args);
    }
    let Some(file) = &args.file else {
        bail!("which model? give a .spec, .tts, .lgfsm or .bp file");
    };
    let about = About { prop: args.prop.as_deref(), init: args.init.as_deref() };
    if let Some(answer) = &args.verify {
        return verify_answer(file, about, answer, &args.limits, args.json);
    }
    let budget = args.limits.budget();
    let question = match read_question(file, about, &budget) {
        Ok(question) => question,
        Err(error) => {
            let reason = limit_reached(&error, &budget).ok_or(error)?;
            let document = Document::unknown(&args.algorithm, reason);
            return report(&document, &Budget::unlimited(), args.json);
        }
    };
    let options = Options { algorithm: args.algorithm.clone(), budget, reduce: !args.no_reduce };
    match question.solve(&options) {
        Ok(document) => {
            // what decides nothing is short
            let budget = match document.verdict {
                Verdict::Unknown => Budget::unlimited(),
                _ => options.budget.to_present(),
            };
            report(&document, &budget, args.json)
        }
        Err(error @ SolveError::Rejected { .. }) => {
            note!("error: {error}");
            Ok(Outcome::Disagreement)
        }
        Err(error) => Err(error.into()),
    }
}

fn outcome(verdict: Verdict) -> Outcome {
    match verdict {
        Verdict::Safe => Outcome::Yes,
        Verdict::Unsafe => Outcome::No,
        Verdict::Unknown => Outcome::Undecided,
    }
}

/// Prints an answer; one that cannot be written out within the budget is withheld.
fn report(document: &Document, budget: &Budget, json: bool) -> anyhow::Result<Outcome> {
    match text::answer(document, json, budget)? {
        Ok(text) => {
            // not `outln!`, which copies: an answer can be long
            let mut out = output::lines();
            writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush())?;
        }
        Err(stop) => {
            let reason = format!("writing the answer: {}", budget.describe(stop));
            let unknown = Document::unknown(&document.algorithm, reason);
            return report(&unknown, &Budget::unlimited(), json);
        }
    }
    Ok(outcome(document.verdict))
}

/// Seed of the random machines.
pub const SEED: u64 = 2001;

/// Checks an earlier answer against its model: `pidlab verify MODEL --answer FILE`.
pub fn verify_answer(
    model: &Path,
    about: About,
    answer: &Path,
    limits: &LimitArgs,
    json: bool,
) -> anyhow::Result<Outcome> {
    let budget = limits.budget();
    let (outcome, violation) = match verify(model, about, answer, &budget) {
        Ok(checked) => checked,
        Err(error) => (Outcome::Undecided, Some(limit_reached(&error, &budget).ok_or(error)?)),
    };
    let valid = violation.is_none();
    if json {
        let text = serde_json::json!({
            "format": "pidlab-verify/1", "valid": valid, "violation": violation
        });
        output::json(&text)?;
    } else {
        outln!("{}", violation.unwrap_or_else(|| "valid".into()).trim_end());
    }
    Ok(outcome)
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

fn run_stress(args: &CoverArgs) -> anyhow::Result<Outcome> {
    let options = StressOptions {
        first: args.first,
        machines: args.machines,
        seed: args.seed,
        budget: args.limits.budget(),
    };
    let report = match stress(&options) {
        Ok(report) => report,
        Err(stop) => {
            note!("stopped: {}", stop.describe(&options.budget));
            return Ok(Outcome::Undecided);
        }
    };
    if args.json {
        output::json(&report)?;
    } else {
        outln!("{}", text::stress_text(&report).trim_end());
    }
    Ok(Outcome::Yes)
}
