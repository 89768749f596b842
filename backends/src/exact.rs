//! Equivalence of two states without hashing: what `canon` and `refine` fall back on.
//!
//! Both work on labels, weights and sums that are 64-bit hashes. Their "equivalent" is confirmed on the
//! states. Their "not equivalent" is right if it rests on an invariant, whatever the quality of the
//! hash; where it rests on a search that may have been misled by a collision, the question comes here.
//! The states are encoded with numbers that are equal iff their contents are
//! ([`compact`](crate::encoding::compact)), as graphs whose arcs all weigh 1. Sums of weights then are
//! counts, so the solver's partitions are equitable, and its "no" is a proof. Without a collision, which
//! somebody would have to construct, this is never called. Cost: that of `refine` on a larger graph.

use crate::backend::{Problem, Undecided, Verdict, Witness};
use crate::budget::{Budget, Exhausted};
use crate::canon::Confirmer;
use crate::encoding::{Encoded, EncodedPair, compact};
use crate::solver::{self, Isomorphism, graph::WeightedGraph};

/// Decides for sure, or runs out of its budget.
pub fn decide(problem: &Problem<'_>, budget: &Budget) -> Verdict {
    match image(problem, budget) {
        Err(exhausted) => exhausted.into(),
        Ok(Isomorphism::None) => Verdict::NotEquivalent,
        Ok(Isomorphism::Found(image)) if confirm(problem, &image) => {
            Verdict::Equivalent(Witness(image))
        }
        Ok(_) => {
            let why = "the search without hashing contradicts the states; please report this pair";
            Verdict::Undecided(Undecided::Failed(why.into()))
        }
    }
}

fn image(problem: &Problem<'_>, budget: &Budget) -> Result<Isomorphism, Exhausted> {
    let encoded = compact::encode(problem.q, problem.r, problem.relations, true);
    let EncodedPair::Graphs { q, r, pids } = encoded else { return Ok(Isomorphism::None) };
    let mut found = solver::isomorphism(&plain(&q), &plain(&r), budget)?;
    if let Isomorphism::Found(image) = &mut found {
        image.truncate(pids.count as usize);
    }
    Ok(found)
}

fn plain(encoded: &Encoded) -> WeightedGraph {
    let colors = encoded.colors.iter().map(|&color| color.into()).collect();
    WeightedGraph::plain(colors, &encoded.edges)
}

fn confirm(Problem { q, r, relations, .. }: &Problem<'_>, image: &[u32]) -> bool {
    Confirmer::default().confirm(q, r, *relations, image, false)
}
