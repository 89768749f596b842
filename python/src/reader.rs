//! Graphs of NetworkX and igraph, read into numbers.

use crate::args::{self, mistyped, wrong};
use crate::color::{Color, Palette};
use pidlab_backends::ColoredEdge;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// A graph as numbers: vertices count from 0, colours by value.
pub struct Raw {
    pub colors: Vec<u32>,
    pub edges: Vec<ColoredEdge>,
    pub directed: bool,
    pub vertex_colors: Vec<Color>,
    pub edge_colors: Vec<Color>,
    /// What the vertices are in Python; `None` if they are their numbers.
    pub nodes: Option<Py<PyList>>,
}

/// Which attributes are colours.
#[derive(Clone, Copy)]
pub struct Attributes<'a> {
    pub node: Option<&'a str>,
    pub edge: Option<&'a str>,
}

/// The directions of igraph; it takes names as well, in more time.
mod igraph {
    pub const OUT: u8 = 1;
    pub const ALL: u8 = 3;
}

/// Edges that room is made for before they are seen.
const MOST_AT_ONCE: usize = 1 << 20;

/// Edges a vertex from which on a graph of igraph is read vertex by vertex.
const DENSE: usize = 8;

/// Reads a graph; `name` is the argument it came in.
pub fn read<'py>(name: &str, graph: &Bound<'py, PyAny>, by: Attributes<'_>) -> PyResult<Raw> {
    if graph.hasattr("_adj")? && graph.hasattr("is_multigraph")? {
        return Builder::new(graph.py(), by).networkx(graph);
    }
    if graph.hasattr("get_edgelist")? {
        return Builder::new(graph.py(), by).igraph(name, graph);
    }
    Err(mistyped(name, "a graph of NetworkX or igraph, or a pidlab.Graph", graph))
}

pub struct Builder<'py, 'a> {
    py: Python<'py>,
    by: Attributes<'a>,
    nodes: Palette<'py>,
    joins: Palette<'py>,
    colors: Vec<u32>,
    edges: Vec<ColoredEdge>,
}

impl<'py, 'a> Builder<'py, 'a> {
    pub fn new(py: Python<'py>, by: Attributes<'a>) -> Builder<'py, 'a> {
        let palette = |name: &str| Palette::new(py, name);
        let (nodes, joins) = (palette("node_color"), palette("edge_color"));
        Builder { py, by, nodes, joins, colors: Vec::new(), edges: Vec::new() }
    }

    /// Vertices of one colour.
    pub fn plain_vertices(&mut self, count: usize) -> PyResult<()> {
        let none = self.nodes.number(self.py.None().bind(self.py))?;
        self.colors.resize(count, none);
        Ok(())
    }

    pub fn vertex(&mut self, color: &Bound<'py, PyAny>) -> PyResult<()> {
        let color = self.nodes.number(color)?;
        self.colors.push(color);
        Ok(())
    }

    pub fn edge_color(&mut self, color: &Bound<'py, PyAny>) -> PyResult<u32> {
        self.joins.number(color)
    }

    pub fn edge(&mut self, x: u32, y: u32, color: u32) {
        self.edges.push((x, y, color));
    }

    pub fn finish(self, directed: bool, nodes: Option<Py<PyList>>) -> Raw {
        let (vertex_colors, rank) = self.nodes.finish(self.colors.iter().copied());
        let colors = self.colors.into_iter().map(|color| rank[color as usize]).collect();
        let (edge_colors, rank) = self.joins.finish(self.edges.iter().map(|edge| edge.2));
        let mut edges = self.edges;
        edges.iter_mut().for_each(|edge| edge.2 = rank[edge.2 as usize]);
        Raw { colors, edges, directed, vertex_colors, edge_colors, nodes }
    }

    fn networkx(mut self, graph: &Bound<'py, PyAny>) -> PyResult<Raw> {
        let directed = graph.call_method0("is_directed")?.is_truthy()?;
        let nodes = PyList::empty(self.py);
        let number = PyDict::new(self.py);
        let none = self.py.None().into_bound(self.py);
        for entry in graph.getattr("nodes")?.call_method1("items", ())?.try_iter()? {
            let (node, attributes): (Bound<'py, PyAny>, Bound<'py, PyAny>) = entry?.extract()?;
            let color = match self.by.node {
                Some(name) => attributes.call_method1("get", (name,))?,
                None => none.clone(),
            };
            self.vertex(&color)?;
            number.set_item(&node, nodes.len())?;
            nodes.append(node)?;
        }
        let multigraph = graph.call_method0("is_multigraph")?.is_truthy()?;
        let adjacency = graph.getattr("_adj")?;
        match adjacency.cast_exact::<PyDict>() {
            Ok(adjacency) => self.adjacency(adjacency, &number, directed, multigraph)?,
            // views of graphs have no dictionaries
            Err(_) => self.edge_view(graph, &number)?,
        }
        Ok(self.finish(directed, Some(nodes.unbind())))
    }

    /// The dictionaries that a graph of NetworkX is made of. Each undirected edge is in there twice.
    fn adjacency(
        &mut self,
        adjacency: &Bound<'py, PyDict>,
        number: &Bound<'py, PyDict>,
        directed: bool,
        multigraph: bool,
    ) -> PyResult<()> {
        let plain = self.edge_color(self.py.None().bind(self.py))?;
        for (node, neighbors) in adjacency {
            let x = numbered(number, &node)?;
            for (other, edges) in neighbors.cast::<PyDict>()? {
                let y = numbered(number, &other)?;
                if !directed && y < x {
                    continue;
                }
                if multigraph {
                    for (_, attributes) in edges.cast::<PyDict>()? {
                        let color = self.color_of(&attributes, plain)?;
                        self.edge(x, y, color);
                    }
                } else {
                    let color = self.color_of(&edges, plain)?;
                    self.edge(x, y, color);
                }
            }
        }
        Ok(())
    }

    fn color_of(&mut self, attributes: &Bound<'py, PyAny>, plain: u32) -> PyResult<u32> {
        let Some(name) = self.by.edge else { return Ok(plain) };
        match attributes.cast::<PyDict>()?.get_item(name)? {
            Some(color) => self.edge_color(&color),
            None => Ok(plain),
        }
    }

    fn edge_view(
        &mut self,
        graph: &Bound<'py, PyAny>,
        number: &Bound<'py, PyDict>,
    ) -> PyResult<()> {
        let plain = self.edge_color(self.py.None().bind(self.py))?;
        for edge in graph.getattr("edges")?.call_method1("data", ())?.try_iter()? {
            type Edge<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);
            let (x, y, attributes): Edge<'py> = edge?.extract()?;
            let color = self.color_of(&attributes, plain)?;
            self.edge(numbered(number, &x)?, numbered(number, &y)?, color);
        }
        Ok(())
    }

    fn igraph(mut self, name: &str, graph: &Bound<'py, PyAny>) -> PyResult<Raw> {
        let directed = graph.call_method0("is_directed")?.is_truthy()?;
        let vertices = args::vertex_count(name, &graph.call_method0("vcount")?)?;
        match self.by.node {
            None => self.plain_vertices(vertices)?,
            Some(attribute) => {
                for color in attribute_of(name, "node_color", &graph.getattr("vs")?, attribute)?
                    .try_iter()?
                {
                    self.vertex(&color?)?;
                }
            }
        }
        let plain = self.edge_color(self.py.None().bind(self.py))?;
        let edges = args::size(name, &graph.call_method0("ecount")?)?;
        // colours come in the order of the list
        let is_dense = self.by.edge.is_none() && edges / DENSE >= vertices;
        if !(is_dense && self.neighbors(graph, (vertices, edges), directed, plain)?) {
            self.edge_list(name, graph, plain)?;
            if self.edges.len() != edges {
                return Err(wrong(name, "ecount() is not the number of edges in get_edgelist()"));
            }
        }
        if let Some(attribute) = self.by.edge {
            let colors = attribute_of(name, "edge_color", &graph.getattr("es")?, attribute)?;
            for (number, color) in colors.try_iter()?.enumerate() {
                let color = self.edge_color(&color?)?;
                if let Some(edge) = self.edges.get_mut(number) {
                    edge.2 = color;
                }
            }
        }
        Ok(self.finish(directed, None))
    }

    fn edge_list(&mut self, name: &str, graph: &Bound<'py, PyAny>, plain: u32) -> PyResult<()> {
        let paused = Paused::new(self.py)?;
        let list = graph.call_method0("get_edgelist")?;
        drop(paused);
        let list = list.cast::<PyList>()?;
        self.edges.reserve(list.len());
        for edge in list {
            let ends = edge.extract::<(u32, u32)>();
            let (x, y) = ends.map_err(|_| wrong(name, "an edge is not a pair of vertices"))?;
            self.edge(x, y, plain);
        }
        Ok(())
    }

    /// The edges of a dense graph of igraph by the neighbours of each vertex: a list of numbers a vertex
    /// costs a third of a tuple an edge. An undirected edge is in two lists, a loop twice in one. Whether
    /// these are all edges; if not, there are none.
    fn neighbors(
        &mut self,
        graph: &Bound<'py, PyAny>,
        (vertices, edges): (usize, usize),
        directed: bool,
        plain: u32,
    ) -> PyResult<bool> {
        let neighbors = graph.getattr("neighbors")?;
        let mode = if directed { igraph::OUT } else { igraph::ALL };
        // what an object says of itself is not worth all memory
        self.edges.reserve(edges.min(MOST_AT_ONCE));
        for x in 0..vertices as u32 {
            let list = neighbors.call1((x, mode))?;
            let Ok(list) = list.cast::<PyList>() else { break };
            self.edges_from(x, &list.to_tuple(), directed, plain);
        }
        let is_whole = self.edges.len() == edges;
        if !is_whole {
            self.edges.clear();
        }
        Ok(is_whole)
    }
}

impl Builder<'_, '_> {
    /// The edges of a vertex to its neighbours, which are in ascending order: those before an undirected
    /// graph's vertex have had the edge. Items of a tuple are read without counting references, in half
    /// the time of those of a list.
    fn edges_from(&mut self, x: u32, ends: &Bound<'_, PyTuple>, directed: bool, plain: u32) {
        let from = if directed { 0 } else { first_at_least(ends, x) };
        let mut is_second = false;
        for y in ends.iter_borrowed().skip(from) {
            let Ok(y) = y.extract::<u32>() else { break };
            if directed || x < y || is_second {
                self.edge(x, y, plain);
            }
            is_second ^= x == y;
        }
    }
}

/// Where in a tuple of ascending numbers those from `x` on begin.
fn first_at_least(numbers: &Bound<'_, PyTuple>, x: u32) -> usize {
    let is_before = |at: usize| {
        let number = numbers.get_borrowed_item(at).and_then(|number| number.extract::<u32>());
        number.is_ok_and(|number| number < x)
    };
    let (mut low, mut high) = (0, numbers.len());
    while low < high {
        let middle = low.midpoint(high);
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// Python's collector of garbage does not run while this lives: a list of as many tuples as there are
/// edges has it look at all of them again and again, and none is garbage.
struct Paused<'py>(Option<Bound<'py, PyModule>>);

impl<'py> Paused<'py> {
    fn new(py: Python<'py>) -> PyResult<Paused<'py>> {
        let collector = py.import("gc")?;
        let is_enabled = collector.call_method0("isenabled")?.is_truthy()?;
        if is_enabled {
            collector.call_method0("disable")?;
        }
        Ok(Paused(is_enabled.then_some(collector)))
    }
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        if let Some(collector) = &self.0 {
            // it takes no arguments and cannot fail
            let _ = collector.call_method0("enable");
        }
    }
}

/// The values of an attribute of all vertices or edges of a graph of igraph.
fn attribute_of<'py>(
    graph: &str,
    argument: &str,
    sequence: &Bound<'py, PyAny>,
    attribute: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let none = || wrong(argument, format!("{graph} has no attribute `{attribute}`"));
    sequence.get_item(attribute).map_err(|_| none())
}

fn numbered(number: &Bound<'_, PyDict>, node: &Bound<'_, PyAny>) -> PyResult<u32> {
    match number.get_item(node)? {
        Some(number) => number.extract(),
        None => Err(wrong("G", "an edge leads to a node that the graph does not have")),
    }
}
