//! Finds elements by colour.
//!
//! Open addressing by the highest bits of the colour. Large inputs are first dealt into piles by
//! those bits, so that each stretch of the table is filled and searched while it is in cache.

use super::rounds::Rounds;

/// Elements by colour; colours that several elements share keep one of them.
#[derive(Clone, Debug, Default)]
pub struct ColorTable {
    slots: Vec<Slot>,
    shift: u32,
    shared: Vec<bool>,
    dealt: Vec<Slot>,
}

/// A colour and its element; `EMPTY` where there is none.
#[derive(Clone, Copy, Debug)]
struct Slot {
    color: u64,
    element: u32,
}

const EMPTY: u32 = u32::MAX;
/// Elements that need no dealing: their table fits in a core's own cache.
const SMALL: usize = 1 << 13;
const PILE_BITS: u32 = 8;

impl ColorTable {
    /// Enters all colours; returns how many are different.
    pub fn enter(&mut self, rounds: &Rounds) -> usize {
        let size = (rounds.len() * 2).next_power_of_two().max(16);
        self.slots.clear();
        self.slots.resize(size, Slot { color: 0, element: EMPTY });
        self.shift = 64 - size.trailing_zeros();
        self.shared.clear();
        self.shared.resize(rounds.len(), false);
        let mut different = 0;
        let dealt = std::mem::take(&mut self.dealt);
        self.dealt = deal(rounds, dealt, |entry| {
            let slot = probe(&self.slots, self.shift, entry.color);
            match self.slots[slot].element {
                EMPTY => {
                    self.slots[slot] = entry;
                    different += 1;
                }
                first => {
                    self.shared[first as usize] = true;
                    self.shared[entry.element as usize] = true;
                }
            }
        });
        different
    }

    /// For each element entered, whether another one has the same colour.
    pub fn shared(&self) -> &[bool] {
        &self.shared
    }

    /// For each of the elements entered, an element of the other side with its colour, and for each
    /// element of the other side whether its colour is shared; false if a colour of the other side
    /// is not in the table.
    pub fn match_with(
        &mut self,
        other: &Rounds,
        image: &mut Vec<u32>,
        shared: &mut Vec<bool>,
    ) -> bool {
        image.clear();
        image.resize(self.shared.len(), EMPTY);
        shared.clear();
        shared.resize(other.len(), false);
        let mut all_found = true;
        let dealt = std::mem::take(&mut self.dealt);
        self.dealt = deal(other, dealt, |entry| {
            match self.slots[probe(&self.slots, self.shift, entry.color)].element {
                EMPTY => all_found = false,
                element => {
                    image[element as usize] = entry.element;
                    shared[entry.element as usize] = self.shared[element as usize];
                }
            }
        });
        all_found
    }
}

#[inline]
fn probe(slots: &[Slot], shift: u32, color: u64) -> usize {
    let mask = slots.len() - 1;
    let mut at = (color >> shift) as usize & mask;
    while slots[at].element != EMPTY && slots[at].color != color {
        at = (at + 1) & mask;
    }
    at
}

/// Hands out all colours with their elements, large inputs pile by pile; returns its memory.
fn deal(rounds: &Rounds, mut dealt: Vec<Slot>, mut take: impl FnMut(Slot)) -> Vec<Slot> {
    let entries = || rounds.colors().zip(0..).map(|(color, element)| Slot { color, element });
    if rounds.len() <= SMALL {
        entries().for_each(take);
        return dealt;
    }
    let pile = |color: u64| (color >> (64 - PILE_BITS)) as usize;
    let mut next = [0usize; 1 << PILE_BITS];
    rounds.colors().for_each(|color| next[pile(color)] += 1);
    let mut total = 0;
    for count in &mut next {
        total += std::mem::replace(count, total);
    }
    dealt.clear();
    dealt.resize(total, Slot { color: 0, element: EMPTY });
    for entry in entries() {
        let at = &mut next[pile(entry.color)];
        dealt[*at] = entry;
        *at += 1;
    }
    dealt.iter().for_each(|&entry| take(entry));
    dealt
}
