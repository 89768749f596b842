//! Vectors as shapes and members: what an isomorphism keeps of a vector, and the pids it holds.
//!
//! The shape is the location and the components with pids replaced by the number of the pid's first
//! occurrence, so ⟨x,y,x⟩ is one shape with two members. Shapes are numbered over both states.

use super::interner::Interner;
use pidlab_core::state::ComponentKind;
use pidlab_core::vectors::{ByWidth, SHORT, stretches};
use pidlab_core::{Component, Datum, State};
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
        let numbers = Numbers {
            locations: number_all(&mut self.locations, state.locations().iter().map(|l| &**l)),
            data: number_all(&mut self.data, state.data().iter()),
        };
        let mut shaped = Shaped::default();
        let mut by_width = ByWidth::default();
        let mut long = LongShape::default();
        for stretch in stretches(state) {
            by_width.distribute(state, stretch.clone());
            self.shape_short(by_width.of_width::<1>(state), &numbers, &mut shaped);
            self.shape_short(by_width.of_width::<2>(state), &numbers, &mut shaped);
            self.shape_short(by_width.of_width::<3>(state), &numbers, &mut shaped);
            self.shape_short(by_width.of_width::<4>(state), &numbers, &mut shaped);
            for vector in by_width.others(state, stretch) {
                long.read(state.location_of(vector), state.vector(vector), &numbers);
                shaped.push(self.shapes.intern(&long.words), &long.members.list);
            }
        }
        shaped
    }

    /// As [`LongShape::read`], without branches on what a vector holds.
    fn shape_short<'v, const WIDTH: usize>(
        &mut self,
        vectors: impl Iterator<Item = (u32, &'v [Component; WIDTH])>,
        numbers: &Numbers,
        shaped: &mut Shaped,
    ) {
        for (location, vector) in vectors {
            let mut words = [numbers.locations[location as usize]; SHORT + 1];
            let (mut members, mut count) = ([0; SHORT], 0);
            for (word, component) in words[1..].iter_mut().zip(vector) {
                let (is_data, number) = component.split();
                let place = (0..WIDTH).rev().fold(count, |place, earlier| {
                    let seen = (earlier < count) & (members[earlier] == number);
                    if seen { earlier } else { place }
                });
                let hole = HOLE | place as u32;
                *word = if is_data == 1 { numbers.data[number as usize] } else { hole };
                members[count % SHORT] = number;
                count += usize::from((is_data == 0) & (place == count));
            }
            shaped.push(self.shapes.intern(&words[..=WIDTH]), &members[..count]);
        }
    }
}

/// What the locations and data of one state are in both.
struct Numbers {
    locations: Vec<u32>,
    data: Vec<u32>,
}

/// The shape and the members of one vector; memory is reused.
#[derive(Default)]
struct LongShape {
    words: Vec<u32>,
    members: Members,
}

impl LongShape {
    fn read(&mut self, location: u32, vector: &[Component], numbers: &Numbers) {
        self.words.clear();
        self.members.clear();
        self.words.push(numbers.locations[location as usize]);
        self.words.extend(vector.iter().map(|component| match component.kind() {
            ComponentKind::Data(datum) => numbers.data[datum as usize],
            ComponentKind::Pid(pid) => HOLE | self.members.place(pid),
        }));
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
const FEW: usize = 16;

impl Members {
    fn clear(&mut self) {
        self.list.clear();
        self.index.clear();
    }

    fn place(&mut self, pid: u32) -> u32 {
        if self.list.len() < FEW {
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
