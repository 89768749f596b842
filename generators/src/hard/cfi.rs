//! CFI graphs (Cai, Fürer, Immerman 1992, "An optimal lower bound on the number of variables for
//! graph identification", section 6).
//!
//! Every vertex of a base graph becomes a gadget: two outer vertices for each of its edges and one
//! inner vertex for each even set of its edges, joined to the outer vertices that say which edges are
//! in the set. Outer vertices of one edge are joined straight or, where the edge is twisted, crosswise.
//! Over a connected base only the parity of the number of twists counts, and colour refinement
//! cannot see it. Inner and outer vertices are told apart by their location.

use super::graph::{PlainGraph, RowStructure};
use super::regular::random_cubic;
use super::{HardError, Request, Variant};
use pidlab_random::Rng;

pub(super) fn structure(request: &Request, rng: &mut Rng) -> Result<RowStructure, HardError> {
    let base =
        (0..100).find_map(|_| random_cubic(request.size, rng).filter(PlainGraph::is_connected));
    let base = base.ok_or_else(|| request.not_found())?;
    let twists = rng.sample(base.edges.len(), 3);
    Ok(match request.variant {
        Variant::Base => over(&base, &[]),
        Variant::Equivalent => over(&base, &twists[1..]),
        Variant::Twin => over(&base, &twists[..1]),
    })
}

/// The CFI graph over a base graph with the given edges twisted; a base vertex of degree d makes
/// 2^(d-1) inner vertices.
pub fn over(base: &PlainGraph, twisted: &[usize]) -> RowStructure {
    let mut graph = PlainGraph { vertices: 4 * base.edges.len(), edges: Vec::new() };
    // edge e has the outer vertices 4e, 4e+1 at its first end and 4e+2, 4e+3 at its second
    let mut ends: Vec<Vec<u32>> = vec![Vec::new(); base.vertices];
    for (edge, &(x, y)) in base.edges.iter().enumerate() {
        let first = 4 * edge as u32;
        ends[x as usize].push(first);
        ends[y as usize].push(first + 2);
        let cross = u32::from(twisted.contains(&edge));
        graph.edges.extend([(first, first + 2 + cross), (first + 1, first + 3 - cross)]);
    }
    for outer in &ends {
        add_gadget(&mut graph, outer);
    }
    let outer = 4 * base.edges.len() as u32;
    graph.structure_with(&["Outer", "Inner"], |x| u32::from(x >= outer))
}

/// Inner vertices for the even subsets of the ends; end i has outer vertices `ends[i]` (edge not in
/// the set) and `ends[i] + 1` (edge in the set).
pub(super) fn add_gadget(graph: &mut PlainGraph, ends: &[u32]) {
    for set in (0..1u32 << ends.len()).filter(|set| set.count_ones() % 2 == 0) {
        add_inner(graph, ends, set);
    }
}

/// One inner vertex.
pub(super) fn add_inner(graph: &mut PlainGraph, ends: &[u32], set: u32) {
    let inner = graph.vertices as u32;
    graph.vertices += 1;
    for (i, &end) in ends.iter().enumerate() {
        graph.edges.push((inner, end + (set >> i & 1)));
    }
}
