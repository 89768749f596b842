//! Layered graphs in the DOT language, one rank for each layer, like figures 3 and 4 of SACS'10.

use super::{ArcLabel, LayeredGraph, Vertex};
use crate::escape;
use std::fmt::Write;

/// Writes a graph; `names` are those of [`LayeredGraph::names`].
pub fn write(graph: &LayeredGraph, names: &[String]) -> String {
    let mut out =
        String::from("digraph state {\n  rankdir=TB;\n  node [fontname=\"sans-serif\"];\n");
    for layer in 1..=4 {
        let vertices: Vec<Vertex> = graph.vertices().filter(|&v| graph.layer(v) == layer).collect();
        if !vertices.is_empty() {
            write_layer(&mut out, graph, names, layer, &vertices);
        }
    }
    for (source, arc) in graph.all_arcs() {
        let (label, style) = (quote(&arc.label.to_string()), style(arc.label));
        let _ = writeln!(out, "  v{source} -> v{} [label={label}{style}];", arc.target);
    }
    out.push_str("}\n");
    out
}

fn write_layer(
    out: &mut String,
    graph: &LayeredGraph,
    names: &[String],
    layer: u8,
    vertices: &[Vertex],
) {
    let shape = match layer {
        1 => "box",
        2 => "box, style=rounded",
        3 => "ellipse",
        _ => "ellipse, style=dashed",
    };
    let _ = writeln!(out, "  {{ rank=same; node [shape={shape}];");
    for &v in vertices {
        let name = &names[v as usize];
        let label = graph.label(v).to_string();
        let text = if *name == label { label } else { format!("{label}\n{name}") };
        let _ = writeln!(out, "    v{v} [label={}];", quote(&text));
    }
    out.push_str("  }\n");
}

fn style(label: ArcLabel) -> &'static str {
    match label {
        ArcLabel::Holds | ArcLabel::Position(_) => "",
        ArcLabel::Next => ", style=dashed, color=\"#0072b2\", constraint=false",
        _ => ", color=\"#d55e00\", constraint=false",
    }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", escape::dot(text))
}
