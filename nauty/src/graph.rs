//! Coloured undirected graphs in nauty's sparse form.

use std::ffi::c_int;
use thiserror::Error;

/// An undirected graph without loops or parallel edges; vertices coloured 0, 1, ….
#[derive(Clone, Debug, Default)]
pub struct SparseGraph {
    pub(crate) starts: Vec<usize>,
    pub(crate) degrees: Vec<c_int>,
    pub(crate) neighbours: Vec<c_int>,
    colours: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GraphError {
    #[error("more than 2,000,000,000 vertices or edges")]
    TooLarge,
    #[error("an edge leads to no vertex or to its own start")]
    BadEdge,
}

/// nauty counts vertices in a C int and wants a few values free.
const MAX: usize = 2_000_000_000;

impl SparseGraph {
    /// A graph with as many vertices as colours; each edge is given once, in either direction.
    pub fn new(colours: Vec<u32>, edges: &[(u32, u32)]) -> Result<SparseGraph, GraphError> {
        let n = colours.len();
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
        let mut neighbours: Vec<c_int> = vec![0; total];
        for &(x, y) in edges {
            for (from, to) in [(x, y), (y, x)] {
                neighbours[fill[from as usize]] = to as c_int;
                fill[from as usize] += 1;
            }
        }
        Ok(SparseGraph { starts, degrees, neighbours, colours })
    }

    pub fn vertex_count(&self) -> usize {
        self.colours.len()
    }

    pub fn edge_count(&self) -> usize {
        self.neighbours.len() / 2
    }

    pub fn colour(&self, vertex: u32) -> u32 {
        self.colours[vertex as usize]
    }

    fn neighbours(&self, vertex: u32) -> &[c_int] {
        let start = self.starts[vertex as usize];
        &self.neighbours[start..start + self.degrees[vertex as usize] as usize]
    }

    /// How many vertices each colour has.
    pub fn colour_counts(&self) -> Vec<u32> {
        let mut counts = Vec::new();
        for &colour in &self.colours {
            if counts.len() <= colour as usize {
                counts.resize(colour as usize + 1, 0);
            }
            counts[colour as usize] += 1;
        }
        counts
    }

    /// nauty's `lab` and `ptn`: vertices by colour, and 0 at the end of each class.
    #[cfg_attr(not(have_nauty), allow(dead_code))]
    pub(crate) fn partition(&self) -> (Vec<c_int>, Vec<c_int>) {
        let mut ends = self.colour_counts();
        let mut total = 0;
        for end in &mut ends {
            total += *end;
            *end = total;
        }
        let mut ptn = vec![1; self.colours.len()];
        for &end in &ends {
            if end > 0 {
                ptn[end as usize - 1] = 0;
            }
        }
        let mut lab = vec![0; self.colours.len()];
        for vertex in (0..self.colours.len()).rev() {
            let end = &mut ends[self.colours[vertex] as usize];
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
            for &w in other.neighbours(target) {
                marks[w as usize] = vertex;
            }
            self.colour(vertex) == other.colour(target)
                && self.neighbours(vertex).len() == other.neighbours(target).len()
                && self
                    .neighbours(vertex)
                    .iter()
                    .all(|&w| marks[image[w as usize] as usize] == vertex)
        })
    }
}
