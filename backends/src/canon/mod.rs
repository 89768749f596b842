//! `canon`: the exact canonical form specialised to states; the default backend.
//!
//! Both states become compact structures; colours are hashed in rounds on both sides at once and the
//! first difference of the two summaries ends the comparison. Where all colours differ the bijection
//! is read off; otherwise the solver maps what is left of one side to the other. The bijection is confirmed on
//! the states, so no answer rests on a hash. Large states have a thread for each side. Cost: O(size),
//! but for what the solver gets.

mod buckets;
mod canoniser;
mod confirm;
mod form;
mod join;
mod packed;
mod rounds;
mod sides;
mod table;

pub use canoniser::Canoniser;
pub use confirm::Confirmer;
pub use form::{CanonicalForm, FormError, canonical_form};

use crate::backend::{
    Backend, Decision, Exactness, GraphKind, Info, Problem, Undecided, Verdict, Witness,
};
use crate::budget::{Budget, Exhausted};
use canoniser::{Progress, Rest};
use pidlab_core::Structure;
use pidlab_core::structure::NextPids;
use rounds::Rounds;
use sides::{LARGE, both};
use std::cell::RefCell;
use std::time::Instant;
use table::Matching;

/// The backend.
pub struct Canon;

/// Memory of one comparison, reused by the next one on the same thread.
#[derive(Default)]
struct Scratch {
    q: Structure,
    r: Structure,
    canoniser: Canoniser,
    rounds_of_r: Rounds,
    matching: Matching,
    rests: [Rest; 2],
    confirmer: Confirmer,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Backend for Canon {
    fn info(&self) -> Info {
        Info {
            name: "canon".into(),
            exactness: Exactness::Exact,
            source:
                "pidlab: colour hashing on the incidence structure, canonical order of the rest"
                    .into(),
            unavailable: None,
        }
    }

    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision {
        SCRATCH.with_borrow_mut(|scratch| scratch.decide(problem, budget))
    }
}

impl Scratch {
    fn decide(&mut self, problem: Problem<'_>, budget: &Budget) -> Decision {
        let begin = Instant::now();
        if problem.graph == GraphKind::Published {
            let why = "canon works on the corrected structure only; use vf2, refine or nauty for the published graph";
            return Decision::of(Verdict::Undecided(Undecided::Failed(why.into())), begin, begin);
        }
        let Problem { q, r, .. } = problem;
        if q.pid_count() != r.pid_count() || q.vector_count() != r.vector_count() {
            return Decision::of(Verdict::NotEquivalent, begin, begin);
        }
        let next_pids = NextPids::for_states(&[q, r]);
        let parallel = budget.allows_threads() && q.pid_count() + q.vector_count() >= LARGE;
        let (of_q, of_r) = (&mut self.q, &mut self.r);
        both(
            parallel,
            || of_q.fill(q, problem.relations, next_pids),
            || of_r.fill(r, problem.relations, next_pids),
        );
        let built = Instant::now();
        let verdict = match self.find_image(parallel, budget) {
            Err(exhausted) => exhausted.into(),
            Ok(true) if self.confirm(&problem, parallel) => {
                Verdict::Equivalent(Witness(self.matching.image.clone()))
            }
            Ok(_) => Verdict::NotEquivalent,
        };
        let mut decision = Decision::of(verdict, begin, built);
        decision.vertices = self.q.len() + self.q.tuple_count();
        decision.arcs = self.q.member_count();
        decision
    }

    fn confirm(&mut self, problem: &Problem<'_>, parallel: bool) -> bool {
        let image = &mut self.matching.image;
        image.truncate(problem.q.pid_count());
        self.confirmer.confirm(problem.q, problem.r, problem.relations, image, parallel)
    }

    /// The only bijection that can be an equivalence, up to automorphisms; false if there is none.
    fn find_image(&mut self, parallel: bool, budget: &Budget) -> Result<bool, Exhausted> {
        if self.q.len() != self.r.len()
            || self.q.ground() != self.r.ground()
            || self.q.tuple_count() != self.r.tuple_count()
        {
            return Ok(false);
        }
        let (of_q, of_r) = (&mut self.canoniser.rounds, &mut self.rounds_of_r);
        both(parallel, || of_q.start(&self.q), || of_r.start(&self.r));
        let mut different = 0;
        for round in 0.. {
            if self.canoniser.rounds.summary() != self.rounds_of_r.summary() {
                return Ok(false);
            }
            // one round pays always, so colours are not counted before it
            if round > 0 {
                let Canoniser { rounds, table, .. } = &mut self.canoniser;
                let matched =
                    table.enter_and_match(rounds, &self.rounds_of_r, &mut self.matching, parallel);
                let Some(now) = matched else { return Ok(false) };
                match Progress::of(self.q.len(), std::mem::replace(&mut different, now), now) {
                    Progress::Discrete => break,
                    Progress::Improving => {}
                    Progress::Stuck => return self.match_rest(parallel, budget),
                }
            }
            let (of_q, of_r) = (&mut self.canoniser.rounds, &mut self.rounds_of_r);
            both(parallel, || of_q.round(&self.q), || of_r.round(&self.r));
        }
        Ok(true)
    }

    /// Matches what shares its colour by the solver; false if that finds no isomorphism.
    fn match_rest(&mut self, parallel: bool, budget: &Budget) -> Result<bool, Exhausted> {
        let [q, r] = &mut self.rests;
        let Canoniser { rounds, table, .. } = &self.canoniser;
        both(
            parallel,
            || q.fill(&self.q, rounds, table.shared()),
            || r.fill(&self.r, &self.rounds_of_r, &self.matching.shared),
        );
        if q.elements.len() != r.elements.len() {
            return Ok(false);
        }
        let Some(image) = q.isomorphism(r, budget)? else { return Ok(false) };
        for (&x, &i) in q.elements.iter().zip(&image) {
            self.matching.image[x as usize] = r.elements[i as usize];
        }
        Ok(true)
    }
}
