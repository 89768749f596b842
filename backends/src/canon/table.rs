//! Finds elements by colour.
//!
//! Elements are distributed into buckets by colour; bucket after bucket goes into one small open table, and the
//! same bucket of the other side is looked up in it at once. O(elements).

use super::buckets::Buckets;
use super::rounds::HashRounds;
use super::sides::both;

/// Elements by colour; memory is reused.
#[derive(Clone, Debug, Default)]
pub struct ColorTable {
    /// One bucket; colours that several elements share keep one of them.
    slots: Vec<ColorSlot>,
    distributed: [Buckets<ColorSlot>; 2],
    shared: Vec<bool>,
}

/// Which elements of two sides have the same colour; memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Matching {
    /// For each element of one side, an element of the other with its colour.
    pub image: Vec<u32>,
    /// For each element of the other side, whether its colour is shared.
    pub shared: Vec<bool>,
}

/// A colour and its element; `NONE` where there is none.
#[derive(Clone, Copy, Debug)]
struct ColorSlot {
    color: u64,
    element: u32,
}

const NONE: u32 = u32::MAX;
const EMPTY: ColorSlot = ColorSlot { color: 0, element: NONE };

impl Default for ColorSlot {
    fn default() -> ColorSlot {
        EMPTY
    }
}

impl ColorTable {
    /// Enters all colours; returns how many are different.
    pub fn enter(&mut self, rounds: &HashRounds) -> usize {
        let [own, _] = &mut self.distributed;
        distribute(own, rounds);
        self.shared.clear();
        self.shared.resize(rounds.len(), false);
        let enter = |bucket| enter_bucket(&mut self.slots, own.get(bucket), &mut self.shared);
        (0..own.len()).map(enter).sum()
    }

    /// As [`enter`](Self::enter), and matches all colours with those of another side of the same size;
    /// `None` if that has others. Distributes on two threads if `parallel`.
    pub fn enter_and_match(
        &mut self,
        rounds: &HashRounds,
        other: &HashRounds,
        matching: &mut Matching,
        parallel: bool,
    ) -> Option<usize> {
        let ColorTable { slots, distributed: [own, others], shared } = self;
        both(parallel, || distribute(own, rounds), || distribute(others, other));
        shared.clear();
        shared.resize(rounds.len(), false);
        let Matching { image, shared: shared_there } = matching;
        image.clear();
        image.resize(rounds.len(), NONE);
        shared_there.clear();
        shared_there.resize(other.len(), false);
        let mut different = 0;
        for bucket in 0..own.len() {
            different += enter_bucket(slots, own.get(bucket), shared);
            for entry in others.get(bucket) {
                match slots[probe(slots, entry.color)].element {
                    NONE => return None,
                    element => {
                        image[element as usize] = entry.element;
                        shared_there[entry.element as usize] = shared[element as usize];
                    }
                }
            }
        }
        Some(different)
    }

    /// For each element entered, whether another one has the same colour.
    pub fn shared(&self) -> &[bool] {
        &self.shared
    }
}

/// Puts a bucket in place of the one before; returns how many colours are different.
fn enter_bucket(slots: &mut Vec<ColorSlot>, bucket: &[ColorSlot], shared: &mut [bool]) -> usize {
    slots.clear();
    slots.resize((bucket.len() * 2).next_power_of_two(), EMPTY);
    let mut different = 0;
    for &entry in bucket {
        let slot = probe(slots, entry.color);
        match slots[slot].element {
            NONE => {
                slots[slot] = entry;
                different += 1;
            }
            first => {
                shared[first as usize] = true;
                shared[entry.element as usize] = true;
            }
        }
    }
    different
}

/// The slot of a colour, or an empty one; there is always one.
#[inline]
fn probe(slots: &[ColorSlot], color: u64) -> usize {
    let mask = slots.len() - 1;
    let mut at = color as usize & mask;
    while slots[at].element != NONE && slots[at].color != color {
        at = (at + 1) & mask;
    }
    at
}

/// The elements of one side by the highest bits of their colours.
fn distribute(buckets: &mut Buckets<ColorSlot>, rounds: &HashRounds) {
    let entries = rounds.colors().zip(0..rounds.len() as u32);
    buckets.distribute(entries.map(|(color, element)| ColorSlot { color, element }), |entry| {
        entry.color
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_core::Structure;

    fn rounds(colors: &[u64]) -> HashRounds {
        let mut structure = Structure::default();
        for &color in colors {
            structure.element(color);
        }
        let mut rounds = HashRounds::default();
        rounds.start(&structure);
        rounds
    }

    /// In one bucket and in many: elements find each other, shared colours are told.
    #[test]
    fn colors_are_matched() {
        for count in [0, 1, 5, 1 << 10, 1 << 14] {
            let colors: Vec<u64> = (0..count).map(|i| i.max(2)).collect();
            let reversed: Vec<u64> = colors.iter().rev().copied().collect();
            let (mut table, mut matching) = (ColorTable::default(), Matching::default());
            let (q, r) = (rounds(&colors), rounds(&reversed));
            let different = table.enter_and_match(&q, &r, &mut matching, false);
            assert_eq!(different, Some(colors.len().saturating_sub(2).max(colors.len().min(1))));
            assert_eq!(table.enter(&q), different.unwrap());
            for (i, &color) in colors.iter().enumerate() {
                let last = reversed.len() - 1;
                let is_shared = color == 2 && colors.len() > 1;
                assert_eq!(table.shared()[i], is_shared);
                assert_eq!(matching.shared[last - i], is_shared);
                assert!(is_shared || matching.image[i] as usize == last - i);
            }
        }
    }

    #[test]
    fn a_color_of_one_side_only_is_seen() {
        for count in [1u64, 5, 1 << 14] {
            let colors: Vec<u64> = (0..count).collect();
            let mut other = colors.clone();
            other[count as usize / 2] = u64::MAX;
            let (q, r) = (rounds(&colors), rounds(&other));
            let mut table = ColorTable::default();
            assert_eq!(table.enter_and_match(&q, &r, &mut Matching::default(), false), None);
        }
    }
}
