//! Random 3-regular graphs: pairing of half-edges (Bollobás 1980), where loops and double edges are
//! removed by switching with random other edges.
//!
//! The twin differs by one switch that makes a triangle; the numbers of triangles are counted, so
//! that it is proved to be another graph. Colour refinement sees one colour on both.

use super::graph::{PlainGraph, RowStructure};
use super::{HardError, Request};
use pidlab_random::Rng;
use rustc_hash::FxHashSet;

pub(super) fn structure(request: &Request, rng: &mut Rng) -> Result<RowStructure, HardError> {
    let graph = (0..20).find_map(|_| random_cubic(request.size, rng));
    let graph = graph.ok_or_else(|| request.not_found())?;
    if !request.is_twin() {
        return Ok(graph.structure());
    }
    let triangles = count_triangles(&graph);
    (0..200)
        .filter_map(|_| with_another_triangle(&graph, rng))
        .find(|twin| count_triangles(twin) != triangles)
        .map(|twin| twin.structure())
        .ok_or_else(|| request.not_found())
}

/// A random 3-regular graph on an even number of vertices; `None` if switching got stuck.
pub fn random_cubic(vertices: usize, rng: &mut Rng) -> Option<PlainGraph> {
    let mut ends: Vec<u32> = (0..vertices as u32).flat_map(|x| [x; 3]).collect();
    rng.shuffle(&mut ends);
    let mut pairs: Vec<(u32, u32)> = ends.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    let mut seen = FxHashSet::default();
    let mut bad: Vec<usize> =
        (0..pairs.len()).filter(|&i| !is_new_edge(pairs[i], &mut seen)).collect();
    let mut tries = 0;
    while let Some(&i) = bad.last() {
        tries += 1;
        if tries > 100 * vertices + 1_000 {
            return None;
        }
        let j = rng.index(pairs.len());
        if bad.contains(&j) {
            continue;
        }
        let ((a, b), (c, d)) = (pairs[i], pairs[j]);
        let free = |x: u32, y: u32| x != y && !seen.contains(&(x.min(y), x.max(y)));
        let distinct = (a.min(c), a.max(c)) != (b.min(d), b.max(d));
        if free(a, c) && free(b, d) && distinct {
            seen.remove(&(c.min(d), c.max(d)));
            (pairs[i], pairs[j]) = ((a, c), (b, d));
            is_new_edge(pairs[i], &mut seen);
            is_new_edge(pairs[j], &mut seen);
            bad.pop();
        }
    }
    Some(PlainGraph { vertices, edges: pairs })
}

fn is_new_edge((x, y): (u32, u32), seen: &mut FxHashSet<(u32, u32)>) -> bool {
    x != y && seen.insert((x.min(y), x.max(y)))
}

/// Joins two neighbours a, b of a vertex and, in exchange, another neighbour of each.
fn with_another_triangle(graph: &PlainGraph, rng: &mut Rng) -> Option<PlainGraph> {
    let lists = graph.neighbors();
    let adjacent = |x: u32, y: u32| lists[x as usize].contains(&y);
    let middle = rng.index(graph.vertices) as u32;
    let chosen = rng.sample(3, 2);
    let (a, b) = (lists[middle as usize][chosen[0]], lists[middle as usize][chosen[1]]);
    let (x, y) = (lists[a as usize][rng.index(3)], lists[b as usize][rng.index(3)]);
    let distinct = x != middle && y != middle && x != y && x != b && y != a;
    if !distinct || adjacent(a, b) || adjacent(x, y) {
        return None;
    }
    let gone = |edge: (u32, u32)| [(a, x), (x, a), (b, y), (y, b)].contains(&edge);
    let mut edges: Vec<_> = graph.edges.iter().copied().filter(|&edge| !gone(edge)).collect();
    edges.extend([(a, b), (x, y)]);
    Some(PlainGraph { vertices: graph.vertices, edges })
}

fn count_triangles(graph: &PlainGraph) -> usize {
    let lists = graph.neighbors();
    let common = |&(x, y): &(u32, u32)| {
        lists[x as usize].iter().filter(|z| lists[y as usize].contains(z)).count()
    };
    graph.edges.iter().map(common).sum::<usize>() / 3
}
