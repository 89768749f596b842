//! The graph as one JSON document.

use super::Graph;
use serde_json::json;
use std::io::{self, Write};

pub fn write(graph: &Graph, out: &mut impl Write) -> io::Result<()> {
    let nodes: Vec<_> = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(id, node)| json!({"id": id, "tokens": node.tokens, "deadlock": node.deadlock}))
        .collect();
    let edges: Vec<_> = graph
        .edges
        .iter()
        .map(|edge| json!({"from": edge.0, "transition": graph.label(edge), "to": edge.2}))
        .collect();
    let document = json!({
        "format": "pidlab-graph/1", "net": graph.name, "initial": 0, "nodes": nodes, "edges": edges,
    });
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}
