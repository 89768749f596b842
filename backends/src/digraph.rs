//! Two layered graphs over common numbers for their labels: what the graph matchers work on.
//!
//! Vertex labels become colours; the set of labels on all parallel arcs from one vertex to another
//! becomes one number, so a matcher compares two words where the papers compare sets.

use crate::backend::{GraphKind, Problem, Undecided, Verdict};
use crate::budget::{Budget, Exhausted};
use pidlab_core::graph::build::{build, estimated_arcs};
use pidlab_core::graph::{
    ArcLabel, Form, LayeredGraph, PaperGraph, Recipe, TooLarge, Vertex, VertexLabel,
};
use rustc_hash::FxHashMap;

/// Neighbours of each vertex in order, with the label set of the arcs between.
#[derive(Clone, Debug, Default)]
pub struct Adjacency {
    start: Vec<u32>,
    entries: Vec<(Vertex, u32)>,
}

impl Adjacency {
    pub fn of(&self, vertex: Vertex) -> &[(Vertex, u32)] {
        let i = vertex as usize;
        &self.entries[self.start[i] as usize..self.start[i + 1] as usize]
    }

    /// The label set of the arcs to `other`, if there are any.
    pub fn labels_to(&self, vertex: Vertex, other: Vertex) -> Option<u32> {
        let list = self.of(vertex);
        list.binary_search_by_key(&other, |&(v, _)| v).ok().map(|at| list[at].1)
    }

    fn from_sorted(vertices: usize, arcs: &[(Vertex, Vertex, u32)]) -> Adjacency {
        let mut start = vec![0u32; vertices + 1];
        for &(source, ..) in arcs {
            start[source as usize + 1] += 1;
        }
        for i in 0..vertices {
            start[i + 1] += start[i];
        }
        Adjacency { start, entries: arcs.iter().map(|&(_, target, set)| (target, set)).collect() }
    }
}

/// One side: colours and both directions of the arcs.
#[derive(Clone, Debug, Default)]
pub struct Digraph {
    pub color: Vec<u32>,
    pub successors: Adjacency,
    pub predecessors: Adjacency,
}

impl Digraph {
    pub fn len(&self) -> usize {
        self.color.len()
    }

    /// What any isomorphism keeps of a vertex: colour, numbers of successors and predecessors.
    fn signatures(&self) -> Vec<(u32, usize, usize)> {
        let mut all: Vec<_> = (0..self.len() as Vertex)
            .map(|v| {
                let degrees = (self.successors.of(v).len(), self.predecessors.of(v).len());
                (self.color[v as usize], degrees.0, degrees.1)
            })
            .collect();
        all.sort_unstable();
        all
    }
}

/// Both sides of a problem.
pub struct DigraphPair {
    pub q: Digraph,
    pub r: Digraph,
    q_graph: LayeredGraph,
    r_graph: LayeredGraph,
}

/// Bytes a layered graph and its digraph take per arc and vertex, roughly.
const BYTES_PER_ARC: u64 = 64;

impl DigraphPair {
    /// Builds both layered graphs of a problem.
    pub fn build(
        problem: Problem<'_>,
        form: Form,
        budget: &Budget,
    ) -> Result<DigraphPair, Verdict> {
        let recipe = Recipe { kind: kind(problem.graph), relations: problem.relations, form };
        let make = |state| {
            budget.allocate(estimated_arcs(state, recipe) * BYTES_PER_ARC)?;
            budget.poll()?;
            build(state, recipe).map_err(Verdict::from)
        };
        Ok(DigraphPair::align(make(problem.q)?, make(problem.r)?))
    }

    fn align(q_graph: LayeredGraph, r_graph: LayeredGraph) -> DigraphPair {
        let mut colors: FxHashMap<&VertexLabel, u32> = FxHashMap::default();
        let mut sets = FxHashMap::default();
        let q = digraph(&q_graph, &mut colors, &mut sets);
        let r = digraph(&r_graph, &mut colors, &mut sets);
        DigraphPair { q, r, q_graph, r_graph }
    }

    /// Whether the sides have as many vertices of every colour and degree.
    pub fn same_signatures(&self) -> bool {
        self.q.len() == self.r.len() && self.q.signatures() == self.r.signatures()
    }

    /// The bijection over pid numbers in a bijection over vertices, or why there is none: in the
    /// published graph of an inconsistent state a pid may be matched with a mere next-pid.
    pub fn witness(&self, image: &[Vertex]) -> Verdict {
        let first = self.q_graph.first_pid();
        let pids = (first..).map_while(|v| self.q_graph.listed_pid(v).map(|_| v));
        let images: Option<Vec<u32>> =
            pids.map(|v| self.r_graph.listed_pid(image[v as usize])).collect();
        match images {
            Some(images) => Verdict::Equivalent(crate::Witness(images)),
            None => Verdict::Undecided(Undecided::Failed(
                "the published graph of an inconsistent state does not tell pids from next-pids"
                    .to_string(),
            )),
        }
    }

    /// Whether a map of vertices is an isomorphism of the two sides; O(arcs · log degree).
    pub fn is_isomorphism(&self, image: &[Vertex]) -> bool {
        let n = self.r.len();
        let mut hit = vec![false; n];
        let bijective = image.len() == n
            && self.q.len() == n
            && image
                .iter()
                .all(|&v| (v as usize) < n && !std::mem::replace(&mut hit[v as usize], true));
        bijective && (0..n as Vertex).all(|v| self.vertex_kept(v, image))
    }

    fn vertex_kept(&self, v: Vertex, image: &[Vertex]) -> bool {
        let w = image[v as usize];
        let (mine, theirs) = (self.q.successors.of(v), self.r.successors.of(w));
        let kept = |&(target, labels): &(Vertex, u32)| {
            self.r.successors.labels_to(w, image[target as usize]) == Some(labels)
        };
        self.q.color[v as usize] == self.r.color[w as usize]
            && mine.len() == theirs.len()
            && mine.iter().all(kept)
    }

    pub fn arc_count(&self) -> usize {
        self.q_graph.arc_count()
    }

    pub fn layered(&self) -> (&LayeredGraph, &LayeredGraph) {
        (&self.q_graph, &self.r_graph)
    }
}

/// The layered graph that a problem asks for.
pub fn kind(graph: GraphKind) -> PaperGraph {
    match graph {
        GraphKind::Corrected => PaperGraph::Corrected,
        GraphKind::Published => PaperGraph::Published,
    }
}

fn digraph<'g>(
    graph: &'g LayeredGraph,
    colors: &mut FxHashMap<&'g VertexLabel, u32>,
    sets: &mut FxHashMap<Vec<ArcLabel>, u32>,
) -> Digraph {
    let rank: Vec<u32> = graph
        .labels()
        .iter()
        .map(|label| {
            let fresh = colors.len() as u32;
            *colors.entry(label).or_insert(fresh)
        })
        .collect();
    let mut arcs = grouped_arcs(graph, sets);
    let successors = Adjacency::from_sorted(graph.vertex_count(), &arcs);
    for (source, target, _) in &mut arcs {
        std::mem::swap(source, target);
    }
    arcs.sort_unstable();
    Digraph {
        color: graph.vertices().map(|v| rank[graph.label_id(v) as usize]).collect(),
        successors,
        predecessors: Adjacency::from_sorted(graph.vertex_count(), &arcs),
    }
}

/// (source, target, label set), parallel arcs taken together, sorted.
fn grouped_arcs(
    graph: &LayeredGraph,
    sets: &mut FxHashMap<Vec<ArcLabel>, u32>,
) -> Vec<(Vertex, Vertex, u32)> {
    let mut grouped = Vec::with_capacity(graph.arc_count());
    for source in graph.vertices() {
        for parallel in graph.arcs(source).chunk_by(|a, b| a.target == b.target) {
            let set: Vec<ArcLabel> = parallel.iter().map(|arc| arc.label).collect();
            let fresh = sets.len() as u32;
            grouped.push((source, parallel[0].target, *sets.entry(set).or_insert(fresh)));
        }
    }
    grouped
}

impl From<TooLarge> for Verdict {
    fn from(_: TooLarge) -> Verdict {
        Exhausted::Memory.into()
    }
}
