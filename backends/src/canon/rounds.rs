//! Rounds of colour hashing over a whole structure.
//!
//! One-dimensional Weisfeiler–Leman as hashing: a round gives every element a new colour made of its
//! old one and the colours it meets in tuples, by position. A round is one pass over flat arrays, no
//! sorting; whether all colours differ is one pass over a hash table. Two or three rounds decide
//! most states. Colours depend on content alone, so they can be compared between states.

use pidlab_core::Structure;
use pidlab_core::mix::mix;

/// Colours of the elements of one structure, and the memory to refine them.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    pub colors: Vec<u64>,
    gathered: Vec<u64>,
}

impl Rounds {
    /// Starts from the colours of the structure.
    pub fn start(&mut self, structure: &Structure) {
        self.colors.clear();
        self.colors.extend(structure.colors.iter().map(|&c| mix(c, 0)));
    }

    pub fn round(&mut self, structure: &Structure) {
        self.gathered.clear();
        self.gathered.resize(self.colors.len(), 0);
        let (starts, members) = (structure.starts(), structure.members());
        for (tuple, &label) in structure.labels().iter().enumerate() {
            let members = &members[starts[tuple] as usize..starts[tuple + 1] as usize];
            match *members {
                [x, y] => self.gather_pair(label, x, y),
                _ => self.gather(label, members),
            }
        }
        for (color, &gathered) in self.colors.iter_mut().zip(&self.gathered) {
            *color = mix(*color, gathered);
        }
    }

    #[inline]
    fn gather_pair(&mut self, label: u64, x: u32, y: u32) {
        let (cx, cy) = (self.colors[x as usize], self.colors[y as usize]);
        let to_x = &mut self.gathered[x as usize];
        *to_x = to_x.wrapping_add(mix(label, cy));
        let to_y = &mut self.gathered[y as usize];
        *to_y = to_y.wrapping_add(mix(cx, label));
    }

    #[inline]
    fn gather(&mut self, label: u64, members: &[u32]) {
        let seen = members.iter().fold(label, |hash, &x| mix(hash, self.colors[x as usize]));
        for (position, &x) in members.iter().enumerate() {
            let to = &mut self.gathered[x as usize];
            *to = to.wrapping_add(mix(seen, position as u64));
        }
    }

    /// A symmetric hash of all colours: different for structures that differ so far.
    pub fn summary(&self) -> u64 {
        self.colors.iter().fold(0u64, |sum, &color| sum.wrapping_add(color))
    }
}

/// Finds elements by colour.
#[derive(Clone, Debug, Default)]
pub struct ColorTable {
    /// Element + 1, or 0; with the upper half of its colour beside it to spare most look-ups.
    slots: Vec<(u32, u32)>,
    shift: u32,
}

impl ColorTable {
    /// Enters all colours; returns how many are different. Equal ones keep their first element.
    pub fn enter(&mut self, colors: &[u64]) -> usize {
        let size = (colors.len() * 2).next_power_of_two().max(16);
        self.slots.clear();
        self.slots.resize(size, (0, 0));
        self.shift = 64 - size.trailing_zeros();
        let mut different = 0;
        for (element, &color) in colors.iter().enumerate() {
            let slot = self.probe(colors, color);
            if self.slots[slot].0 == 0 {
                self.slots[slot] = (element as u32 + 1, color as u32);
                different += 1;
            }
        }
        different
    }

    /// The element that was entered with this colour.
    pub fn find(&self, colors: &[u64], color: u64) -> Option<u32> {
        self.slots[self.probe(colors, color)].0.checked_sub(1)
    }

    #[inline]
    fn probe(&self, colors: &[u64], color: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (color >> self.shift) as usize & mask;
        loop {
            let (element, low) = self.slots[slot];
            if element == 0 || (low == color as u32 && colors[element as usize - 1] == color) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }
}
