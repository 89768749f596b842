//! Rounds of colour hashing over a whole structure.
//!
//! One-dimensional Weisfeiler–Leman as hashing: a round gives every element a new colour made of its
//! old one and the colours next to it in tuples, by position. Links of the forest are swept from the
//! leaves to the roots and back, as Aho, Hopcroft and Ullman (1974, section 3.2) number trees, so
//! that one round exhausts them. A round is a few passes over flat arrays, no sorting; whether all
//! colours differ is one pass over a hash table. One or two rounds decide most states. Colours depend
//! on content alone, so they can be compared between states.

use crate::hash::mix;
use pidlab_core::Structure;
use pidlab_core::structure::Upward;
use pidlab_core::tuples::{Tuple, Tuple2};

/// Colours of the elements of one structure.
#[derive(Clone, Debug, Default)]
pub struct HashRounds {
    /// One for each element, and one above the roots of the forest.
    cells: Vec<Cell>,
    summary: u64,
}

/// What is known of an element: side by side, so that a tuple touches one cache line per member.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    color: u64,
    gathered: u64,
}

impl HashRounds {
    /// Starts from the colours of the structure.
    pub fn start(&mut self, structure: &Structure) {
        self.summary = 0;
        self.cells.clear();
        self.cells.extend(structure.colors.iter().map(|&color| {
            let color = mix(color, 0);
            self.summary = self.summary.wrapping_add(color);
            Cell { color, gathered: 0 }
        }));
        self.cells.push(Cell::default());
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.cells.len() - 1
    }

    #[inline]
    pub fn color(&self, element: u32) -> u64 {
        self.cells[element as usize].color
    }

    pub fn colors(&self) -> impl ExactSizeIterator<Item = u64> + Clone {
        self.cells[..self.len()].iter().map(|cell| cell.color)
    }

    /// New colours: what the forest tells, then what the other tuples tell.
    pub fn round(&mut self, structure: &Structure) {
        if !structure.lineage().is_empty() {
            self.sweep_lineage(structure.lineage());
        }
        if !structure.siblings().is_empty() {
            self.sweep_siblings(structure.siblings());
        }
        let tuples = structure.tuples();
        for &Tuple2 { label, x, y } in &tuples.pairs {
            let to_x = mix(label, self.color(y));
            let to_y = mix(self.color(x), label);
            self.add(x, to_x);
            self.add(y, to_y);
        }
        for Tuple { label, members } in &tuples.triples {
            self.gather(*label, members);
        }
        for Tuple { label, members } in &tuples.quadruples {
            self.gather(*label, members);
        }
        for (label, members) in tuples.long() {
            self.gather(label, members);
        }
        self.settle();
    }

    /// Links upwards form a forest: one sweep from the leaves to the roots and one back tell all that
    /// any number of rounds could, in the order of memory.
    fn sweep_lineage(&mut self, lineage: &[Upward]) {
        let top = self.len();
        let cells = &mut self.cells[..];
        let target = |link: Upward| {
            let (label, above) = link.split();
            (label, (above as usize).min(top))
        };
        for (x, &link) in lineage.iter().enumerate().rev() {
            let (label, above) = target(link);
            let color = mix(cells[x].color, cells[x].gathered);
            cells[x] = Cell { color, gathered: 0 };
            cells[above].gathered = cells[above].gathered.wrapping_add(mix(label, color));
        }
        cells[top] = Cell::default();
        for (x, &link) in lineage.iter().enumerate() {
            let (label, above) = target(link);
            cells[x].color = mix(cells[x].color.wrapping_add(label), cells[above].color);
        }
    }

    /// As [`sweep_lineage`](Self::sweep_lineage), for chains of siblings, from elder to younger.
    fn sweep_siblings(&mut self, siblings: &[Tuple2]) {
        for &Tuple2 { label, x, y } in siblings {
            let Cell { color, gathered } = self.cells[x as usize];
            self.add(y, mix(label, mix(color, gathered)));
        }
        self.settle();
        for &Tuple2 { label, x, y } in siblings.iter().rev() {
            let above = self.color(y);
            let cell = &mut self.cells[x as usize];
            cell.color = mix(cell.color.wrapping_add(label), above);
        }
    }

    fn settle(&mut self) {
        let elements = self.len();
        self.summary = 0;
        for cell in &mut self.cells[..elements] {
            *cell = Cell { color: mix(cell.color, cell.gathered), gathered: 0 };
            self.summary = self.summary.wrapping_add(cell.color);
        }
    }

    #[inline(always)]
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
        self.summary
    }
}
