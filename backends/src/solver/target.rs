//! Which cell to individualise in.
//!
//! nauty's choice: the cell with the most non-trivial joins to other cells, of those a smallest one,
//! of those the first; only the first cells are looked at, up to a bounded number of arcs. Isomorphic nodes choose alike.

use super::graph::WeightedGraph;
use super::partition::Partition;

/// Chooses target cells; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct TargetCell {
    stamp: Vec<u32>,
    count: Vec<u32>,
    clock: u32,
}

/// Arcs looked at for one choice.
const ARCS: usize = 1 << 10;

impl TargetCell {
    pub fn new(n: usize) -> TargetCell {
        TargetCell { stamp: vec![0; n], count: vec![0; n], clock: 0 }
    }

    /// Start of the chosen cell; the partition must not be discrete.
    pub fn choose(&mut self, graph: &WeightedGraph, partition: &Partition) -> u32 {
        let mut best = ((0, 0), u32::MAX);
        let mut looked_at = 0;
        let mut at = 0;
        while (at as usize) < partition.len() && looked_at < ARCS {
            let length = partition.length[at as usize];
            if length > 1 {
                let representative = partition.order[at as usize];
                looked_at += 1 + graph.range(representative).len();
                let joins = self.nontrivial_joins(graph, partition, representative) + 1;
                let value = (joins, u32::MAX - length);
                if value > best.0 {
                    best = (value, at);
                }
            }
            at += length;
        }
        best.1
    }

    fn nontrivial_joins(
        &mut self,
        graph: &WeightedGraph,
        partition: &Partition,
        vertex: u32,
    ) -> usize {
        self.clock += 2;
        let (open, full) = (self.clock, self.clock + 1);
        let mut joins = 0;
        for &u in &graph.targets[graph.range(vertex)] {
            let cell = partition.cell[u as usize] as usize;
            let length = partition.length[cell];
            if length == 1 || self.stamp[cell] == full {
                continue;
            }
            if self.stamp[cell] != open {
                self.stamp[cell] = open;
                self.count[cell] = 0;
                joins += 1;
            }
            self.count[cell] += 1;
            if self.count[cell] == length {
                self.stamp[cell] = full;
                joins -= 1;
            }
        }
        joins
    }
}
