//! Numbers for sequences of words: equal numbers just for equal sequences.
//!
//! Sequences lie one after another in one array; the hash table is open addressing over numbers.

/// Sequences numbered from 0 in order of first appearance.
#[derive(Clone, Debug)]
pub struct Interner {
    words: Vec<u32>,
    starts: Vec<u32>,
    table: Vec<u32>,
    mask: usize,
}

const FREE: u32 = u32::MAX;

impl Interner {
    /// An interner that does not grow its table up to `expected` sequences.
    pub fn with_capacity(expected: usize) -> Interner {
        let size = (expected * 2).next_power_of_two().max(16);
        Interner { words: Vec::new(), starts: vec![0], table: vec![FREE; size], mask: size - 1 }
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of a sequence, a new one if it was not seen before.
    pub fn intern(&mut self, sequence: &[u32]) -> u32 {
        let slot = self.slot(sequence);
        if self.table[slot] != FREE {
            return self.table[slot];
        }
        let number = self.len() as u32;
        self.table[slot] = number;
        self.words.extend_from_slice(sequence);
        self.starts.push(self.words.len() as u32);
        if self.len() * 2 > self.table.len() {
            self.grow();
        }
        number
    }

    /// The number of a sequence seen before.
    pub fn find(&self, sequence: &[u32]) -> Option<u32> {
        let number = self.table[self.slot(sequence)];
        (number != FREE).then_some(number)
    }

    pub fn get(&self, number: u32) -> &[u32] {
        let i = number as usize;
        &self.words[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    fn slot(&self, sequence: &[u32]) -> usize {
        let mut slot = hash(sequence) as usize & self.mask;
        while self.table[slot] != FREE && self.get(self.table[slot]) != sequence {
            slot = (slot + 1) & self.mask;
        }
        slot
    }

    fn grow(&mut self) {
        let size = self.table.len() * 4;
        self.table = vec![FREE; size];
        self.mask = size - 1;
        for number in 0..self.len() as u32 {
            let mut slot = hash(self.get(number)) as usize & self.mask;
            while self.table[slot] != FREE {
                slot = (slot + 1) & self.mask;
            }
            self.table[slot] = number;
        }
    }
}

fn hash(sequence: &[u32]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut h = sequence.len() as u64;
    for &word in sequence {
        h = (h.rotate_left(23) ^ u64::from(word)).wrapping_mul(K);
    }
    (h ^ (h >> 32)).wrapping_mul(K) >> 20
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
