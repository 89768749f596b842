//! `refine`: partition refinement with individualisation on the whole structure, exact.
//!
//! The solver of this crate without the rounds of hashing before it: McKay's scheme with traces,
//! components and automorphism pruning (see [`solver`]). Labels of vectors still are hashes: a map that
//! keeps them and not the states, and a search that a collision may have misled, go to
//! [`exact`](crate::exact). Cost: O(m log n) where refinement decides.

use crate::backend::{
    Backend, DecidedBy, Decision, Exactness, GraphKind, Info, Problem, Undecided, Verdict, Witness,
};
use crate::budget::Budget;
use crate::canon::Confirmer;
use crate::exact;
use crate::hash::structure_of;
use crate::solver::{self, Isomorphism, graph::WeightedGraph};
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
        let sq = structure_of(q, relations, next_pids);
        let sr = structure_of(r, relations, next_pids);
        let (gq, gr) = (WeightedGraph::of_structure(&sq), WeightedGraph::of_structure(&sr));
        let built = Instant::now();
        let comparable = q.pid_count() == r.pid_count() && sq.ground() == sr.ground();
        if !comparable && budget.allows_short_cuts() {
            let decision = Decision::of(Verdict::NotEquivalent, begin, built);
            return decision.by(DecidedBy::PreCheck).sized(gq.len(), gq.arc_count());
        }
        let verdict = match solver::isomorphism(&gq, &gr, budget) {
            Err(exhausted) => exhausted.into(),
            // what an isomorphism of the graphs does not have to keep
            Ok(_) if !comparable => Verdict::NotEquivalent,
            Ok(Isomorphism::Found(mut image)) => {
                image.truncate(q.pid_count());
                match Confirmer::default().confirm(q, r, relations, &image, false) {
                    true => Verdict::Equivalent(Witness(image)),
                    // the graphs are isomorphic and the states are not by this map: labels collided
                    false => exact::decide(&problem, budget),
                }
            }
            Ok(Isomorphism::Unsure) => exact::decide(&problem, budget),
            // what the graphs differ in is an invariant of the states
            Ok(Isomorphism::None) => Verdict::NotEquivalent,
        };
        Decision::of(verdict, begin, built).sized(gq.len(), gq.arc_count())
    }
}
