//! `pidlab lint`: what is wrong or odd about a net before it is explored.

use super::explore::{budget, net, stop_text};
use crate::arguments::LimitArgs;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, names, painted};
use pidlab_core::Relations;
use pidlab_explore::net::{LintReport, LintSettings, LintTest, lint};
use pidlab_explore::search::Limits;
use serde::Serialize;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;

/// Check a net: its class, Assumptions 1 to 3 of SACS'10 on random equivalent markings, and control safeness
///
/// Exit code 1: an assumption fails. 2: the text breaks a rule of the language or of its class. 3: a limit
/// was reached before everything was tested.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab lint models/server.tnet
  pidlab lint models/nkm.tnet --set k=2 --json")]
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
}

const FORMAT: &str = "pidlab-lint/1";

#[derive(Serialize)]
struct Linted {
    format: &'static str,
    model: String,
    seed: u64,
    relations: Vec<&'static str>,
    holds: bool,
    report: LintReport,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let limits = budget::limits(&args.limits, None);
    budget::or_undecided(lint_within(&args, limits), json!({ "format": FORMAT }))
}

fn lint_within(args: &Args, limits: Limits) -> anyhow::Result<Done> {
    let net = net::load(&args.model, &args.settings, &[], &limits)?;
    let relations: Relations = match args.relations.as_str() {
        "auto" => net.used_relations(),
        list => list.parse()?,
    };
    let (max_states, pairs, seed) = (args.max_states, args.pairs, args.seed);
    let budget = limits.budget;
    let report = lint(&net, &LintSettings { relations, max_states, pairs, seed, budget })?;
    let linted = Linted {
        format: FORMAT,
        model: args.model.display().to_string(),
        seed,
        relations: names(relations),
        holds: report.holds(),
        report,
    };
    Ok(linted.into())
}

impl Document for Linted {
    fn outcome(&self) -> Outcome {
        match (self.holds, self.report.stopped) {
            (false, _) => Outcome::No,
            (true, Some(_)) => Outcome::Undecided,
            (true, None) => Outcome::Yes,
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let report = &self.report;
        let relations = if self.relations.is_empty() { &["none"][..] } else { &self.relations };
        writeln!(out, "relations     {}", relations.join(","))?;
        writeln!(out, "explored      {} classes, seed {}", report.classes, self.seed)?;
        for (number, tested, what) in [
            (1, &report.assumption1, "steps"),
            (2, &report.assumption2, "markings"),
            (3, &report.assumption3, "pairs of equivalent markings"),
        ] {
            match &tested.failure {
                None => {
                    let holds = painted(Outcome::Yes, "holds");
                    writeln!(out, "assumption {number}  {holds} on {} {what}", tested.tests)?;
                }
                Some(failure) => {
                    let fails = painted(Outcome::No, "fails");
                    writeln!(out, "assumption {number}  {fails}: {failure}")?;
                }
            }
        }
        match &report.control_safe {
            Some(LintTest { tests, failure: None }) => {
                writeln!(out, "control safe  on {tests} markings (ICTAC'08, Theorem 1.1)")?;
            }
            Some(LintTest { failure: Some(failure), .. }) => {
                writeln!(out, "control safe  fails: {failure}")?;
            }
            None => {}
        }
        if let Some(reason) = report.stopped {
            writeln!(out, "stopped       {}", stop_text(reason))?;
        }
        report.hints.iter().try_for_each(|hint| writeln!(out, "hint          {hint}"))
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("model holds *", [self])
    }
}
