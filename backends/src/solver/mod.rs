//! The solver: the canonical order of a coloured graph.
//!
//! [`graph`] → root refinement ([`refine`] on a [`partition`]) → [`components`] (what is left falls
//! apart; trees need no search) → [`search`] (individualisation and refinement per component), or
//! [`pair`] where two graphs are compared and fall into no parts. [`group`] is the automorphism group,
//! [`joined`] makes graphs whose weights stand for contents.

pub mod components;
pub mod graph;
pub mod group;
pub mod joined;
pub mod pair;
pub mod partition;
pub mod path;
pub mod probe;
pub mod refine;
pub mod search;
pub mod target;
pub mod trace;

use crate::budget::{Budget, Exhausted};
use graph::WeightedGraph;
use partition::Partition;
use refine::Refiner;
use trace::Tracer;

/// The vertices in canonical order: isomorphic graphs get orders that map onto each other.
pub fn canonical_order(graph: &WeightedGraph, budget: &Budget) -> Result<Vec<u32>, Exhausted> {
    let (partition, _) = equitable(graph, None, budget)?;
    components::order(graph, partition, budget, 0)
}

/// Whether two graphs are isomorphic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Isomorphism {
    /// The image of every vertex.
    Found(Vec<u32>),
    None,
    /// None was found, but sums of weights may have collided.
    Unsure,
}

/// An isomorphism from q to r. Sizes, traces and colours are invariants, so a difference is a proof
/// whatever the weights are, and [`pair`] tries whatever an isomorphism could do. Only the canonical
/// orders of components need partitions that are really equitable, hence exact sums.
pub fn isomorphism(
    q: &WeightedGraph,
    r: &WeightedGraph,
    budget: &Budget,
) -> Result<Isomorphism, Exhausted> {
    if q.len() != r.len() || q.arc_count() != r.arc_count() || q.scale != r.scale {
        return Ok(Isomorphism::None);
    }
    let (left, trace) = equitable(q, None, budget)?;
    let (right, Tracer { like_first, .. }) = equitable(r, Some(&trace.values), budget)?;
    let same_colors = |(&v, &u): (&u32, &u32)| q.colors[v as usize] == r.colors[u as usize];
    if !like_first || !left.order.iter().zip(&right.order).all(same_colors) {
        return Ok(Isomorphism::None);
    }
    let Some(apart) = components::take_apart(q, &left) else {
        let image = pair::isomorphism((q, left), (r, right), budget)?;
        return Ok(image.map_or(Isomorphism::None, Isomorphism::Found));
    };
    let from = apart.order(left, budget, 0)?;
    let to = components::order(r, right, budget, 0)?;
    let image = pair::image(&from, &to);
    Ok(match pair::is_isomorphism(q, r, &image) {
        true => Isomorphism::Found(image),
        false if q.sums_are_exact && r.sums_are_exact => Isomorphism::None,
        false => Isomorphism::Unsure,
    })
}

/// The coarsest equitable partition below the colours, and the trace of its making; if another
/// trace is given, only as long as the two agree.
pub(crate) fn equitable<'t>(
    graph: &WeightedGraph,
    like: Option<&'t [u64]>,
    budget: &Budget,
) -> Result<(Partition, Tracer<'t>), Exhausted> {
    budget.allocate(graph.len() as u64 * 40 + graph.arc_count() as u64 * 12)?;
    let mut partition = Partition::by_color(&graph.colors);
    let mut tracer = Tracer::new(like, like.map(|_| [].as_slice()), Vec::new());
    let mut refiner = Refiner::new(graph.len());
    refiner.enqueue_all(&partition);
    refiner.run(graph, &mut partition, &mut tracer, budget)?;
    Ok((partition, tracer))
}
