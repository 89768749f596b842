//! Layered graphs as drawings: one row for each layer, like figures 3 and 4 of SACS'10.
//!
//! Arcs between layers are straight, arcs within a layer bow downwards. Labels of parallel arcs stand
//! together. Colours are those of Okabe and Ito; relations and `next` differ in dashes too.

use super::layout::{LayerLayout, layout};
use super::{Arc, ArcLabel, LayeredGraph, Vertex};
use crate::escape::xml;
use std::fmt::Write;

/// Draws a graph; `names` are those of [`LayeredGraph::names`].
pub fn write(graph: &LayeredGraph, names: &[String]) -> String {
    let labels: Vec<String> = graph.vertices().map(|v| graph.label(v).to_string()).collect();
    let longest = |v: usize| labels[v].chars().count().max(names[v].chars().count());
    let characters: Vec<usize> = (0..labels.len()).map(longest).collect();
    let place = layout(graph, &characters);
    let mut out = header(&place);
    for source in graph.vertices() {
        for parallel in graph.arcs(source).chunk_by(same_line) {
            draw_arc(&mut out, graph, source, parallel, &place);
        }
    }
    for v in graph.vertices() {
        draw_vertex(&mut out, graph, v, &labels[v as usize], &names[v as usize], &place);
    }
    out.push_str("</svg>\n");
    out
}

/// Parallel arcs of one style are drawn as one line.
fn same_line(a: &Arc, b: &Arc) -> bool {
    a.target == b.target && class(a.label) == class(b.label)
}

fn header(place: &LayerLayout) -> String {
    let (w, h) = (place.width, place.height);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{w:.0}" height="{h:.0}" viewBox="0 0 {w:.0} {h:.0}" font-family="sans-serif" font-size="12">
<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="#444"/></marker></defs>
<style>.holds,.relation,.next{{fill:none;stroke:#444;marker-end:url(#arrow)}} .relation{{stroke:#d55e00}} .next{{stroke:#0072b2;stroke-dasharray:5 3}} rect,ellipse{{fill:#fff;stroke:#222}} .l4{{stroke-dasharray:4 3}} text{{text-anchor:middle;dominant-baseline:middle}} text.arc,text.halo{{font-size:10px;fill:#333}} text.halo{{stroke:#fff;stroke-width:3px}} text.name{{font-size:10px;fill:#666}}</style>
<rect width="100%" height="100%" stroke="none"/>
"##
    )
}

fn class(label: ArcLabel) -> &'static str {
    match label {
        ArcLabel::Holds | ArcLabel::Position(_) => "holds",
        ArcLabel::Next => "next",
        _ => "relation",
    }
}

const HALF_HEIGHT: f64 = 16.0;

fn draw_arc(
    out: &mut String,
    graph: &LayeredGraph,
    from: Vertex,
    arcs: &[Arc],
    place: &LayerLayout,
) {
    let to = arcs[0].target;
    let (x1, y1) = (place.x[from as usize], place.y[from as usize]);
    let (x2, y2) = (place.x[to as usize], place.y[to as usize]);
    let class = class(arcs[0].label);
    let texts: Vec<String> = arcs.iter().map(|arc| arc.label.to_string()).collect();
    let text = xml(&texts.join(","));
    let (path, tx, ty) = if graph.layer(from) == graph.layer(to) {
        let dip = 26.0 + (x2 - x1).abs() * 0.06 + if class == "next" { 12.0 } else { 0.0 };
        let (start, end, low) = (y1 + HALF_HEIGHT, y2 + HALF_HEIGHT, y1 + HALF_HEIGHT + dip);
        let middle = (x1 + x2) / 2.0;
        let path = format!("M{x1:.1},{start:.1} Q{middle:.1},{low:.1} {x2:.1},{end:.1}");
        (path, middle, (start + low) / 2.0)
    } else {
        let sign = if y2 > y1 { 1.0 } else { -1.0 };
        let (start, end) = (y1 + sign * HALF_HEIGHT, y2 - sign * HALF_HEIGHT);
        // `next` and parenthood may join the same two vertices: keep their lines apart
        let shift = if class == "next" { 8.0 } else { 0.0 };
        let path = format!("M{:.1},{start:.1} L{:.1},{end:.1}", x1 + shift, x2 + shift);
        (path, (x1 + x2) / 2.0 + shift, (start + end) / 2.0)
    };
    let _ = writeln!(out, "<path class=\"{class}\" d=\"{path}\"/>");
    if !text.is_empty() {
        // twice: a white rim first, so that the text stays readable on its line
        for class in ["halo", "arc"] {
            let _ =
                writeln!(out, "<text class=\"{class}\" x=\"{tx:.1}\" y=\"{ty:.1}\">{text}</text>");
        }
    }
}

fn draw_vertex(
    out: &mut String,
    graph: &LayeredGraph,
    v: Vertex,
    label: &str,
    name: &str,
    place: &LayerLayout,
) {
    let (x, y) = (place.x[v as usize], place.y[v as usize]);
    let half = place.half_width[v as usize];
    let layer = graph.layer(v);
    let shape = match layer {
        1 | 2 => format!(
            "<rect class=\"l{layer}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{}\"/>",
            x - half,
            y - HALF_HEIGHT,
            2.0 * half,
            2.0 * HALF_HEIGHT,
            if layer == 2 { 8 } else { 0 }
        ),
        _ => format!(
            "<ellipse class=\"l{layer}\" cx=\"{x:.1}\" cy=\"{y:.1}\" rx=\"{half:.1}\" ry=\"{HALF_HEIGHT}\"/>"
        ),
    };
    let _ = writeln!(out, "{shape}");
    if name == label {
        let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", xml(label));
        return;
    }
    let (upper, lower) = (y - 6.0, y + 7.0);
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{upper:.1}\">{}</text>", xml(label));
    let _ =
        writeln!(out, "<text class=\"name\" x=\"{x:.1}\" y=\"{lower:.1}\">{}</text>", xml(name));
}
