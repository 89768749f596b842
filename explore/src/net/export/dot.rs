//! Graphviz DOT.

use super::StateGraph;
use pidlab_core::escape;
use std::io::{self, Write};

pub fn write(graph: &StateGraph, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph \"{}\" {{", escape::dot(&graph.name))?;
    writeln!(out, "  node [shape=box, style=rounded, fontname=\"sans-serif\"];")?;
    for (id, node) in graph.nodes.iter().enumerate() {
        let text = std::iter::once(id.to_string()).chain(node.tokens.iter().cloned());
        let text: Vec<String> = text.map(|line| escape::dot(&line)).collect();
        let style = match (id, node.deadlock) {
            (_, true) => ", color=\"#d55e00\", penwidth=2",
            (0, _) => ", penwidth=2",
            _ => "",
        };
        writeln!(out, "  {id} [label=\"{}\"{style}];", text.join("\\n"))?;
    }
    for edge in &graph.edges {
        writeln!(
            out,
            "  {} -> {} [label=\"{}\"];",
            edge.0,
            edge.2,
            escape::dot(graph.label(edge))
        )?;
    }
    writeln!(out, "}}")
}
