//! petgraph's VF2 as a second, independent matcher on the layered graphs.
//!
//! petgraph answers yes or no without the mapping. Vertices are labelled with their numbers, so the matcher's
//! question "do these two vertices match?" shows which pairs it tries; the last pair it tried for a
//! vertex is the one in the mapping it ended with. The mapping is checked before it is a witness.
//! petgraph keeps adjacency matrices: memory is quadratic in the vertices, which bounds the sizes.

use crate::backend::{Backend, Decision, Exactness, Info, Problem, Undecided, Verdict};
use crate::budget::{Budget, Exhausted};
use crate::digraph::{Digraph, DigraphPair};
use petgraph::algo::is_isomorphic_matching;
use petgraph::graph::{DiGraph, NodeIndex};
use pidlab_core::graph::{Form, Vertex};
use std::time::Instant;

/// petgraph 0.8.
pub struct Petgraph;

/// Where no limit is given, the matrices may take this much.
const MATRIX_BYTES: u64 = 2 << 30;

impl Backend for Petgraph {
    fn info(&self) -> Info {
        Info {
            name: "petgraph".into(),
            exactness: Exactness::Exact,
            source: "petgraph 0.8, is_isomorphic_matching (VF2)".into(),
            unavailable: None,
        }
    }

    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision {
        let start = Instant::now();
        let pair = match DigraphPair::build(problem, Form::Full, budget) {
            Ok(pair) => pair,
            Err(verdict) => return Decision::unbuilt(verdict, start.elapsed()),
        };
        if let Err(exhausted) = allocate_matrices(&pair, budget) {
            return Decision::unbuilt(exhausted.into(), start.elapsed());
        }
        let (q, r) = (petgraph_of(&pair.q), petgraph_of(&pair.r));
        let built = Instant::now();
        let verdict = match_graphs(&q, &r, &pair, budget);
        Decision::of(verdict, start, built).sized(pair.q.len(), pair.arc_count())
    }
}

fn allocate_matrices(pair: &DigraphPair, budget: &Budget) -> Result<(), Exhausted> {
    let n = pair.q.len() as u64;
    let bytes = n * n / 4;
    budget.allocate(bytes)?;
    if bytes > MATRIX_BYTES { Err(Exhausted::Memory) } else { Ok(()) }
}

/// A vertex with its colour and number, an arc with its label set.
type Graph = DiGraph<(u32, Vertex), u32>;

fn petgraph_of(graph: &Digraph) -> Graph {
    let vertices = 0..graph.len() as Vertex;
    let mut result = Graph::with_capacity(graph.len(), 0);
    for vertex in vertices.clone() {
        result.add_node((graph.color[vertex as usize], vertex));
    }
    for source in vertices {
        for &(target, labels) in graph.successors.of(source) {
            result.add_edge(
                NodeIndex::new(source as usize),
                NodeIndex::new(target as usize),
                labels,
            );
        }
    }
    result
}

fn match_graphs(q: &Graph, r: &Graph, pair: &DigraphPair, budget: &Budget) -> Verdict {
    let mut image = vec![0; pair.q.len()];
    let mut stopped = None;
    // once a limit is reached nothing matches any more and the search runs empty
    let node_match = |a: &(u32, Vertex), b: &(u32, Vertex)| {
        stopped = stopped.or_else(|| budget.step().err());
        image[a.1 as usize] = b.1;
        a.0 == b.0 && stopped.is_none()
    };
    let isomorphic = is_isomorphic_matching(q, r, node_match, |a, b| a == b);
    match (isomorphic, stopped) {
        (false, Some(exhausted)) => exhausted.into(),
        (false, None) => Verdict::NotEquivalent,
        (true, _) if pair.is_isomorphism(&image) => pair.witness(&image),
        (true, _) => Verdict::Undecided(Undecided::Failed(
            "petgraph says yes, but the pairs it tried last are not an isomorphism".to_string(),
        )),
    }
}
