//! Isomorphism and canonical order of graphs that are not states: vertices and edges with colours,
//! directed or not, with loops and parallel edges.
//!
//! What joins two vertices is a list of edges, each with its colour and direction ([`joined`](crate::solver::joined)); loops become
//! part of vertex colours. The different lists are an invariant, so graphs are compared only if theirs are the
//! same. Cost: O(m log m) for the lists, then that of the solver.

use crate::budget::{Budget, Exhausted};
use crate::solver::graph::WeightedGraph;
use crate::solver::joined::{distinct, join, rank};
use crate::solver::{self, Isomorphism};

/// A graph made ready for comparisons.
#[derive(Clone, Debug)]
pub struct Multigraph {
    vertices: usize,
    directed: bool,
    /// Colours with the loops at a vertex, where there are loops; a vertex has the rank of its own.
    looped: Vec<Vec<u64>>,
    /// Lists of parallel edges, where there are such; an arc has the rank of its own.
    parallel: Vec<Vec<u64>>,
    graph: WeightedGraph,
}

/// An edge: source, target, colour.
pub type ColoredEdge = (u32, u32, u32);

/// How an edge is seen from one of its ends.
const UNDIRECTED: u64 = 0;
const OUT: u64 = 1;
const IN: u64 = 2;

fn code(color: u32, view: u64) -> u64 {
    u64::from(color) * 3 + view
}

impl Multigraph {
    /// A graph with as many vertices as colours; `None` if an edge leads to no vertex or there are more
    /// than 2^31 edges.
    pub fn new(colors: &[u32], edges: &[ColoredEdge], directed: bool) -> Option<Multigraph> {
        let n = colors.len();
        let is_inside = |&(x, y, _): &ColoredEdge| (x as usize) < n && (y as usize) < n;
        if !edges.iter().all(is_inside) || n.max(edges.len()) >= 1 << 31 {
            return None;
        }
        let (there, back) = if directed { (OUT, IN) } else { (UNDIRECTED, UNDIRECTED) };
        let is_loop = |&&(x, y, _): &&ColoredEdge| x == y;
        let loops = edges.iter().filter(is_loop).map(|&(x, _, color)| (x, code(color, there)));
        let (looped, colors) = with_loops(colors, loops.collect());
        if let Some(graph) = even(&colors, edges, directed) {
            return Some(Multigraph { vertices: n, directed, looped, parallel: Vec::new(), graph });
        }
        let arcs = edges
            .iter()
            .filter(|edge| !is_loop(edge))
            .flat_map(|&(x, y, color)| [(x, y, code(color, there)), (y, x, code(color, back))]);
        let (parallel, graph) = join(colors, arcs);
        Some(Multigraph { vertices: n, directed, looped, parallel, graph })
    }

    /// The image of every vertex under an isomorphism that keeps colours, directions and multiplicities;
    /// `None` if there is none.
    pub fn isomorphism(
        &self,
        other: &Multigraph,
        budget: &Budget,
    ) -> Result<Option<Vec<u32>>, Exhausted> {
        let comparable = self.vertices == other.vertices
            && self.directed == other.directed
            && self.looped == other.looped
            && self.parallel == other.parallel;
        if !comparable {
            return Ok(None);
        }
        match solver::isomorphism(&self.graph, &other.graph, budget)? {
            Isomorphism::Found(mut image) => {
                image.truncate(self.vertices);
                Ok(Some(image))
            }
            // sums are exact here, so the solver is never unsure
            Isomorphism::None | Isomorphism::Unsure => Ok(None),
        }
    }

    /// The vertices in canonical order: isomorphic graphs get orders that map onto each other.
    pub fn canonical_order(&self, budget: &Budget) -> Result<Vec<u32>, Exhausted> {
        let mut order = solver::canonical_order(&self.graph, budget)?;
        order.retain(|&vertex| (vertex as usize) < self.vertices);
        Ok(order)
    }
}

/// The solver's graph where all edges look alike from both ends and none are parallel, as most graphs are.
fn even(colors: &[u64], edges: &[ColoredEdge], directed: bool) -> Option<WeightedGraph> {
    let &(_, _, color) = edges.first().filter(|_| !directed)?;
    if edges.iter().any(|edge| edge.2 != color) {
        return None;
    }
    let ends = edges.iter().filter(|edge| edge.0 != edge.1).map(|&(x, y, _)| (x, y));
    WeightedGraph::even(colors.to_vec(), ends, code(color, UNDIRECTED))
}

/// Vertex colours, loops taken in: a table of what occurs and each vertex's rank in it.
fn with_loops(colors: &[u32], mut loops: Vec<(u32, u64)>) -> (Vec<Vec<u64>>, Vec<u64>) {
    if loops.is_empty() {
        return (Vec::new(), colors.iter().map(|&color| color.into()).collect());
    }
    loops.sort_unstable();
    let mut kinds: Vec<Vec<u64>> = colors.iter().map(|&color| vec![color.into()]).collect();
    for (vertex, code) in loops {
        kinds[vertex as usize].push(code);
    }
    let table = distinct(kinds.clone());
    let colors = kinds.iter().map(|kind| rank(&table, kind)).collect();
    (table, colors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_core::mix::mix;

    fn below(seed: &mut u64, n: u32) -> u32 {
        *seed += 1;
        (mix(*seed, 11) % u64::from(n)) as u32
    }

    /// Whether some bijection keeps everything, by trying all.
    fn by_force(q: &Case, r: &Case) -> bool {
        let mut names: Vec<u32> = (0..q.colors.len() as u32).collect();
        permutations(&mut names, 0, &mut |names| renamed(q, names).same(r))
    }

    fn permutations(
        items: &mut [u32],
        from: usize,
        found: &mut impl FnMut(&[u32]) -> bool,
    ) -> bool {
        if from == items.len() {
            return found(items);
        }
        (from..items.len()).any(|i| {
            items.swap(from, i);
            let yes = permutations(items, from + 1, found);
            items.swap(from, i);
            yes
        })
    }

    #[derive(Clone)]
    struct Case {
        colors: Vec<u32>,
        edges: Vec<ColoredEdge>,
        directed: bool,
    }

    impl Case {
        fn graph(&self) -> Multigraph {
            Multigraph::new(&self.colors, &self.edges, self.directed).expect("edges are inside")
        }

        fn sorted(&self) -> Vec<ColoredEdge> {
            let turn = |&(x, y, c): &ColoredEdge| match self.directed {
                true => (x, y, c),
                false => (x.min(y), x.max(y), c),
            };
            let mut edges: Vec<_> = self.edges.iter().map(turn).collect();
            edges.sort_unstable();
            edges
        }

        fn same(&self, other: &Case) -> bool {
            self.colors == other.colors && self.sorted() == other.sorted()
        }

        fn random(seed: &mut u64, n: u32, colors: u32, directed: bool) -> Case {
            let edges = (0..below(seed, 2 * n))
                .map(|_| (below(seed, n), below(seed, n), below(seed, colors)))
                .collect();
            let colors = (0..n).map(|_| below(seed, 4) / 3).collect();
            Case { colors, edges, directed }
        }
    }

    fn renamed(case: &Case, names: &[u32]) -> Case {
        let mut colors = vec![0; names.len()];
        for (&name, &color) in names.iter().zip(&case.colors) {
            colors[name as usize] = color;
        }
        let rename = |&(x, y, c): &ColoredEdge| (names[x as usize], names[y as usize], c);
        let edges = case.edges.iter().map(rename).collect();
        Case { colors, edges, directed: case.directed }
    }

    fn form(case: &Case) -> Case {
        let order = case.graph().canonical_order(&Budget::unlimited()).unwrap();
        let mut names = vec![0; order.len()];
        for (position, &vertex) in (0..).zip(&order) {
            names[vertex as usize] = position;
        }
        renamed(case, &names)
    }

    #[test]
    fn agrees_with_brute_force_on_small_multigraphs() {
        let seed = &mut 0;
        let mut found = [0; 2];
        for round in 0..3_000 {
            let (n, directed) = (1 + below(seed, 5), round % 2 == 0);
            let q = Case::random(seed, n, 2, directed);
            let mut r = Case::random(seed, n, 2, directed);
            if round % 3 == 0 {
                let mut names: Vec<u32> = (0..n).collect();
                names.rotate_left(below(seed, n) as usize);
                r = renamed(&q, &names);
                if let Some(edge) = r.edges.first_mut().filter(|_| round % 2 == 0) {
                    std::mem::swap(&mut edge.0, &mut edge.1);
                }
            }
            let image = q.graph().isomorphism(&r.graph(), &Budget::unlimited()).unwrap();
            assert_eq!(image.is_some(), by_force(&q, &r), "{:?} {:?}", q.edges, r.edges);
            assert_eq!(image.is_some(), form(&q).same(&form(&r)), "{:?} {:?}", q.edges, r.edges);
            if let Some(image) = &image {
                assert!(renamed(&q, image).same(&r));
            }
            found[usize::from(image.is_some())] += 1;
        }
        assert!(found.iter().all(|&count| count > 300), "{found:?}");
    }

    #[test]
    fn many_edge_colors_need_helpers_and_change_nothing() {
        let seed = &mut 7;
        for directed in [false, true] {
            let mut q = Case::random(seed, 60, 200, directed);
            q.edges.extend((0..100).map(|i| (i % 60, i % 7, 3 * i)));
            let mut names: Vec<u32> = (0..60).collect();
            names.rotate_left(17);
            let mut r = renamed(&q, &names);
            assert!(q.graph().graph.len() > 60, "there are helpers");
            let same = |r: &Case| {
                q.graph().isomorphism(&r.graph(), &Budget::unlimited()).unwrap().is_some()
            };
            assert!(same(&r) && form(&q).same(&form(&r)));
            r.edges[0].2 += 1;
            assert!(!same(&r) && !form(&q).same(&form(&r)));
        }
    }

    #[test]
    fn an_edge_to_nowhere_is_refused() {
        assert!(Multigraph::new(&[0, 0], &[(0, 2, 0)], false).is_none());
    }
}
