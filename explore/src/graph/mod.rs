//! State graphs in other programs' formats, one file each; nets, heap programs and labelled transition
//! systems all become a [`StateGraph`].

mod aut;
mod dot;
mod graphml;
mod json;
mod layers;
mod svg;

use crate::search::{Edge, Id};
use pidlab_budget::Exhausted;
use pidlab_core::State;
use serde_json::Value;
use std::io::{self, Write};

/// A state graph with texts.
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
    /// The thread that acts: a pid with its `@`.
    pub pid: Option<Value>,
    /// Variables or parameters and their values.
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
}

/// A class.
#[derive(Clone, Debug, Default)]
pub struct StateNode {
    /// Tokens with the pids of the first run that reached the class.
    pub tokens: Vec<String>,
    /// The same as a state (σ, η).
    pub state: Option<State>,
    /// Whether it has no successor.
    pub deadlock: bool,
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
    /// Aldebaran: CADP, mCRL2.
    Aut,
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
            "svg" => Some(GraphFormat::Svg),
            _ => None,
        }
    }

    /// Largest graph that makes sense in the format.
    pub fn most_nodes(self) -> usize {
        match self {
            GraphFormat::Svg => 400,
            _ => usize::MAX,
        }
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

    /// Writes the graph in a format.
    pub fn write(&self, format: GraphFormat, out: &mut impl Write) -> io::Result<()> {
        match format {
            GraphFormat::Dot => dot::write(self, out),
            GraphFormat::GraphMl => graphml::write(self, out),
            GraphFormat::Json => json::write(self, out),
            GraphFormat::Aut => aut::write(self, out),
            GraphFormat::Svg => svg::write(self, out),
        }
    }
}
