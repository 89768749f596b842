//! The layered graph of a state as lists that NetworkX takes.

use crate::args::{self, wrong};
use crate::state::of_any;
use pidlab_core::graph::{Form, PaperGraph, Recipe, build};
use pyo3::prelude::*;

/// A vertex: number, layer, label, name.
type Vertex = (u32, u8, String, String);
/// An arc: source, target, label.
type Arc = (u32, u32, String);

#[pyfunction]
pub fn layered_graph(
    py: Python<'_>,
    state: &Bound<'_, PyAny>,
    relations: &Bound<'_, PyAny>,
    kind: &str,
    full: bool,
) -> PyResult<(Vec<Vertex>, Vec<Arc>)> {
    let state = of_any("state", state)?.get().state.clone();
    let relations = args::relations(relations)?;
    let known = PaperGraph::ALL.into_iter().find(|known| known.name() == kind);
    let kind = known.ok_or_else(|| wrong("kind", "use corrected, published, iscis or ictac"))?;
    let form = if full { Form::Full } else { Form::Links };
    let built = py.detach(|| build(&state, Recipe { kind, relations, form }));
    let graph = built.map_err(|error| wrong("state", error))?;
    let names = graph.names(&state);
    let vertices = graph
        .vertices()
        .zip(names)
        .map(|(v, name)| (v, graph.layer(v), graph.label(v).to_string(), name));
    let arcs = graph.all_arcs().map(|(from, arc)| (from, arc.target, arc.label.to_string()));
    Ok((vertices.collect(), arcs.collect()))
}
