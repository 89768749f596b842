//! Grids and tori.
//!
//! The torus' twin is closed with a shift, so that it is the same everywhere as far as one can see
//! without going around. Both are vertex-transitive, so the numbers of vertices at each distance from
//! one vertex tell them apart. The grid's twin has two opposite sides of the middle cell replaced by
//! its diagonals: all degrees are kept, some cycles of length 4 are lost.

use super::graph::{PlainGraph, RowStructure};
use super::{HardError, Request};

pub(super) fn grid(request: &Request) -> RowStructure {
    let n = request.size as u32;
    let cell = |row: u32, column: u32| row * n + column;
    let mut edges = Vec::new();
    for row in 0..n {
        for column in 0..n {
            if column + 1 < n {
                edges.push((cell(row, column), cell(row, column + 1)));
            }
            if row + 1 < n {
                edges.push((cell(row, column), cell(row + 1, column)));
            }
        }
    }
    if request.is_twin() {
        let m = n / 2 - 1;
        let (top, bottom) = ((cell(m, m), cell(m, m + 1)), (cell(m + 1, m), cell(m + 1, m + 1)));
        edges.retain(|&edge| edge != top && edge != bottom);
        edges.extend([(top.0, bottom.1), (top.1, bottom.0)]);
    }
    PlainGraph { vertices: (n * n) as usize, edges }.structure()
}

pub(super) fn torus(request: &Request) -> Result<RowStructure, HardError> {
    let n = request.size as u32;
    if !request.is_twin() {
        return Ok(shifted_torus(n, 0).structure());
    }
    let straight = distances(&shifted_torus(n, 0));
    (1..=n / 2)
        .map(|shift| shifted_torus(n, shift))
        .find(|graph| distances(graph) != straight)
        .map(|graph| graph.structure())
        .ok_or_else(|| request.not_found())
}

/// The n × n torus whose last row joins the first one `shift` columns further.
fn shifted_torus(n: u32, shift: u32) -> PlainGraph {
    let mut edges = Vec::new();
    for row in 0..n {
        for column in 0..n {
            let here = row * n + column;
            edges.push((here, row * n + (column + 1) % n));
            let below = if row + 1 < n { (row + 1) * n + column } else { (column + shift) % n };
            edges.push((here, below));
        }
    }
    PlainGraph { vertices: (n * n) as usize, edges }
}

/// How many vertices lie at each distance from vertex 0.
fn distances(graph: &PlainGraph) -> Vec<usize> {
    let lists = graph.neighbors();
    let mut seen = vec![false; graph.vertices];
    seen[0] = true;
    let mut layer = vec![0u32];
    let mut sizes = Vec::new();
    while !layer.is_empty() {
        sizes.push(layer.len());
        let mut next = Vec::new();
        for &x in &layer {
            for &y in &lists[x as usize] {
                if !std::mem::replace(&mut seen[y as usize], true) {
                    next.push(y);
                }
            }
        }
        layer = next;
    }
    sizes
}
