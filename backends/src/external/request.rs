//! A problem as one line of JSON, in the forms a program wants.

use super::greeting::Wants;
use crate::backend::{Problem, Verdict};
use crate::budget::Budget;
use crate::digraph::{Digraph, DigraphPair};
use crate::encoding::{Encoded, EncodedPair, PidVertices, compact};
use pidlab_core::graph::{Form, Vertex};
use pidlab_core::json::state_to_string;
use std::cell::OnceCell;
use std::fmt::Write;

/// A problem and its graphs, built when they are wanted.
pub struct ExternalQuestion<'s> {
    pub problem: Problem<'s>,
    layered: OnceCell<DigraphPair>,
    plain: OnceCell<EncodedPair>,
}

impl<'s> ExternalQuestion<'s> {
    pub fn new(problem: Problem<'s>) -> ExternalQuestion<'s> {
        ExternalQuestion { problem, layered: OnceCell::new(), plain: OnceCell::new() }
    }

    /// Vertices and arcs of what was sent.
    pub fn size(&self) -> (usize, usize) {
        match (self.layered.get(), self.plain.get()) {
            (Some(pair), _) => (pair.q.len(), pair.arc_count()),
            (None, Some(EncodedPair::Graphs { q, .. })) => (q.colors.len(), q.edges.len()),
            _ => (0, 0),
        }
    }

    /// The layered graphs, if the program was sent them.
    pub fn layered(&self) -> Option<&DigraphPair> {
        self.layered.get()
    }

    /// The plain graphs, if the program was sent them.
    pub fn plain(&self) -> Option<(&Encoded, &Encoded, PidVertices)> {
        match self.plain.get() {
            Some(EncodedPair::Graphs { q, r, pids }) => Some((q, r, *pids)),
            _ => None,
        }
    }

    /// The request, or the verdict where encoding already shows it.
    pub fn to_json(&self, number: u64, wants: Wants, budget: &Budget) -> Result<String, Verdict> {
        let names: Vec<String> =
            self.problem.relations.iter().map(|r| format!("\"{}\"", r.name())).collect();
        let mut line = format!("{{\"id\":{number},\"relations\":[{}]", names.join(","));
        if let Some(time) = budget.remaining() {
            let _ = write!(line, ",\"timeout\":{}", time.as_secs_f64());
        }
        if wants.states {
            let (q, r) = (state_to_string(self.problem.q), state_to_string(self.problem.r));
            let _ = write!(line, ",\"q\":{q},\"r\":{r}");
        }
        if wants.layered {
            let pair = DigraphPair::build(self.problem, Form::Full, budget)?;
            for (name, graph) in [("q", &pair.q), ("r", &pair.r)] {
                let _ = write!(line, ",\"{name}_layered\":{}", layered_json(graph));
            }
            let _ = self.layered.set(pair);
        }
        if wants.plain {
            let Problem { q, r, relations, .. } = self.problem;
            let pair = compact::encode(q, r, relations, budget.allows_short_cuts());
            let EncodedPair::Graphs { q, r, .. } = &pair else {
                return Err(Verdict::NotEquivalent);
            };
            for (name, graph) in [("q", q), ("r", r)] {
                let _ = write!(line, ",\"{name}_plain\":{}", plain_json(graph));
            }
            let _ = self.plain.set(pair);
        }
        line.push('}');
        Ok(line)
    }
}

fn layered_json(graph: &Digraph) -> String {
    let arcs = (0..graph.len() as Vertex).flat_map(|source| {
        let list = graph.successors.of(source).iter();
        list.map(move |(target, labels)| format!("[{source},{target},{labels}]"))
    });
    graph_json(&graph.color, "arcs", arcs)
}

fn plain_json(graph: &Encoded) -> String {
    let edges = graph.edges.iter().map(|(x, y)| format!("[{x},{y}]"));
    graph_json(&graph.colors, "edges", edges)
}

fn graph_json(colors: &[u32], name: &str, arcs: impl Iterator<Item = String>) -> String {
    let mut text = String::from("{\"colours\":[");
    for (i, color) in colors.iter().enumerate() {
        let _ = write!(text, "{}{color}", if i > 0 { "," } else { "" });
    }
    let _ = write!(text, "],\"{name}\":[");
    for (i, arc) in arcs.enumerate() {
        let _ = write!(text, "{}{arc}", if i > 0 { "," } else { "" });
    }
    text.push_str("]}");
    text
}
