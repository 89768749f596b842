//! Layered graphs in GraphML (graphml.graphdrawing.org): layer, label and name of every vertex, label of
//! every arc; parallel arcs are separate edges.

use super::LayeredGraph;
use crate::escape::xml;
use std::fmt::Write;

/// Writes a graph; `names` are those of [`LayeredGraph::names`].
pub fn write(graph: &LayeredGraph, names: &[String]) -> String {
    let mut out = String::from(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="layer" for="node" attr.name="layer" attr.type="int"/>
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="name" for="node" attr.name="name" attr.type="string"/>
  <key id="arc" for="edge" attr.name="label" attr.type="string"/>
  <graph id="state" edgedefault="directed">
"#,
    );
    for v in graph.vertices() {
        let _ = writeln!(
            out,
            "    <node id=\"v{v}\"><data key=\"layer\">{}</data><data key=\"label\">{}</data><data key=\"name\">{}</data></node>",
            graph.layer(v),
            xml(&graph.label(v).to_string()),
            xml(&names[v as usize])
        );
    }
    for (source, arc) in graph.all_arcs() {
        let _ = writeln!(
            out,
            "    <edge source=\"v{source}\" target=\"v{}\"><data key=\"arc\">{}</data></edge>",
            arc.target,
            xml(&arc.label.to_string())
        );
    }
    out.push_str("  </graph>\n</graphml>\n");
    out
}
