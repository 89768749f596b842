//! Rounds of colour hashing over a whole structure.
//!
//! One-dimensional Weisfeiler–Leman as hashing: a round gives every element a new colour made of its
//! old one and the colours it meets in tuples, by position. A round is one pass over flat arrays, no
//! sorting; whether all colours differ is one pass over a hash table. Two or three rounds decide
//! most states. Colours depend on content alone, so they can be compared between states.

use pidlab_core::Structure;
use pidlab_core::mix::mix;

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

    pub fn round(&mut self, structure: &Structure) {
        let members = structure.members();
        let mut start = 0;
        for (&label, &end) in structure.labels().iter().zip(&structure.starts()[1..]) {
            match members[start..end as usize] {
                [x, y] => self.gather_pair(label, x, y),
                ref members => self.gather(label, members),
            }
            start = end as usize;
        }
        for cell in &mut self.cells {
            *cell = Cell { color: mix(cell.color, cell.gathered), gathered: 0 };
        }
    }

    #[inline]
    fn gather_pair(&mut self, label: u64, x: u32, y: u32) {
        let to_x = mix(label, self.color(y));
        let to_y = mix(self.color(x), label);
        self.add(x, to_x);
        self.add(y, to_y);
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
