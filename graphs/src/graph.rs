//! Graphs as files give them: vertices and edges with colours, directed or not, loops and parallel edges;
//! and how they become states.
//!
//! A vertex is a root pid that is not active, with a vector ⟨x, colour⟩ in location `V`. An undirected edge is
//! two vectors ⟨x, y⟩ and ⟨y, x⟩ in location `E`, a loop one vector ⟨x, x⟩; a directed edge is one vector
//! ⟨x, y⟩ in location `A`; the colour of an edge, where it has one, is a third component. Parallel edges are
//! equal vectors, as often as there are edges.
//!
//! Two graphs are isomorphic (colours, directions and multiplicities kept) iff their states are equivalent
//! with Ω* empty. A bijection h of the pids is one of the vertices, as each occurs in `V`. No pid is active, so
//! there are no next-pids and condition 1 of Definition 1 is empty; 2 and 3 ask nothing without relations; 4
//! asks that h maps the multisets in `V`, `E` and `A` of one state onto those of the other. For `V` that is: h keeps
//! colours. For `A`: arcs of a colour from x to y are as many as from h(x) to h(y). For `E` the same of edges,
//! since ⟨x, y⟩ is there exactly as often as there are edges between x and y. That is what an isomorphism is.
//! `parent` and `ancestor` never hold between roots, so they change nothing; a sibling relation would order the
//! vertices. Cost: linear, but for sorting the edges.

use pidlab_budget::Budget;
use pidlab_core::datum::Datum;
use pidlab_core::state::{BuildError, NewComponent, State, StateBuilder};
use rustc_hash::FxHashMap;

/// A graph on vertices 0, 1, ….
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Distinct colours of vertices, in order.
    palette: Vec<Datum>,
    /// The colour of each vertex, by its place in the palette.
    colors: Vec<u32>,
    /// Distinct kinds of edges, in order.
    kinds: Vec<EdgeKind>,
    /// Ends and kind, sorted; the smaller end of an undirected edge first.
    edges: Vec<(u32, u32, u32)>,
}

/// What edges can differ in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeKind {
    /// Whether the edge leads from its first end to its second.
    pub directed: bool,
    /// Its colour, if the file gives one.
    pub color: Option<Datum>,
}

/// A graph on its way.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    palette: Vec<Datum>,
    colors: Vec<u32>,
    kinds: Vec<EdgeKind>,
    edges: Vec<(u32, u32, u32)>,
    color_numbers: FxHashMap<Datum, u32>,
    kind_numbers: FxHashMap<EdgeKind, u32>,
}

impl GraphBuilder {
    /// A graph with so many vertices of colour 0 and no edge.
    pub fn new(vertices: usize) -> GraphBuilder {
        let mut builder = GraphBuilder::default();
        if vertices > 0 {
            let plain = builder.color(Datum::Int(0));
            builder.colors = vec![plain; vertices];
        }
        builder
    }

    /// Number of vertices so far.
    pub fn vertex_count(&self) -> usize {
        self.colors.len()
    }

    fn color(&mut self, color: Datum) -> u32 {
        number(&mut self.color_numbers, &mut self.palette, color)
    }

    /// One more vertex of colour 0.
    pub fn vertex(&mut self) -> u32 {
        let plain = self.color(Datum::Int(0));
        self.colors.push(plain);
        self.colors.len() as u32 - 1
    }

    /// Gives a vertex that is there another colour.
    pub fn paint(&mut self, vertex: u32, color: Datum) {
        let color = self.color(color);
        self.colors[vertex as usize] = color;
    }

    /// The number of a kind of edges.
    pub fn kind(&mut self, directed: bool, color: Option<Datum>) -> u32 {
        number(&mut self.kind_numbers, &mut self.kinds, EdgeKind { directed, color })
    }

    /// An edge between vertices that are there, of a kind that is there.
    pub fn edge(&mut self, from: u32, to: u32, kind: u32) {
        let turned = !self.kinds[kind as usize].directed && from > to;
        self.edges.push(if turned { (to, from, kind) } else { (from, to, kind) });
    }

    /// The graph; with `simple`, an edge that was given several times counts once.
    pub fn finish(self, simple: bool) -> Graph {
        let (palette, renumbered) = sorted(self.palette, &self.colors);
        let colors = self.colors.iter().map(|&color| renumbered[color as usize]).collect();
        let used: Vec<u32> = self.edges.iter().map(|&(.., kind)| kind).collect();
        let (kinds, renumbered) = sorted(self.kinds, &used);
        let mut edges = self.edges;
        edges.iter_mut().for_each(|edge| edge.2 = renumbered[edge.2 as usize]);
        edges.sort_unstable();
        if simple {
            edges.dedup();
        }
        Graph { palette, colors, kinds, edges }
    }
}

/// The number of a value in a list of distinct ones.
fn number<T: Clone + Eq + std::hash::Hash>(
    known: &mut FxHashMap<T, u32>,
    list: &mut Vec<T>,
    value: T,
) -> u32 {
    *known.entry(value).or_insert_with_key(|value| {
        list.push(value.clone());
        list.len() as u32 - 1
    })
}

/// The values that are used in order, and the new number of each.
fn sorted<T: Ord>(values: Vec<T>, used: &[u32]) -> (Vec<T>, Vec<u32>) {
    let mut is_used = vec![false; values.len()];
    used.iter().for_each(|&value| is_used[value as usize] = true);
    let mut left: Vec<(T, usize)> =
        values.into_iter().zip(0..).filter(|(_, i)| is_used[*i]).collect();
    left.sort_unstable();
    let mut numbers = vec![0; is_used.len()];
    for (new, (_, old)) in left.iter().enumerate() {
        numbers[*old] = new as u32;
    }
    (left.into_iter().map(|(value, _)| value).collect(), numbers)
}

impl Graph {
    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.colors.len()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The colour of a vertex.
    pub fn color(&self, vertex: u32) -> &Datum {
        &self.palette[self.colors[vertex as usize] as usize]
    }

    /// Ends and kind of every edge.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, &EdgeKind)> {
        self.edges.iter().map(|&(from, to, kind)| (from, to, &self.kinds[kind as usize]))
    }

    /// The same graph with its vertices renamed: `names[v]` is the new number of v.
    pub fn renamed(&self, names: &[u32]) -> Graph {
        let mut colors = vec![0; self.colors.len()];
        for (&name, &color) in names.iter().zip(&self.colors) {
            colors[name as usize] = color;
        }
        let rename = |&(from, to, kind): &(u32, u32, u32)| {
            let (from, to) = (names[from as usize], names[to as usize]);
            let turned = !self.kinds[kind as usize].directed && from > to;
            if turned { (to, from, kind) } else { (from, to, kind) }
        };
        let mut edges: Vec<_> = self.edges.iter().map(rename).collect();
        edges.sort_unstable();
        let (palette, kinds) = (self.palette.clone(), self.kinds.clone());
        Graph { palette, colors, kinds, edges }
    }

    /// The state described above; pid number i is vertex i.
    pub fn to_state(&self) -> Result<State, BuildError> {
        self.to_state_within(&Budget::unlimited())
    }

    /// The same within limits.
    pub fn to_state_within(&self, budget: &Budget) -> Result<State, BuildError> {
        let mut builder = StateBuilder::within(budget);
        let vertices = builder.location("V");
        let mut pids: Vec<NewComponent> = Vec::with_capacity(self.colors.len());
        for name in 1..=self.colors.len() as u64 {
            builder.poll()?;
            pids.push(builder.pid(&[name]));
        }
        for (pid, vertex) in pids.iter().zip(0..) {
            builder.poll()?;
            let color = NewComponent::Data(self.color(vertex).clone());
            builder.vector(vertices, [pid.clone(), color]);
        }
        let (edges, arcs) = (builder.location("E"), builder.location("A"));
        for (from, to, kind) in self.edges() {
            builder.poll()?;
            let location = if kind.directed { arcs } else { edges };
            let both = !kind.directed && from != to;
            for (x, y) in [(from, to), (to, from)].into_iter().take(1 + usize::from(both)) {
                let ends = [x, y].map(|vertex| pids[vertex as usize].clone());
                let color = kind.color.clone().map(NewComponent::Data);
                builder.vector(location, ends.into_iter().chain(color));
            }
        }
        builder.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_direction_of_undirected_edges_do_not_matter() {
        let mut one = GraphBuilder::new(3);
        let (plain, arc) = (one.kind(false, None), one.kind(true, None));
        for (x, y, kind) in [(0, 1, plain), (2, 1, plain), (0, 2, arc)] {
            one.edge(x, y, kind);
        }
        one.paint(1, Datum::Int(7));
        let mut two = GraphBuilder::default();
        for _ in 0..3 {
            two.vertex();
        }
        let (arc, plain) = (two.kind(true, None), two.kind(false, None));
        two.paint(1, Datum::Int(7));
        for (x, y, kind) in [(0, 2, arc), (1, 2, plain), (1, 0, plain), (1, 0, plain)] {
            two.edge(x, y, kind);
        }
        let (one, two) = (one.finish(true), two.finish(true));
        assert_eq!(one, two);
        assert_eq!(one.renamed(&[2, 0, 1]).renamed(&[1, 2, 0]), two);
    }

    #[test]
    fn making_a_state_obeys_limits() {
        let spent = Budget::new(Some(std::time::Duration::ZERO), None);
        let stopped = GraphBuilder::new(100_000).finish(true).to_state_within(&spent);
        assert_eq!(stopped.unwrap_err(), BuildError::Limit(pidlab_budget::Exhausted::Time));
    }

    #[test]
    fn a_graph_as_a_state() {
        let mut builder = GraphBuilder::new(3);
        let (plain, red) = (builder.kind(false, None), builder.kind(true, Some("red".into())));
        for (x, y, kind) in [(0, 1, plain), (0, 1, plain), (2, 2, plain), (1, 2, red)] {
            builder.edge(x, y, kind);
        }
        let state = builder.finish(false).to_state().unwrap();
        assert_eq!((state.pid_count(), state.vector_count()), (3, 3 + 4 + 1 + 1));
        assert!(state.check_consistent().is_ok());
        let nothing = GraphBuilder::new(0).finish(true).to_state().unwrap();
        assert_eq!(nothing.pid_count(), 0);
    }
}
