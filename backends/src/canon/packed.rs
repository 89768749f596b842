//! Whether two multisets of short rows are equal: each row packed into one word.
//!
//! A row is a word of 64 or 128 bits that holds all of it, so comparing words compares rows and the
//! answer is exact. The rows of one side go into an open table with the number of their copies, and
//! those of the other take them out again. Many rows are first distributed into buckets by their hash, so
//! that every table stays in cache. O(rows).

use super::buckets::Buckets;
use super::sides::both;
use crate::hash::mix;
use std::ops::Range;

/// A whole number that rows are packed into. No row is 0, the default.
pub trait PackedWord: Copy + Eq + Default + Send + Sync {
    /// The start of every row: a leading one, which tells rows of different lengths apart.
    const ONE: Self;
    /// The row with one more value of so many bits.
    fn append(self, bits: u32, value: u32) -> Self;
    fn hash(self) -> u64;
}

impl PackedWord for u64 {
    const ONE: u64 = 1;

    #[inline]
    fn append(self, bits: u32, value: u32) -> u64 {
        self << bits | u64::from(value)
    }

    #[inline]
    fn hash(self) -> u64 {
        mix(self, 0)
    }
}

impl PackedWord for u128 {
    const ONE: u128 = 1;

    #[inline]
    fn append(self, bits: u32, value: u32) -> u128 {
        self << bits | u128::from(value)
    }

    #[inline]
    fn hash(self) -> u64 {
        mix(self as u64, (self >> 64) as u64)
    }
}

/// Memory of comparisons, reused.
#[derive(Clone, Debug, Default)]
pub struct PackedJoin<W> {
    left: Side<W>,
    right: Side<W>,
}

impl<W: PackedWord> PackedJoin<W> {
    /// Whether both sides hold the same rows equally often. Each is written by its own function, over
    /// what is there; on two threads if `parallel`.
    pub fn equal(
        &mut self,
        parallel: bool,
        write_left: impl FnOnce(&mut Vec<W>),
        write_right: impl FnOnce(&mut Vec<W>) + Send,
    ) -> bool {
        let (left, right) = (&mut self.left, &mut self.right);
        both(parallel, || left.distribute(write_left), || right.distribute(write_right));
        if left.rows.len() != right.rows.len() {
            return false;
        }
        let (buckets, middle) = (left.buckets.len(), left.buckets.len() / 2);
        let (here, there) = both(
            parallel,
            || left.table.equal_buckets(0..middle, &left.buckets, &right.buckets),
            || right.table.equal_buckets(middle..buckets, &left.buckets, &right.buckets),
        );
        here && there
    }
}

/// The rows of one side: as they come, and by their hash.
#[derive(Clone, Debug, Default)]
struct Side<W> {
    rows: Vec<W>,
    buckets: Buckets<W>,
    table: Table<W>,
}

impl<W: PackedWord> Side<W> {
    fn distribute(&mut self, write: impl FnOnce(&mut Vec<W>)) {
        write(&mut self.rows);
        self.buckets.distribute(self.rows.iter().copied(), PackedWord::hash);
    }
}

/// An open table of rows, 0 where there is none, and how often each is left; its memory is reused.
#[derive(Clone, Debug, Default)]
struct Table<W> {
    rows: Vec<W>,
    copies: Vec<u32>,
}

impl<W: PackedWord> Table<W> {
    /// Whether both sides hold the same rows equally often in each of these buckets.
    fn equal_buckets(
        &mut self,
        buckets: Range<usize>,
        left: &Buckets<W>,
        right: &Buckets<W>,
    ) -> bool {
        buckets.into_iter().all(|bucket| self.equal(left.get(bucket), right.get(bucket)))
    }

    /// Whether both sides hold the same rows equally often.
    fn equal(&mut self, left: &[W], right: &[W]) -> bool {
        if left.len() != right.len() {
            return false;
        }
        let size = (left.len() * 2).next_power_of_two();
        self.rows.clear();
        self.rows.resize(size, W::default());
        self.copies.clear();
        self.copies.resize(size, 0);
        for &row in left {
            let slot = self.probe(row);
            self.rows[slot] = row;
            self.copies[slot] += 1;
        }
        right.iter().all(|&row| {
            let slot = self.probe(row);
            let copies = &mut self.copies[slot];
            let found = *copies > 0;
            *copies = copies.saturating_sub(1);
            found
        })
    }

    /// The slot of a row, or an empty one; there is always one.
    #[inline]
    fn probe(&self, row: W) -> usize {
        let mask = self.rows.len() - 1;
        let mut at = row.hash() as usize & mask;
        while self.rows[at] != row && self.rows[at] != W::default() {
            at = (at + 1) & mask;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal<W: PackedWord>(left: &[W], right: &[W]) -> bool {
        let mut join = PackedJoin::default();
        let mut equal = |parallel| {
            let write = |rows: &mut Vec<W>, side: &[W]| {
                rows.clear();
                rows.extend_from_slice(side);
            };
            join.equal(parallel, |rows| write(rows, left), |rows| write(rows, right))
        };
        let alone = equal(false);
        assert_eq!(alone, equal(true));
        alone
    }

    fn agrees<W: PackedWord>(rows: impl Fn(u32) -> u32, count: u32) {
        let word = |value: u32| W::ONE.append(31, value);
        let forward: Vec<W> = (0..count).map(|i| word(rows(i))).collect();
        let mut backward: Vec<W> = forward.iter().rev().copied().collect();
        assert!(equal(&forward, &backward));
        backward[count as usize / 2] = word(u32::MAX >> 1);
        assert!(!equal(&forward, &backward) && !equal(&backward, &forward));
    }

    #[test]
    fn copies_count_in_one_bucket_and_in_many() {
        for count in [1, 2, 100, 3_000, 50_000] {
            agrees::<u64>(|i| i % 977, count);
            agrees::<u128>(|i| i % 977, count);
            agrees::<u64>(|i| i, count);
            agrees::<u64>(|_| 5, count);
        }
    }

    #[test]
    fn numbers_of_copies_differ() {
        assert!(!equal::<u64>(&[7, 7, 8], &[7, 8, 8]));
        assert!(equal::<u64>(&[7, 7, 8], &[8, 7, 7]));
        assert!(equal::<u128>(&[], &[]));
    }
}
