//! Finds elements by colour.
//!
//! Elements are dealt into piles by the highest bits of their colour; pile after pile goes into one
//! small open table, and the same pile of the other side is looked up in it at once. So a million
//! elements cost little more each than a thousand. O(elements).

use super::rounds::Rounds;
use super::sides::both;

/// Elements by colour; memory is reused.
#[derive(Clone, Debug, Default)]
pub struct ColorTable {
    /// One pile; colours that several elements share keep one of them.
    slots: Vec<Entry>,
    dealt: [Dealt; 2],
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
struct Entry {
    color: u64,
    element: u32,
}

const NONE: u32 = u32::MAX;
const EMPTY: Entry = Entry { color: 0, element: NONE };

impl ColorTable {
    /// Enters all colours; returns how many are different.
    pub fn enter(&mut self, rounds: &Rounds) -> usize {
        let [own, _] = &mut self.dealt;
        own.deal(rounds);
        self.shared.clear();
        self.shared.resize(rounds.len(), false);
        let piles = own.piles();
        piles.map(|pile| enter_pile(&mut self.slots, pile, &mut self.shared)).sum()
    }

    /// As [`enter`](Self::enter), and matches all colours with those of another side of the same size;
    /// `None` if that has others. Deals on two threads if `parallel`.
    pub fn enter_and_match(
        &mut self,
        rounds: &Rounds,
        other: &Rounds,
        matching: &mut Matching,
        parallel: bool,
    ) -> Option<usize> {
        let ColorTable { slots, dealt: [own, others], shared } = self;
        both(parallel, || own.deal(rounds), || others.deal(other));
        shared.clear();
        shared.resize(rounds.len(), false);
        let Matching { image, shared: shared_there } = matching;
        image.clear();
        image.resize(rounds.len(), NONE);
        shared_there.clear();
        shared_there.resize(other.len(), false);
        let mut different = 0;
        for (pile, there) in own.piles().zip(others.piles()) {
            different += enter_pile(slots, pile, shared);
            for entry in there {
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

/// Puts a pile in place of the one before; returns how many colours are different.
fn enter_pile(slots: &mut Vec<Entry>, pile: &[Entry], shared: &mut [bool]) -> usize {
    slots.clear();
    slots.resize((pile.len() * 2).next_power_of_two(), EMPTY);
    let mut different = 0;
    for &entry in pile {
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
fn probe(slots: &[Entry], color: u64) -> usize {
    let mask = slots.len() - 1;
    let mut at = color as usize & mask;
    while slots[at].element != NONE && slots[at].color != color {
        at = (at + 1) & mask;
    }
    at
}

/// The elements of one side, pile after pile, and where the piles end.
#[derive(Clone, Debug, Default)]
struct Dealt {
    entries: Vec<Entry>,
    ends: Vec<usize>,
}

/// Elements of a pile whose table stays in a core's nearest cache; very large sides have larger piles,
/// for writing to many piles at once is slow.
const PILE: usize = 1 << 10;
const MOST_PILES: usize = 1 << 8;

impl Dealt {
    fn deal(&mut self, rounds: &Rounds) {
        let entries = || rounds.colors().zip(0..).map(|(color, element)| Entry { color, element });
        let Dealt { entries: dealt, ends } = self;
        let piles = (rounds.len() / PILE).next_power_of_two().min(MOST_PILES);
        dealt.clear();
        ends.clear();
        if piles == 1 {
            dealt.extend(entries());
            ends.push(rounds.len());
            return;
        }
        let pile = |color: u64| (color >> (u64::BITS - piles.trailing_zeros())) as usize;
        ends.resize(piles, 0);
        rounds.colors().for_each(|color| ends[pile(color)] += 1);
        let mut total = 0;
        // starts for now; each moves to its end as its pile is filled
        for end in &mut *ends {
            total += std::mem::replace(end, total);
        }
        dealt.resize(total, EMPTY);
        for entry in entries() {
            let at = &mut ends[pile(entry.color)];
            dealt[*at] = entry;
            *at += 1;
        }
    }

    fn piles(&self) -> impl Iterator<Item = &[Entry]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let pile = &self.entries[start..end];
            start = end;
            pile
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_core::Structure;

    fn rounds(colors: &[u64]) -> Rounds {
        let mut structure = Structure::default();
        for &color in colors {
            structure.element(color);
        }
        let mut rounds = Rounds::default();
        rounds.start(&structure);
        rounds
    }

    /// In one pile and in many: elements find each other, shared colours are told.
    #[test]
    fn colours_are_matched() {
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
    fn a_colour_of_one_side_only_is_seen() {
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
