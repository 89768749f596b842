//! The faithful encoding: the layered graph of the papers, its labelled arcs made into vertices
//! ([`flatten`]). Undirected, since nauty can be pathological on directed graphs.

use super::{Encoded, EncodedPair, PidVertices, pair_up};
use crate::backend::{Problem, Verdict};
use crate::budget::{Budget, Exhausted};
use crate::digraph::kind;
use pidlab_core::graph::build::{build_within, estimated_arcs};
use pidlab_core::graph::flatten::{Role, flatten};
use pidlab_core::graph::{Form, LayeredGraph, Recipe};
use rustc_hash::FxHashMap;

/// Bytes per arc of the layered graph: two helper vertices and three edges.
const BYTES_PER_ARC: u64 = 80;
/// Units of a budget that a helper vertex takes.
const HELPER: u64 = 4;

/// Encodes the layered graphs of a problem.
pub fn encode(problem: Problem<'_>, budget: &Budget) -> Result<EncodedPair, Verdict> {
    let recipe =
        Recipe { kind: kind(problem.graph), relations: problem.relations, form: Form::Full };
    let make = |state| {
        budget.allocate(estimated_arcs(state, recipe) * BYTES_PER_ARC)?;
        budget.poll()?;
        build_within(state, recipe, budget).map_err(Verdict::from)
    };
    let (q, r) = (make(problem.q)?, make(problem.r)?);
    let comparable =
        q.first_pid() == r.first_pid() && problem.q.pid_count() == problem.r.pid_count();
    if !comparable && budget.allows_short_cuts() {
        return Ok(EncodedPair::Different);
    }
    let mut colors = FxHashMap::default();
    let pids = PidVertices { first: q.first_pid(), count: problem.q.pid_count() as u32 };
    let q = flat(&q, &mut colors, budget)?;
    let r = flat(&r, &mut colors, budget)?;
    Ok(pair_up((q, r), colors.len(), pids, budget.allows_short_cuts()))
}

/// A common number for every role that vertices of the two flat graphs have.
fn flat<'g>(
    graph: &'g LayeredGraph,
    colors: &mut FxHashMap<Role<'g>, u32>,
    budget: &Budget,
) -> Result<Encoded, Exhausted> {
    let (colors, edges) = flatten(graph, |role| {
        budget.spend(HELPER)?;
        let fresh = colors.len() as u32;
        Ok(*colors.entry(role).or_insert(fresh))
    })?;
    Ok(Encoded { colors, edges })
}
