//! DIMACS graph files with vertex colours, as bliss, saucy and Traces' `dretog` take them; what reads them is in
//! `graphs/`, next to the other formats.
//!
//! One line `p edge N M`; `n V COLOUR` for vertices whose colour is not 0; `e U V`, an undirected edge. Vertices
//! count from 1.

use super::colored::ColoredGraph;
use std::fmt::Write;

/// Writes a graph.
pub fn write(graph: &ColoredGraph) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "p edge {} {}", graph.colors().len(), graph.edges().len());
    for (vertex, color) in graph.colors().iter().enumerate().filter(|&(_, &c)| c != 0) {
        let _ = writeln!(out, "n {} {color}", vertex + 1);
    }
    for (x, y) in graph.edges() {
        let _ = writeln!(out, "e {} {}", x + 1, y + 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_and_edges() {
        let graph = ColoredGraph::new(vec![0, 7, 0, 0], vec![(1, 0), (0, 3), (1, 2)]).unwrap();
        assert_eq!(write(&graph), "p edge 4 3\nn 2 7\ne 1 2\ne 1 4\ne 2 3\n");
    }
}
