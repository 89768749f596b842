//! Coloured undirected graphs in nauty's sparse form.

use std::ffi::c_int;
use thiserror::Error;

/// An undirected graph without loops or parallel edges; vertices coloured 0, 1, ….
#[derive(Clone, Debug, Default)]
pub struct SparseGraph {
    pub(crate) starts: Vec<usize>,
    pub(crate) degrees: Vec<c_int>,
    pub(crate) neighbors: Vec<c_int>,
    colors: Vec<u32>,
}

/// What cannot be a graph for nauty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GraphError {
    /// nauty counts vertices and edges with 31 bits.
    #[error("more than 2,000,000,000 vertices or edges")]
    TooLarge,
    /// Loops are not supported, and both ends of an edge must be vertices.
    #[error("an edge leads to no vertex or to its own start")]
    BadEdge,
}

/// nauty counts vertices in a C int and wants a few values free.
const MAX: usize = 2_000_000_000;

impl SparseGraph {
    /// A graph with as many vertices as colours; each edge is given once, in either direction.
    pub fn new(colors: Vec<u32>, edges: &[(u32, u32)]) -> Result<SparseGraph, GraphError> {
        let n = colors.len();
        if n > MAX || edges.len() > MAX / 2 {
            return Err(GraphError::TooLarge);
        }
        if edges.iter().any(|&(x, y)| x == y || x as usize >= n || y as usize >= n) {
            return Err(GraphError::BadEdge);
        }
        let mut degrees: Vec<c_int> = vec![0; n];
        for &(x, y) in edges {
            degrees[x as usize] += 1;
            degrees[y as usize] += 1;
        }
        let mut starts = Vec::with_capacity(n);
        let mut total = 0;
        for &degree in &degrees {
            starts.push(total);
            total += degree as usize;
        }
        let mut fill = starts.clone();
        let mut neighbors: Vec<c_int> = vec![0; total];
        for &(x, y) in edges {
            for (from, to) in [(x, y), (y, x)] {
                neighbors[fill[from as usize]] = to as c_int;
                fill[from as usize] += 1;
            }
        }
        Ok(SparseGraph { starts, degrees, neighbors, colors })
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.colors.len()
    }

    /// Number of undirected edges.
    pub fn edge_count(&self) -> usize {
        self.neighbors.len() / 2
    }

    /// The colour of a vertex.
    pub fn color(&self, vertex: u32) -> u32 {
        self.colors[vertex as usize]
    }

    fn neighbors(&self, vertex: u32) -> &[c_int] {
        let start = self.starts[vertex as usize];
        &self.neighbors[start..start + self.degrees[vertex as usize] as usize]
    }

    /// How many vertices each colour has.
    pub fn color_counts(&self) -> Vec<u32> {
        let mut counts = Vec::new();
        for &color in &self.colors {
            if counts.len() <= color as usize {
                counts.resize(color as usize + 1, 0);
            }
            counts[color as usize] += 1;
        }
        counts
    }

    /// nauty's `lab` and `ptn`: vertices by colour, and 0 at the end of each class.
    #[cfg_attr(not(have_nauty), allow(dead_code))]
    pub(crate) fn partition(&self) -> (Vec<c_int>, Vec<c_int>) {
        let mut ends = self.color_counts();
        let mut total = 0;
        for end in &mut ends {
            total += *end;
            *end = total;
        }
        let mut ptn = vec![1; self.colors.len()];
        for &end in &ends {
            if end > 0 {
                ptn[end as usize - 1] = 0;
            }
        }
        let mut lab = vec![0; self.colors.len()];
        for vertex in (0..self.colors.len()).rev() {
            let end = &mut ends[self.colors[vertex] as usize];
            *end -= 1;
            lab[*end as usize] = vertex as c_int;
        }
        (lab, ptn)
    }

    /// Whether a bijection of vertices is an isomorphism onto `other`; O(vertices + edges). Applied to
    /// the bijection between two canonical orders this compares the canonical graphs.
    pub fn is_isomorphism(&self, other: &SparseGraph, image: &[u32]) -> bool {
        if self.vertex_count() != other.vertex_count() || self.edge_count() != other.edge_count() {
            return false;
        }
        let mut marks = vec![u32::MAX; other.vertex_count()];
        (0..self.vertex_count() as u32).all(|vertex| {
            let target = image[vertex as usize];
            for &w in other.neighbors(target) {
                marks[w as usize] = vertex;
            }
            self.color(vertex) == other.color(target)
                && self.neighbors(vertex).len() == other.neighbors(target).len()
                && self
                    .neighbors(vertex)
                    .iter()
                    .all(|&w| marks[image[w as usize] as usize] == vertex)
        })
    }
}
