//! What the exact backends say of a pair that they contradict each other on, and the pair made smaller.
//!
//! Which contradiction it is may change while the pair shrinks: two exact backends differ, or the checker
//! rejects a witness. Any is a bug.

use crate::kinds::pairs::backend_pool;
use crate::kinds::pairs::decide::witness_violation;
use pidlab_backends::{Backend, Budget, Exactness, GraphKind, Problem, Verdict};
use pidlab_core::{Relations, State};
use pidlab_differential::shrink_pair;
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(20);
const PER_DECISION: Duration = Duration::from_secs(1);

/// Backends that are asked again.
pub struct Witnesses {
    backends: Vec<(String, Box<dyn Backend>)>,
    relations: Relations,
    graph: GraphKind,
}

/// What each backend says of a pair, and what is wrong with it.
pub type Testimony = Vec<(String, String)>;

impl Witnesses {
    /// The exact backends of the experiment, and one of our own to hold a single one against.
    pub fn new(
        names: &[String],
        relations: Relations,
        graph: GraphKind,
    ) -> anyhow::Result<Witnesses> {
        let mut backends = Vec::new();
        for name in names.iter().map(String::as_str).chain(["canon", "vf2"]) {
            let known = backends.iter().any(|(known, _): &(String, _)| known == name);
            let Ok(backend) = backend_pool::open_one(name) else { continue };
            if !known && backend.info().exactness == Exactness::Exact {
                backends.push((name.to_string(), backend));
            }
        }
        Ok(Witnesses { backends, relations, graph })
    }

    fn problem<'s>(&self, q: &'s State, r: &'s State) -> Problem<'s> {
        Problem { q, r, relations: self.relations, graph: self.graph }
    }

    /// What the backends say of a pair, if they contradict each other or the checker.
    pub fn contradiction(&self, q: &State, r: &State) -> Option<Testimony> {
        let problem = self.problem(q, r);
        let mut said = Vec::new();
        let mut rejected = false;
        for (name, backend) in &self.backends {
            let budget = Budget::new(Some(PER_DECISION), Some(1 << 30));
            let verdict = backend.decide(problem, &budget).verdict;
            let violation = witness_violation(problem, &verdict);
            let text = match (&verdict, &violation) {
                (Verdict::Equivalent(_), Some(why)) => format!("equivalent, but {why}"),
                (Verdict::Equivalent(_), None) => "equivalent".to_string(),
                (Verdict::NotEquivalent, _) => "not equivalent".to_string(),
                (Verdict::Undecided(_), _) => "undecided".to_string(),
            };
            rejected |= violation.is_some();
            said.push((name.clone(), text));
        }
        let says = |text: &str| said.iter().any(|(_, t)| t == text);
        (rejected || says("equivalent") && says("not equivalent")).then_some(said)
    }

    /// The smallest contradicting pair found; `None` if the pair does not contradict.
    pub fn shrink(&self, q: &State, r: &State) -> Option<(State, State)> {
        let until = Instant::now() + LONGEST;
        let image = self.backends.iter().find_map(|(_, backend)| {
            let budget = Budget::new(Some(PER_DECISION), None);
            let verdict = backend.decide(self.problem(q, r), &budget).verdict;
            let valid = witness_violation(self.problem(q, r), &verdict).is_none();
            match verdict {
                Verdict::Equivalent(witness) if valid => Some(witness.0),
                _ => None,
            }
        });
        shrink_pair(q, r, image, &mut |q, r| {
            Instant::now() < until && self.contradiction(q, r).is_some()
        })
    }
}
