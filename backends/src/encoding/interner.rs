//! Numbers for sequences of words: two numbers are equal iff their sequences are.
//!
//! Sequences lie one after another in one array; the hash table is open addressing over numbers, with
//! part of the hash beside each, so that a look at the wrong sequence is rare.

use crate::hash::mix;

/// Sequences numbered from 0 in order of first appearance.
#[derive(Clone, Debug)]
pub struct Interner {
    words: Vec<u32>,
    starts: Vec<u32>,
    table: Vec<Slot>,
}

/// The number of a sequence and the higher half of its hash.
#[derive(Clone, Copy, Debug)]
struct Slot {
    number: u32,
    tag: u32,
}

const FREE: u32 = u32::MAX;
const EMPTY: Slot = Slot { number: FREE, tag: 0 };

impl Interner {
    /// An interner that does not grow its table up to `expected` sequences.
    pub fn with_capacity(expected: usize) -> Interner {
        let size = (expected * 2).next_power_of_two().max(16);
        Interner { words: Vec::new(), starts: vec![0], table: vec![EMPTY; size] }
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of a sequence, a new one if it was not seen before.
    #[inline]
    pub fn intern(&mut self, sequence: &[u32]) -> u32 {
        let hash = hash(sequence);
        let slot = self.slot(hash, sequence);
        if self.table[slot].number != FREE {
            return self.table[slot].number;
        }
        let number = self.len() as u32;
        self.table[slot] = Slot { number, tag: tag(hash) };
        self.words.extend_from_slice(sequence);
        self.starts.push(self.words.len() as u32);
        if self.len() * 2 > self.table.len() {
            self.grow();
        }
        number
    }

    /// The number of a sequence seen before.
    #[inline]
    pub fn find(&self, sequence: &[u32]) -> Option<u32> {
        let number = self.table[self.slot(hash(sequence), sequence)].number;
        (number != FREE).then_some(number)
    }

    #[inline]
    pub fn get(&self, number: u32) -> &[u32] {
        let i = number as usize;
        &self.words[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    #[inline]
    fn slot(&self, hash: u64, sequence: &[u32]) -> usize {
        // sequences are short: word by word they are compared before a call could begin
        let same = |number| {
            let other = self.get(number);
            other.len() == sequence.len() && other.iter().zip(sequence).all(|(a, b)| a == b)
        };
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let Slot { number, tag } = self.table[at];
            if number == FREE || (tag == self::tag(hash) && same(number)) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = self.table.len() * 4;
        self.table = vec![EMPTY; size];
        for number in 0..self.len() as u32 {
            let hash = hash(self.get(number));
            let mut at = hash as usize & (size - 1);
            while self.table[at].number != FREE {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = Slot { number, tag: tag(hash) };
        }
    }
}

#[inline]
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[inline]
fn hash(sequence: &[u32]) -> u64 {
    let (pairs, rest) = sequence.as_chunks::<2>();
    let word = |&[low, high]: &[u32; 2]| u64::from(high) << 32 | u64::from(low);
    let hash = pairs.iter().fold(sequence.len() as u64, |hash, pair| mix(hash, word(pair)));
    rest.iter().fold(hash, |hash, &last| mix(hash, last.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_just_for_equal_sequences() {
        let mut interner = Interner::with_capacity(2);
        let sequences: Vec<Vec<u32>> =
            (0..5000u32).map(|i| (0..i % 7).map(|j| (i / 7) * (j + 1)).collect()).collect();
        let numbers: Vec<u32> = sequences.iter().map(|s| interner.intern(s)).collect();
        for (s, &number) in sequences.iter().zip(&numbers) {
            assert_eq!(interner.get(number), s);
            assert_eq!(interner.find(s), Some(number));
        }
        assert_eq!(interner.find(&[7, 7, 7, 7, 7, 7, 7, 7]), None);
    }
}
