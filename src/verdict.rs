//! Verdicts for people and for programs.

use crate::outcome::Outcome;
use pidlab_backends::Verdict;
use pidlab_backends::backend::Undecided;

/// The exit code of a verdict.
pub fn outcome(verdict: &Verdict) -> Outcome {
    match verdict {
        Verdict::Equivalent(_) => Outcome::Yes,
        Verdict::NotEquivalent => Outcome::No,
        Verdict::Undecided(_) => Outcome::Undecided,
    }
}

/// `true`, `false` or, where undecided, `null`.
pub fn equivalent(verdict: &Verdict) -> Option<bool> {
    match verdict {
        Verdict::Equivalent(_) => Some(true),
        Verdict::NotEquivalent => Some(false),
        Verdict::Undecided(_) => None,
    }
}

/// Why a question stayed open, if it did.
pub fn why_undecided(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Undecided(Undecided::Exhausted(limit)) => Some(limit.to_string()),
        Verdict::Undecided(Undecided::NoDifferenceFound) => {
            Some("the backend is a heuristic and finds no difference; use an exact one".to_string())
        }
        Verdict::Undecided(Undecided::Failed(reason)) => Some(reason.clone()),
        _ => None,
    }
}
