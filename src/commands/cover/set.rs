//! `pidlab cover --set`: everything that can be covered, as a minimal set of configurations.

use super::{About, Args, Verified};
use crate::outcome::Outcome;
use crate::output::{Document, Done, Open, Rows};
use pidlab_cover::check::Rejection;
use pidlab_cover::{Budget, Counter, SET_FORMAT, SetDocument, SolveError};
use pidlab_harness::question::{limit_reached, read_set, read_without_target};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

pub fn run(file: &Path, about: About, args: &Args) -> anyhow::Result<Done> {
    let budget = args.run.limits.budget();
    match &args.verify {
        Some(answer) => verify(file, about, answer, &budget),
        None => compute(file, about, &args.algorithm, &budget),
    }
}

fn compute(file: &Path, about: About, algorithm: &str, budget: &Budget) -> anyhow::Result<Done> {
    let question = match read_without_target(file, about, budget) {
        Ok(question) => question,
        Err(error) => {
            let reason = limit_reached(&error, budget).ok_or(error)?;
            return Ok(CoverSet(SetDocument::unknown(algorithm, reason)).into());
        }
    };
    match question.coverability_set(algorithm, budget) {
        Ok(document) => Ok(CoverSet(document).into()),
        Err(error @ SolveError::Rejected { .. }) => {
            let known = json!({
                "format": SET_FORMAT, "complete": false, "algorithm": algorithm,
                "configurations": [], "derived_at": [], "derivation": [], "explored": 0,
            });
            Ok(Open::new(Outcome::Disagreement, error.to_string(), known).into())
        }
        Err(error) => Err(error.into()),
    }
}

fn verify(file: &Path, about: About, answer: &Path, budget: &Budget) -> anyhow::Result<Done> {
    let question = read_without_target(file, about, budget)?;
    let document = read_set(answer, budget)?;
    let (outcome, violation) = match question.check_set(&document, budget) {
        Ok(true) => (Outcome::Yes, None),
        Ok(false) => (Outcome::Undecided, Some("the document has no set".to_string())),
        Err(Rejection::Stopped(stop)) => {
            (Outcome::Undecided, Some(format!("checking the set: {}", budget.describe(stop))))
        }
        Err(rejection) => (Outcome::No, Some(rejection.to_string())),
    };
    let sentence = violation.clone().unwrap_or_else(|| "valid".into());
    Ok(Verified::new(outcome, violation, sentence).into())
}

#[derive(Serialize)]
struct CoverSet(SetDocument);

impl Document for CoverSet {
    fn outcome(&self) -> Outcome {
        if self.0.complete { Outcome::Yes } else { Outcome::Undecided }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let SetDocument { algorithm, seconds, explored, configurations, .. } = &self.0;
        if let Some(reason) = &self.0.reason {
            return writeln!(out, "no set by {algorithm}: {reason}");
        }
        let count = configurations.len();
        write!(out, "{count} maximal configurations, computed by {algorithm} in {seconds:.3} s, ")?;
        writeln!(out, "{explored} explored; checked:")?;
        configurations.iter().try_for_each(|config| writeln!(out, "{}", sum(config)))
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        let row = |(number, config): (usize, &BTreeMap<String, Counter>)| json!({"configuration": number, "text": sum(config), "counters": config});
        let rows = self.0.configurations.iter().enumerate().map(row);
        Rows::of("configuration text counters", rows)
    }
}

/// A configuration as a sum, `s0 + 2 l1 + ω l2`.
fn sum(config: &BTreeMap<String, Counter>) -> String {
    let term = |(place, count): (&String, &Counter)| match count {
        Counter::Number(1) => place.clone(),
        Counter::Number(n) => format!("{n} {place}"),
        Counter::Omega(omega) => format!("{omega} {place}"),
    };
    let terms: Vec<String> = config.iter().map(term).collect();
    if terms.is_empty() { "0".into() } else { terms.join(" + ") }
}
