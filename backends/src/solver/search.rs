//! Individualisation and refinement: the canonical order of a graph whose partition is equitable.
//!
//! McKay's scheme ("Practical graph isomorphism", 1981; McKay and Piperno 2014): a tree whose nodes
//! are sequences of individualised vertices; the canonical leaf is the one with the least traces and
//! then the least relabelled graph. Subtrees are cut off when their trace exceeds the best one, and
//! when an automorphism found earlier maps them to a subtree already visited. On the way to the
//! first leaf every child is looked at and the least one taken, as Traces does, so that the first
//! path is mostly the best one.
//!
//! Cost: a path to a leaf is O(m log n) in all; paths are as many as automorphisms are needed, for
//! inputs whose traces tell inequivalent vertices apart. Weakness: rigid inputs with equal traces
//! (large multipedes) need exponentially many nodes, as in every program of this kind.

use super::graph::WeightedGraph;
use super::partition::{Partition, UndoMark};
use super::refine::{Refined, Refiner};
use super::target::TargetCell;
use super::trace::Tracer;
use crate::budget::{Budget, Exhausted};
use crate::hash::mix;
use std::cmp::Ordering;

/// A path from the root to a leaf.
#[derive(Default)]
struct Path {
    traces: Vec<Vec<u64>>,
    vertices: Vec<u32>,
    /// Vertices in the order of the leaf; empty while no leaf is known.
    leaf: Vec<u32>,
    key: u64,
}

/// An inner node on the current path.
struct Frame {
    candidates: Vec<u32>,
    next: usize,
    mark: UndoMark,
    /// An ancestor of the first leaf.
    on_first: bool,
    /// All traces so far as on the first path, or as on the best one.
    like_first: bool,
    like_best: bool,
    /// Orbits of the candidates under the known automorphisms that fix the path: union–find.
    orbit: Vec<u32>,
    visited: Vec<bool>,
    generators_seen: usize,
}

/// Search state over one graph.
pub struct Search<'g> {
    graph: &'g WeightedGraph,
    partition: Partition,
    refiner: Refiner,
    budget: &'g Budget,
    first: Path,
    best: Path,
    frames: Vec<Frame>,
    path: Vec<u32>,
    generators: Vec<Vec<u32>>,
    slot: Vec<u32>,
    weight_to: Vec<u64>,
    stamp: Vec<u32>,
    clock: u32,
    spare: Vec<u64>,
    target_cell: TargetCell,
}

/// Children on the first path that may tie with the least before the rest is left for later.
const TIES: usize = 4;
/// Words kept in automorphisms; further ones are used once and forgotten.
const GENERATOR_WORDS: usize = 1 << 25;

impl<'g> Search<'g> {
    /// `partition` must be equitable.
    pub fn new(graph: &'g WeightedGraph, partition: Partition, budget: &'g Budget) -> Search<'g> {
        let n = graph.len();
        Search {
            graph,
            partition,
            refiner: Refiner::new(n),
            budget,
            first: Path::default(),
            best: Path::default(),
            frames: Vec::new(),
            path: Vec::new(),
            generators: Vec::new(),
            slot: vec![0; n],
            weight_to: vec![0; n],
            stamp: vec![0; n],
            clock: 0,
            spare: Vec::new(),
            target_cell: TargetCell::new(n),
        }
    }

    /// The vertices in canonical order.
    pub fn run(mut self) -> Result<Vec<u32>, Exhausted> {
        if self.partition.is_discrete() {
            return Ok(self.partition.order);
        }
        self.push_frame(true, true, true)?;
        while let Some(frame) = self.frames.last() {
            self.partition.undo(frame.mark);
            self.path.truncate(self.frames.len() - 1);
            match self.next_candidate() {
                Some(vertex) => self.visit(vertex)?,
                None => {
                    self.frames.pop();
                }
            }
        }
        Ok(self.best.leaf)
    }

    fn push_frame(
        &mut self,
        on_first: bool,
        like_first: bool,
        like_best: bool,
    ) -> Result<(), Exhausted> {
        let start = self.target_cell.choose(self.graph, &self.partition);
        let mut candidates = self.partition.members(start).to_vec();
        if on_first {
            candidates = self.least_first(candidates)?;
        }
        let count = candidates.len();
        self.budget.allocate(count as u64 * 9)?;
        self.frames.push(Frame {
            candidates,
            next: 0,
            mark: self.partition.mark(),
            on_first,
            like_first,
            like_best,
            orbit: (0..count as u32).collect(),
            visited: vec![false; count],
            generators_seen: 0,
        });
        Ok(())
    }

    /// Drops the children whose trace is known to exceed the least; the least come first.
    fn least_first(&mut self, candidates: Vec<u32>) -> Result<Vec<u32>, Exhausted> {
        let mut least: Option<Vec<u64>> = None;
        let mut winners = Vec::new();
        for (i, &vertex) in candidates.iter().enumerate() {
            if winners.len() > TIES {
                winners.extend_from_slice(&candidates[i..]);
                break;
            }
            let mark = self.partition.mark();
            let single = self.partition.individualise(vertex);
            self.refiner.enqueue(&self.partition, single);
            let values = std::mem::take(&mut self.spare);
            let mut tracer = Tracer::new(None, least.as_deref(), values);
            self.refiner.run(self.graph, &mut self.partition, &mut tracer, self.budget)?;
            let Tracer { against_best, values, .. } = tracer;
            self.partition.undo(mark);
            match against_best {
                Ordering::Less => {
                    winners.clear();
                    winners.push(vertex);
                    self.spare = least.replace(values).unwrap_or_default();
                }
                Ordering::Equal => {
                    winners.push(vertex);
                    self.spare = values;
                }
                Ordering::Greater => self.spare = values,
            }
        }
        Ok(winners)
    }

    /// The next child that no known automorphism maps to a visited one.
    fn next_candidate(&mut self) -> Option<u32> {
        self.update_orbits();
        let frame = self.frames.last_mut()?;
        while frame.next < frame.candidates.len() {
            let i = frame.next;
            frame.next += 1;
            let root = find(&mut frame.orbit, i as u32);
            if !std::mem::replace(&mut frame.visited[root as usize], true) {
                return Some(frame.candidates[i]);
            }
        }
        None
    }

    fn update_orbits(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.generators_seen == self.generators.len() {
            return;
        }
        for (i, &c) in frame.candidates.iter().enumerate() {
            self.slot[c as usize] = i as u32;
        }
        for generator in &self.generators[frame.generators_seen..] {
            if self.path.iter().any(|&v| generator[v as usize] != v) {
                continue;
            }
            for i in 0..frame.candidates.len() {
                let image = generator[frame.candidates[i] as usize];
                let j = self.slot[image as usize];
                if frame.candidates.get(j as usize) == Some(&image) {
                    unite(&mut frame.orbit, &mut frame.visited, i as u32, j);
                }
            }
        }
        frame.generators_seen = self.generators.len();
    }

    /// Goes down to one child: refine, compare, and push a frame or take a leaf.
    fn visit(&mut self, vertex: u32) -> Result<(), Exhausted> {
        let level = self.frames.len() - 1;
        let frame = &self.frames[level];
        let (parent_like_first, parent_like_best) = (frame.like_first, frame.like_best);
        let descending = self.first.leaf.is_empty();
        let single = self.partition.individualise(vertex);
        self.refiner.enqueue(&self.partition, single);
        let first = self.first.traces.get(level).filter(|_| parent_like_first && !descending);
        // a node that is off the best path already compares as "greater" by an empty best trace
        let best: Option<&[u64]> = if parent_like_best {
            self.best.traces.get(level).map(Vec::as_slice)
        } else {
            Some(&[])
        };
        let values = std::mem::take(&mut self.spare);
        let mut tracer = Tracer::new(first.map(Vec::as_slice), best, values);
        let refined =
            self.refiner.run(self.graph, &mut self.partition, &mut tracer, self.budget)?;
        let Tracer { like_first, against_best, values, .. } = tracer;
        if refined == Refined::Abandoned {
            self.spare = values;
            return Ok(());
        }
        self.path.push(vertex);
        let like_best = against_best != Ordering::Greater;
        if against_best == Ordering::Less {
            self.best.traces.truncate(level);
            self.best.traces.push(values.clone());
            self.best.leaf.clear();
        }
        if descending {
            self.first.traces.push(values.clone());
        }
        self.spare = values;
        let like_first = like_first || descending;
        if self.partition.is_discrete() {
            return self.leaf(like_first, like_best);
        }
        self.push_frame(descending, like_first, like_best)
    }

    fn leaf(&mut self, like_first: bool, like_best: bool) -> Result<(), Exhausted> {
        self.budget.poll()?;
        if self.first.leaf.is_empty() {
            self.first.leaf = self.partition.order.clone();
            self.first.vertices = self.path.clone();
            self.first.key = self.leaf_key();
            self.take_as_best(self.first.key);
            return Ok(());
        }
        if like_first && self.automorphism_from(|s| &s.first.leaf) {
            while self.frames.last().is_some_and(|f| !f.on_first) {
                self.frames.pop();
            }
            return Ok(());
        }
        if !like_best {
            return Ok(());
        }
        let key = self.leaf_key();
        if self.best.leaf.is_empty() || key < self.best.key {
            self.take_as_best(key);
        } else if key == self.best.key && self.automorphism_from(|s| &s.best.leaf) {
            let common =
                self.path.iter().zip(&self.best.vertices).take_while(|(a, b)| a == b).count();
            self.frames.truncate(common + 1);
        } else if key == self.best.key && self.certificate_is_less() {
            self.take_as_best(key);
        }
        Ok(())
    }

    fn take_as_best(&mut self, key: u64) {
        self.best.leaf = self.partition.order.clone();
        self.best.vertices = self.path.clone();
        self.best.key = key;
    }

    /// A hash of the graph relabelled by the current leaf.
    fn leaf_key(&self) -> u64 {
        let position = &self.partition.position;
        let mut key = 0u64;
        for v in 0..self.graph.len() as u32 {
            let from = u64::from(position[v as usize]) << 32;
            for (u, weight) in self.graph.arcs(v) {
                key = key.wrapping_add(mix(from | u64::from(position[u as usize]), weight));
            }
        }
        key
    }

    /// Two leaves with one key that are not related by an automorphism: a collision of hashes, settled in full.
    fn certificate_is_less(&self) -> bool {
        let mut best = vec![0; self.graph.len()];
        for (i, &v) in self.best.leaf.iter().enumerate() {
            best[v as usize] = i as u32;
        }
        certificate(self.graph, &self.partition.order, &self.partition.position)
            < certificate(self.graph, &self.best.leaf, &best)
    }

    /// If the map from another leaf to the current one is an automorphism, keeps it.
    fn automorphism_from(&mut self, leaf: impl Fn(&Self) -> &Vec<u32>) -> bool {
        let mut image: Vec<u32> = vec![0; self.graph.len()];
        for (i, &v) in leaf(self).iter().enumerate() {
            image[v as usize] = self.partition.order[i];
        }
        if !self.is_automorphism(&image) {
            return false;
        }
        if (self.generators.len() + 1) * image.len() > GENERATOR_WORDS {
            self.generators.clear();
            self.frames.iter_mut().for_each(|f| f.generators_seen = 0);
        }
        self.generators.push(image);
        true
    }

    fn is_automorphism(&mut self, image: &[u32]) -> bool {
        for v in 0..image.len() as u32 {
            let to = image[v as usize];
            if to == v {
                continue;
            }
            if self.graph.range(v).len() != self.graph.range(to).len() {
                return false;
            }
            self.clock += 1;
            for (u, weight) in self.graph.arcs(to) {
                self.stamp[u as usize] = self.clock;
                self.weight_to[u as usize] = weight;
            }
            for (u, weight) in self.graph.arcs(v) {
                let w = image[u as usize] as usize;
                if self.stamp[w] != self.clock || self.weight_to[w] != weight {
                    return false;
                }
            }
        }
        true
    }
}

/// The graph relabelled: for each position the sorted list of (position, weight) of its neighbours.
pub fn certificate(graph: &WeightedGraph, order: &[u32], position: &[u32]) -> Vec<u64> {
    let mut words = Vec::with_capacity(2 * graph.arc_count() + order.len());
    let mut list = Vec::new();
    for &v in order {
        list.clear();
        list.extend(graph.arcs(v).map(|(u, weight)| (position[u as usize], weight)));
        list.sort_unstable();
        words.push(list.len() as u64);
        words.extend(list.iter().flat_map(|&(p, weight)| [u64::from(p), weight]));
    }
    words
}

fn find(orbit: &mut [u32], mut i: u32) -> u32 {
    while orbit[i as usize] != i {
        orbit[i as usize] = orbit[orbit[i as usize] as usize];
        i = orbit[i as usize];
    }
    i
}

fn unite(orbit: &mut [u32], visited: &mut [bool], i: u32, j: u32) {
    let (a, b) = (find(orbit, i), find(orbit, j));
    if a != b {
        orbit[b as usize] = a;
        visited[a as usize] |= visited[b as usize];
    }
}
