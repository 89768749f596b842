//! Plain graphs: undirected, vertices coloured, no loops or parallel edges.

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
}
