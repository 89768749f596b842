//! The solver's graph of what is told by contents and not by hashes: arcs that carry the number of what they say.
//!
//! What joins two vertices is the list of the arcs between them; lists are numbered by their contents and become
//! weights whose sums do not collide. Where there are so many lists that sums could, each becomes a helper vertex
//! or two instead. [`multigraph`](crate::multigraph) and the [listings](crate::canon::Listing) of canonical forms
//! rest on it. Cost: O(m log m).

use super::graph::{WeightedArc, WeightedGraph};

/// The graph of arcs whose weights are numbers of contents, both directions of every edge among them, and the lists of
/// parallel arcs if there are any.
pub fn join(
    colors: Vec<u64>,
    arcs: impl Iterator<Item = WeightedArc> + Clone,
) -> (Vec<Vec<u64>>, WeightedGraph) {
    let graph = WeightedGraph::from_each(colors, arcs.clone());
    if graph.arc_count() == arcs.clone().count() {
        return (Vec::new(), exact(graph));
    }
    let mut arcs: Vec<WeightedArc> = arcs.collect();
    arcs.sort_unstable();
    let pairs: Vec<&[WeightedArc]> = arcs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).collect();
    let list = |pair: &&[WeightedArc]| pair.iter().map(|arc| arc.2).collect::<Vec<u64>>();
    let table = distinct(pairs.iter().map(list).collect());
    let ranked = |pair: &&[WeightedArc]| (pair[0].0, pair[0].1, rank(&table, &list(pair)));
    let merged: Vec<WeightedArc> = pairs.iter().map(ranked).collect();
    let graph = WeightedGraph::from_arcs(graph.colors, &merged);
    (table, exact(graph))
}

/// The same graph with weights whose sums do not collide.
fn exact(mut graph: WeightedGraph) -> WeightedGraph {
    graph.separate_weights();
    if graph.sums_are_exact { graph } else { with_helpers(graph) }
}

/// One helper vertex for an edge that looks alike from both ends, otherwise one at each end.
fn with_helpers(graph: WeightedGraph) -> WeightedGraph {
    let mut weights = graph.weights.clone();
    weights.sort_unstable();
    weights.dedup();
    let above = graph.colors.iter().max().map_or(0, |largest| largest + 1);
    let color = |weight: u64| above + weights.partition_point(|&other| other < weight) as u64;
    let mut colors = graph.colors.clone();
    let mut edges = Vec::with_capacity(graph.arc_count() * 2);
    for x in 0..graph.len() as u32 {
        for (y, there) in graph.arcs(x).filter(|&(y, _)| x < y) {
            let near = colors.len() as u32;
            colors.push(color(there));
            edges.push((x, near));
            let back = weight_between(&graph, y, x);
            if back == there {
                edges.push((near, y));
            } else {
                colors.push(color(back));
                edges.extend([(near, near + 1), (near + 1, y)]);
            }
        }
    }
    // the weights that occur are as much an invariant as the lists of parallel edges
    let scale = weights.into_iter().map(|weight| (weight, 0)).collect();
    WeightedGraph { scale, ..WeightedGraph::plain(colors, &edges) }
}

fn weight_between(graph: &WeightedGraph, from: u32, to: u32) -> u64 {
    let range = graph.range(from);
    let at = graph.targets[range.clone()].partition_point(|&target| target < to);
    graph.weights[range.start + at]
}

/// A table of different contents, in order.
pub fn distinct(mut kinds: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// The place of a content in such a table.
pub fn rank(table: &[Vec<u64>], kind: &[u64]) -> u64 {
    table.partition_point(|other| other.as_slice() < kind) as u64
}
