//! `pidlab cover`: can a bad state be reached with some number of threads?

mod cactus;
mod compare;
mod experiment;
mod input;
mod text;

use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, bail};
use clap::Args;
pub use input::About;
use input::{read, read_question};
use pidlab_cover::answer::{Document, FORMAT, Verdict};
use pidlab_cover::budget::Budget;
use pidlab_cover::check::{self, Model};
use pidlab_cover::rockall::{Reproduction, Scale, reproduce_rockall};
use pidlab_cover::solve::{Options, SolveError, solve_question};
use pidlab_cover::stress::{StressOptions, stress};
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// Seconds after which the answer is "unknown"
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// Memory after which the answer is "unknown", in MiB
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<u64>,
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
    /// Run several algorithms on every model below DIR: a table, a CSV file and a cactus plot
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
    /// Where --compare writes its files
    #[arg(long, default_value = "results/coverability", value_name = "DIR")]
    out: PathBuf,
    /// Run an experiment file, such as experiments/coverability.toml
    #[arg(long, value_name = "TOML")]
    experiment: Option<PathBuf>,
    /// Reproduce a published experiment: rockall
    #[arg(long, value_name = "NAME")]
    reproduce: Option<String>,
    /// smoke, small or paper: how much --reproduce spends
    #[arg(long, default_value = "small", value_name = "SCALE")]
    scale: String,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl CoverArgs {
    /// Whether many models are solved, which stops between two of them.
    pub fn is_comparison(&self) -> bool {
        self.compare.is_some() || self.experiment.is_some()
    }
}

pub fn run(args: CoverArgs) -> anyhow::Result<Outcome> {
    if args.stress {
        return run_stress(&args);
    }
    if let Some(path) = args.experiment.clone() {
        return experiment::run(&path, args);
    }
    if let Some(folder) = &args.compare {
        return compare::run(folder, &args);
    }
    if let Some(name) = &args.reproduce {
        return run_reproduce(name, &args);
    }
    let Some(file) = &args.file else {
        bail!("which model? give a .spec, .tts, .lgfsm or .bp file");
    };
    let about = About { prop: args.prop.as_deref(), init: args.init.as_deref() };
    let question = read_question(file, about)?;
    if let Some(answer) = &args.verify {
        return verify(&question.model, answer, args.json);
    }
    let options = Options {
        algorithm: args.algorithm.clone(),
        budget: budget(args.timeout, args.memory_limit)?,
        reduce: !args.no_reduce,
    };
    match solve_question(&question.net, &question.model, &options) {
        Ok(document) => report(&document, args.json),
        Err(error @ SolveError::Rejected { .. }) => {
            note!("error: {error}");
            Ok(Outcome::Disagreement)
        }
        Err(error) => Err(error.into()),
    }
}

fn budget(seconds: Option<f64>, mebibytes: Option<u64>) -> anyhow::Result<Budget> {
    let time = match seconds {
        Some(s) => Some(
            Duration::try_from_secs_f64(s)
                .with_context(|| format!("--timeout {s}: expected a number of seconds"))?,
        ),
        None => None,
    };
    Ok(Budget::new(time, mebibytes.map(|m| m.saturating_mul(1 << 20))))
}

fn outcome(verdict: Verdict) -> Outcome {
    match verdict {
        Verdict::Safe => Outcome::Yes,
        Verdict::Unsafe => Outcome::No,
        Verdict::Unknown => Outcome::Undecided,
    }
}

fn report(document: &Document, json: bool) -> anyhow::Result<Outcome> {
    if json {
        output::json(document)?;
    } else {
        outln!("{}", text::answer_text(document).trim_end());
    }
    Ok(outcome(document.verdict))
}

/// The experiment on Rockall, as `pidlab reproduce` knows it, and the seed of its random machines.
pub const ROCKALL: &str = "beacon-rockall";
pub const SEED: u64 = 2001;

fn run_reproduce(name: &str, args: &CoverArgs) -> anyhow::Result<Outcome> {
    if !matches!(name, "rockall" | ROCKALL) {
        bail!("--reproduce {name}: expected rockall");
    }
    let report = reproduce(&args.scale, args.seed)?;
    if args.json {
        output::json(&report)?;
    } else {
        outln!("{}", text::reproduction_text(&report).trim_end());
    }
    let refuted = report.claims.iter().any(|c| matches!(c.verdict.as_str(), "refuted" | "differs"));
    Ok(if refuted { Outcome::No } else { Outcome::Yes })
}

/// Measures Rockall at a scale given by name.
pub fn reproduce(scale: &str, seed: u64) -> anyhow::Result<Reproduction> {
    let scale = match scale {
        "smoke" => Scale::Smoke,
        "small" => Scale::Small,
        "paper" => Scale::Paper,
        other => bail!("--scale {other}: expected smoke, small or paper"),
    };
    Ok(reproduce_rockall(scale, seed)?)
}

/// The reproduction for people.
pub fn text(report: &Reproduction) -> String {
    text::reproduction_text(report)
}

/// Checks an earlier answer against its model: `pidlab verify MODEL --answer FILE`.
pub fn verify_answer(
    model: &Path,
    about: About,
    answer: &Path,
    json: bool,
) -> anyhow::Result<Outcome> {
    verify(&read_question(model, about)?.model, answer, json)
}

fn run_stress(args: &CoverArgs) -> anyhow::Result<Outcome> {
    let options = StressOptions {
        first: args.first,
        machines: args.machines,
        seed: args.seed,
        budget: budget(args.timeout, args.memory_limit)?,
    };
    let report = match stress(&options) {
        Ok(report) => report,
        Err(stop) => {
            note!("stopped: {stop}");
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

fn verify(model: &Model, answer: &Path, json: bool) -> anyhow::Result<Outcome> {
    let document: Document = serde_json::from_str(&read(answer)?)
        .with_context(|| format!("{} is not a {FORMAT} document", answer.display()))?;
    if document.format != FORMAT {
        bail!("{}: format `{}`, expected `{FORMAT}`", answer.display(), document.format);
    }
    let (outcome, violation) = match check::check_answer(model, &document) {
        Ok(true) => (Outcome::Yes, None),
        Ok(false) => (Outcome::Undecided, Some("the answer is \"unknown\"".to_string())),
        Err(rejection) => (Outcome::No, Some(rejection.to_string())),
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
