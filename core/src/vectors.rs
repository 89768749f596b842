//! Reads the vectors of a state without a branch on what they hold.
//!
//! How long a vector is and which of its components are pids cannot be predicted, and a mispredicted branch costs more than all the rest of reading a vector. So vectors are taken
//! in stretches that are distributed by width, and each width has a loop of its own; [`VectorReader`] distributes
//! what it makes of them once more, by number of pids. Distributing does not look at what it distributes. Wide
//! vectors are read one by one.

use crate::state::{Component, ComponentKind, Hashes, State};
use std::ops::Range;

/// Vectors distributed in one go: they and what is made of them stay in a core's nearest cache.
const STRETCH: usize = 64;

/// Width up to which vectors have a loop of their own.
pub const SHORT: usize = 4;

/// The vectors of a state as stretches.
pub fn stretches(state: &State) -> impl Iterator<Item = Range<usize>> {
    let count = state.vector_count();
    (0..count).step_by(STRETCH).map(move |start| start..count.min(start + STRETCH))
}

/// A stretch of vectors by width; memory is reused.
#[derive(Clone, Debug, Default)]
pub struct ByWidth {
    buckets: Buckets<Place>,
}

/// The location of a vector and where it starts among the components.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    location: u32,
    start: u32,
}

impl ByWidth {
    /// Distributes a stretch, in place of the one before.
    #[inline]
    pub fn distribute(&mut self, state: &State, stretch: Range<usize>) {
        let mut start = state.vector_starts()[stretch.start];
        let ends = &state.vector_starts()[stretch.start + 1..=stretch.end];
        self.buckets.clear();
        for (&location, &end) in state.vector_locations()[stretch].iter().zip(ends) {
            *self.buckets.next(bucket_of(end - start)) = Place { location, start };
            start = end;
        }
    }

    /// The vectors of one width, 1 to [`SHORT`], with their locations.
    #[inline]
    pub fn of_width<'s, const WIDTH: usize>(
        &self,
        state: &'s State,
    ) -> impl ExactSizeIterator<Item = (u32, &'s [Component; WIDTH])> {
        let components = state.components();
        self.buckets.get(WIDTH).iter().map(|&Place { location, start }| {
            let vector = components[start as usize..].first_chunk();
            (location, vector.expect("a vector of that width lies there"))
        })
    }

    /// Numbers of the vectors of the stretch that have another width.
    pub fn others(&self, state: &State, stretch: Range<usize>) -> impl Iterator<Item = usize> {
        let others = self.buckets.count(0) + self.buckets.count(SHORT + 1);
        let width = |vector: &usize| state.vector(*vector).len();
        stretch.filter(move |vector| !(1..=SHORT).contains(&width(vector))).take(others)
    }
}

/// Vectors by number of pids; memory is reused.
#[derive(Clone, Debug, Default)]
pub struct VectorReader {
    by_width: ByWidth,
    by_members: Buckets<Read>,
    wide: Vec<u32>,
}

/// A vector as an isomorphism sees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Read {
    /// Hash of location and components, all pids alike.
    pub label: u64,
    /// Its pids in order, and after them values without meaning.
    pub members: [u32; SHORT],
}

impl VectorReader {
    /// Reads a stretch, in place of the one before, but for vectors without components and with more
    /// than [`SHORT`], which are handed over as label and members.
    pub fn read(
        &mut self,
        state: &State,
        stretch: Range<usize>,
        mut other: impl FnMut(u64, &[u32]),
    ) {
        self.by_width.distribute(state, stretch.clone());
        self.by_members.clear();
        self.read_width::<1>(state);
        self.read_width::<2>(state);
        self.read_width::<3>(state);
        self.read_width::<4>(state);
        for vector in self.by_width.others(state, stretch) {
            let components = state.vector(vector);
            self.wide.clear();
            self.wide.extend(components.iter().filter_map(|component| match component.kind() {
                ComponentKind::Pid(pid) => Some(pid),
                ComponentKind::Data(_) => None,
            }));
            other(label(state.hashes(), state.location_of(vector), components), &self.wide);
        }
    }

    // in a function of its own, what the loop needs fits in registers
    #[inline(never)]
    fn read_width<const WIDTH: usize>(&mut self, state: &State) {
        let hashes = state.hashes();
        for (location, vector) in self.by_width.of_width::<WIDTH>(state) {
            let pids = vector.iter().map(|component| 1 - component.split().0).sum();
            let read = self.by_members.next(pids);
            read.label = label(hashes, location, vector);
            let mut member = 0;
            for component in vector {
                let (is_data, number) = component.split();
                read.members[member % SHORT] = number;
                member += 1 - is_data;
            }
        }
    }

    /// The vectors read that have so many members, at most [`SHORT`].
    pub fn with_members(&self, count: usize) -> &[Read] {
        self.by_members.get(count)
    }
}

/// Hash of a location and the components of a vector, all pids alike; to be mixed before it is
/// looked at. A polynomial, so that no component has to wait for the one before.
#[inline]
fn label(hashes: &Hashes, location: u32, vector: &[Component]) -> u64 {
    const STEP: u64 = 0xd6e8_feb8_6659_fd93;
    let mut weight = 1u64;
    vector.iter().fold(hashes.location(location), |label, &component| {
        weight = weight.wrapping_mul(STEP);
        label.wrapping_add(hashes.component(component).wrapping_mul(weight))
    })
}

/// Buckets of up to a stretch of items each.
#[derive(Clone, Debug)]
struct Buckets<T> {
    items: Box<[T; BUCKETS * STRETCH]>,
    /// How many items each bucket has, a byte each: counting in a register waits for no memory.
    counts: u64,
}

const BUCKETS: usize = 8;

impl<T: Copy + Default> Default for Buckets<T> {
    fn default() -> Buckets<T> {
        Buckets { items: Box::new([T::default(); BUCKETS * STRETCH]), counts: 0 }
    }
}

impl<T> Buckets<T> {
    fn clear(&mut self) {
        self.counts = 0;
    }

    #[inline]
    fn count(&self, bucket: usize) -> usize {
        (self.counts >> (8 * bucket)) as usize & 0xff
    }

    /// One more item in a bucket, to be written.
    #[inline]
    fn next(&mut self, bucket: usize) -> &mut T {
        let place = bucket * STRETCH + self.count(bucket);
        self.counts += 1 << (8 * bucket);
        &mut self.items[place % (BUCKETS * STRETCH)]
    }

    #[inline]
    fn get(&self, bucket: usize) -> &[T] {
        &self.items[bucket * STRETCH..][..self.count(bucket)]
    }
}

/// A width up to [`SHORT`], or the bucket of wider ones; in a way that compiles to no branch.
#[inline]
fn bucket_of(width: u32) -> usize {
    const WIDE: u32 = SHORT as u32 + 1;
    let is_wide = u32::from(width >= WIDE).wrapping_neg();
    ((width & !is_wide) | (WIDE & is_wide)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Datum;
    use crate::state::{NewComponent, StateBuilder};

    /// Vectors of 0 to 6 components in two locations, every second component a pid; more than one
    /// stretch.
    fn state() -> State {
        let mut builder = StateBuilder::new();
        let locations = ["a", "b"].map(|name| builder.location(name));
        for i in 0..200u64 {
            let entries: Vec<NewComponent> = (0..i % 7)
                .map(|j| match (i / 7 + j) % 2 {
                    0 => builder.pid(&[1 + i % 11]),
                    _ => NewComponent::Data(Datum::Int((i % 3).into())),
                })
                .collect();
            builder.vector(locations[i as usize % 2], entries);
        }
        builder.finish().unwrap()
    }

    fn pids(vector: &[Component]) -> Vec<u32> {
        let pid = |component: &Component| match component.kind() {
            ComponentKind::Pid(pid) => Some(pid),
            ComponentKind::Data(_) => None,
        };
        vector.iter().filter_map(pid).collect()
    }

    #[test]
    fn every_vector_is_read_once() {
        let state = state();
        let mut expected: Vec<(u64, Vec<u32>)> = (0..state.vector_count())
            .map(|i| (i, state.vector(i)))
            .map(|(i, vector)| (label(state.hashes(), state.location_of(i), vector), pids(vector)))
            .collect();
        let mut read = Vec::new();
        let mut reader = VectorReader::default();
        for stretch in stretches(&state) {
            reader.read(&state, stretch, |label, members| read.push((label, members.to_vec())));
            for count in 0..=SHORT {
                let short = reader.with_members(count).iter();
                read.extend(short.map(|read| (read.label, read.members[..count].to_vec())));
            }
        }
        expected.sort();
        read.sort();
        assert_eq!(read, expected);
    }

    #[test]
    fn labels_tell_order_location_data_and_length() {
        let state = state();
        let hashes = state.hashes();
        let vector = (0..state.vector_count())
            .map(|i| state.vector(i))
            .find(|vector| vector.len() == 6)
            .unwrap();
        let [pid, data] = [0, 1].map(|kind| *vector.iter().find(|c| c.split().0 == kind).unwrap());
        let mut labels = vec![
            label(hashes, 0, &[pid, data]),
            label(hashes, 1, &[pid, data]),
            label(hashes, 0, &[data, pid]),
            label(hashes, 0, &[pid, pid]),
            label(hashes, 0, &[pid, data, pid]),
            label(hashes, 0, &[pid]),
            label(hashes, 0, &[]),
        ];
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), 7);
    }
}
