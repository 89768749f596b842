//! The faithful encoding: the layered graph of the papers, its labelled arcs made into vertices.
//!
//! Location, vector and pid vertices keep their labels as colours. The arc from a location to a vector
//! is an edge (the layers orient it); an arc from a vector to a pid is a helper vertex coloured with
//! the position; an arc between pids is a path over two helper vertices, coloured with the label and
//! the end they are at. Undirected, since nauty can be pathological on directed graphs.

use super::{Encoded, EncodedPair, PidVertices, pair_up};
use crate::backend::{Problem, Verdict};
use crate::budget::Budget;
use crate::digraph::kind;
use pidlab_core::graph::build::{build, estimated_arcs};
use pidlab_core::graph::{ArcLabel, Form, LayeredGraph, Recipe, VertexLabel};
use rustc_hash::FxHashMap;

/// Bytes per arc of the layered graph: two helper vertices and three edges.
const BYTES_PER_ARC: u64 = 80;

/// Encodes the layered graphs of a problem.
pub fn encode(problem: Problem<'_>, budget: &Budget) -> Result<EncodedPair, Verdict> {
    let recipe =
        Recipe { kind: kind(problem.graph), relations: problem.relations, form: Form::Full };
    let make = |state| {
        budget.allocate(estimated_arcs(state, recipe) * BYTES_PER_ARC)?;
        budget.check_time()?;
        build(state, recipe).map_err(Verdict::from)
    };
    let (q, r) = (make(problem.q)?, make(problem.r)?);
    if q.first_pid() != r.first_pid() || problem.q.pid_count() != problem.r.pid_count() {
        return Ok(EncodedPair::Different);
    }
    let mut colours = Colours::default();
    let pids = PidVertices { first: q.first_pid(), count: problem.q.pid_count() as u32 };
    let (q, r) = (flatten(&q, &mut colours), flatten(&r, &mut colours));
    Ok(pair_up(q, r, colours.count as usize, pids))
}

/// Numbers for labels and ends of arcs, common to both sides.
#[derive(Default)]
struct Colours {
    vertices: FxHashMap<VertexLabel, u32>,
    helpers: FxHashMap<(ArcLabel, bool), u32>,
    count: u32,
}

impl Colours {
    fn vertex(&mut self, label: &VertexLabel) -> u32 {
        if let Some(&colour) = self.vertices.get(label) {
            return colour;
        }
        self.vertices.insert(label.clone(), self.count);
        self.count += 1;
        self.count - 1
    }

    fn helper(&mut self, label: ArcLabel, at_target: bool) -> u32 {
        let colour = *self.helpers.entry((label, at_target)).or_insert(self.count);
        self.count += u32::from(colour == self.count);
        colour
    }
}

fn flatten(graph: &LayeredGraph, colours: &mut Colours) -> Encoded {
    let labels: Vec<u32> = graph.labels().iter().map(|label| colours.vertex(label)).collect();
    let mut flat = Encoded {
        colours: graph.vertices().map(|v| labels[graph.label_id(v) as usize]).collect(),
        edges: Vec::with_capacity(2 * graph.arc_count()),
    };
    for (source, arc) in graph.all_arcs() {
        match arc.label {
            ArcLabel::Holds => flat.edges.push((source, arc.target)),
            ArcLabel::Position(_) => {
                let helper = flat.helper(colours.helper(arc.label, false));
                flat.edges.extend([(source, helper), (helper, arc.target)]);
            }
            label => {
                let near = flat.helper(colours.helper(label, false));
                let far = flat.helper(colours.helper(label, true));
                flat.edges.extend([(source, near), (near, far), (far, arc.target)]);
            }
        }
    }
    flat
}

impl Encoded {
    fn helper(&mut self, colour: u32) -> u32 {
        self.colours.push(colour);
        self.colours.len() as u32 - 1
    }
}
