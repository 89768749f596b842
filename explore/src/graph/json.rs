//! The graph as one JSON document: a marking of every class, and the bijection of every edge.

use super::{StateGraph, StateNode};
use serde_json::{Value, json};
use std::io::{self, Write};

pub fn write(graph: &StateGraph, out: &mut impl Write) -> io::Result<()> {
    let nodes: Vec<_> = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(id, node)| {
            let StateNode { tokens, state, deadlock, end } = node;
            json!({"id": id, "tokens": tokens, "state": state, "deadlock": deadlock, "final": end})
        })
        .collect();
    let edges: Vec<_> = graph
        .edges
        .iter()
        .enumerate()
        .map(|(number, edge)| {
            let renamed = graph.renamed.get(number).map(|renamed| object(renamed));
            let detail = graph.detail(number).cloned().unwrap_or_default();
            let transition = detail.action.as_deref().unwrap_or(graph.label(edge));
            json!({
                "from": edge.0, "transition": transition, "pid": detail.pid,
                "binding": detail.parameters, "to": edge.2, "renamed": renamed,
            })
        })
        .collect();
    let initial = match graph.initial[..] {
        [first] => json!(first),
        ref several => json!(several),
    };
    let document = json!({
        "format": "pidlab-graph/1", "net": graph.name, "initial": initial, "nodes": nodes,
        "edges": edges,
    });
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}

/// Pids with the `@` that marks them in states.
fn object(renamed: &[(String, String)]) -> Value {
    renamed.iter().map(|(from, to)| (format!("@{from}"), json!(format!("@{to}")))).collect()
}
