//! A process in Promela, the language of Spin: a label for each state, an alternative for each edge. Spin has no
//! format for state graphs; this is how it gets one.
//!
//! `fired` is the transition that was taken last, so that formulas ask about it:
//! `spin -run -ltl never_twice graph.pml` with `ltl never_twice { [] (fired == t_spawn -> X fired != t_spawn) }` in
//! the file. States without successor block, which Spin reports as invalid end states, unless they are proper ends.

use super::StateGraph;
use crate::search::Edge;
use crate::unique::identifier;
use std::collections::HashSet;
use std::io::{self, Write};

pub fn write(graph: &StateGraph, out: &mut impl Write) -> io::Result<()> {
    let first = graph.start()?;
    let mut used = HashSet::new();
    let names: Vec<String> =
        graph.labels.iter().map(|label| identifier(&format!("t_{label}"), &mut used)).collect();
    let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
    writeln!(out, "/* {nodes} states, {edges} transitions; fired: the transition taken last */")?;
    for (number, name) in (1..).zip(&names) {
        writeln!(out, "#define {name} {number}")?;
    }
    writeln!(
        out,
        "int fired = 0;\n\nactive proctype graph()\n{{\n  goto {};",
        label(graph, first)
    )?;
    let mut rest = &graph.edges[..];
    for id in 0..nodes as u32 {
        let count = rest.iter().take_while(|edge| edge.0 == id).count();
        let (own, others) = rest.split_at(count);
        write_state(graph, id, own, &names, out)?;
        rest = others;
    }
    writeln!(out, "}}")
}

fn write_state(
    graph: &StateGraph,
    id: u32,
    edges: &[Edge],
    names: &[String],
    out: &mut impl Write,
) -> io::Result<()> {
    let own = label(graph, id);
    if edges.is_empty() {
        return writeln!(out, "{own}:\n  false;");
    }
    writeln!(out, "{own}:\n  if")?;
    for edge in edges {
        let (name, to) = (&names[edge.1 as usize], label(graph, edge.2));
        writeln!(out, "  :: fired = {name}; goto {to}")?;
    }
    writeln!(out, "  fi;")
}

/// The label of a state; that of a proper end begins as Spin wants it.
fn label(graph: &StateGraph, id: u32) -> String {
    let prefix = if graph.nodes[id as usize].end { "end_" } else { "" };
    format!("{prefix}s{id}")
}
