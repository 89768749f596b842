//! Growing sets of small numbers, and numbers for values.

use crate::budget::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// A growing set of small numbers.
#[derive(Clone, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    pub fn insert(&mut self, number: u32) -> bool {
        let word = number as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & (1 << (number % 64)) == 0;
        self.0[word] |= 1 << (number % 64);
        new
    }

    pub fn contains(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// What both have, into a set whose room is used again.
    pub fn common(&self, other: &Bits, into: &mut Bits) {
        into.0.clear();
        into.0.extend(self.0.iter().zip(&other.0).map(|(a, b)| a & b));
    }

    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Adds all numbers of another set; calls `new` on those that were not there.
    pub fn add(&mut self, other: &Bits, mut new: impl FnMut(u32)) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (i, (mine, theirs)) in self.0.iter_mut().zip(&other.0).enumerate() {
            let mut fresh = theirs & !*mine;
            *mine |= theirs;
            while fresh != 0 {
                new(i as u32 * 64 + fresh.trailing_zeros());
                fresh &= fresh - 1;
            }
        }
    }

    pub fn words(&self) -> usize {
        self.0.len()
    }
}

/// Numbers for values in the order they first occur.
pub struct Interner<T> {
    numbers: FxHashMap<T, u32>,
    pub values: Vec<T>,
}

impl<T: Copy + Eq + std::hash::Hash> Interner<T> {
    pub fn new() -> Interner<T> {
        Interner { numbers: FxHashMap::default(), values: Vec::new() }
    }

    /// The number of a value; asks for room for it first.
    pub fn number(&mut self, value: T, budget: &Budget) -> Result<u32, Exhausted> {
        budget.grow::<(T, u32)>(self.numbers.len(), self.numbers.capacity())?;
        let Interner { numbers, values } = self;
        Ok(*numbers.entry(value).or_insert_with(|| {
            values.push(value);
            values.len() as u32 - 1
        }))
    }
}
