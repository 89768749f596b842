//! Whether two multisets of rows of words are equal: a radix join.
//!
//! Rows are copied into piles by the highest bits of their hash; pile by pile the rows of one side
//! go into a small table and those of the other take them out again. Compared are the words
//! themselves, so the answer is exact; every pile is worked on while it is in cache, so a million
//! rows cost little more each than a thousand. O(words).

/// Rows of one side, pile after pile.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// A row: part of its hash, number of copies left, length, words.
    words: Vec<u32>,
    /// Where each pile starts, and the end.
    piles: Vec<usize>,
    dealt: Vec<u32>,
}

const HEADER: usize = 3;
/// Rows of a pile whose table and words fit in a core's own cache.
const ROWS_PER_PILE: usize = 1 << 12;

impl Rows {
    /// Takes over `count` rows; `write(i, words)` appends the words of a row.
    pub fn fill(&mut self, count: usize, write: impl Fn(usize, &mut Vec<u32>)) {
        self.words.clear();
        for i in 0..count {
            let start = self.words.len();
            self.words.extend_from_slice(&[0, 1, 0]);
            write(i, &mut self.words);
            let hash = hash(&self.words[start + HEADER..]);
            self.words[start] = hash;
            self.words[start + 2] = (self.words.len() - start - HEADER) as u32;
        }
        self.piles.clear();
        self.piles.extend([0, self.words.len()]);
        if count > ROWS_PER_PILE {
            self.deal((count / ROWS_PER_PILE).next_power_of_two().trailing_zeros());
        }
    }

    /// Sorts the rows into 2^bits piles.
    fn deal(&mut self, bits: u32) {
        let pile = |hash: u32| (u64::from(hash) >> (32 - bits)) as usize;
        let mut piles = vec![0; (1 << bits) + 1];
        for row in self.pile(0) {
            piles[pile(self.words[row]) + 1] += HEADER + self.words[row + 2] as usize;
        }
        for i in 1..piles.len() {
            piles[i] += piles[i - 1];
        }
        let mut dealt = std::mem::take(&mut self.dealt);
        dealt.resize(self.words.len(), 0);
        let mut next = piles.clone();
        for row in self.pile(0) {
            let whole = &self.words[row..row + HEADER + self.words[row + 2] as usize];
            let at = &mut next[pile(whole[0])];
            dealt[*at..*at + whole.len()].copy_from_slice(whole);
            *at += whole.len();
        }
        dealt.truncate(self.words.len());
        self.dealt = std::mem::replace(&mut self.words, dealt);
        self.piles = piles;
    }

    /// Starts of the rows of a pile.
    fn pile(&self, pile: usize) -> impl Iterator<Item = usize> + '_ {
        let (mut at, end) = (self.piles[pile], self.piles[pile + 1]);
        std::iter::from_fn(move || {
            let row = (at < end).then_some(at)?;
            at += HEADER + self.words[at + 2] as usize;
            Some(row)
        })
    }

    /// Length and words of a row.
    fn content(&self, row: usize) -> &[u32] {
        &self.words[row + 2..row + HEADER + self.words[row + 2] as usize]
    }
}

/// Cheap: a collision only costs a comparison.
#[inline]
fn hash(row: &[u32]) -> u32 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |hash: u64, &word: &u32| hash.wrapping_mul(STEP).wrapping_add(u64::from(word) + 1);
    (row.iter().fold(0, step).wrapping_mul(STEP) >> 32) as u32
}

/// The table of one pile; its memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Join {
    /// Start of a row + 1, or 0.
    slots: Vec<u32>,
}

impl Join {
    /// Whether both sides hold the same rows equally often. Empties the copy counts of `right`.
    pub fn equal(&mut self, left: &Rows, right: &mut Rows) -> bool {
        left.piles == right.piles
            && (0..left.piles.len() - 1).all(|pile| self.equal_pile(left, right, pile))
    }

    fn equal_pile(&mut self, left: &Rows, right: &mut Rows, pile: usize) -> bool {
        let rows: usize = right.pile(pile).count();
        self.slots.clear();
        self.slots.resize((rows * 2).next_power_of_two(), 0);
        let (mut at, end) = (right.piles[pile], right.piles[pile + 1]);
        while at < end {
            let slot = self.probe(right, right.words[at], right.content(at));
            match self.slots[slot].checked_sub(1) {
                None => self.slots[slot] = at as u32 + 1,
                Some(first) => right.words[first as usize + 1] += 1,
            }
            at += HEADER + right.words[at + 2] as usize;
        }
        left.pile(pile).all(|row| {
            let slot = self.probe(right, left.words[row], left.content(row));
            match self.slots[slot].checked_sub(1) {
                Some(first) if right.words[first as usize + 1] > 0 => {
                    right.words[first as usize + 1] -= 1;
                    true
                }
                _ => false,
            }
        })
    }

    /// The slot of a row with this content, or an empty one.
    #[inline]
    fn probe(&self, rows: &Rows, hash: u32, content: &[u32]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while let Some(row) = self.slots[slot].checked_sub(1) {
            if rows.words[row as usize] == hash && rows.content(row as usize) == content {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(left: &[&[u32]], right: &[&[u32]]) -> bool {
        let (mut a, mut b) = (Rows::default(), Rows::default());
        a.fill(left.len(), |i, words| words.extend_from_slice(left[i]));
        b.fill(right.len(), |i, words| words.extend_from_slice(right[i]));
        Join::default().equal(&a, &mut b)
    }

    #[test]
    fn copies_and_lengths_count() {
        assert!(equal(&[&[1, 2], &[], &[1, 2], &[3]], &[&[3], &[1, 2], &[1, 2], &[]]));
        assert!(!equal(&[&[1, 2], &[1, 2], &[3]], &[&[3], &[3], &[1, 2]]));
        assert!(!equal(&[&[1], &[2]], &[&[1, 2], &[]]));
        assert!(equal(&[], &[]));
    }

    #[test]
    fn many_piles() {
        let rows: Vec<Vec<u32>> = (0..50_000).map(|i| vec![i % 977, i % 1_013, i / 7]).collect();
        let forward: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        let mut backward: Vec<&[u32]> = forward.iter().rev().copied().collect();
        assert!(equal(&forward, &backward));
        backward[123] = &[1, 2, 3];
        assert!(!equal(&forward, &backward));
    }
}
