//! A backend of one's own: tells states apart by how often each pid occurs, and admits it when it cannot.

use pidlab_backends::backend::Undecided;
use pidlab_backends::{Backend, Budget, Decision, Exactness, GraphKind, Info, Problem, Verdict};
use pidlab_core::state::ComponentKind;
use pidlab_core::{Relations, State};
use pidlab_generators::{RandomParams, Rng, Transformation, apply, random_state};
use std::time::Instant;

struct Occurrences;

/// For each pid: how often it occurs, and whether it is active; sorted.
fn occurrences(state: &State) -> Vec<(u32, bool)> {
    let mut counts: Vec<(u32, bool)> = state.pids().map(|pid| (0, state.is_active(pid))).collect();
    for vector in 0..state.vector_count() {
        for component in state.vector(vector) {
            if let ComponentKind::Pid(pid) = component.kind() {
                counts[pid as usize].0 += 1;
            }
        }
    }
    counts.sort_unstable();
    counts
}

impl Backend for Occurrences {
    fn info(&self) -> Info {
        Info {
            name: "occurrences".into(),
            exactness: Exactness::Heuristic,
            source: "counts occurrences of pids".into(),
            unavailable: None,
        }
    }

    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision {
        let start = Instant::now();
        let (q, r) = (occurrences(problem.q), occurrences(problem.r));
        let built = Instant::now();
        let verdict = match budget.poll() {
            Err(exhausted) => exhausted.into(),
            Ok(()) if q != r => Verdict::NotEquivalent,
            Ok(()) => Verdict::Undecided(Undecided::NoDifferenceFound),
        };
        Decision::of(verdict, start, built).sized(q.len(), 0)
    }
}

pub fn main() {
    let mut rng = Rng::new(2010, 0);
    let q = random_state(&RandomParams::default(), &mut rng).expect("the defaults are in range");
    let relations = Relations::default();
    for kind in ["rename", "replace-pids:0.5"] {
        let step: Transformation = kind.parse().expect("a known transformation");
        let r = apply(&[step], &q, &mut rng).expect("there is such a state").state;
        let problem = Problem { q: &q, r: &r, relations, graph: GraphKind::Corrected };
        let decision = Occurrences.decide(problem, &Budget::unlimited());
        println!("{kind}: {:?}", decision.verdict);
    }
}
