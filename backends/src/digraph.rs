//! Two layered graphs over common numbers for their labels: what the graph matchers work on.
//!
//! Vertex labels become colours; the set of labels on all parallel arcs from one vertex to another
//! becomes one number, so a matcher compares two words where the papers compare sets.

use crate::backend::{GraphKind, Problem, Undecided, Verdict};
use crate::budget::{Budget, Exhausted};
use pidlab_core::graph::build::{build_within, estimated_arcs};
use pidlab_core::graph::{
    ArcLabel, Form, GraphError, LayeredGraph, PaperGraph, Recipe, Vertex, VertexLabel,
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

    /// What arcs lead to, from (source, target, label set) in order.
    fn successors(vertices: usize, arcs: &[(Vertex, Vertex, u32)]) -> Adjacency {
        let start = starts(vertices, arcs.iter().map(|arc| arc.0));
        Adjacency { start, entries: arcs.iter().map(|&(_, target, set)| (target, set)).collect() }
    }

    /// Where the same arcs come from: distributed by target, sources stay in order.
    fn predecessors(
        vertices: usize,
        arcs: &[(Vertex, Vertex, u32)],
        budget: &Budget,
    ) -> Result<Adjacency, Exhausted> {
        let start = starts(vertices, arcs.iter().map(|arc| arc.1));
        let mut fill = start.clone();
        let mut entries = vec![(0, 0); arcs.len()];
        for &(source, target, set) in arcs {
            budget.spend(ARC)?;
            let at = &mut fill[target as usize];
            entries[*at as usize] = (source, set);
            *at += 1;
        }
        Ok(Adjacency { start, entries })
    }
}

/// Where the entries of each vertex begin if there is one for each of these; at last where they end.
fn starts(vertices: usize, of: impl Iterator<Item = Vertex>) -> Vec<u32> {
    let mut start = vec![0u32; vertices + 1];
    of.for_each(|vertex| start[vertex as usize + 1] += 1);
    for i in 0..vertices {
        start[i + 1] += start[i];
    }
    start
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
/// Units of a budget that an arc takes when it is moved, and when it is grouped with those beside it.
const ARC: u64 = 2;
const GROUP: u64 = 16;

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
            build_within(state, recipe, budget).map_err(Verdict::from)
        };
        let (q, r) = (make(problem.q)?, make(problem.r)?);
        Ok(DigraphPair::align(q, r, budget)?)
    }

    fn align(
        q_graph: LayeredGraph,
        r_graph: LayeredGraph,
        budget: &Budget,
    ) -> Result<DigraphPair, Exhausted> {
        let mut colors: FxHashMap<&VertexLabel, u32> = FxHashMap::default();
        let mut sets = FxHashMap::default();
        let q = digraph(&q_graph, &mut colors, &mut sets, budget)?;
        let r = digraph(&r_graph, &mut colors, &mut sets, budget)?;
        Ok(DigraphPair { q, r, q_graph, r_graph })
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
    budget: &Budget,
) -> Result<Digraph, Exhausted> {
    let rank: Vec<u32> = graph
        .labels()
        .iter()
        .map(|label| {
            let fresh = colors.len() as u32;
            *colors.entry(label).or_insert(fresh)
        })
        .collect();
    let arcs = grouped_arcs(graph, sets, budget)?;
    Ok(Digraph {
        color: graph.vertices().map(|v| rank[graph.label_id(v) as usize]).collect(),
        successors: Adjacency::successors(graph.vertex_count(), &arcs),
        predecessors: Adjacency::predecessors(graph.vertex_count(), &arcs, budget)?,
    })
}

/// (source, target, label set), parallel arcs taken together, sorted.
fn grouped_arcs(
    graph: &LayeredGraph,
    sets: &mut FxHashMap<Vec<ArcLabel>, u32>,
    budget: &Budget,
) -> Result<Vec<(Vertex, Vertex, u32)>, Exhausted> {
    let mut grouped = Vec::with_capacity(graph.arc_count());
    for source in graph.vertices() {
        budget.spend(GROUP * graph.arcs(source).len() as u64)?;
        for parallel in graph.arcs(source).chunk_by(|a, b| a.target == b.target) {
            let set: Vec<ArcLabel> = parallel.iter().map(|arc| arc.label).collect();
            let fresh = sets.len() as u32;
            grouped.push((source, parallel[0].target, *sets.entry(set).or_insert(fresh)));
        }
    }
    Ok(grouped)
}

impl From<GraphError> for Verdict {
    fn from(error: GraphError) -> Verdict {
        match error {
            GraphError::TooLarge(_) => Exhausted::Memory.into(),
            GraphError::Limit(limit) => limit.into(),
        }
    }
}
