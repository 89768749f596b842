//! Rounds of colour hashing over a whole structure.
//!
//! One-dimensional Weisfeiler–Leman as hashing: a round gives every element a new colour made of its
//! old one and the colours it meets in tuples, by position. Links of the forest are swept from the
//! leaves to the roots and back, as Aho, Hopcroft and Ullman (1974, section 3.2) number trees, so
//! that one round exhausts them. A round is a few passes over flat arrays, no sorting; whether all
//! colours differ is one pass over a hash table. One or two rounds decide most states. Colours depend
//! on content alone, so they can be compared between states.

use pidlab_core::Structure;
use pidlab_core::mix::mix;
use pidlab_core::tuples::Pair;

/// Colours of the elements of one structure.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    cells: Vec<Cell>,
}

/// What is known of an element: side by side, so that a tuple touches one cache line per member.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    color: u64,
    gathered: u64,
}

impl Rounds {
    /// Starts from the colours of the structure.
    pub fn start(&mut self, structure: &Structure) {
        self.cells.clear();
        let cell = |&color: &u64| Cell { color: mix(color, 0), gathered: 0 };
        self.cells.extend(structure.colors.iter().map(cell));
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    #[inline]
    pub fn color(&self, element: u32) -> u64 {
        self.cells[element as usize].color
    }

    pub fn colors(&self) -> impl Iterator<Item = u64> + '_ {
        self.cells.iter().map(|cell| cell.color)
    }

    /// New colours: what the forest tells, then what the other tuples tell.
    pub fn round(&mut self, structure: &Structure) {
        let (lineage, siblings) = (structure.lineage(), structure.siblings());
        if !lineage.is_empty() {
            self.sweep(lineage.iter().rev(), lineage.iter());
        }
        if !siblings.is_empty() {
            self.sweep(siblings.iter(), siblings.iter().rev());
        }
        for &Pair { label, x, y } in structure.tuples().pairs() {
            let to_x = mix(label, self.color(y));
            let to_y = mix(self.color(x), label);
            self.add(x, to_x);
            self.add(y, to_y);
        }
        for (label, members) in structure.tuples().longer() {
            self.gather(label, members);
        }
        self.settle();
    }

    /// Links x → y form a forest with at most one y for each x: one sweep from the leaves to the
    /// roots and one back tell all that any number of rounds could, in the order of memory.
    fn sweep<'a>(
        &mut self,
        leaves_first: impl Iterator<Item = &'a Pair>,
        roots_first: impl Iterator<Item = &'a Pair>,
    ) {
        for &Pair { label, x, y } in leaves_first {
            let Cell { color, gathered } = self.cells[x as usize];
            self.add(y, mix(label, mix(color, gathered)));
        }
        self.settle();
        for &Pair { label, x, y } in roots_first {
            let above = self.color(y);
            let cell = &mut self.cells[x as usize];
            cell.color = mix(cell.color.wrapping_add(label), above);
        }
    }

    fn settle(&mut self) {
        for cell in &mut self.cells {
            *cell = Cell { color: mix(cell.color, cell.gathered), gathered: 0 };
        }
    }

    #[inline]
    fn gather(&mut self, label: u64, members: &[u32]) {
        let seen = members.iter().fold(label, |hash, &x| mix(hash, self.color(x)));
        for (position, &x) in members.iter().enumerate() {
            self.add(x, mix(seen, position as u64));
        }
    }

    #[inline]
    fn add(&mut self, element: u32, value: u64) {
        let cell = &mut self.cells[element as usize];
        cell.gathered = cell.gathered.wrapping_add(value);
    }

    /// A symmetric hash of all colours: different for structures that differ so far.
    pub fn summary(&self) -> u64 {
        self.colors().fold(0, u64::wrapping_add)
    }
}
