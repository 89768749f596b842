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
            (id, _) if graph.initial.contains(&(id as u32)) => ", penwidth=2",
            _ => "",
        };
        writeln!(out, "  {id} [label=\"{}\"{style}];", text.join("\\n"))?;
    }
    for (number, edge) in graph.edges.iter().enumerate() {
        let label = escape::dot(graph.label(edge));
        // a label with parameters says it all
        let detail = graph.detail(number).filter(|detail| detail.action.is_none());
        let shown = detail.map(|detail| escape::dot(&detail.sentence())).unwrap_or_default();
        let shown = if shown.is_empty() { label } else { format!("{label}\\n{shown}") };
        writeln!(out, "  {} -> {} [label=\"{shown}\"];", edge.0, edge.2)?;
    }
    writeln!(out, "}}")
}
