//! Strongly regular graphs with a formula (Brouwer and Van Maldeghem 2022, "Strongly Regular Graphs",
//! chapters 1 and 7): one colour for colour refinement, many automorphisms.

use super::graph::{PlainGraph, RowStructure};
use super::{HardError, Request};

/// Paley graph: residues modulo a prime 1 mod 4, joined if their difference is a square.
pub(super) fn paley(request: &Request) -> Result<RowStructure, HardError> {
    if request.is_twin() {
        return Err(request.no_twin("no other graph of these parameters is known in general"));
    }
    let is_prime = |n: usize| (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    let prime = (5..=request.size).rev().find(|&q| q % 4 == 1 && is_prime(q));
    let q = prime.ok_or_else(|| request.not_found())? as u64;
    let mut square = vec![false; q as usize];
    (1..q).for_each(|x| square[(x * x % q) as usize] = true);
    Ok(PlainGraph::by(q as usize, |x, y| square[(y - x) as usize]).structure())
}

/// Triangular graph: pairs out of n, joined if they share one. For n = 8 the graph is not the only
/// one of its parameters; switching with respect to a perfect matching gives a Chang graph (1959).
pub(super) fn triangular(request: &Request) -> Result<RowStructure, HardError> {
    let n = request.size as u32;
    let pairs: Vec<(u32, u32)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
    let pair = |x: u32| pairs[x as usize];
    let meet = |x: u32, y: u32| {
        let ((a, b), (c, d)) = (pair(x), pair(y));
        a == c || a == d || b == c || b == d
    };
    if !request.is_twin() {
        return Ok(PlainGraph::by(pairs.len(), meet).structure());
    }
    if n != 8 {
        return Err(request.no_twin("T(n) is determined by its parameters unless n = 8"));
    }
    let matched = |x: u32| pair(x).0 % 2 == 0 && pair(x).1 == pair(x).0 + 1;
    let chang = |x: u32, y: u32| meet(x, y) != (matched(x) != matched(y));
    Ok(PlainGraph::by(pairs.len(), chang).structure())
}

/// Rook's graph: cells of an n × n board, joined if in one row or column; the Shrikhande graph (1959)
/// has its parameters for n = 4.
pub(super) fn rook(request: &Request) -> Result<RowStructure, HardError> {
    match (request.is_twin(), request.size) {
        (false, n) => Ok(rook_graph(n as u32).structure()),
        (true, 4) => Ok(shrikhande_graph().structure()),
        (true, _) => Err(request.no_twin("the rook's graph is determined unless n = 4")),
    }
}

fn rook_graph(n: u32) -> PlainGraph {
    PlainGraph::by((n * n) as usize, |x, y| x / n == y / n || x % n == y % n)
}

/// Cells of a 4 × 4 torus, joined if they differ by ±(0,1), ±(1,0) or ±(1,1).
fn shrikhande_graph() -> PlainGraph {
    let steps = [(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)];
    PlainGraph::by(16, |x, y| steps.contains(&((y / 4 + 4 - x / 4) % 4, (y % 4 + 4 - x % 4) % 4)))
}

/// Copies of the 4 × 4 rook's graph; in the twin one is the Shrikhande graph.
pub(super) fn copies(request: &Request) -> RowStructure {
    let mut graph = PlainGraph::default();
    for copy in 0..request.size {
        let odd = request.is_twin() && copy == 0;
        graph.append(&if odd { shrikhande_graph() } else { rook_graph(4) });
    }
    graph.structure()
}
