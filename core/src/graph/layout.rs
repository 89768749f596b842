//! Places for the vertices of a layered graph: Sugiyama, Tagawa, Toda 1981, second and third phase.
//!
//! The layers are given. Within a layer vertices are ordered by the mean place of their neighbours
//! (barycentre), a few sweeps down and up, which removes most crossings; then laid out side by side,
//! each as wide as its text, every layer centred. Cost: O(sweeps · arcs · log). Arcs within a layer are
//! not considered.

use super::{LayeredGraph, Vertex};

/// Centre and half-width of every vertex, and the size of the drawing.
pub struct LayerLayout {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub half_width: Vec<f64>,
    pub width: f64,
    pub height: f64,
}

pub const ROW: f64 = 120.0;
const GAP: f64 = 28.0;
const MARGIN: f64 = 40.0;
const SWEEPS: usize = 6;

/// Lays a graph out, given the number of characters in the longest line of every vertex.
pub fn layout(graph: &LayeredGraph, characters: &[usize]) -> LayerLayout {
    let half_width: Vec<f64> =
        characters.iter().map(|&n| (n as f64 * 7.2 + 18.0).max(36.0) / 2.0).collect();
    let rows = order_rows(graph);
    let row_width = |row: &Vec<Vertex>| -> f64 {
        row.iter().map(|&v| 2.0 * half_width[v as usize] + GAP).sum::<f64>() - GAP
    };
    let width = rows.iter().map(row_width).fold(0.0, f64::max) + 2.0 * MARGIN;
    let mut x = vec![0.0; graph.vertex_count()];
    let mut y = vec![0.0; graph.vertex_count()];
    for (number, row) in rows.iter().enumerate() {
        let mut at = (width - row_width(row)) / 2.0;
        for &v in row {
            x[v as usize] = at + half_width[v as usize];
            y[v as usize] = MARGIN + 20.0 + number as f64 * ROW;
            at += 2.0 * half_width[v as usize] + GAP;
        }
    }
    let height = 2.0 * MARGIN + 40.0 + rows.len().saturating_sub(1) as f64 * ROW;
    LayerLayout { x, y, half_width, width, height }
}

/// The vertices of each layer in drawing order; empty layers are left out.
fn order_rows(graph: &LayeredGraph) -> Vec<Vec<Vertex>> {
    let mut rows: Vec<Vec<Vertex>> = (1..=4)
        .map(|layer| graph.vertices().filter(|&v| graph.layer(v) == layer).collect::<Vec<_>>())
        .filter(|row| !row.is_empty())
        .collect();
    let neighbors = neighbors(graph);
    let mut place = vec![0.0; graph.vertex_count()];
    for row in &rows {
        number(row, &mut place);
    }
    for sweep in 0..SWEEPS {
        let count = rows.len();
        for i in 0..count {
            let row = &mut rows[if sweep % 2 == 0 { i } else { count - 1 - i }];
            sort_by_barycenter(row, &neighbors, &place);
            number(row, &mut place);
        }
    }
    rows
}

/// Neighbours in other layers.
fn neighbors(graph: &LayeredGraph) -> Vec<Vec<Vertex>> {
    let mut lists = vec![Vec::new(); graph.vertex_count()];
    for (source, arc) in graph.all_arcs() {
        if graph.layer(source) != graph.layer(arc.target) {
            lists[source as usize].push(arc.target);
            lists[arc.target as usize].push(source);
        }
    }
    lists
}

/// Places between 0 and 1, so that layers of different lengths compare.
fn number(row: &[Vertex], place: &mut [f64]) {
    for (i, &v) in row.iter().enumerate() {
        place[v as usize] = (i as f64 + 0.5) / row.len() as f64;
    }
}

fn sort_by_barycenter(row: &mut [Vertex], neighbors: &[Vec<Vertex>], place: &[f64]) {
    let center = |v: Vertex| {
        let list = &neighbors[v as usize];
        match list.len() {
            0 => place[v as usize],
            n => list.iter().map(|&w| place[w as usize]).sum::<f64>() / n as f64,
        }
    };
    // stable, so that ties keep the order of the vertices
    row.sort_by(|&a, &b| center(a).total_cmp(&center(b)));
}
