//! State graphs in other programs' formats, one file each; nets, heap programs and labelled transition
//! systems all become a [`StateGraph`].

mod aut;
mod dot;
mod fsm;
mod graphml;
mod json;
mod layers;
mod promela;
mod svg;

use crate::search::{Edge, Id, SearchReport};
use pidlab_budget::Exhausted;
use pidlab_core::State;
use serde_json::Value;
use std::io::{self, Write};

/// Classes beyond this number get no texts: finding a run to each costs time.
pub(crate) const MOST_TEXTS: usize = 20_000;

/// A state graph with texts.
#[derive(Debug)]
pub struct StateGraph {
    /// Name of the model.
    pub name: String,
    /// What edges are called, by label.
    pub labels: Vec<String>,
    /// Classes, by number.
    pub nodes: Vec<StateNode>,
    /// Sorted.
    pub edges: Vec<Edge>,
    /// Nodes where runs start.
    pub initial: Vec<Id>,
    /// What fires on every edge. Empty for large graphs.
    pub details: Vec<EdgeDetail>,
    /// For every edge the pids of the marking it leads to that have other names in the marking of
    /// the node: the bijection between the two, without what it leaves alone. Empty for large graphs.
    pub renamed: Vec<Vec<(String, String)>>,
    /// Why markings and bijections were left out: a limit was reached before they were found.
    pub left_out: Option<Exhausted>,
}

/// What fires on an edge, with the pids of the state of the node it leaves.
#[derive(Clone, Debug, Default)]
pub struct EdgeDetail {
    /// The name of the transition, where the label is more than that.
    pub action: Option<String>,
    /// The thread that acts: a pid with its `@`, or the name of a thread of a program.
    pub pid: Option<Value>,
    /// Variables or parameters and their values, or a list of what changes.
    pub parameters: Option<Value>,
}

impl EdgeDetail {
    /// The parameters for people, such as `p = 1.1, c = 0`.
    pub fn text(&self) -> String {
        let plain = |value: &Value| match value.as_str() {
            Some(text) => text.strip_prefix('@').unwrap_or(text).to_string(),
            None => value.to_string(),
        };
        let parts: Vec<String> = match &self.parameters {
            Some(Value::Object(named)) => {
                named.iter().map(|(name, value)| format!("{name} = {}", plain(value))).collect()
            }
            Some(Value::Array(list)) => list.iter().map(plain).collect(),
            _ => Vec::new(),
        };
        parts.join(", ")
    }

    /// The same behind the thread that acts, where the parameters do not name it.
    pub fn sentence(&self) -> String {
        let named = matches!(self.parameters, Some(Value::Object(_)));
        match self.pid.as_ref().and_then(Value::as_str).filter(|_| !named) {
            Some(thread) => format!("{thread}: {}", self.text()),
            None => self.text(),
        }
    }
}

/// A class.
#[derive(Clone, Debug, Default)]
pub struct StateNode {
    /// Tokens with the pids of the first run that reached the class; of a program its threads, variables
    /// and objects.
    pub tokens: Vec<String>,
    /// The same as a state (σ, η); programs with heaps have none.
    pub state: Option<State>,
    /// Whether it has no successor.
    pub deadlock: bool,
    /// Whether that is a proper end.
    pub end: bool,
}

/// Formats of state graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// Graphviz.
    Dot,
    /// yEd, Gephi, NetworkX.
    GraphMl,
    /// One document, with the bijection of every edge.
    Json,
    /// Aldebaran: CADP, mCRL2, LTSmin.
    Aut,
    /// The format of mCRL2 and LTSmin that has the values of states.
    Fsm,
    /// A process in Promela, for Spin.
    Promela,
    /// A drawing; for small graphs.
    Svg,
}

impl GraphFormat {
    /// The format that a file name asks for.
    pub fn of_extension(extension: &str) -> Option<GraphFormat> {
        match extension {
            "dot" | "gv" => Some(GraphFormat::Dot),
            "graphml" => Some(GraphFormat::GraphMl),
            "json" => Some(GraphFormat::Json),
            "aut" => Some(GraphFormat::Aut),
            "fsm" => Some(GraphFormat::Fsm),
            "pml" => Some(GraphFormat::Promela),
            "svg" => Some(GraphFormat::Svg),
            _ => None,
        }
    }

    /// Largest graph that makes sense in the format.
    pub fn most_nodes(self) -> usize {
        match self {
            GraphFormat::Svg => 400,
            // Spin makes several lines of C of each
            GraphFormat::Promela => 20_000,
            _ => usize::MAX,
        }
    }

    /// Whether runs of a graph in this format start in one node, the first.
    fn has_one_start(self) -> bool {
        matches!(self, GraphFormat::Aut | GraphFormat::Fsm | GraphFormat::Promela)
    }
}

impl StateGraph {
    /// The name of the transition of an edge.
    pub fn label(&self, edge: &Edge) -> &str {
        &self.labels[edge.1 as usize]
    }

    /// What fires on an edge, by the number of the edge, if that is known.
    pub fn detail(&self, number: usize) -> Option<&EdgeDetail> {
        self.details.get(number)
    }

    /// Why the graph cannot be written in a format, if it cannot.
    pub fn refusal(&self, format: GraphFormat) -> Option<String> {
        let (nodes, most, starts) = (self.nodes.len(), format.most_nodes(), self.initial.len());
        if nodes > most {
            return Some(format!("{nodes} states, and the format is for at most {most}"));
        }
        (format.has_one_start() && starts != 1)
            .then(|| format!("{starts} initial states, and the format has one"))
    }

    /// The node where all runs start, where there is one.
    fn start(&self) -> io::Result<Id> {
        match self.initial[..] {
            [first] => Ok(first),
            ref several => {
                let count = several.len();
                Err(io::Error::other(format!("{count} initial states, and the format has one")))
            }
        }
    }

    /// Writes the graph in a format.
    pub fn write(&self, format: GraphFormat, out: &mut impl Write) -> io::Result<()> {
        match format {
            GraphFormat::Dot => dot::write(self, out),
            GraphFormat::GraphMl => graphml::write(self, out),
            GraphFormat::Json => json::write(self, out),
            GraphFormat::Aut => aut::write(self, out),
            GraphFormat::Fsm => fsm::write(self, out),
            GraphFormat::Promela => promela::write(self, out),
            GraphFormat::Svg => svg::write(self, out),
        }
    }
}

/// States of a search, with texts for as many as there are.
pub(crate) fn nodes(
    report: &SearchReport,
    texts: impl IntoIterator<Item = (Vec<String>, Option<State>)>,
) -> Vec<StateNode> {
    let mut texts = texts.into_iter();
    let node = |_| {
        let (tokens, state) = texts.next().unwrap_or_default();
        StateNode { tokens, state, ..StateNode::default() }
    };
    let mut nodes: Vec<StateNode> = (0..report.counters.states).map(node).collect();
    for &(id, is_end) in &report.dead_ends {
        nodes[id as usize].deadlock = true;
        nodes[id as usize].end = is_end;
    }
    nodes
}

/// Edges of a search, in order.
pub(crate) fn sorted_edges(report: &SearchReport) -> Vec<Edge> {
    let mut edges = report.edges.clone();
    edges.sort_unstable();
    edges
}

/// A text for formats that have no escapes.
fn one_line(text: &str) -> String {
    text.replace('\n', "\\n").replace('"', "'")
}
