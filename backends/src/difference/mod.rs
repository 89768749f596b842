//! Why two states are not equivalent, for a person.
//!
//! Invariants are compared from the plainest to the finest: numbers of pids and vectors, vector shapes,
//! where each pid occurs, its family, then rounds of colour refinement; the first that differs is the
//! reason. Where refinement sees no difference, the canonical forms show one. Also says which
//! relations make the difference: those without which the states would be equivalent. Cost: near-linear
//! up to refinement, then that of the backends.

mod census;
mod pids;
mod vectors;

use crate::backend::{Backend, Problem, Verdict};
use crate::budget::{Budget, Exhausted};
use crate::canon::canonical_form;
use pidlab_core::{State, text};
use serde::Serialize;

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonKind {
    /// Numbers of pids in σ.
    PidCount,
    /// Numbers of active pids.
    ActivePids,
    /// Numbers of pids and next-pids together: some next-pids are pids.
    NextPids,
    /// Numbers of vectors in a location.
    Location,
    /// Numbers of vectors of one shape: location, data, and which components are equal pids.
    VectorShape,
    /// Numbers of pids with the same places in vectors.
    PidOccurrences,
    /// Numbers of pids with the same relatives.
    PidFamily,
    /// Numbers of pids of one colour after rounds of colour refinement.
    Refinement,
    /// A vector that only one of the canonical forms has.
    CanonicalForm,
    /// No invariant shows it; the search found no bijection.
    NoBijection,
    /// A limit was reached before anything that differs was found.
    Limit,
}

/// The first difference found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Which invariant differs.
    pub kind: ReasonKind,
    /// One sentence that says it all.
    pub text: String,
    /// The location concerned, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// A vector with its pids blanked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
    /// An example, with the state it is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<Example>,
    /// How many there are in the first and second state, where something is counted.
    pub q: Option<u64>,
    /// Likewise in the second state.
    pub r: Option<u64>,
    /// Relations of Ω* without any one of which the states would be equivalent.
    pub equivalent_without: Vec<&'static str>,
}

/// A pid of one of the states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// `q` or `r`.
    pub state: &'static str,
    /// The pid, shortened where it is long.
    pub pid: String,
}

impl Reason {
    fn new(kind: ReasonKind, text: String) -> Reason {
        Reason {
            kind,
            text,
            location: None,
            shape: None,
            pid: None,
            q: None,
            r: None,
            equivalent_without: Vec::new(),
        }
    }

    fn counted(kind: ReasonKind, text: String, q: u64, r: u64) -> Reason {
        Reason { q: Some(q), r: Some(r), ..Reason::new(kind, text) }
    }
}

/// Explains why the states of a problem, which are not equivalent, are not. `backend` decides what
/// dropping a relation would change.
pub fn explain(problem: Problem<'_>, backend: &dyn Backend, budget: &Budget) -> Reason {
    let mut reason = match first_difference(problem, budget) {
        Ok(Some(reason)) => reason,
        Ok(None) => {
            let text = "no simple invariant differs, but no bijection of the pids maps one state to the other";
            Reason::new(ReasonKind::NoBijection, text.to_string())
        }
        Err(limit) => {
            let text = format!("what differs was not found: {}", budget.describe(limit));
            return Reason::new(ReasonKind::Limit, text);
        }
    };
    reason.equivalent_without = droppable(problem, backend, budget);
    reason
}

/// The first invariant that differs.
fn first_difference(problem: Problem<'_>, budget: &Budget) -> Result<Option<Reason>, Exhausted> {
    let Problem { q, r, .. } = problem;
    let looks: [&dyn Fn() -> Option<Reason>; 7] = [
        &|| vectors::count_pids(q, r),
        &|| vectors::compare_locations(q, r),
        &|| vectors::compare_shapes(q, r),
        &|| pids::compare_occurrences(q, r),
        &|| pids::compare_families(problem),
        &|| pids::compare_refined(problem, budget),
        &|| compare_forms(problem, budget),
    ];
    for look in looks {
        budget.poll()?;
        if let Some(reason) = look() {
            return Ok(Some(reason));
        }
    }
    // the last two see nothing where a limit ended them
    budget.poll().map(|()| None)
}

/// The relations of Ω* without which the states are equivalent, one at a time.
fn droppable(problem: Problem<'_>, backend: &dyn Backend, budget: &Budget) -> Vec<&'static str> {
    let equivalent = |relation| {
        let weaker = Problem { relations: problem.relations.without(relation), ..problem };
        matches!(backend.decide(weaker, budget).verdict, Verdict::Equivalent(_))
    };
    problem.relations.iter().filter(|&r| equivalent(r)).map(|r| r.name()).collect()
}

/// The first line in which the canonical forms differ.
fn compare_forms(problem: Problem<'_>, budget: &Budget) -> Option<Reason> {
    let form = |state| canonical_form(state, problem.relations, budget).ok();
    first_difference_of_forms(&form(problem.q)?.state, &form(problem.r)?.state)
}

/// Two canonical forms line by line in the papers' notation.
pub fn first_difference_of_forms(q: &State, r: &State) -> Option<Reason> {
    let (mine, theirs) = (text::state_to_string(q), text::state_to_string(r));
    let (mut mine, mut theirs) = (mine.lines(), theirs.lines());
    let mut number = 0;
    loop {
        number += 1;
        let (a, b) = match (mine.next(), theirs.next()) {
            (None, None) => return None,
            (a, b) if a == b => continue,
            (a, b) => (a.unwrap_or("nothing"), b.unwrap_or("nothing")),
        };
        let text = format!(
            "the canonical forms differ first in line {number}: `{}` in the first state, `{}` in the second",
            around_difference(a, b),
            around_difference(b, a)
        );
        return Some(Reason::new(ReasonKind::CanonicalForm, text));
    }
}

/// The part of a long line where it differs from another.
fn around_difference(line: &str, other: &str) -> String {
    const BEFORE: usize = 30;
    const AFTER: usize = 50;
    let same = line.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let start = same.saturating_sub(BEFORE);
    let part: String = line.chars().skip(start).take(BEFORE + AFTER).collect();
    let lead = if start > 0 { "…" } else { "" };
    let tail = if line.chars().count() > start + BEFORE + AFTER { "…" } else { "" };
    format!("{lead}{part}{tail}")
}
