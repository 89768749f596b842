//! `canon`: the exact canonical form specialised to states; the default backend.
//!
//! Both states become compact structures; colours are hashed in rounds on both sides at once and the
//! first difference of the two summaries ends the comparison. Where all colours differ the bijection
//! is read off; otherwise the solver maps what is left of one side to the other. The bijection is confirmed
//! on the states. Large states have a thread for each side. Cost: O(size), but for what the solver gets.
//!
//! No answer rests on a hash. "Equivalent" is confirmed. "Not equivalent" has one of these proofs:
//! - Something differs that is computed from the structures alike (counts, summaries, colours, traces).
//!   An equivalence would preserve it, collisions included.
//! - All colours of q differ and the one map that keeps colours is not an equivalence.
//! - The search without hashing says so (`exact`). It is asked if the solver's map is not an
//!   equivalence, or if the solver found none and sums of weights may have misled it.

mod buckets;
mod canonizer;
mod confirm;
mod form;
mod join;
mod listing;
mod packed;
mod rounds;
mod sides;
mod table;

pub use canonizer::StructureCanonizer;
pub use confirm::Confirmer;
pub use form::{CanonicalForm, FormError, canonical_form};
pub use listing::{Contents, Listing};

use crate::backend::{
    Backend, DecidedBy, Decision, Exactness, GraphKind, Info, Problem, Undecided, Verdict, Witness,
};
use crate::budget::{Budget, Exhausted};
use crate::exact;
use crate::hash::fill;
use crate::solver::Isomorphism;
use canonizer::{Rest, RoundProgress};
use pidlab_core::Structure;
use pidlab_core::structure::NextPids;
use rounds::HashRounds;
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
    canonizer: StructureCanonizer,
    rounds_of_r: HashRounds,
    matching: Matching,
    rests: [Rest; 2],
    confirmer: Confirmer,
}

/// What a comparison of structures ends with.
enum Found {
    /// Counts, compared before the first round.
    Counts,
    /// Something that an equivalence would keep.
    Difference,
    /// The only bijection that keeps colours.
    Forced,
    /// A bijection that keeps hashed labels.
    Solved,
    /// No bijection, but a collision may have hidden one.
    Unsure,
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
        let comparable = q.pid_count() == r.pid_count() && q.vector_count() == r.vector_count();
        if !comparable && budget.allows_short_cuts() {
            let decision = Decision::of(Verdict::NotEquivalent, begin, begin);
            return decision.by(DecidedBy::PreCheck);
        }
        let next_pids = NextPids::for_states(&[q, r]);
        let parallel = budget.allows_threads() && q.pid_count() + q.vector_count() >= LARGE;
        let (of_q, of_r) = (&mut self.q, &mut self.r);
        both(
            parallel,
            || fill(of_q, q, problem.relations, next_pids),
            || fill(of_r, r, problem.relations, next_pids),
        );
        let built = Instant::now();
        let found = self.find_image(comparable, parallel, budget);
        let by = match found {
            Ok(Found::Counts) => DecidedBy::PreCheck,
            _ => DecidedBy::Solver,
        };
        let verdict = match found {
            Err(exhausted) => exhausted.into(),
            Ok(found) => self.judge(found, &problem, parallel, budget),
        };
        let vertices = self.q.len() + self.q.tuple_count();
        Decision::of(verdict, begin, built).by(by).sized(vertices, self.q.member_count())
    }

    /// The verdict on what was found; the proofs are at the top of this file.
    fn judge(
        &mut self,
        found: Found,
        problem: &Problem<'_>,
        parallel: bool,
        budget: &Budget,
    ) -> Verdict {
        match found {
            Found::Counts | Found::Difference => Verdict::NotEquivalent,
            Found::Forced | Found::Solved if self.confirm(problem, parallel) => {
                Verdict::Equivalent(Witness(self.matching.image.clone()))
            }
            Found::Forced => Verdict::NotEquivalent,
            // decided elements may differ in what the last round did not show yet
            Found::Solved if self.round_differs(parallel) => Verdict::NotEquivalent,
            Found::Solved | Found::Unsure => exact::decide(problem, budget),
        }
    }

    /// Whether the two sides differ after one more round.
    fn round_differs(&mut self, parallel: bool) -> bool {
        let (of_q, of_r) = (&mut self.canonizer.rounds, &mut self.rounds_of_r);
        both(parallel, || of_q.round(&self.q), || of_r.round(&self.r));
        of_q.summary() != of_r.summary()
    }

    fn confirm(&mut self, problem: &Problem<'_>, parallel: bool) -> bool {
        let image = &mut self.matching.image;
        image.truncate(problem.q.pid_count());
        self.confirmer.confirm(problem.q, problem.r, problem.relations, image, parallel)
    }

    /// Looks for the bijection that can be an equivalence, or one that can if there are several. States
    /// that are not comparable get the first round and no more: what follows counts on equal sizes.
    fn find_image(
        &mut self,
        comparable: bool,
        parallel: bool,
        budget: &Budget,
    ) -> Result<Found, Exhausted> {
        let comparable = comparable
            && self.q.len() == self.r.len()
            && self.q.ground() == self.r.ground()
            && self.q.tuple_count() == self.r.tuple_count();
        if !comparable && budget.allows_short_cuts() {
            return Ok(Found::Counts);
        }
        let (of_q, of_r) = (&mut self.canonizer.rounds, &mut self.rounds_of_r);
        both(parallel, || of_q.start(&self.q), || of_r.start(&self.r));
        if !comparable {
            both(parallel, || of_q.round(&self.q), || of_r.round(&self.r));
            return Ok(Found::Difference);
        }
        let mut different = 0;
        for round in 0.. {
            if self.canonizer.rounds.summary() != self.rounds_of_r.summary() {
                return Ok(Found::Difference);
            }
            // one round pays always, so colours are not counted before it
            if round > 0 {
                let StructureCanonizer { rounds, table, .. } = &mut self.canonizer;
                let matched =
                    table.enter_and_match(rounds, &self.rounds_of_r, &mut self.matching, parallel);
                let Some(now) = matched else { return Ok(Found::Difference) };
                match RoundProgress::of(self.q.len(), std::mem::replace(&mut different, now), now) {
                    RoundProgress::Discrete => break,
                    RoundProgress::Improving => {}
                    RoundProgress::Stuck => return self.match_rest(parallel, budget),
                }
            }
            budget.steps(self.q.len())?;
            let (of_q, of_r) = (&mut self.canonizer.rounds, &mut self.rounds_of_r);
            both(parallel, || of_q.round(&self.q), || of_r.round(&self.r));
        }
        Ok(Found::Forced)
    }

    /// Matches what shares its colour by the solver.
    fn match_rest(&mut self, parallel: bool, budget: &Budget) -> Result<Found, Exhausted> {
        let [q, r] = &mut self.rests;
        let StructureCanonizer { rounds, table, .. } = &self.canonizer;
        both(
            parallel,
            || q.fill(&self.q, rounds, table.shared()),
            || r.fill(&self.r, &self.rounds_of_r, &self.matching.shared),
        );
        if q.elements.len() != r.elements.len() {
            return Ok(Found::Difference);
        }
        let image = match q.isomorphism(r, budget)? {
            Isomorphism::Found(image) => image,
            Isomorphism::None => return Ok(Found::Difference),
            Isomorphism::Unsure => return Ok(Found::Unsure),
        };
        for (&x, &i) in q.elements.iter().zip(&image) {
            // what is not an element has the colour of one only if the two collided
            let Some(&y) = r.elements.get(i as usize) else { return Ok(Found::Unsure) };
            self.matching.image[x as usize] = y;
        }
        Ok(Found::Solved)
    }
}
