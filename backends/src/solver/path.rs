//! Paths of the search tree: laid in one graph, followed in another.
//!
//! A path individualises vertices until all are decided; its traces say what refinement did at every
//! level, and only a vertex with the same trace can be the image of the path's. Any choice of cells
//! and vertices makes a path: followers are led by the numbers of its target cells. O(m log n).

use super::graph::WeightedGraph;
use super::partition::{Partition, UndoMark};
use super::refine::{Refined, Refiner};
use super::target::TargetCell;
use super::trace::Tracer;
use crate::budget::{Budget, Exhausted};

/// A path in one graph, for others to follow.
#[derive(Default)]
pub struct Path {
    pub targets: Vec<u32>,
    pub vertices: Vec<u32>,
    pub traces: Vec<Vec<u64>>,
    pub marks: Vec<UndoMark>,
    pub leaf: Vec<u32>,
    /// Size of the target cell of each level, and what is known of the orbit of the path's vertex.
    pub choices: Vec<u32>,
    pub orbit: Vec<u32>,
    /// What laying it took, choosing not counted.
    pub work: u64,
}

impl Path {
    /// How many candidates of an isomorphic node suffice to include a right one.
    pub fn enough(&self, level: usize) -> usize {
        (self.choices[level] - self.orbit[level] + 1) as usize
    }
}

/// A graph with the partition of the node in hand.
pub struct SearchSide<'g> {
    pub graph: &'g WeightedGraph,
    pub partition: Partition,
    pub refiner: Refiner,
    budget: &'g Budget,
    target_cell: TargetCell,
    spare: Vec<u64>,
}

impl<'g> SearchSide<'g> {
    pub fn new(
        graph: &'g WeightedGraph,
        partition: Partition,
        budget: &'g Budget,
    ) -> SearchSide<'g> {
        let refiner = Refiner::new(graph.len());
        let target_cell = TargetCell::new(graph.len());
        SearchSide { graph, partition, refiner, budget, target_cell, spare: Vec::new() }
    }

    /// Individualises until the partition is discrete, and takes it all back; `choose` gives the start
    /// of a target cell and the vertex of it to go by.
    pub fn lay_path(
        &mut self,
        mut choose: impl FnMut(&mut Self) -> Result<(u32, u32), Exhausted>,
    ) -> Result<Path, Exhausted> {
        let mut path = Path::default();
        while !self.partition.is_discrete() {
            let (target, vertex) = choose(self)?;
            path.targets.push(target);
            path.vertices.push(vertex);
            path.marks.push(self.partition.mark());
            path.choices.push(self.partition.length[target as usize]);
            path.orbit.push(1);
            let before = self.refiner.work;
            let mut tracer = Tracer::new(None, None, Vec::new());
            self.step(vertex, &mut tracer)?;
            path.traces.push(tracer.values);
            path.work += self.refiner.work - before;
        }
        path.leaf = self.partition.order.clone();
        path.work = path.work.max(1);
        self.return_to(&path, 0);
        Ok(path)
    }

    /// nauty's target cell.
    pub fn usual_target(&mut self) -> u32 {
        self.target_cell.choose(self.graph, &self.partition)
    }

    /// What individualising a vertex would give: the number of cells, and the trace.
    pub fn outcome_of(&mut self, vertex: u32) -> Result<(usize, Vec<u64>), Exhausted> {
        let mark = self.partition.mark();
        let mut tracer = Tracer::new(None, None, Vec::new());
        self.step(vertex, &mut tracer)?;
        let cells = self.partition.cells;
        self.partition.undo(mark);
        Ok((cells, tracer.values))
    }

    fn step(&mut self, vertex: u32, tracer: &mut Tracer) -> Result<Refined, Exhausted> {
        let single = self.partition.individualise(vertex);
        self.refiner.enqueue(&self.partition, single);
        self.refiner.run(self.graph, &mut self.partition, tracer, self.budget)
    }

    pub fn return_to(&mut self, path: &Path, level: usize) {
        if let Some(&mark) = path.marks.get(level) {
            self.partition.undo(mark);
        }
    }

    /// Individualises a vertex if its trace is that of the path at this level; says whether it is.
    pub fn follow(&mut self, path: &Path, level: usize, vertex: u32) -> Result<bool, Exhausted> {
        let values = std::mem::take(&mut self.spare);
        let mut tracer = Tracer::new(Some(&path.traces[level]), Some(&[]), values);
        let refined = self.step(vertex, &mut tracer)?;
        let follows = refined == Refined::Equitable && tracer.like_first;
        self.spare = tracer.values;
        Ok(follows)
    }
}
