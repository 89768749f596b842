//! Two states under a set of relations: exact backends, guarantees, canonical forms, the checker of witnesses
//! and, where the states are small, the enumeration of all bijections.

mod shrink;

pub use shrink::shrink_pair;

use crate::{Agreement, Contradiction, File, Subject};
use pidlab_backends::{
    Backend, CanonicalForm, GraphKind, Problem, Verdict, canonical_form, registry,
};
use pidlab_budget::Budget;
use pidlab_check::{enumeration, verify};
use pidlab_core::{Relations, State, json};
use pidlab_generators::transform::REGISTRY;
use pidlab_generators::{Expected, RandomParams, Rng, Transformation, apply, random_state};
use std::time::Duration;

/// Exact backends in process; those that are not compiled in are left out.
const BACKENDS: [&str; 8] =
    ["canon", "refine", "nauty", "traces", "nauty-faithful", "traces-faithful", "vf2", "petgraph"];
/// Backends that search without refining may take for ever; then their answer is not waited for.
const IMPATIENT: [&str; 2] = ["vf2", "petgraph"];
const PATIENCE: Duration = Duration::from_millis(2);
/// 720 orderings at most.
const MOST_ELEMENTS: usize = 6;

/// Pairs of states, and the exact backends that are part of the program.
pub struct Pairs {
    backends: Vec<(&'static str, Box<dyn Backend>)>,
}

/// A pair, its relations and what is known of it.
#[derive(Clone, Debug)]
pub struct StatePair {
    /// The first state.
    pub q: State,
    /// The second state.
    pub r: State,
    /// Ω*.
    pub relations: Relations,
    /// By construction; forgotten when the pair is made smaller.
    expected: Expected,
}

impl Default for Pairs {
    fn default() -> Pairs {
        let found = |name| registry::find(name).ok().map(|backend| (name, backend));
        Pairs { backends: BACKENDS.into_iter().filter_map(found).collect() }
    }
}

/// Parameters of a random state: from one pid to thirty, half of them at most four, dense and sparse, with gaps and
/// vanished pids.
pub fn random_params(rng: &mut Rng) -> RandomParams {
    let most = if rng.chance(0.5) { 4 } else { 30 };
    RandomParams {
        pids: 1 + rng.index(most),
        locations: 1 + rng.index(3),
        width: [rng.index(2), 1 + rng.index(4)],
        pid_share: 0.5 + rng.index(6) as f64 / 10.0,
        distinct_data: 1 + rng.index(4),
        roots: 1 + rng.index(4),
        depth: 1 + rng.index(5),
        fan_out: 1 + rng.index(4),
        inactive_share: rng.index(4) as f64 / 10.0,
        gap_share: rng.index(6) as f64 / 10.0,
        vanished_share: rng.index(6) as f64 / 10.0,
        ..RandomParams::default()
    }
}

fn random_pair(rng: &mut Rng) -> Option<StatePair> {
    let q = random_state(&random_params(rng), rng).ok()?;
    let relations = Relations::subsets().nth(rng.index(16))?;
    let steps: Vec<Transformation> = (0..1 + rng.index(2))
        .map(|_| {
            let kind = REGISTRY[rng.index(REGISTRY.len())].kind;
            Transformation { kind, strength: [0.1, 0.5, 1.0][rng.index(3)] }
        })
        .collect();
    let made = apply(&steps, &q, rng).ok()?;
    let expected = made.guarantee.expected(relations);
    Some(StatePair { q, r: made.state, relations, expected })
}

impl Subject for Pairs {
    type Case = StatePair;

    /// Some transformations do not apply to some states; then another pair is drawn.
    fn draw(&self, rng: &mut Rng) -> Option<StatePair> {
        (0..100).find_map(|_| random_pair(rng))
    }

    fn hold_against_each_other(&self, case: &StatePair, budget: &Budget) -> Agreement {
        let answers = self.answers(case, budget)?;
        let Some(&(first, equivalent)) = answers.first() else { return Ok(0) };
        if let Some((other, _)) = answers.iter().find(|&&(_, answer)| answer != equivalent) {
            let message = format!(
                "under {}: {first} says {}, {other} does not",
                case.relations,
                word(equivalent)
            );
            return Err(Contradiction::new("backends", message));
        }
        let known = match case.expected {
            Expected::Equivalent => Some(true),
            Expected::NotEquivalent => Some(false),
            Expected::Unknown => None,
        };
        if known.is_some_and(|known| known != equivalent) {
            let message =
                format!("{first} says {}, by construction that is wrong", word(equivalent));
            return Err(Contradiction::new("guarantee", message));
        }
        let forms = compare_forms(case, equivalent, budget)?;
        Ok(answers.len() as u64 + forms + enumerate(case, equivalent)?)
    }

    fn shrink(
        &self,
        case: &StatePair,
        still_wrong: &mut dyn FnMut(&StatePair) -> bool,
    ) -> StatePair {
        let relations = case.relations;
        let pair = |q: &State, r: &State| {
            let (q, r) = (q.clone(), r.clone());
            StatePair { q, r, relations, expected: Expected::Unknown }
        };
        let image = self.any_witness(case);
        match shrink_pair(&case.q, &case.r, image, &mut |q, r| still_wrong(&pair(q, r))) {
            Some((q, r)) => pair(&q, &r),
            None => case.clone(),
        }
    }

    fn files(&self, case: &StatePair) -> Vec<File> {
        let file =
            |name: &str, state| (name.to_string(), json::state_to_string(state).into_bytes());
        vec![file("q.json", &case.q), file("r.json", &case.r)]
    }
}

impl Pairs {
    /// Who says what, after every witness was checked.
    fn answers(
        &self,
        case: &StatePair,
        budget: &Budget,
    ) -> Result<Vec<(&'static str, bool)>, Contradiction> {
        let StatePair { q, r, relations, .. } = case;
        let problem = Problem { q, r, relations: *relations, graph: GraphKind::Corrected };
        let mut answers = Vec::new();
        for (name, backend) in &self.backends {
            let limit = match IMPATIENT.contains(name) {
                true => budget.slice(PATIENCE),
                false => budget.detached(),
            };
            match backend.decide(problem, &limit).verdict {
                Verdict::Equivalent(witness) => {
                    if let Err(violation) = verify(q, r, *relations, &witness.0) {
                        let message = format!("the checker rejects {name}'s witness: {violation}");
                        return Err(Contradiction::new("witness", message));
                    }
                    answers.push((*name, true));
                }
                Verdict::NotEquivalent => answers.push((*name, false)),
                Verdict::Undecided(_) => {}
            }
        }
        Ok(answers)
    }

    fn any_witness(&self, case: &StatePair) -> Option<Vec<u32>> {
        let StatePair { q, r, relations, .. } = case;
        let problem = Problem { q, r, relations: *relations, graph: GraphKind::Corrected };
        self.backends.iter().find_map(|(_, backend)| {
            let budget = Budget::new(Some(Duration::from_secs(1)), None);
            match backend.decide(problem, &budget).verdict {
                Verdict::Equivalent(witness) if verify(q, r, *relations, &witness.0).is_ok() => {
                    Some(witness.0)
                }
                _ => None,
            }
        })
    }
}

fn word(equivalent: bool) -> &'static str {
    if equivalent { "equivalent" } else { "not equivalent" }
}

/// Forms are equal iff the states are equivalent, and equivalent to their states.
fn compare_forms(case: &StatePair, equivalent: bool, budget: &Budget) -> Agreement {
    let wrong = |message: &str| Err(Contradiction::new("forms", message));
    let form = |state| canonical_form(state, case.relations, budget).ok();
    let (Some(q), Some(r)) = (form(&case.q), form(&case.r)) else { return Ok(0) };
    let text = |form: &CanonicalForm| json::state_to_string(&form.state);
    let equal = text(&q) == text(&r);
    if equal != equivalent {
        return wrong(&format!("forms are equal: {equal}, backends say {}", word(equivalent)));
    }
    if equal != (q.hash == r.hash) {
        return wrong("the hashes of the forms do not say the same as the forms");
    }
    for (state, form) in [(&case.q, &q), (&case.r, &r)] {
        if let Err(violation) = verify(state, &form.state, case.relations, &form.image) {
            return wrong(&format!("a form is not equivalent to its state: {violation}"));
        }
    }
    Ok(1)
}

/// Definition 1 itself.
fn enumerate(case: &StatePair, equivalent: bool) -> Agreement {
    let class = |state| enumeration::class(state, case.relations);
    if [&case.q, &case.r].into_iter().any(|state| enumeration::elements(state) > MOST_ELEMENTS) {
        return Ok(0);
    }
    match (class(&case.q) == class(&case.r)) == equivalent {
        true => Ok(1),
        false => {
            let message = format!("backends say {}, the enumeration says not so", word(equivalent));
            Err(Contradiction::new("enumeration", message))
        }
    }
}
