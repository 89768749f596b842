//! Graphs and other relational structures, and the states that stand for them.

use crate::draft::{Cell, Draft};
use crate::rng::Rng;
use pidlab_core::State;
use pidlab_core::state::BuildError;

/// Points 0..n and rows of points, each row with the number of its location.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    pub points: usize,
    pub locations: Vec<&'static str>,
    pub rows: Vec<(u32, Vec<u32>)>,
}

impl Structure {
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
            draft.add_vector(*location, points.iter().map(|&point| Cell::Pid(point)));
        }
        draft.to_state()
    }
}

/// An undirected graph without loops and double edges.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub vertices: usize,
    pub edges: Vec<(u32, u32)>,
}

impl Graph {
    /// All pairs of vertices for which `adjacent` holds.
    pub fn by(vertices: usize, adjacent: impl Fn(u32, u32) -> bool) -> Graph {
        let n = vertices as u32;
        let pairs = (0..n).flat_map(|x| (x + 1..n).map(move |y| (x, y)));
        Graph { vertices, edges: pairs.filter(|&(x, y)| adjacent(x, y)).collect() }
    }

    pub fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut lists = vec![Vec::new(); self.vertices];
        for &(x, y) in &self.edges {
            lists[x as usize].push(y);
            lists[y as usize].push(x);
        }
        lists
    }

    pub fn is_connected(&self) -> bool {
        let lists = self.neighbours();
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
    pub fn append(&mut self, other: &Graph) {
        let offset = self.vertices as u32;
        self.edges.extend(other.edges.iter().map(|&(x, y)| (x + offset, y + offset)));
        self.vertices += other.vertices;
    }

    /// Every edge as the two vectors ⟨x, y⟩ and ⟨y, x⟩ of location `E`.
    pub fn structure(&self) -> Structure {
        let both = self.edges.iter().flat_map(|&(x, y)| [(0, vec![x, y]), (0, vec![y, x])]);
        Structure { points: self.vertices, locations: vec!["E"], rows: both.collect() }
    }

    /// As [`Graph::structure`], with the vertices in locations by their class.
    pub fn structure_with(
        &self,
        classes: &[&'static str],
        class: impl Fn(u32) -> u32,
    ) -> Structure {
        let mut structure = self.structure();
        structure.locations.extend(classes);
        let vertices = 0..self.vertices as u32;
        structure.rows.extend(vertices.map(|x| (1 + class(x), vec![x])));
        structure
    }
}
