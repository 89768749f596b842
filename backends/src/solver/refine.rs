//! Colour refinement: the coarsest equitable partition below a given one.
//!
//! Worklist of splitter cells, Hopcroft's "all but the largest part" rule: O(m log n). A cell is
//! split by the sum of arc weights from each of its vertices into the splitter. Cells, parts and
//! splitters are taken in an order that isomorphic inputs share, so what happens can be traced.

use super::graph::WeightedGraph;
use super::partition::Partition;
use super::trace::Tracer;
use crate::budget::{Budget, Exhausted};
use crate::hash::mix;

/// Working memory of refinement, reused from call to call.
#[derive(Clone, Debug, Default)]
pub struct Refiner {
    singles: Vec<u32>,
    queue: std::collections::VecDeque<u32>,
    queued: Vec<bool>,
    sum: Vec<u64>,
    hit: Vec<bool>,
    /// Neighbours of the splitter; one more slot than there are vertices, and how many are filled.
    touched: Vec<u32>,
    touched_count: usize,
    parts: Vec<u32>,
    splitter: Vec<u32>,
    hits_in_cell: Vec<u32>,
    cells: Vec<u32>,
    keyed: Vec<(u64, u32)>,
    /// Arcs looked at so far.
    pub work: u64,
}

/// What became of a refinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refined {
    Equitable,
    /// The trace said that this node does not matter; the partition is somewhere in between.
    Abandoned,
}

impl Refiner {
    pub fn new(n: usize) -> Refiner {
        Refiner {
            queued: vec![false; n],
            sum: vec![0; n],
            hit: vec![false; n],
            touched: vec![0; n + 1],
            hits_in_cell: vec![0; n],
            ..Refiner::default()
        }
    }

    pub fn enqueue(&mut self, partition: &Partition, start: u32) {
        if std::mem::replace(&mut self.queued[start as usize], true) {
            return;
        }
        if partition.length[start as usize] == 1 {
            self.singles.push(start);
        } else {
            self.queue.push_back(start);
        }
    }

    pub fn enqueue_all(&mut self, partition: &Partition) {
        for start in partition.starts() {
            self.enqueue(partition, start);
        }
    }

    /// Refines by the cells enqueued until nothing splits or the tracer says stop.
    pub fn run(
        &mut self,
        graph: &WeightedGraph,
        partition: &mut Partition,
        tracer: &mut Tracer,
        budget: &Budget,
    ) -> Result<Refined, Exhausted> {
        while let Some(start) = self.singles.pop().or_else(|| self.queue.pop_front()) {
            self.queued[start as usize] = false;
            if partition.is_discrete() {
                continue;
            }
            if let Err(exhausted) = budget.step() {
                self.drop_queue();
                return Err(exhausted);
            }
            self.add_up(graph, partition, start);
            if !self.split_touched(partition, tracer, start) {
                self.drop_queue();
                return Ok(Refined::Abandoned);
            }
        }
        tracer.push(partition.cells as u64);
        Ok(if tracer.finish() { Refined::Equitable } else { Refined::Abandoned })
    }

    fn drop_queue(&mut self) {
        for start in self.singles.drain(..).chain(self.queue.drain(..)) {
            self.queued[start as usize] = false;
        }
    }

    /// For every neighbour of the splitter, the sum of the weights that lead into it. Whether a
    /// neighbour was seen before cannot be predicted, so the loop does not branch on it.
    fn add_up(&mut self, graph: &WeightedGraph, partition: &Partition, start: u32) {
        let Refiner { splitter, hit, sum, touched, .. } = self;
        splitter.clear();
        splitter.extend_from_slice(partition.members(start));
        let (hit, sum, slots) = (&mut hit[..], &mut sum[..], &mut touched[..]);
        let mut count = 0;
        let mut work = 0;
        for &v in &*splitter {
            work += 1 + graph.range(v).len() as u64;
            for (u, weight) in graph.arcs(v) {
                let seen = std::mem::replace(&mut hit[u as usize], true);
                slots[count] = u;
                count += usize::from(!seen);
                let so_far = sum[u as usize] & u64::from(seen).wrapping_neg();
                sum[u as usize] = so_far.wrapping_add(weight);
            }
        }
        self.touched_count = count;
        self.work += work;
    }

    /// Splits the cells touched; false if the trace ends the node.
    fn split_touched(
        &mut self,
        partition: &mut Partition,
        tracer: &mut Tracer,
        splitter: u32,
    ) -> bool {
        let settled = self.gather_touched(partition);
        self.cells.sort_unstable();
        let mut keep = tracer.push(mix(settled, u64::from(splitter)));
        let cells = std::mem::take(&mut self.cells);
        for &start in &cells {
            if keep {
                keep = self.split_cell(partition, tracer, start);
            }
            self.hits_in_cell[start as usize] = 0;
        }
        self.cells = cells;
        keep
    }

    /// Moves the touched vertices of every cell to its end and lists the cells; returns a hash of
    /// those that are decided.
    fn gather_touched(&mut self, partition: &mut Partition) -> u64 {
        let Refiner { touched, touched_count, hit, sum, hits_in_cell, cells, .. } = self;
        let (hit, sum, hits_in_cell) = (&mut hit[..], &sum[..], &mut hits_in_cell[..]);
        let mut settled = 0u64;
        cells.clear();
        for &u in &touched[..*touched_count] {
            hit[u as usize] = false;
            let start = partition.cell[u as usize];
            let length = partition.length[start as usize];
            if length == 1 {
                settled = settled.wrapping_add(mix(u64::from(start), sum[u as usize]));
                continue;
            }
            let hits = &mut hits_in_cell[start as usize];
            if *hits == 0 {
                cells.push(start);
            }
            *hits += 1;
            let slot = start + length - *hits;
            partition.swap(partition.position[u as usize], slot);
        }
        settled
    }

    /// Splits one cell, whose touched vertices stand at its end, by their sums.
    fn split_cell(&mut self, partition: &mut Partition, tracer: &mut Tracer, start: u32) -> bool {
        let length = partition.length[start as usize];
        let hits = self.hits_in_cell[start as usize];
        let end = start + length;
        let untouched = length - hits;
        self.keyed.clear();
        let tail = &partition.order[(end - hits) as usize..end as usize];
        self.keyed.extend(tail.iter().map(|&v| (self.sum[v as usize], v)));
        let same = self.keyed.iter().all(|&(sum, _)| sum == self.keyed[0].0);
        if same && untouched == 0 {
            return tracer.push(mix(u64::from(start), self.keyed[0].0));
        }
        if !same {
            self.keyed.sort_unstable_by_key(|&(sum, _)| sum);
            for (i, &(_, v)) in self.keyed.iter().enumerate() {
                partition.order[(end - hits) as usize + i] = v;
                partition.position[v as usize] = end - hits + i as u32;
            }
        }
        let mut fingerprint = mix(u64::from(start), u64::from(untouched));
        let keyed = std::mem::take(&mut self.keyed);
        let parts_start = if untouched > 0 { start } else { u32::MAX };
        let mut cuts: u32 = 0;
        // cut from the back, so that each vertex is relabelled once
        let mut part_end = keyed.len();
        let was_queued = self.queued[start as usize];
        let mut largest = (untouched, parts_start);
        let mut new_parts = std::mem::take(&mut self.parts);
        while part_end > 0 {
            let sum = keyed[part_end - 1].0;
            let mut part = part_end - 1;
            while part > 0 && keyed[part - 1].0 == sum {
                part -= 1;
            }
            let at = end - hits + part as u32;
            let size = (part_end - part) as u32;
            fingerprint = mix(fingerprint, mix(sum, u64::from(size)));
            if at > start {
                partition.split(start, at);
                cuts += 1;
            }
            new_parts.push(at);
            if size > largest.0 {
                largest = (size, at);
            }
            part_end = part;
        }
        if untouched > 0 {
            new_parts.push(start);
        }
        self.keyed = keyed;
        for &part in new_parts.iter().rev() {
            if (was_queued || part != largest.1) && cuts > 0 {
                self.enqueue(partition, part);
            }
        }
        new_parts.clear();
        self.parts = new_parts;
        tracer.push(fingerprint)
    }
}
