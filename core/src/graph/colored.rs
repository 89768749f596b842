//! Plain graphs: undirected, vertices coloured, no loops or parallel edges; and how they become states.
//!
//! A graph is a state with one root pid a vertex, a vector ⟨x, colour⟩ in location `V` for each, and
//! ⟨x, y⟩ and ⟨y, x⟩ in location `E` for each edge. Two graphs are isomorphic iff their states are
//! equivalent with Ω* empty (root pids are siblings: any sibling relation would order the vertices).

use crate::datum::Datum;
use crate::state::{BuildError, NewComponent, State, StateBuilder};

/// An undirected graph on vertices 0, 1, …; edges sorted, each once with the smaller end first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColoredGraph {
    colors: Vec<u32>,
    edges: Vec<(u32, u32)>,
}

impl ColoredGraph {
    /// A graph with as many vertices as colours; edges may come in any order, direction and often.
    /// `None` if an edge is a loop or leads to no vertex.
    pub fn new(colors: Vec<u32>, edges: Vec<(u32, u32)>) -> Option<ColoredGraph> {
        let n = colors.len();
        if edges.iter().any(|&(x, y)| x == y || x as usize >= n || y as usize >= n) {
            return None;
        }
        let mut edges: Vec<_> = edges.into_iter().map(|(x, y)| (x.min(y), x.max(y))).collect();
        edges.sort_unstable();
        edges.dedup();
        Some(ColoredGraph { colors, edges })
    }

    /// The colour of each vertex.
    pub fn colors(&self) -> &[u32] {
        &self.colors
    }

    /// The edges, each once.
    pub fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    /// The state described above; pid number i is vertex i.
    pub fn to_state(&self) -> Result<State, BuildError> {
        let mut builder = StateBuilder::new();
        let (vertices, edges) = (builder.location("V"), builder.location("E"));
        for (vertex, &color) in self.colors.iter().enumerate() {
            let pid = builder.pid(&[vertex as u64 + 1]);
            builder.vector(vertices, [pid, NewComponent::Data(Datum::Int(color.into()))]);
        }
        for &(x, y) in &self.edges {
            for (from, to) in [(x, y), (y, x)] {
                let ends = [from, to].map(|v| builder.pid(&[u64::from(v) + 1]));
                builder.vector(edges, ends);
            }
        }
        builder.finish()
    }
}
