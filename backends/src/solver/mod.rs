//! The solver: the canonical order of a coloured graph.
//!
//! [`graph`] → root refinement ([`refine`] on a [`partition`]) → [`components`] (what is left falls
//! apart; trees need no search) → [`search`] (individualisation and refinement per component).

pub mod components;
pub mod graph;
pub mod partition;
pub mod refine;
pub mod search;
pub mod trace;

use crate::budget::{Budget, Exhausted};
use graph::Graph;
use partition::Partition;
use refine::Refiner;
use trace::Tracer;

/// The vertices in canonical order: isomorphic graphs get orders that map onto each other.
pub fn canonical_order(graph: &Graph, budget: &Budget) -> Result<Vec<u32>, Exhausted> {
    let n = graph.len() as u64;
    budget.allocate(n * 40 + graph.arc_count() as u64 * 12)?;
    let mut partition = Partition::by_color(&graph.colors);
    if !partition.is_discrete() {
        let mut refiner = Refiner::new(graph.len());
        refiner.enqueue_all(&partition);
        let mut tracer = Tracer::new(None, None, Vec::new());
        refiner.run(graph, &mut partition, &mut tracer, budget)?;
    }
    components::order(graph, partition, budget, 0)
}
