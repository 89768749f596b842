//! Vectors as shapes and members: what an isomorphism keeps of a vector, and the pids it holds.
//!
//! The shape is the location and the components with pids replaced by the number of the pid's first
//! occurrence, so ⟨x,y,x⟩ is one shape with two members. Shapes are numbered over both states.

use super::interner::Interner;
use pidlab_core::state::Kind;
use pidlab_core::{Datum, State};
use rustc_hash::FxHashMap;

/// Numbers for locations, data and shapes that both sides share.
pub struct Vocabulary<'s> {
    locations: FxHashMap<&'s str, u32>,
    data: FxHashMap<&'s Datum, u32>,
    pub shapes: Interner,
}

/// The vectors of one state.
#[derive(Default)]
pub struct Shaped {
    /// Shapes of the vectors without a pid.
    pub ground: Vec<u32>,
    /// (pid, shape) of the vectors with one member.
    pub single: Vec<(u32, u32)>,
    /// (shape, x, y) of the vectors with two members.
    pub double: Vec<(u32, u32, u32)>,
    /// Shapes of the vectors with more members, and where their members start.
    pub many: Vec<(u32, u32)>,
    pub members: Vec<u32>,
}

/// Marks a pid's place in a shape; data numbers stay below.
const HOLE: u32 = 1 << 31;

impl<'s> Vocabulary<'s> {
    pub fn new(vectors: usize) -> Vocabulary<'s> {
        let shapes = Interner::with_capacity(vectors.min(1 << 12));
        Vocabulary { locations: FxHashMap::default(), data: FxHashMap::default(), shapes }
    }

    /// Takes the vectors of a state apart.
    pub fn shape_vectors(&mut self, state: &'s State) -> Shaped {
        let locations = number_all(&mut self.locations, state.locations().iter().map(|l| &**l));
        let data = number_all(&mut self.data, state.data().iter());
        let mut shaped = Shaped::default();
        let (mut shape, mut members) = (Vec::new(), Members::default());
        for vector in 0..state.vector_count() {
            shape.clear();
            members.clear();
            shape.push(locations[state.location_of(vector) as usize]);
            for component in state.vector(vector) {
                shape.push(match component.kind() {
                    Kind::Data(datum) => data[datum as usize],
                    Kind::Pid(pid) => HOLE | members.place(pid),
                });
            }
            let number = self.shapes.intern(&shape);
            shaped.push(number, &members.list);
        }
        shaped
    }
}

/// The common numbers of a state's own items, in its order.
fn number_all<K: std::hash::Hash + Eq>(
    table: &mut FxHashMap<K, u32>,
    items: impl Iterator<Item = K>,
) -> Vec<u32> {
    items
        .map(|item| {
            let fresh = table.len() as u32;
            *table.entry(item).or_insert(fresh)
        })
        .collect()
}

impl Shaped {
    fn push(&mut self, shape: u32, members: &[u32]) {
        match *members {
            [] => self.ground.push(shape),
            [pid] => self.single.push((pid, shape)),
            [x, y] => self.double.push((shape, x, y)),
            _ => {
                self.many.push((shape, self.members.len() as u32));
                self.members.extend_from_slice(members);
            }
        }
    }

    /// Members of vector `i` of `many`.
    pub fn members_of(&self, i: usize) -> &[u32] {
        let start = self.many[i].1 as usize;
        let end = self.many.get(i + 1).map_or(self.members.len(), |&(_, next)| next as usize);
        &self.members[start..end]
    }
}

/// Distinct pids of one vector in order of appearance.
#[derive(Default)]
struct Members {
    list: Vec<u32>,
    index: FxHashMap<u32, u32>,
}

/// Up to here a list is searched faster than a table.
const SHORT: usize = 16;

impl Members {
    fn clear(&mut self) {
        self.list.clear();
        self.index.clear();
    }

    fn place(&mut self, pid: u32) -> u32 {
        if self.list.len() < SHORT {
            let found = self.list.iter().position(|&p| p == pid);
            return found.unwrap_or_else(|| self.add(pid)) as u32;
        }
        if self.index.is_empty() {
            self.index.extend(self.list.iter().enumerate().map(|(i, &p)| (p, i as u32)));
        }
        if let Some(&place) = self.index.get(&pid) {
            return place;
        }
        let place = self.add(pid) as u32;
        self.index.insert(pid, place);
        place
    }

    fn add(&mut self, pid: u32) -> usize {
        self.list.push(pid);
        self.list.len() - 1
    }
}
