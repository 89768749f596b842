//! `refine`: partition refinement with individualisation on the whole structure, exact.
//!
//! The solver of this crate without the rounds of hashing before it: McKay's scheme with traces,
//! components and automorphism pruning (see [`solver`]). Cost: O(m log n) where refinement decides.

use crate::backend::{
    Backend, Decision, Exactness, GraphKind, Info, Problem, Undecided, Verdict, Witness,
};
use crate::budget::{Budget, Exhausted};
use crate::canon::Confirmer;
use crate::solver::{self, graph::Graph};
use pidlab_core::Structure;
use pidlab_core::forest::PidId;
use pidlab_core::structure::NextPids;
use std::time::Instant;

/// The backend.
pub struct Refine;

impl Backend for Refine {
    fn info(&self) -> Info {
        Info {
            name: "refine".into(),
            exactness: Exactness::Exact,
            source:
                "pidlab: partition refinement with individualisation (McKay 1981, Piperno 2008)"
                    .into(),
            unavailable: None,
        }
    }

    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision {
        let begin = Instant::now();
        if problem.graph == GraphKind::Published {
            let why = "refine works on the corrected structure only; use vf2 or nauty for the published graph";
            return Decision::of(Verdict::Undecided(Undecided::Failed(why.into())), begin, begin);
        }
        let Problem { q, r, relations, .. } = problem;
        let next_pids = NextPids::for_states(&[q, r]);
        let sq = Structure::of_state(q, relations, next_pids);
        let sr = Structure::of_state(r, relations, next_pids);
        let (gq, gr) = (Graph::of_structure(&sq), Graph::of_structure(&sr));
        let built = Instant::now();
        let comparable = q.pid_count() == r.pid_count()
            && gq.len() == gr.len()
            && gq.arc_count() == gr.arc_count()
            && sq.ground() == sr.ground();
        let verdict = match comparable.then(|| image(&gq, &gr, q.pid_count(), budget)) {
            Some(Err(exhausted)) => exhausted.into(),
            Some(Ok(image)) if Confirmer::default().confirm(q, r, relations, &image) => {
                Verdict::Equivalent(Witness(image))
            }
            _ => Verdict::NotEquivalent,
        };
        let mut decision = Decision::of(verdict, begin, built);
        decision.vertices = gq.len();
        decision.arcs = gq.arc_count();
        decision
    }
}

/// The map between the canonical orders of two graphs, on the first `pids` vertices.
fn image(q: &Graph, r: &Graph, pids: usize, budget: &Budget) -> Result<Vec<PidId>, Exhausted> {
    let from = solver::canonical_order(q, budget)?;
    let to = solver::canonical_order(r, budget)?;
    let mut image = vec![PidId::MAX; pids];
    for (&x, &y) in from.iter().zip(&to) {
        if let Some(slot) = image.get_mut(x as usize) {
            *slot = y;
        }
    }
    Ok(image)
}
