//! What is left after refinement, taken apart.
//!
//! Vertices in cells of their own are decided, and edges between two cells of which every vertex of
//! one is joined in the same way to every vertex of the other say nothing: both are removed. The
//! rest falls into connected components that can be ordered one by one (Junttila and Kaski 2011 use
//! the same idea inside the search). Components with at most one cycle need no search at all: colour
//! refinement identifies the vertices of a forest (Immerman and Lander 1990; Arvind et al. 2017), and
//! around a cycle colours repeat with a period, so that size and colours determine the component;
//! any vertex of a cell may be individualised. Equal components are ordered once each and sorted by
//! what they look like. Cost: O(m log n) per layer of nesting, plus the searches.

use super::graph::{Arc, Graph};
use super::partition::Partition;
use super::refine::Refiner;
use super::search::{Search, certificate};
use super::trace::Tracer;
use crate::budget::{Budget, Exhausted};

/// How often a component may fall apart again before it is searched as it is.
const DEPTH: usize = 64;
const NOT_LEFT: u32 = u32::MAX;

/// Canonical order below an equitable partition.
pub fn order(
    graph: &Graph,
    partition: Partition,
    budget: &Budget,
    depth: usize,
) -> Result<Vec<u32>, Exhausted> {
    if partition.is_discrete() {
        return Ok(partition.order);
    }
    let rest = Rest::new(graph, &partition);
    let parts = rest.components();
    if depth >= DEPTH || parts.is_one_hard_part(graph.len()) {
        return Search::new(graph, partition, budget).run();
    }
    let rank = rest.rank(&parts, budget, depth)?;
    let mut order = partition.order.clone();
    for start in partition.starts() {
        let end = start + partition.length[start as usize];
        if end - start > 1 {
            let cell = &mut order[start as usize..end as usize];
            cell.sort_unstable_by_key(|&v| rank[rest.index[v as usize] as usize]);
        }
    }
    Ok(order)
}

/// Whether nothing is decided yet, nothing falls apart, and a search is needed.
pub fn is_one_hard_part(graph: &Graph, partition: &Partition) -> bool {
    !partition.is_discrete()
        && Rest::new(graph, partition).components().is_one_hard_part(graph.len())
}

/// The undecided vertices with the edges that matter, as a graph coloured by cell.
struct Rest {
    graph: Graph,
    /// Number of each vertex of the whole graph within the rest, or `NOT_LEFT`.
    index: Vec<u32>,
    /// Scratch of [`Rest::induced`]: number of each vertex within the part in hand.
    local: std::cell::RefCell<Vec<u32>>,
}

/// Component number of each vertex, and size and arcs of each component.
struct Parts {
    of: Vec<u32>,
    vertices: Vec<u32>,
    arcs: Vec<u32>,
}

impl Parts {
    /// At most one cycle: refinement and size tell such components apart.
    fn is_easy(&self, part: usize) -> bool {
        self.arcs[part] / 2 <= self.vertices[part]
    }

    fn is_one_hard_part(&self, whole: usize) -> bool {
        self.vertices.len() == 1 && self.of.len() == whole && !self.is_easy(0)
    }
}

impl Rest {
    fn new(graph: &Graph, partition: &Partition) -> Rest {
        let mut index = vec![NOT_LEFT; graph.len()];
        let mut colors = Vec::new();
        let mut left = Vec::new();
        for v in 0..graph.len() as u32 {
            let cell = partition.cell[v as usize];
            if partition.length[cell as usize] > 1 {
                index[v as usize] = left.len() as u32;
                left.push(v);
                colors.push(u64::from(cell));
            }
        }
        let mut joins = Joins::new(graph.len());
        let mut arcs: Vec<Arc> = Vec::new();
        for &v in &left {
            joins.count(graph, partition, v);
            for (u, weight) in graph.arcs(v) {
                if index[u as usize] != NOT_LEFT && !joins.is_uniform(partition, v, u) {
                    arcs.push((index[v as usize], index[u as usize], weight));
                }
            }
        }
        let local = std::cell::RefCell::new(vec![0; colors.len()]);
        Rest { graph: Graph::from_arcs(colors, &mut arcs), index, local }
    }

    fn components(&self) -> Parts {
        let n = self.graph.len();
        let mut parts = Parts { of: vec![NOT_LEFT; n], vertices: Vec::new(), arcs: Vec::new() };
        let mut stack = Vec::new();
        for root in 0..n as u32 {
            if parts.of[root as usize] != NOT_LEFT {
                continue;
            }
            let part = parts.vertices.len() as u32;
            parts.of[root as usize] = part;
            stack.push(root);
            let (mut vertices, mut arcs) = (0, 0);
            while let Some(v) = stack.pop() {
                vertices += 1;
                arcs += self.graph.range(v).len() as u32;
                for &u in &self.graph.targets[self.graph.range(v)] {
                    if parts.of[u as usize] == NOT_LEFT {
                        parts.of[u as usize] = part;
                        stack.push(u);
                    }
                }
            }
            parts.vertices.push(vertices);
            parts.arcs.push(arcs);
        }
        parts
    }

    /// A number for each vertex that orders the vertices of every cell.
    fn rank(&self, parts: &Parts, budget: &Budget, depth: usize) -> Result<Vec<u64>, Exhausted> {
        let mut rank = vec![0u64; self.graph.len()];
        let (easy, hard): (Vec<u32>, Vec<u32>) = (0..self.graph.len() as u32)
            .partition(|&v| parts.is_easy(parts.of[v as usize] as usize));
        for (i, v) in self.order_easy(&easy, parts, budget)?.into_iter().enumerate() {
            rank[v as usize] = i as u64;
        }
        let mut ordered = Vec::new();
        for members in group_by_part(parts, &hard) {
            ordered.push(self.order_part(members, budget, depth)?);
        }
        ordered.sort_unstable_by(|a, b| a.certificate.cmp(&b.certificate));
        for (i, &v) in ordered.iter().flat_map(|part| &part.order).enumerate() {
            rank[v as usize] = i as u64;
        }
        Ok(rank)
    }

    /// Easy components: individualise any vertex of any open cell until all are decided.
    fn order_easy(
        &self,
        easy: &[u32],
        parts: &Parts,
        budget: &Budget,
    ) -> Result<Vec<u32>, Exhausted> {
        let mut graph = self.induced(easy);
        for (color, &v) in graph.colors.iter_mut().zip(easy) {
            *color = *color << 32 | u64::from(parts.vertices[parts.of[v as usize] as usize]);
        }
        let mut partition = Partition::by_color(&graph.colors);
        let mut refiner = Refiner::new(graph.len());
        let mut spare = Vec::new();
        let mut start = 0;
        while (start as usize) < partition.len() {
            while partition.length[start as usize] > 1 {
                let vertex = partition.order[start as usize];
                let single = partition.individualise(vertex);
                refiner.enqueue(&partition, single);
                let mut tracer = Tracer::new(None, None, std::mem::take(&mut spare));
                refiner.run(&graph, &mut partition, &mut tracer, budget)?;
                spare = tracer.values;
            }
            start += 1;
        }
        Ok(partition.order.iter().map(|&v| easy[v as usize]).collect())
    }

    fn order_part(
        &self,
        members: Vec<u32>,
        budget: &Budget,
        depth: usize,
    ) -> Result<OrderedPart, Exhausted> {
        let graph = self.induced(&members);
        let order = order(&graph, Partition::by_color(&graph.colors), budget, depth + 1)?;
        let mut position = vec![0; order.len()];
        for (i, &v) in order.iter().enumerate() {
            position[v as usize] = i as u32;
        }
        let mut words: Vec<u64> = order.iter().map(|&v| graph.colors[v as usize]).collect();
        words.insert(0, order.len() as u64);
        words.extend(certificate(&graph, &order, &position));
        Ok(OrderedPart {
            order: order.into_iter().map(|v| members[v as usize]).collect(),
            certificate: words,
        })
    }

    /// The subgraph of some vertices that no edge leaves.
    fn induced(&self, members: &[u32]) -> Graph {
        let mut local = self.local.borrow_mut();
        for (i, &v) in members.iter().enumerate() {
            local[v as usize] = i as u32;
        }
        let mut graph = Graph { starts: vec![0], ..Graph::default() };
        for &v in members {
            graph.colors.push(self.graph.colors[v as usize]);
            for (u, weight) in self.graph.arcs(v) {
                graph.targets.push(local[u as usize]);
                graph.weights.push(weight);
            }
            graph.starts.push(graph.targets.len() as u32);
        }
        graph
    }
}

struct OrderedPart {
    order: Vec<u32>,
    certificate: Vec<u64>,
}

fn group_by_part(parts: &Parts, vertices: &[u32]) -> Vec<Vec<u32>> {
    let mut sorted = vertices.to_vec();
    sorted.sort_by_key(|&v| parts.of[v as usize]);
    sorted
        .chunk_by(|&a, &b| parts.of[a as usize] == parts.of[b as usize])
        .map(<[u32]>::to_vec)
        .collect()
}

/// How one vertex is joined to the cells around it.
struct Joins {
    count: Vec<u32>,
    weight: Vec<u64>,
    mixed: Vec<bool>,
    stamp: Vec<u32>,
    clock: u32,
}

impl Joins {
    fn new(n: usize) -> Joins {
        Joins {
            count: vec![0; n],
            weight: vec![0; n],
            mixed: vec![false; n],
            stamp: vec![0; n],
            clock: 0,
        }
    }

    fn count(&mut self, graph: &Graph, partition: &Partition, v: u32) {
        self.clock += 1;
        for (u, weight) in graph.arcs(v) {
            let cell = partition.cell[u as usize] as usize;
            if self.stamp[cell] != self.clock {
                self.stamp[cell] = self.clock;
                self.count[cell] = 0;
                self.weight[cell] = weight;
                self.mixed[cell] = false;
            }
            self.count[cell] += 1;
            self.mixed[cell] |= self.weight[cell] != weight;
        }
    }

    /// Whether v is joined to all of u's cell in one way.
    fn is_uniform(&self, partition: &Partition, v: u32, u: u32) -> bool {
        let cell = partition.cell[u as usize];
        let others =
            partition.length[cell as usize] - u32::from(partition.cell[v as usize] == cell);
        self.count[cell as usize] == others && !self.mixed[cell as usize]
    }
}
