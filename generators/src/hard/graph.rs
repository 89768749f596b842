//! Graphs and other relational structures, and the states that stand for them.

use crate::draft::{Draft, DraftComponent};
use pidlab_core::State;
use pidlab_core::state::BuildError;
use pidlab_random::Rng;

/// Points 0..n and rows of points, each row with the number of its location.
#[derive(Clone, Debug, Default)]
pub struct RowStructure {
    /// Number of points.
    pub points: usize,
    /// Names of the locations that rows refer to.
    pub locations: Vec<&'static str>,
    /// Location and points of each row.
    pub rows: Vec<(u32, Vec<u32>)>,
}

impl RowStructure {
    /// The state with one root pid per point, named and ordered at random; no pid is active.
    pub fn state(&self, rng: &mut Rng) -> Result<State, BuildError> {
        let mut draft = Draft {
            locations: self.locations.iter().map(ToString::to_string).collect(),
            ..Draft::default()
        };
        for name in rng.permutation(self.points) {
            draft.add_pid(&[name as u64 + 1], None);
        }
        for row in rng.permutation(self.rows.len()) {
            let (location, points) = &self.rows[row];
            draft.add_vector(*location, points.iter().map(|&point| DraftComponent::Pid(point)));
        }
        draft.to_state()
    }
}

/// An undirected graph without loops and double edges.
#[derive(Clone, Debug, Default)]
pub struct PlainGraph {
    /// Number of vertices, which are 0, 1, ….
    pub vertices: usize,
    /// Each edge once, in either direction.
    pub edges: Vec<(u32, u32)>,
}

impl PlainGraph {
    /// All pairs of vertices for which `adjacent` holds.
    pub fn by(vertices: usize, adjacent: impl Fn(u32, u32) -> bool) -> PlainGraph {
        let n = vertices as u32;
        let pairs = (0..n).flat_map(|x| (x + 1..n).map(move |y| (x, y)));
        PlainGraph { vertices, edges: pairs.filter(|&(x, y)| adjacent(x, y)).collect() }
    }

    /// The neighbours of each vertex.
    pub fn neighbors(&self) -> Vec<Vec<u32>> {
        let mut lists = vec![Vec::new(); self.vertices];
        for &(x, y) in &self.edges {
            lists[x as usize].push(y);
            lists[y as usize].push(x);
        }
        lists
    }

    /// Whether every vertex can be reached from vertex 0.
    pub fn is_connected(&self) -> bool {
        let lists = self.neighbors();
        let mut seen = vec![false; self.vertices];
        let mut stack = vec![0u32];
        let mut reached = 0;
        while let Some(x) = stack.pop() {
            if !std::mem::replace(&mut seen[x as usize], true) {
                reached += 1;
                stack.extend(&lists[x as usize]);
            }
        }
        reached == self.vertices
    }

    /// Copies of all vertices and edges of another graph, after our own.
    pub fn append(&mut self, other: &PlainGraph) {
        let offset = self.vertices as u32;
        self.edges.extend(other.edges.iter().map(|&(x, y)| (x + offset, y + offset)));
        self.vertices += other.vertices;
    }

    /// Every edge as the two vectors ⟨x, y⟩ and ⟨y, x⟩ of location `E`.
    pub fn structure(&self) -> RowStructure {
        let both = self.edges.iter().flat_map(|&(x, y)| [(0, vec![x, y]), (0, vec![y, x])]);
        RowStructure { points: self.vertices, locations: vec!["E"], rows: both.collect() }
    }

    /// As [`PlainGraph::structure`], with the vertices in locations by their class.
    pub fn structure_with(
        &self,
        classes: &[&'static str],
        class: impl Fn(u32) -> u32,
    ) -> RowStructure {
        let mut structure = self.structure();
        structure.locations.extend(classes);
        let vertices = 0..self.vertices as u32;
        structure.rows.extend(vertices.map(|x| (1 + class(x), vec![x])));
        structure
    }
}
