//! Graphs: `pidlab.Graph`, `isomorphic`, `canonical_form`.

use crate::args::{self, Limits, mistyped, wrong};
use crate::color::Color;
use crate::reader::{self, Attributes, Builder, Raw};
use crate::{Undecided, drawing, signals};
use pidlab_backends::{ColoredEdge, Exhausted, Multigraph};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A graph made ready for comparisons: vertices 0, 1, … with colours, edges with colours, directed or
/// not; loops and parallel edges are welcome.
///
/// Parameters
/// ----------
/// vertices : int or iterable
///     The number of vertices, or their colours.
/// edges : iterable
///     Pairs ``(x, y)`` or triples ``(x, y, colour)``.
/// directed : bool
///     Whether ``(x, y)`` and ``(y, x)`` differ.
///
/// Notes
/// -----
/// Colours are None, numbers, strings, bytes, or tuples of them.
///
/// Examples
/// --------
/// >>> import pidlab
/// >>> square = pidlab.Graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
/// >>> other = pidlab.Graph(4, [(0, 2), (2, 1), (1, 3), (3, 0)])
/// >>> bool(pidlab.isomorphic(square, other))
/// True
#[pyclass(name = "Graph", module = "pidlab", frozen)]
pub struct Graph {
    graph: Arc<Multigraph>,
    raw: Raw,
}

/// Larger graphs are worked on in a thread of their own.
const LARGE: usize = 50_000;

impl Graph {
    fn of(name: &str, raw: Raw) -> PyResult<Graph> {
        let built = Multigraph::new(&raw.colors, &raw.edges, raw.directed);
        let graph =
            built.ok_or_else(|| wrong(name, "an edge leads to a vertex that there is not"))?;
        Ok(Graph { graph: Arc::new(graph), raw })
    }

    fn read(name: &str, graph: &Bound<'_, PyAny>, by: Attributes<'_>) -> PyResult<Py<Graph>> {
        if let Ok(graph) = graph.cast::<Graph>() {
            return Ok(graph.clone().unbind());
        }
        Py::new(graph.py(), Graph::of(name, reader::read(name, graph, by)?)?)
    }

    fn is_large(&self) -> bool {
        self.raw.colors.len() + self.raw.edges.len() > LARGE
    }

    fn canonical_order(&self, py: Python<'_>, limits: Limits) -> PyResult<Vec<u32>> {
        let graph = self.graph.clone();
        let order = move || graph.canonical_order(&signals::budget(limits));
        let order = match self.is_large() {
            false => signals::here(py, order)?,
            true => signals::on_thread(py, move |_| order())?,
        };
        order.map_err(open)
    }
}

fn open(what: Exhausted) -> PyErr {
    Undecided::new_err(what.to_string())
}

#[pymethods]
impl Graph {
    #[new]
    #[pyo3(signature = (vertices, edges, *, directed=false))]
    fn new(
        vertices: &Bound<'_, PyAny>,
        edges: &Bound<'_, PyAny>,
        directed: bool,
    ) -> PyResult<Graph> {
        let py = vertices.py();
        let mut builder = Builder::new(py, Attributes { node: None, edge: None });
        match vertices.extract::<i128>() {
            Ok(_) => builder.plain_vertices(args::vertex_count("vertices", vertices)?)?,
            Err(_) => {
                let expected =
                    || mistyped("vertices", "a number or an iterable of colours", vertices);
                crate::objects::each(vertices, expected, |color| builder.vertex(&color))?;
            }
        }
        let plain = builder.edge_color(py.None().bind(py))?;
        let expected = || mistyped("edges", "an iterable of (x, y) or (x, y, colour)", edges);
        crate::objects::each(edges, expected, |edge| {
            let (x, y, color) = read_edge(&edge)?;
            let color = color.map_or(Ok(plain), |color| builder.edge_color(&color))?;
            builder.edge(x, y, color);
            Ok(())
        })?;
        Graph::of("edges", builder.finish(directed, None))
    }

    /// The graph of NetworkX or igraph, with the attributes that are colours.
    #[staticmethod]
    #[pyo3(signature = (graph, *, node_color=None, edge_color=None))]
    fn of_graph(
        graph: &Bound<'_, PyAny>,
        node_color: Option<&str>,
        edge_color: Option<&str>,
    ) -> PyResult<Py<Graph>> {
        Graph::read("graph", graph, Attributes { node: node_color, edge: edge_color })
    }

    /// The colour of every vertex.
    #[getter]
    fn colors<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let color = |&color: &u32| self.raw.vertex_colors[color as usize].object(py);
        self.raw.colors.iter().map(color).collect()
    }

    /// The edges as ``(x, y, colour)``.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Vec<(u32, u32, Bound<'py, PyAny>)>> {
        let edge = |&(x, y, color): &ColoredEdge| {
            Ok((x, y, self.raw.edge_colors[color as usize].object(py)?))
        };
        self.raw.edges.iter().map(edge).collect()
    }

    /// Whether edges have a direction.
    #[getter]
    fn directed(&self) -> bool {
        self.raw.directed
    }

    fn __len__(&self) -> usize {
        self.raw.colors.len()
    }

    fn __repr__(&self) -> String {
        let kind = if self.raw.directed { ", directed" } else { "" };
        format!("Graph(vertices={}, edges={}{kind})", self.raw.colors.len(), self.raw.edges.len())
    }

    /// For notebooks: a small graph, its vertices on a circle.
    fn _repr_svg_(&self) -> Option<String> {
        drawing::of_graph(&self.raw.colors, &self.raw.edges, self.raw.directed)
    }
}

type Edge<'py> = (u32, u32, Option<Bound<'py, PyAny>>);

fn read_edge<'py>(edge: &Bound<'py, PyAny>) -> PyResult<Edge<'py>> {
    let expected =
        || mistyped("edges", "edges (x, y) or (x, y, colour) between vertex numbers", edge);
    let parts = edge.try_iter().map_err(|_| expected())?.collect::<PyResult<Vec<_>>>()?;
    let end = |part: &Bound<'py, PyAny>| {
        let number = args::natural("edges", part)?;
        u32::try_from(number).map_err(|_| wrong("edges", "there is no vertex of that number"))
    };
    match &parts[..] {
        [x, y] => Ok((end(x)?, end(y)?, None)),
        [x, y, color] => Ok((end(x)?, end(y)?, Some(color.clone()))),
        _ => Err(expected()),
    }
}

/// What ``isomorphic`` found: true or false like the answer, with the bijection that proves it.
#[pyclass(name = "Isomorphism", module = "pidlab", frozen)]
pub struct Isomorphism {
    image: Option<Vec<u32>>,
    nodes: [Option<Py<PyList>>; 2],
}

#[pymethods]
impl Isomorphism {
    /// The bijection from the nodes of G to those of H, as a dictionary; None if there is none.
    #[getter]
    fn mapping<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(image) = &self.image else { return Ok(None) };
        let node = |side: usize, number: u32| match &self.nodes[side] {
            Some(nodes) => nodes.bind(py).get_item(number as usize),
            None => Ok(number.into_pyobject(py)?.into_any()),
        };
        let mapping = PyDict::new(py);
        for (x, &y) in (0..).zip(image) {
            mapping.set_item(node(0, x)?, node(1, y)?)?;
        }
        Ok(Some(mapping))
    }

    fn __bool__(&self) -> bool {
        self.image.is_some()
    }

    fn __repr__(&self) -> String {
        match &self.image {
            Some(image) => format!("<isomorphic, {} vertices>", image.len()),
            None => "<not isomorphic>".to_string(),
        }
    }
}

#[pyfunction]
#[pyo3(signature = (g, h, node_color=None, edge_color=None, timeout=None))]
pub fn isomorphic(
    py: Python<'_>,
    g: &Bound<'_, PyAny>,
    h: &Bound<'_, PyAny>,
    node_color: Option<&str>,
    edge_color: Option<&str>,
    timeout: Option<f64>,
) -> PyResult<Isomorphism> {
    let by = Attributes { node: node_color, edge: edge_color };
    let limits = Limits::new(timeout, None)?;
    let (g, h) = (Graph::read("G", g, by)?, Graph::read("H", h, by)?);
    let (g, h) = (g.get(), h.get());
    let image = match same_kind(&g.raw, &h.raw) {
        true => find_image(py, g, h, limits)?,
        false => None,
    };
    let nodes = [&g.raw, &h.raw].map(|raw| raw.nodes.as_ref().map(|nodes| nodes.clone_ref(py)));
    Ok(Isomorphism { image, nodes })
}

/// Whether counts and colours leave the question open.
fn same_kind(g: &Raw, h: &Raw) -> bool {
    g.directed == h.directed
        && g.colors.len() == h.colors.len()
        && g.edges.len() == h.edges.len()
        && g.vertex_colors == h.vertex_colors
        && g.edge_colors == h.edge_colors
}

fn find_image(py: Python<'_>, g: &Graph, h: &Graph, limits: Limits) -> PyResult<Option<Vec<u32>>> {
    let (large, g, h) = (g.is_large(), g.graph.clone(), h.graph.clone());
    let find = move || g.isomorphism(&h, &signals::budget(limits));
    let found = match large {
        false => signals::here(py, find)?,
        true => signals::on_thread(py, move |_| find())?,
    };
    found.map_err(open)
}

/// The canonical form of a graph: equal, with equal hash, iff the graphs are isomorphic.
#[pyclass(name = "CanonicalForm", module = "pidlab", frozen)]
pub struct CanonicalForm {
    directed: bool,
    vertex_colors: Vec<Color>,
    edge_colors: Vec<Color>,
    colors: Vec<u32>,
    edges: Vec<ColoredEdge>,
    order: Vec<u32>,
    nodes: Option<Py<PyList>>,
}

#[pyfunction]
#[pyo3(signature = (g, node_color=None, edge_color=None, timeout=None))]
pub fn canonical_form(
    py: Python<'_>,
    g: &Bound<'_, PyAny>,
    node_color: Option<&str>,
    edge_color: Option<&str>,
    timeout: Option<f64>,
) -> PyResult<CanonicalForm> {
    let graph = Graph::read("G", g, Attributes { node: node_color, edge: edge_color })?;
    let graph = graph.get();
    let raw = &graph.raw;
    let order = graph.canonical_order(py, Limits::new(timeout, None)?)?;
    let mut position = vec![0; order.len()];
    for (place, &vertex) in (0..).zip(&order) {
        position[vertex as usize] = place;
    }
    let mut edges: Vec<ColoredEdge> = raw
        .edges
        .iter()
        .map(|&(x, y, color)| {
            let (x, y) = (position[x as usize], position[y as usize]);
            if raw.directed { (x, y, color) } else { (x.min(y), x.max(y), color) }
        })
        .collect();
    edges.sort_unstable();
    Ok(CanonicalForm {
        directed: raw.directed,
        vertex_colors: raw.vertex_colors.clone(),
        edge_colors: raw.edge_colors.clone(),
        colors: order.iter().map(|&vertex| raw.colors[vertex as usize]).collect(),
        edges,
        order,
        nodes: raw.nodes.as_ref().map(|nodes| nodes.clone_ref(py)),
    })
}

impl CanonicalForm {
    /// What is equal iff the graphs are isomorphic.
    fn content(&self) -> impl Hash + PartialEq + '_ {
        (self.directed, &self.vertex_colors, &self.edge_colors, &self.colors, &self.edges)
    }
}

#[pymethods]
impl CanonicalForm {
    /// The nodes of the graph in canonical order: the i-th is vertex i of the form.
    #[getter]
    fn order<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let node = |&vertex: &u32| match &self.nodes {
            Some(nodes) => nodes.bind(py).get_item(vertex as usize),
            None => Ok(vertex.into_pyobject(py)?.into_any()),
        };
        self.order.iter().map(node).collect()
    }

    /// The colours of vertices 0, 1, … of the form.
    #[getter]
    fn colors<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.colors.iter().map(|&color| self.vertex_colors[color as usize].object(py)).collect()
    }

    /// The edges of the form as ``(x, y, colour)``, sorted.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let edge = |&(x, y, color): &ColoredEdge| {
            (x, y, self.edge_colors[color as usize].object(py)?).into_pyobject(py)
        };
        self.edges.iter().map(edge).collect()
    }

    /// Whether edges have a direction.
    #[getter]
    fn directed(&self) -> bool {
        self.directed
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.content().hash(&mut hasher);
        hasher.finish()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<CanonicalForm>().is_ok_and(|other| self.content() == other.get().content())
    }

    fn __repr__(&self) -> String {
        let (vertices, edges) = (self.colors.len(), self.edges.len());
        format!("<CanonicalForm of {vertices} vertices and {edges} edges>")
    }
}
