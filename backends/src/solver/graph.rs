//! The coloured graph that the solver works on.
//!
//! Vertices are the elements of a structure plus one vertex for each tuple that is not a plain pair.
//! A pair ⟨x,y⟩ is an edge whose two directions carry different weights; parallel edges are one edge
//! with the weights added. Weights are 64-bit hashes, so "same weighted degree into a cell" is one
//! addition per edge. Built in O(m log d).

use pidlab_core::Structure;
use pidlab_core::mix::mix;
use pidlab_core::tuples::Pair;

/// Undirected graph with a colour per vertex and a weight per direction of an edge.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub colors: Vec<u64>,
    pub starts: Vec<u32>,
    pub targets: Vec<u32>,
    pub weights: Vec<u64>,
}

const PAIR: u64 = 0x9a12;
const POSITION: u64 = 0x9051;
const TUPLE: u64 = 0x7091;

/// An arc on its way into a graph: source, target, weight.
pub type Arc = (u32, u32, u64);

impl Graph {
    pub fn len(&self) -> usize {
        self.colors.len()
    }

    pub fn is_empty(&self) -> bool {
        self.colors.is_empty()
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
    pub fn of_structure(structure: &Structure) -> Graph {
        let mut colors = structure.colors.clone();
        let mut arcs = Vec::with_capacity(structure.member_count() * 2);
        for Pair { label, x, y } in structure.pairs() {
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
        Graph::from_arcs(colors, &mut arcs)
    }

    /// A graph from arcs; both directions of every edge must be among them.
    pub fn from_arcs(colors: Vec<u64>, arcs: &mut [Arc]) -> Graph {
        let n = colors.len();
        let mut starts = vec![0u32; n + 1];
        for &(x, ..) in arcs.iter() {
            starts[x as usize + 1] += 1;
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        let mut fill = starts.clone();
        let mut entries = vec![(0u32, 0u64); arcs.len()];
        for &(x, y, weight) in arcs.iter() {
            let slot = &mut fill[x as usize];
            entries[*slot as usize] = (y, weight);
            *slot += 1;
        }
        let mut graph = Graph { colors, starts: vec![0], ..Graph::default() };
        for x in 0..n {
            let list = &mut entries[starts[x] as usize..starts[x + 1] as usize];
            list.sort_unstable_by_key(|&(y, _)| y);
            graph.push_merged(list);
        }
        graph.unify_weights();
        graph
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

    /// One weight everywhere says nothing: make it 1, so that sums are small counts.
    fn unify_weights(&mut self) {
        if let Some(&first) = self.weights.first()
            && self.weights.iter().all(|&w| w == first)
        {
            self.weights.fill(1);
        }
    }
}
