//! GraphML, as read by yEd, Gephi and NetworkX.

use super::StateGraph;
use pidlab_core::escape::xml;
use std::io::{self, Write};

pub fn write(graph: &StateGraph, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    for (key, of, kind) in [
        ("tokens", "node", "string"),
        ("deadlock", "node", "boolean"),
        ("label", "edge", "string"),
        ("pid", "edge", "string"),
        ("binding", "edge", "string"),
    ] {
        let name = format!("attr.name=\"{key}\" attr.type=\"{kind}\"");
        writeln!(out, "  <key id=\"{key}\" for=\"{of}\" {name}/>")?;
    }
    writeln!(out, "  <graph id=\"{}\" edgedefault=\"directed\">", xml(&graph.name))?;
    for (id, node) in graph.nodes.iter().enumerate() {
        let tokens = xml(&node.tokens.join(" "));
        write!(out, "    <node id=\"n{id}\"><data key=\"tokens\">{tokens}</data>")?;
        writeln!(out, "<data key=\"deadlock\">{}</data></node>", node.deadlock)?;
    }
    for (number, edge) in graph.edges.iter().enumerate() {
        let label = xml(graph.label(edge));
        let ends = format!("source=\"n{}\" target=\"n{}\"", edge.0, edge.2);
        write!(out, "    <edge {ends}><data key=\"label\">{label}</data>")?;
        if let Some(detail) = graph.detail(number) {
            if let Some(pid) = detail.pid.as_ref().and_then(|pid| pid.as_str()) {
                write!(out, "<data key=\"pid\">{}</data>", xml(pid))?;
            }
            write!(out, "<data key=\"binding\">{}</data>", xml(&detail.text()))?;
        }
        writeln!(out, "</edge>")?;
    }
    writeln!(out, "  </graph>\n</graphml>")
}
