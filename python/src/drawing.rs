//! Pictures for notebooks.

use pidlab_core::graph::{Recipe, build, svg};
use pidlab_core::{Relations, State};
use std::fmt::Write;

/// Vertices of a picture that can still be read.
const MOST_VERTICES: usize = 120;

/// The layered graph of a state; `None` if it is too large to be looked at.
pub fn of_state(state: &State) -> Option<String> {
    if state.vector_count() + 2 * state.pid_count() > MOST_VERTICES {
        return None;
    }
    let recipe = Recipe { relations: Relations::default(), ..Recipe::default() };
    let graph = build(state, recipe).ok()?;
    Some(svg::write(&graph, &graph.names(state)))
}

/// Colours of Okabe and Ito.
const PALETTE: [&str; 8] =
    ["#ffffff", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"];

/// A graph with its vertices on a circle; `None` if it is too large to be looked at.
pub fn of_graph(colors: &[u32], edges: &[(u32, u32, u32)], directed: bool) -> Option<String> {
    if colors.len() > MOST_VERTICES || edges.len() > 10 * MOST_VERTICES {
        return None;
    }
    let radius = 40.0 + 5.0 * colors.len() as f64;
    let side = 2.0 * radius + 40.0;
    let place = |vertex: u32| {
        let angle = std::f64::consts::TAU * f64::from(vertex) / colors.len() as f64;
        (side / 2.0 + radius * angle.sin(), side / 2.0 - radius * angle.cos())
    };
    let mut out = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{side:.0}" height="{side:.0}" viewBox="0 0 {side:.0} {side:.0}" font-family="sans-serif" font-size="10">
<defs><marker id="tip" viewBox="0 0 8 8" refX="16" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#444"/></marker></defs>
"##
    );
    let tip = if directed { " marker-end=\"url(#tip)\"" } else { "" };
    for &(x, y, color) in edges {
        let ((x1, y1), (x2, y2)) = (place(x), place(y));
        let stroke = if color == 0 { "#444" } else { PALETTE[color as usize % 7 + 1] };
        let _ = match x == y {
            true => writeln!(
                out,
                r#"<circle cx="{:.1}" cy="{:.1}" r="8" fill="none" stroke="{stroke}"/>"#,
                x1,
                y1 - 12.0
            ),
            false => writeln!(
                out,
                r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{stroke}"{tip}/>"#
            ),
        };
    }
    for (vertex, &color) in (0..).zip(colors) {
        let (x, y) = place(vertex);
        let fill = PALETTE[color as usize % PALETTE.len()];
        let _ = writeln!(
            out,
            r##"<circle cx="{x:.1}" cy="{y:.1}" r="9" fill="{fill}" stroke="#222"/><text x="{x:.1}" y="{y:.1}" text-anchor="middle" dominant-baseline="central">{vertex}</text>"##
        );
    }
    out.push_str("</svg>\n");
    Some(out)
}
