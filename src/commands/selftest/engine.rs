//! The engine against Definition 1 by enumeration, on small random states under all 16 sets of relations.
//!
//! A pair is a random state and a transformed one, or another random one. For every set of relations the enumeration
//! says whether they are equivalent; every backend must say the same, a witness must pass the checker and the
//! enumeration, and the canonical forms must be equal iff the states are equivalent. The checker itself is shown
//! arbitrary bijections. Pair i is a stream of the seed of its own, so a failure names what makes it again.

use super::{Checked, Seen};
use crate::interrupt;
use anyhow::{Context, Result, bail, ensure};
use pidlab_backends::{
    Backend, Budget, GraphKind, Problem, Verdict, Witness, canonical_form, registry,
};
use pidlab_check::{enumeration, verify};
use pidlab_core::{Relations, State, json};
use pidlab_generators::transform::REGISTRY;
use pidlab_generators::{RandomParams, Rng, Transformation, apply, random_state};
use std::time::Instant;

const BACKENDS: [&str; 5] = ["canon", "refine", "nauty", "traces", "vf2"];
/// 720 orderings at most.
const MOST_ELEMENTS: usize = 6;
/// So many pairs are looked at however short the time.
const FEWEST_PAIRS: u64 = 4;

/// A subject of the test: what it did, and its first failure.
struct Subject {
    decisions: u64,
    equivalent: u64,
    failure: Option<anyhow::Error>,
}

impl Subject {
    const NEW: Subject = Subject { decisions: 0, equivalent: 0, failure: None };

    /// Counts an answer; after a failure there is nothing more to learn.
    fn test(&mut self, answer: impl FnOnce() -> Result<bool>) {
        if self.failure.is_some() {
            return;
        }
        match answer() {
            Ok(equivalent) => {
                self.decisions += 1;
                self.equivalent += u64::from(equivalent);
            }
            Err(error) => self.failure = Some(error),
        }
    }

    fn checked(self, of_which: &str) -> Checked {
        match self.failure {
            Some(error) => Err(error),
            None if self.decisions == 0 => Ok(Seen::Skipped(super::INTERRUPTED.into())),
            None => {
                Ok(Seen::Ok(format!("{} times, {} {of_which}", self.decisions, self.equivalent)))
            }
        }
    }
}

pub struct Engine {
    seed: u64,
    backends: Vec<(Box<dyn Backend>, Subject)>,
    unavailable: Vec<(&'static str, String)>,
    forms: Subject,
    checker: Subject,
}

/// A pair under one set of relations, and the truth about it.
struct Case<'c> {
    q: &'c State,
    r: &'c State,
    relations: Relations,
    equivalent: bool,
}

impl Engine {
    pub fn new(seed: u64) -> Engine {
        let (mut backends, mut unavailable) = (Vec::new(), Vec::new());
        for name in BACKENDS {
            match registry::find(name) {
                Ok(backend) => backends.push((backend, Subject::NEW)),
                Err(error) => unavailable.push((name, error.to_string())),
            }
        }
        Engine { seed, backends, unavailable, forms: Subject::NEW, checker: Subject::NEW }
    }

    /// Looks at pairs until the time is over; an error is one of the generators.
    pub fn examine(&mut self, deadline: Instant) -> Result<()> {
        for number in 0.. {
            let over = number >= FEWEST_PAIRS && Instant::now() >= deadline;
            if over || interrupt::pressed() {
                break;
            }
            let mut rng = Rng::new(self.seed, number);
            let (q, r) = pair(&mut rng)?;
            for relations in Relations::subsets() {
                let class = |state| enumeration::class(state, relations);
                let equivalent = class(&q) == class(&r);
                self.hold_against(&Case { q: &q, r: &r, relations, equivalent }, &mut rng, number);
            }
        }
        Ok(())
    }

    fn hold_against(&mut self, case: &Case, rng: &mut Rng, number: u64) {
        let where_ = || {
            let [q, r] = [case.q, case.r].map(json::state_to_string);
            format!("pair {number} under {}: {q} and {r}", case.relations)
        };
        for (backend, subject) in &mut self.backends {
            subject.test(|| decide(backend.as_ref(), case).with_context(where_));
        }
        self.forms.test(|| compare_forms(case).with_context(where_));
        if case.q.pid_count() == case.r.pid_count() {
            let image: Vec<u32> =
                rng.permutation(case.q.pid_count()).into_iter().map(|to| to as u32).collect();
            self.checker.test(|| check_the_checker(case, &image).with_context(where_));
        }
    }

    /// What came of it, a line each.
    pub fn checks(self, examined: Result<()>) -> Vec<(String, Checked)> {
        let title = |name: &str| format!("{name} agrees with the enumeration of all bijections");
        let mut checks = Vec::new();
        if let Err(error) = examined {
            checks.push(("random states for the engine".to_string(), Err(error)));
        }
        for (backend, subject) in self.backends {
            checks.push((
                title(&backend.info().name),
                subject.checked("of them equivalent, with a witness"),
            ));
        }
        for (name, reason) in self.unavailable {
            checks.push((title(name), Ok(Seen::Skipped(reason))));
        }
        let forms = self.forms.checked("of them equal");
        checks.push(("canonical forms are equal iff the states are equivalent".to_string(), forms));
        checks.push((title("the checker of witnesses"), self.checker.checked("of them accepted")));
        checks
    }
}

/// A small state, and one that is similar to it or not.
fn pair(rng: &mut Rng) -> Result<(State, State)> {
    let q = small_state(rng)?;
    let choice = rng.index(REGISTRY.len() + 1);
    let similar = REGISTRY.get(choice).and_then(|entry| {
        let step = Transformation { kind: entry.kind, strength: 0.5 };
        apply(&[step], &q, rng).ok().map(|generated| generated.state)
    });
    match similar.filter(is_small) {
        Some(r) => Ok((q, r)),
        None => Ok((q, small_state(rng)?)),
    }
}

fn is_small(state: &State) -> bool {
    enumeration::elements(state) <= MOST_ELEMENTS
}

fn small_state(rng: &mut Rng) -> Result<State> {
    for _ in 0..1000 {
        let pids = 1 + rng.index(4);
        let params = RandomParams {
            pids,
            locations: 2,
            vectors: Some(pids + rng.index(3)),
            width: [1, 2],
            pid_share: 0.8,
            distinct_data: 2,
            roots: 1 + rng.index(2),
            depth: 3,
            fan_out: 3,
            inactive_share: 0.4,
            gap_share: 0.2,
            vanished_share: 0.2,
        };
        let state = random_state(&params, rng)?;
        if is_small(&state) {
            return Ok(state);
        }
    }
    bail!("no small state in 1000 draws")
}

fn decide(backend: &dyn Backend, case: &Case) -> Result<bool> {
    let &Case { q, r, relations, equivalent } = case;
    let problem = Problem { q, r, relations, graph: GraphKind::Corrected };
    match backend.decide(problem, &Budget::unlimited()).verdict {
        Verdict::Equivalent(Witness(image)) => {
            ensure!(equivalent, "it says equivalent, but no bijection is");
            verify(q, r, relations, &image).context("the checker rejects the witness")?;
            let valid = enumeration::is_witness(q, r, relations, &image);
            ensure!(valid, "the checker accepts a witness that is none");
            Ok(true)
        }
        Verdict::NotEquivalent => {
            ensure!(!equivalent, "it says not equivalent, but a bijection is");
            Ok(false)
        }
        Verdict::Undecided(why) => bail!("it does not decide: {why:?}"),
    }
}

fn compare_forms(case: &Case) -> Result<bool> {
    let form = |state| canonical_form(state, case.relations, &Budget::unlimited());
    let (q, r) = (form(case.q)?, form(case.r)?);
    let text = json::state_to_string;
    let equal = text(&q.state) == text(&r.state);
    ensure!(equal == case.equivalent, "forms are equal: {equal}, equivalent: {}", case.equivalent);
    ensure!((q.hash == r.hash) == equal, "the hashes do not say the same as the forms");
    for (state, form) in [(case.q, &q), (case.r, &r)] {
        verify(state, &form.state, case.relations, &form.image)
            .context("the form is not equivalent to its state")?;
    }
    Ok(equal)
}

/// Any bijection, right or wrong, is judged alike by the checker and by the enumeration.
fn check_the_checker(case: &Case, image: &[u32]) -> Result<bool> {
    let accepted = verify(case.q, case.r, case.relations, image).is_ok();
    let valid = enumeration::is_witness(case.q, case.r, case.relations, image);
    ensure!(accepted == valid, "it accepts {image:?}: {accepted}, the enumeration: {valid}");
    Ok(accepted)
}
