//! Where the nodes of a small state graph go: layers by distance from the start, as in figure 3 of
//! ICTAC'08, and within a layer by the mean place of the neighbours above (Sugiyama, Tagawa and Toda
//! 1981: barycentre method), a few sweeps.

use super::StateGraph;

/// Column of each node within its layer, and the layers.
pub struct Layers {
    pub layer: Vec<usize>,
    pub column: Vec<usize>,
    /// Nodes of each layer, left to right.
    pub rows: Vec<Vec<usize>>,
}

const SWEEPS: usize = 8;

impl Layers {
    pub fn new(graph: &StateGraph) -> Layers {
        let layer = distances(graph);
        let depth = layer.iter().max().map_or(0, |d| d + 1);
        let mut rows = vec![Vec::new(); depth];
        for (node, &at) in layer.iter().enumerate() {
            rows[at].push(node);
        }
        let mut layers = Layers { column: vec![0; layer.len()], layer, rows };
        layers.number();
        for sweep in 0..SWEEPS {
            layers.sweep(graph, sweep % 2 == 0);
        }
        layers
    }

    fn number(&mut self) {
        for row in &self.rows {
            for (column, &node) in row.iter().enumerate() {
                self.column[node] = column;
            }
        }
    }

    /// Orders each row by its neighbours in the row before (or after).
    fn sweep(&mut self, graph: &StateGraph, down: bool) {
        let mut sum = vec![(0.0, 0.0); self.layer.len()];
        for &(from, _, to) in &graph.edges {
            let (from, to) = (from as usize, to as usize);
            let (fixed, moved) = if down { (from, to) } else { (to, from) };
            let step = if down { 1 } else { -1 };
            if self.layer[moved] as isize - self.layer[fixed] as isize == step {
                let width = self.rows[self.layer[fixed]].len() as f64;
                sum[moved].0 += (self.column[fixed] as f64 + 0.5) / width;
                sum[moved].1 += 1.0;
            }
        }
        for row in &mut self.rows {
            let width = row.len() as f64;
            let place = |node: usize| match sum[node] {
                (_, 0.0) => (self.column[node] as f64 + 0.5) / width,
                (total, count) => total / count,
            };
            row.sort_by(|&a, &b| place(a).total_cmp(&place(b)));
        }
        self.number();
    }
}

/// Steps from node 0; every node of a state graph can be reached.
fn distances(graph: &StateGraph) -> Vec<usize> {
    let mut distance = vec![usize::MAX; graph.nodes.len()];
    let mut queue = std::collections::VecDeque::new();
    if let Some(first) = distance.first_mut() {
        *first = 0;
        queue.push_back(0);
    }
    while let Some(node) = queue.pop_front() {
        let start = graph.edges.partition_point(|edge| (edge.0 as usize) < node);
        for edge in graph.edges[start..].iter().take_while(|edge| edge.0 as usize == node) {
            let to = edge.2 as usize;
            if distance[to] == usize::MAX {
                distance[to] = distance[node] + 1;
                queue.push_back(to);
            }
        }
    }
    distance.iter().map(|&d| if d == usize::MAX { 0 } else { d }).collect()
}
