//! What is left after refinement, taken apart.
//!
//! Vertices in cells of their own are decided, and edges between two cells of which every vertex of
//! one is joined in the same way to every vertex of the other say nothing: both are removed. The
//! rest falls into connected components that can be ordered one by one (Junttila and Kaski 2011 use
//! the same idea inside the search). Components with at most one cycle need no search at all: colour
//! refinement identifies the vertices of a forest (Immerman and Lander 1990; Arvind et al. 2017), and
//! around a cycle colours repeat with a period, so that size and colours determine the component;
//! a walk by colour orders it. Equal components are ordered once each and sorted by
//! what they look like. Cost: O(m log n) per layer of nesting, plus the searches.

use super::graph::{WeightedArc, WeightedGraph};
use super::partition::Partition;
use super::search::{Search, certificate};
use crate::budget::{Budget, Exhausted};

/// How often a component may fall apart again before it is searched as it is.
pub const DEPTH: usize = 64;
const NOT_LEFT: u32 = u32::MAX;

/// Canonical order below an equitable partition.
pub fn order(
    graph: &WeightedGraph,
    partition: Partition,
    budget: &Budget,
    depth: usize,
) -> Result<Vec<u32>, Exhausted> {
    if partition.is_discrete() {
        return Ok(partition.order);
    }
    match take_apart(graph, &partition) {
        Some(apart) if depth < DEPTH => apart.order(partition, budget, depth),
        _ => Search::new(graph, partition, budget).run(),
    }
}

/// What an equitable partition leaves undecided, and how it falls apart.
pub struct Apart {
    rest: Rest,
    parts: Parts,
}

/// Takes apart what is left; `None` if nothing is decided yet, nothing falls apart, and a search is
/// needed.
pub fn take_apart(graph: &WeightedGraph, partition: &Partition) -> Option<Apart> {
    let rest = Rest::new(graph, partition);
    let parts = rest.components();
    (!parts.is_one_hard_part(graph.len())).then_some(Apart { rest, parts })
}

/// Parts that look alike.
pub struct PartClass {
    /// The vertices of each, in orders that map onto each other.
    pub copies: Vec<Vec<u32>>,
    /// The first of them.
    pub graph: WeightedGraph,
    /// Its vertices, as they are numbered in `graph`.
    pub members: Vec<u32>,
}

impl Apart {
    /// What an equitable partition leaves, whether it falls apart or not.
    pub fn of(graph: &WeightedGraph, partition: &Partition) -> Apart {
        let rest = Rest::new(graph, partition);
        let parts = rest.components();
        Apart { rest, parts }
    }

    /// Whether nothing is decided and nothing falls apart.
    pub fn is_whole(&self, vertices: usize) -> bool {
        self.parts.vertices.len() == 1 && self.parts.of.len() == vertices
    }

    /// The parts, sorted into those that look alike.
    pub fn classes(&self, budget: &Budget, depth: usize) -> Result<Vec<PartClass>, Exhausted> {
        let mut whole = vec![0; self.rest.graph.len()];
        for (v, &left) in self.rest.index.iter().enumerate().filter(|(_, left)| **left != NOT_LEFT)
        {
            whole[left as usize] = v as u32;
        }
        let mut parts: Vec<Vec<u32>> = vec![Vec::new(); self.parts.vertices.len()];
        for (v, &part) in (0..).zip(&self.parts.of) {
            parts[part as usize].push(v);
        }
        let mut ordered = Vec::new();
        for members in parts {
            budget.steps(members.len())?;
            ordered.push(self.rest.order_part(members, &self.parts, budget, depth)?);
        }
        ordered.sort_unstable_by(|a, b| a.certificate.cmp(&b.certificate));
        let alike = ordered.chunk_by(|a, b| a.certificate == b.certificate);
        let named = |part: &[u32]| part.iter().map(|&v| whole[v as usize]).collect();
        let class = |copies: &[OrderedPart]| {
            let mut members = copies[0].order.clone();
            members.sort_unstable();
            PartClass {
                graph: self.rest.induced(&members, &self.parts),
                members: named(&members),
                copies: copies.iter().map(|copy| named(&copy.order)).collect(),
            }
        };
        Ok(alike.map(class).collect())
    }

    /// Canonical order of the whole graph, whose equitable partition this was made of.
    pub fn order(
        &self,
        partition: Partition,
        budget: &Budget,
        depth: usize,
    ) -> Result<Vec<u32>, Exhausted> {
        let rank = self.rest.rank(&self.parts, &partition, budget, depth)?;
        let index = &self.rest.index;
        let mut order = partition.order.clone();
        for start in partition.starts() {
            let end = start + partition.length[start as usize];
            if end - start > 1 {
                let cell = &mut order[start as usize..end as usize];
                cell.sort_unstable_by_key(|&v| rank[index[v as usize] as usize]);
            }
        }
        Ok(order)
    }
}

/// The undecided vertices with the edges that matter, as a graph coloured by cell.
struct Rest {
    graph: WeightedGraph,
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
    fn new(graph: &WeightedGraph, partition: &Partition) -> Rest {
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
        let mut arcs: Vec<WeightedArc> = Vec::new();
        for &v in &left {
            joins.count(graph, partition, v);
            for (u, weight) in graph.arcs(v) {
                if index[u as usize] != NOT_LEFT && !joins.is_uniform(partition, v, u) {
                    arcs.push((index[v as usize], index[u as usize], weight));
                }
            }
        }
        let local = std::cell::RefCell::new(vec![0; colors.len()]);
        let mut graph = WeightedGraph::from_arcs(colors, &arcs);
        graph.unify_weights();
        Rest { graph, index, local }
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
    fn rank(
        &self,
        parts: &Parts,
        partition: &Partition,
        budget: &Budget,
        depth: usize,
    ) -> Result<Vec<u64>, Exhausted> {
        let mut rank = vec![0u64; self.graph.len()];
        for (i, v) in self.order_easy(parts, partition).into_iter().enumerate() {
            rank[v as usize] = i as u64;
        }
        let mut ordered = Vec::new();
        for members in self.hard_parts(parts) {
            ordered.push(self.order_part(members, parts, budget, depth)?);
        }
        ordered.sort_unstable_by(|a, b| a.certificate.cmp(&b.certificate));
        for (i, &v) in ordered.iter().flat_map(|part| &part.order).enumerate() {
            rank[v as usize] = i as u64;
        }
        Ok(rank)
    }

    /// Easy components, from any vertex of their first cells on: neighbours of one cell, joined in
    /// one way, are exchanged by an automorphism, so walking on by cell is canonical.
    fn order_easy(&self, parts: &Parts, partition: &Partition) -> Vec<u32> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.graph.len()];
        let mut stack = Vec::new();
        let mut ahead = Vec::new();
        for root in self.easy_roots(parts, partition) {
            stack.push(root);
            while let Some(v) = stack.pop() {
                if std::mem::replace(&mut seen[v as usize], true) {
                    continue;
                }
                order.push(v);
                ahead.clear();
                ahead.extend(self.graph.arcs(v).filter(|&(u, _)| !seen[u as usize]));
                // the stack hands out the last one first
                ahead.sort_unstable_by_key(|&(u, weight)| {
                    std::cmp::Reverse((self.graph.colors[u as usize], weight))
                });
                stack.extend(ahead.iter().map(|&(u, _)| u));
            }
        }
        order
    }

    /// A vertex of the first cell of every easy component, components ordered by cell and size.
    fn easy_roots(&self, parts: &Parts, partition: &Partition) -> Vec<u32> {
        let mut rooted = vec![false; parts.vertices.len()];
        let left = partition.order.iter().map(|&v| self.index[v as usize]);
        let mut roots: Vec<u32> = left
            .filter(|&v| v != NOT_LEFT)
            .filter(|&v| {
                let part = parts.of[v as usize] as usize;
                parts.is_easy(part) && !std::mem::replace(&mut rooted[part], true)
            })
            .collect();
        let size = |v: u32| parts.vertices[parts.of[v as usize] as usize];
        roots.sort_by_key(|&v| (self.graph.colors[v as usize], size(v)));
        roots
    }

    /// The vertices of each hard component.
    fn hard_parts(&self, parts: &Parts) -> Vec<Vec<u32>> {
        let part = |v: u32| parts.of[v as usize];
        let mut hard: Vec<u32> =
            (0..self.graph.len() as u32).filter(|&v| !parts.is_easy(part(v) as usize)).collect();
        hard.sort_by_key(|&v| part(v));
        hard.chunk_by(|&a, &b| part(a) == part(b)).map(<[u32]>::to_vec).collect()
    }

    fn order_part(
        &self,
        members: Vec<u32>,
        parts: &Parts,
        budget: &Budget,
        depth: usize,
    ) -> Result<OrderedPart, Exhausted> {
        let graph = self.induced(&members, parts);
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

    /// The subgraph of a part. No edge leaves it, unless a partition is not equitable because sums of
    /// weights collided: then what leaves it is dropped, and the order is as good as any other.
    fn induced(&self, members: &[u32], parts: &Parts) -> WeightedGraph {
        let mut local = self.local.borrow_mut();
        for (i, &v) in members.iter().enumerate() {
            local[v as usize] = i as u32;
        }
        let mut graph = WeightedGraph { starts: vec![0], ..WeightedGraph::default() };
        for &v in members {
            graph.colors.push(self.graph.colors[v as usize]);
            let inside = |&(u, _): &(u32, u64)| parts.of[u as usize] == parts.of[v as usize];
            for (u, weight) in self.graph.arcs(v).filter(inside) {
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

    fn count(&mut self, graph: &WeightedGraph, partition: &Partition, v: u32) {
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

#[cfg(test)]
mod tests {
    use super::super::canonical_order;
    use super::*;
    use pidlab_core::mix::mix;

    /// What the canonical order shows: colours, then arcs.
    fn form(colors: &[u64], edges: &[(u32, u32, u64)]) -> Vec<u64> {
        let mut arcs: Vec<WeightedArc> = Vec::new();
        for &(x, y, label) in edges {
            arcs.push((x, y, mix(label, 2)));
            arcs.push((y, x, mix(label, 3)));
        }
        let graph = WeightedGraph::from_arcs(colors.to_vec(), &arcs);
        let order = canonical_order(&graph, &Budget::unlimited()).unwrap();
        let mut position = vec![0; order.len()];
        for (i, &v) in order.iter().enumerate() {
            position[v as usize] = i as u32;
        }
        let mut form: Vec<u64> = order.iter().map(|&v| graph.colors[v as usize]).collect();
        form.extend(certificate(&graph, &order, &position));
        form
    }

    /// Forests and components with one cycle, few colours and labels, so that much is symmetric.
    #[test]
    fn easy_components_have_a_canonical_order() {
        let mut seed = 0;
        let mut below = move |n: u64| {
            seed += 1;
            mix(mix(seed, 7), 0) % n
        };
        let mut changed = 0;
        for _ in 0..2_000 {
            let n = 2 + below(14) as u32;
            let colors: Vec<u64> = (0..n).map(|_| below(5) / 4).collect();
            let mut edges = Vec::new();
            for v in 1..n {
                if below(8) > 0 {
                    edges.push((v, below(u64::from(v).min(3)) as u32 + v - v.min(3), below(4) / 3));
                }
            }
            if below(2) == 0 {
                edges.push((0, n - 1, 0));
            }
            let mut names: Vec<u32> = (0..n).collect();
            for i in (1..n as usize).rev() {
                names.swap(i, below(i as u64 + 1) as usize);
            }
            let mut renamed_colors = vec![0; n as usize];
            for (v, &color) in colors.iter().enumerate() {
                renamed_colors[names[v] as usize] = color;
            }
            let rename =
                |&(x, y, label): &(u32, u32, u64)| (names[x as usize], names[y as usize], label);
            let renamed: Vec<_> = edges.iter().map(rename).collect();
            let shape = form(&colors, &edges);
            assert_eq!(shape, form(&renamed_colors, &renamed), "{colors:?} {edges:?} {names:?}");
            if let Some(edge) = edges.first_mut() {
                edge.2 += 1;
                changed += usize::from(form(&colors, &edges) != shape);
            }
        }
        assert!(changed > 1_500, "the form tells labels apart: {changed}");
    }
}
