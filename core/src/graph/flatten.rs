//! A layered graph as an undirected graph with vertex colours alone.
//!
//! The arc from a location to a vector is an edge, since the layers orient it; an arc from a vector to
//! a pid becomes a helper vertex coloured with the position; an arc between pids a path over two helper
//! vertices, coloured with the label and the end they are at. So every program that takes coloured
//! graphs can compare states.

use super::colored::ColoredGraph;
use super::{ArcLabel, LayeredGraph, VertexLabel};
use std::collections::BTreeMap;
use thiserror::Error;

/// What a vertex of the flat graph stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role<'g> {
    /// A vertex of the layered graph, by its label.
    Vertex(&'g VertexLabel),
    /// A helper on an arc; true at the arc's target.
    Helper(ArcLabel, bool),
}

/// Colours and edges of a flat graph.
pub type Flat = (Vec<u32>, Vec<(u32, u32)>);

/// The flat graph, whose first vertices are those of the layered graph; `color` is asked for every helper, and may end it.
pub fn flatten<'g, E>(
    graph: &'g LayeredGraph,
    mut color: impl FnMut(Role<'g>) -> Result<u32, E>,
) -> Result<Flat, E> {
    let labels = graph.labels().iter().map(|label| color(Role::Vertex(label)));
    let labels = labels.collect::<Result<Vec<u32>, E>>()?;
    let mut colors: Vec<u32> =
        graph.vertices().map(|v| labels[graph.label_id(v) as usize]).collect();
    let mut edges = Vec::with_capacity(2 * graph.arc_count());
    let mut helper = |label, at_target| {
        colors.push(color(Role::Helper(label, at_target))?);
        Ok(colors.len() as u32 - 1)
    };
    for (source, arc) in graph.all_arcs() {
        match arc.label {
            ArcLabel::Holds => edges.push((source, arc.target)),
            ArcLabel::Position(_) => {
                let middle = helper(arc.label, false)?;
                edges.extend([(source, middle), (middle, arc.target)]);
            }
            label => {
                let (near, far) = (helper(label, false)?, helper(label, true)?);
                edges.extend([(source, near), (near, far), (far, arc.target)]);
            }
        }
    }
    Ok((colors, edges))
}

/// Two labels of one graph got the same colour by hashing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the labels {0} and {1} get the same colour; rename one of them")]
pub struct ColorClash(String, String);

/// The flat graph with colours that mean the same in every file: hashes of the labels. Also says what
/// each colour stands for.
pub fn portable(graph: &LayeredGraph) -> Result<(ColoredGraph, BTreeMap<u32, String>), ColorClash> {
    let mut meaning: BTreeMap<u32, String> = BTreeMap::new();
    let (colors, edges) = flatten(graph, |role| {
        let name = role_name(role);
        let color = hash(&name);
        let known = meaning.entry(color).or_insert_with(|| name.clone());
        if *known == name { Ok(color) } else { Err(ColorClash(known.clone(), name)) }
    })?;
    let plain = ColoredGraph::new(colors, edges);
    Ok((plain.expect("the edges of a flat graph join different vertices of it"), meaning))
}

fn role_name(role: Role<'_>) -> String {
    match role {
        Role::Vertex(VertexLabel::Location(name)) => format!("location {name:?}"),
        Role::Vertex(label @ VertexLabel::Vector(_)) => format!("vector {label}"),
        Role::Vertex(VertexLabel::Pid) => "pid".to_string(),
        Role::Helper(ArcLabel::Position(n), _) => format!("position {n}"),
        Role::Helper(label, false) => format!("source of {label}"),
        Role::Helper(label, true) => format!("target of {label}"),
    }
}

/// FNV-1a, folded to 31 bits: some programs read colours as signed integers.
fn hash(text: &str) -> u32 {
    let mut h: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        h = (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    ((h ^ (h >> 32)) & 0x7fff_ffff) as u32
}
