//! A drawing of a small state graph, like figure 3 of ICTAC'08.

use super::StateGraph;
use super::layers::Layers;
use pidlab_core::escape::xml;
use std::io::{self, Write};

const LINE: f64 = 15.0;
const CHARACTER: f64 = 7.0;
const GAP_X: f64 = 40.0;
const GAP_Y: f64 = 55.0;
const MARGIN: f64 = 30.0;

/// Centre and size of a node.
#[derive(Clone, Copy)]
struct Frame {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

pub fn write(graph: &StateGraph, out: &mut impl Write) -> io::Result<()> {
    let (frames, width, height) = place(graph);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\">"
    )?;
    writeln!(
        out,
        "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>"
    )?;
    write_edges(graph, &frames, out)?;
    for (id, node) in graph.nodes.iter().enumerate() {
        write_node(id, &node.tokens, node.deadlock, frames[id], out)?;
    }
    writeln!(out, "</svg>")
}

fn size(tokens: &[String]) -> (f64, f64) {
    let longest = tokens.iter().map(|t| t.chars().count()).max().unwrap_or(0).max(3);
    (longest as f64 * CHARACTER + 16.0, (tokens.len() + 1) as f64 * LINE + 10.0)
}

fn place(graph: &StateGraph) -> (Vec<Frame>, f64, f64) {
    let layers = Layers::new(graph);
    let mut frames = vec![Frame { x: 0.0, y: 0.0, width: 0.0, height: 0.0 }; graph.nodes.len()];
    let sizes: Vec<(f64, f64)> = graph.nodes.iter().map(|node| size(&node.tokens)).collect();
    let row_width = |row: &Vec<usize>| {
        row.iter().map(|&n| sizes[n].0).sum::<f64>() + GAP_X * row.len().saturating_sub(1) as f64
    };
    let width = layers.rows.iter().map(row_width).fold(0.0, f64::max);
    let mut top = MARGIN;
    for row in &layers.rows {
        let height = row.iter().map(|&n| sizes[n].1).fold(0.0, f64::max);
        let mut left = MARGIN + (width - row_width(row)) / 2.0;
        for &node in row {
            let (w, h) = sizes[node];
            frames[node] = Frame { x: left + w / 2.0, y: top + height / 2.0, width: w, height: h };
            left += w + GAP_X;
        }
        top += height + GAP_Y;
    }
    // room on the right for loops
    (frames, width + 2.0 * MARGIN + 60.0, top - GAP_Y + MARGIN)
}

/// Parallel edges share one line and a list of labels.
fn write_edges(graph: &StateGraph, frames: &[Frame], out: &mut impl Write) -> io::Result<()> {
    let mut pairs: Vec<(u32, u32, Vec<&str>)> = Vec::new();
    for edge in &graph.edges {
        match pairs.iter_mut().find(|(from, to, _)| (*from, *to) == (edge.0, edge.2)) {
            Some((_, _, labels)) => labels.push(graph.label(edge)),
            None => pairs.push((edge.0, edge.2, vec![graph.label(edge)])),
        }
    }
    for (from, to, labels) in pairs {
        let (path, x, y) = route(frames[from as usize], frames[to as usize], from == to);
        writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"#555\" marker-end=\"url(#arrow)\"/>"
        )?;
        let text = xml(&labels.join(", "));
        writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"#0072b2\" text-anchor=\"middle\" paint-order=\"stroke\" stroke=\"#fff\" stroke-width=\"4\">{text}</text>"
        )?;
    }
    Ok(())
}

/// A curve from border to border, and where its label goes.
fn route(from: Frame, to: Frame, is_loop: bool) -> (String, f64, f64) {
    if is_loop {
        let (x, y) = (from.x + from.width / 2.0, from.y);
        let path = format!(
            "M{x:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {x:.1} {:.1}",
            y - 8.0,
            x + 40.0,
            y - 20.0,
            x + 40.0,
            y + 20.0,
            y + 8.0
        );
        return (path, x + 30.0, y);
    }
    let down = to.y >= from.y;
    let side = if down { 1.0 } else { -1.0 };
    let (x1, y1) = (from.x, from.y + side * from.height / 2.0);
    let (x2, y2) = (to.x, to.y - side * to.height / 2.0);
    // edges that go back up swing out to the side
    let bow = if down { 0.0 } else { (from.width + to.width) / 2.0 + 20.0 };
    let (mx, my) = ((x1 + x2) / 2.0 + bow, (y1 + y2) / 2.0);
    (format!("M{x1:.1} {y1:.1}Q{mx:.1} {my:.1} {x2:.1} {y2:.1}"), (x1 + x2) / 4.0 + mx / 2.0, my)
}

fn write_node(
    id: usize,
    tokens: &[String],
    deadlock: bool,
    frame: Frame,
    out: &mut impl Write,
) -> io::Result<()> {
    let Frame { x, y, width, height } = frame;
    let (left, top) = (x - width / 2.0, y - height / 2.0);
    let stroke = if deadlock { "#d55e00" } else { "#000" };
    let weight = if deadlock || id == 0 { 2 } else { 1 };
    writeln!(
        out,
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\" fill=\"#fff\" stroke=\"{stroke}\" stroke-width=\"{weight}\"/>"
    )?;
    let mut line = top + LINE + 1.0;
    writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{line:.1}\" text-anchor=\"middle\" fill=\"#777\">{id}</text>"
    )?;
    for token in tokens {
        line += LINE;
        let text = xml(token);
        writeln!(out, "<text x=\"{x:.1}\" y=\"{line:.1}\" text-anchor=\"middle\">{text}</text>")?;
    }
    Ok(())
}
