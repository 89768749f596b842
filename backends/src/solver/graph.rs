//! The coloured graph that the solver works on.
//!
//! Vertices are the elements of a structure plus one vertex for each tuple that is not a plain pair.
//! A pair ⟨x,y⟩ is an edge whose two directions have different weights; parallel edges are one edge
//! with the weights added, so "same weighted degree into a cell" is one addition per edge. Weights come
//! as 64-bit hashes; where few are different they are made powers of a mixed radix, whose sums say how
//! often each weight went into them. Otherwise sums may collide, and the graph knows it. Built in
//! O(m log d).

use crate::hash::mix;
use pidlab_core::Structure;
use pidlab_core::tuples::Tuple2;

/// Undirected graph with a colour per vertex and a weight per direction of an edge.
#[derive(Clone, Debug, Default)]
pub struct WeightedGraph {
    pub colors: Vec<u64>,
    pub starts: Vec<u32>,
    pub targets: Vec<u32>,
    pub weights: Vec<u64>,
    /// Whether different multisets of weights into a vertex have different sums.
    pub sums_are_exact: bool,
    /// The weights as they came, each with the most arcs of it into one vertex; empty if sums may collide.
    pub scale: Vec<(u64, u64)>,
}

const PAIR: u64 = 0x9a12;
const POSITION: u64 = 0x9051;
const TUPLE: u64 = 0x7091;

/// An arc on its way into a graph: source, target, weight.
pub type WeightedArc = (u32, u32, u64);

impl WeightedGraph {
    pub fn len(&self) -> usize {
        self.colors.len()
    }

    #[inline]
    pub fn range(&self, vertex: u32) -> std::ops::Range<usize> {
        self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize
    }

    /// Neighbours with the weight of the arc to each.
    #[inline]
    pub fn arcs(&self, vertex: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        let range = self.range(vertex);
        self.targets[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    pub fn arc_count(&self) -> usize {
        self.targets.len()
    }

    /// The graph of a structure; its first vertices are the elements.
    pub fn of_structure(structure: &Structure) -> WeightedGraph {
        let mut colors = structure.colors.clone();
        let mut arcs = Vec::with_capacity(structure.member_count() * 2);
        for Tuple2 { label, x, y } in structure.pairs() {
            if x == y {
                let color = &mut colors[x as usize];
                *color = color.wrapping_add(mix(label, PAIR));
            } else {
                arcs.push((x, y, mix(label, 2)));
                arcs.push((y, x, mix(label, 3)));
            }
        }
        for (label, members) in structure.tuples().longer() {
            let hub = colors.len() as u32;
            colors.push(mix(label, TUPLE));
            for (position, &x) in members.iter().enumerate() {
                let weight = mix(POSITION, position as u64);
                arcs.push((hub, x, weight));
                arcs.push((x, hub, weight));
            }
        }
        let mut graph = WeightedGraph::from_arcs(colors, &arcs);
        graph.separate_weights();
        graph
    }

    /// A graph without double edges whose arcs all weigh 1: sums of weights are counts.
    pub fn plain(colors: Vec<u64>, edges: &[(u32, u32)]) -> WeightedGraph {
        let mut arcs: Vec<WeightedArc> = Vec::with_capacity(edges.len() * 2);
        arcs.extend(edges.iter().flat_map(|&(x, y)| [(x, y, 1), (y, x, 1)]));
        let mut graph = WeightedGraph::from_arcs(colors, &arcs);
        graph.sums_are_exact = graph.weights.iter().all(|&weight| weight == 1);
        graph
    }

    /// A graph from arcs; both directions of every edge must be among them.
    pub fn from_arcs(colors: Vec<u64>, arcs: &[WeightedArc]) -> WeightedGraph {
        WeightedGraph::from_each(colors, arcs.iter().copied())
    }

    /// As [`from_arcs`](WeightedGraph::from_arcs), for arcs that are in no list; they are asked for twice.
    pub fn from_each(
        colors: Vec<u64>,
        arcs: impl Iterator<Item = WeightedArc> + Clone,
    ) -> WeightedGraph {
        let n = colors.len();
        let starts = row_starts(n, arcs.clone().map(|(x, ..)| x));
        let mut fill = starts.clone();
        let mut entries = vec![(0u32, 0u64); starts[n] as usize];
        arcs.for_each(|(x, y, weight)| {
            let slot = &mut fill[x as usize];
            entries[*slot as usize] = (y, weight);
            *slot += 1;
        });
        let mut graph = WeightedGraph { colors, starts: vec![0], ..WeightedGraph::default() };
        graph.starts.reserve(n);
        graph.targets.reserve(entries.len());
        graph.weights.reserve(entries.len());
        for x in 0..n {
            let list = &mut entries[starts[x] as usize..starts[x + 1] as usize];
            list.sort_unstable_by_key(|&(y, _)| y);
            graph.push_merged(list);
        }
        graph
    }

    /// A graph whose arcs all have the same weight, as [`separate_weights`](WeightedGraph::separate_weights)
    /// leaves it; `None` if edges are parallel. A third of the work of [`from_each`](WeightedGraph::from_each):
    /// no weights are moved, and lists that come in order are not sorted.
    pub fn even(
        colors: Vec<u64>,
        edges: impl Iterator<Item = (u32, u32)> + Clone,
        weight: u64,
    ) -> Option<WeightedGraph> {
        let n = colors.len();
        let starts = row_starts(n, edges.clone().flat_map(|(x, y)| [x, y]));
        let mut fill = starts.clone();
        let mut targets = vec![0u32; starts[n] as usize];
        let mut put = |x: u32, y: u32| {
            let slot = &mut fill[x as usize];
            targets[*slot as usize] = y;
            *slot += 1;
        };
        edges.for_each(|(x, y)| {
            put(x, y);
            put(y, x);
        });
        for row in starts.windows(2) {
            let row = &mut targets[row[0] as usize..row[1] as usize];
            if !row.is_sorted() {
                row.sort_unstable();
            }
            if row.windows(2).any(|two| two[0] == two[1]) {
                return None;
            }
        }
        let weights = vec![weight; targets.len()];
        let mut graph = WeightedGraph { colors, starts, targets, weights, ..Default::default() };
        graph.separate_weights();
        Some(graph)
    }

    /// Appends the arcs of one more vertex, parallel ones added up.
    fn push_merged(&mut self, list: &[(u32, u64)]) {
        let first = self.targets.len();
        for &(y, weight) in list {
            if self.targets.len() > first && self.targets.last() == Some(&y) {
                let last = self.weights.last_mut().expect("as many weights as targets");
                *last = last.wrapping_add(weight);
            } else {
                self.targets.push(y);
                self.weights.push(weight);
            }
        }
        self.starts.push(self.targets.len() as u32);
    }

    /// Makes sums exact: a weight becomes the product of the radices of those before it, and its own
    /// radix is one more than the most arcs of it into one vertex, as refinement adds up what leads into
    /// a vertex. Changes nothing if 64 bits do not do.
    pub fn separate_weights(&mut self) {
        if self.has_one_weight() {
            let degree = |v: u32| self.range(v).len() as u64;
            let most = (0..self.len() as u32).map(degree).max().unwrap_or(0);
            self.scale = vec![(self.weights[0], most)];
            self.weights.fill(1);
            self.sums_are_exact = true;
            return;
        }
        let Some((kinds, kind_of)) = self.kinds() else { return };
        let into = self.by_target(&kind_of);
        let mut most = vec![0u64; kinds.len()];
        let mut count = vec![0u64; kinds.len()];
        for v in 0..self.len() as u32 {
            for &kind in &into[self.range(v)] {
                count[kind as usize] += 1;
            }
            for &kind in &into[self.range(v)] {
                most[kind as usize] = most[kind as usize].max(count[kind as usize]);
                count[kind as usize] = 0;
            }
        }
        let mut values = Vec::with_capacity(kinds.len());
        let mut product = 1u64;
        for &most in &most {
            values.push(product);
            let Some(next) = product.checked_mul(most + 1) else { return };
            product = next;
        }
        for (weight, &kind) in self.weights.iter_mut().zip(&kind_of) {
            *weight = values[kind as usize];
        }
        self.scale = kinds.into_iter().zip(most).collect();
        self.sums_are_exact = true;
    }

    /// What is known of each arc, in the places of the vertices that the arcs lead to: as many lead to a
    /// vertex as leave it.
    fn by_target(&self, known: &[u8]) -> Vec<u8> {
        let mut next = self.starts.clone();
        let mut moved = vec![0; known.len()];
        for (&target, &value) in self.targets.iter().zip(known) {
            let slot = &mut next[target as usize];
            moved[*slot as usize] = value;
            *slot += 1;
        }
        moved
    }

    /// The different weights in ascending order and which of them each arc has; `None` if there are so
    /// many that 64 bits do not hold a digit for each.
    fn kinds(&self) -> Option<(Vec<u64>, Vec<u8>)> {
        let mut kinds: Vec<u64> = Vec::new();
        for weight in &self.weights {
            if let Err(at) = kinds.binary_search(weight) {
                if kinds.len() == u64::BITS as usize {
                    return None;
                }
                kinds.insert(at, *weight);
            }
        }
        let kind_of = |weight| kinds.partition_point(|kind| kind < weight) as u8;
        let kind_of = self.weights.iter().map(kind_of).collect();
        Some((kinds, kind_of))
    }

    /// One weight everywhere says nothing: make it 1, so that sums are small counts.
    pub fn unify_weights(&mut self) {
        if self.has_one_weight() {
            self.weights.fill(1);
        }
    }

    fn has_one_weight(&self) -> bool {
        let first = self.weights.first();
        first.is_some_and(|first| self.weights.iter().all(|weight| weight == first))
    }
}

/// Where the arcs of each of `n` vertices start, from the sources of all arcs; one more for the end.
fn row_starts(n: usize, sources: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0u32; n + 1];
    sources.for_each(|x| starts[x as usize + 1] += 1);
    for i in 0..n {
        starts[i + 1] += starts[i];
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    /// The weights of the arcs that lead from some vertices to each, and their sums.
    fn sums(graph: &WeightedGraph, from: &[u32]) -> Vec<(Vec<u64>, u64)> {
        let mut into = vec![Vec::new(); graph.len()];
        for &v in from {
            graph.arcs(v).for_each(|(u, weight)| into[u as usize].push(weight));
        }
        into.iter_mut().for_each(|weights| weights.sort_unstable());
        into.into_iter().map(|w| (w.clone(), w.iter().sum())).collect()
    }

    /// Many arcs of one kind lead to a vertex that has but one arc of that kind itself: two children and a parent,
    /// or a parent and three children, must not add up to the same.
    #[test]
    fn separated_weights_of_arcs_into_a_vertex_add_up_to_what_they_are() {
        for weights in [(5, 7, 11), (11, 7, 5), (7, 11, 5), (7, 5, 11)] {
            let (down, up, other) = weights;
            let mut arcs: Vec<WeightedArc> = Vec::new();
            for (parent, child) in [(0, 1), (0, 2), (0, 3), (4, 0), (4, 5), (6, 7), (6, 8)] {
                arcs.push((parent, child, down));
                arcs.push((child, parent, up));
            }
            arcs.extend([(6, 9, other), (9, 6, other)]);
            let mut graph = WeightedGraph::from_arcs(vec![0; 10], &arcs);
            graph.separate_weights();
            assert!(graph.sums_are_exact);
            let mut known: HashMap<u64, HashSet<Vec<u64>>> = HashMap::new();
            for set in 0..1u32 << 10 {
                let from: Vec<u32> = (0..10).filter(|v| set >> v & 1 == 1).collect();
                for (weights, sum) in sums(&graph, &from) {
                    known.entry(sum).or_default().insert(weights);
                }
            }
            assert!(known.values().all(|lists| lists.len() == 1), "{weights:?}: {known:?}");
        }
    }

    #[test]
    fn even_graphs_are_those_of_the_general_way() {
        for edges in [vec![(0, 3), (2, 1), (3, 2), (0, 1)], vec![], vec![(0, 1), (2, 3), (1, 0)]] {
            let arcs: Vec<WeightedArc> =
                edges.iter().flat_map(|&(x, y)| [(x, y, 9), (y, x, 9)]).collect();
            let mut general = WeightedGraph::from_arcs(vec![5, 6, 5, 5], &arcs);
            general.separate_weights();
            match WeightedGraph::even(vec![5, 6, 5, 5], edges.iter().copied(), 9) {
                Some(even) => assert_eq!(format!("{even:?}"), format!("{general:?}")),
                None => assert!(general.arc_count() < arcs.len(), "only where edges are parallel"),
            }
        }
    }
}
