//! Structures made of cycles: every vertex looks the same, only the lengths of the cycles tell.

use super::Request;
use super::graph::{PlainGraph, RowStructure};

/// Hexagons; in the twin two of them are a pentagon and a heptagon.
pub(super) fn equal_components(request: &Request) -> RowStructure {
    let mut graph = PlainGraph::default();
    for copy in 0..request.size {
        graph.append(&cycle(match (request.is_twin(), copy) {
            (true, 0) => 5,
            (true, 1) => 7,
            _ => 6,
        }));
    }
    graph.structure()
}

fn cycle(length: u32) -> PlainGraph {
    let edges = (0..length).map(|x| (x, (x + 1) % length)).collect();
    PlainGraph { vertices: length as usize, edges }
}

/// One directed cycle of vectors ⟨x, y⟩; in the twin two of half the length.
pub(super) fn all_alike(request: &Request) -> RowStructure {
    let n = request.size as u32;
    let length = if request.is_twin() { n / 2 } else { n };
    let next = |x: u32| x / length * length + (x + 1) % length;
    let rows = (0..n).map(|x| (0, vec![x, next(x)])).collect();
    RowStructure { points: n as usize, locations: vec!["L"], rows }
}
