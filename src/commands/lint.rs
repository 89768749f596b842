//! `pidlab lint`: what is wrong or odd about a net before it is explored.

use super::explore_net::{load, stop_text};
use super::model_budget;
use crate::limits::LimitArgs;
use crate::outcome::Outcome;
use crate::output;
use pidlab_core::Relations;
use pidlab_explore::net::{LintReport, LintSettings, LintTest, lint};
use pidlab_explore::search::Limits;
use serde_json::json;
use std::path::PathBuf;

/// Check a net: its class, and Assumptions 1 to 3 of SACS'10 on random equivalent markings
///
/// Exit code 1: an assumption fails. 2: the text breaks a rule of the language or of its class. 3: a limit
/// was reached before everything was tested.
#[derive(clap::Args)]
pub struct Args {
    /// Model file (.tnet)
    model: PathBuf,
    /// Value of a constant of the model, such as k=2
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Ω*, or auto: the relations that the model compares with
    #[arg(long, value_name = "R", default_value = "auto")]
    relations: String,
    /// Classes to explore
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    max_states: usize,
    /// Pairs of equivalent markings to test
    #[arg(long, value_name = "N", default_value_t = 200)]
    pairs: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let limits = model_budget::limits(&args.limits, None);
    let nothing = args.json.then(|| json!({ "format": "pidlab-lint/1" }));
    model_budget::undecided_at_limit(lint_within(&args, limits), nothing)
}

fn lint_within(args: &Args, limits: Limits) -> anyhow::Result<Outcome> {
    let net = load(&args.model, &args.settings, &[], &limits)?;
    let relations: Relations = match args.relations.as_str() {
        "auto" => net.used_relations(),
        list => list.parse()?,
    };
    let (max_states, pairs, seed) = (args.max_states, args.pairs, args.seed);
    let report =
        lint(&net, &LintSettings { relations, max_states, pairs, seed, budget: limits.budget })?;
    if args.json {
        let names: Vec<&str> = relations.iter().map(|r| r.name()).collect();
        let document = json!({
            "format": "pidlab-lint/1", "model": args.model.display().to_string(), "seed": seed,
            "relations": names, "holds": report.holds(), "report": report,
        });
        output::json(&document)?;
    } else {
        print_text(relations, seed, &report);
    }
    Ok(match (report.holds(), report.stopped) {
        (false, _) => Outcome::No,
        (true, Some(_)) => Outcome::Undecided,
        (true, None) => Outcome::Yes,
    })
}

fn print_text(relations: Relations, seed: u64, report: &LintReport) {
    outln!("relations     {relations}");
    outln!("explored      {} classes, seed {seed}", report.classes);
    let line = |number, tested: &LintTest, what| match &tested.failure {
        None => outln!("assumption {number}  holds on {} {what}", tested.tests),
        Some(failure) => outln!("assumption {number}  fails: {failure}"),
    };
    line(1, &report.assumption1, "steps");
    line(2, &report.assumption2, "markings");
    line(3, &report.assumption3, "pairs of equivalent markings");
    if let Some(reason) = report.stopped {
        outln!("stopped       {}", stop_text(reason));
    }
    for hint in &report.hints {
        outln!("hint          {hint}");
    }
}
