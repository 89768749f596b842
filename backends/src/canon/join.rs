//! Whether two multisets of rows of words are equal: a radix join.
//!
//! Rows are copied into buckets by the highest bits of their hash; bucket by bucket the rows of one side
//! go into a small table and those of the other take them out again. Compared are the words
//! themselves, so the answer is exact; every bucket is worked on while it is in cache, so a million
//! rows cost little more each than a thousand. O(words).

/// Rows of one side, bucket after bucket.
#[derive(Clone, Debug, Default)]
pub struct JoinRows {
    /// A row: part of its hash, number of copies left, length, words.
    words: Vec<u32>,
    /// Where each bucket starts, and the end.
    buckets: Vec<usize>,
    distributed: Vec<u32>,
}

const HEADER: usize = 3;
/// Rows of a bucket whose table and words fit in a core's own cache.
const ROWS_PER_BUCKET: usize = 1 << 12;

impl JoinRows {
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
        self.buckets.clear();
        self.buckets.extend([0, self.words.len()]);
        if count > ROWS_PER_BUCKET {
            self.distribute((count / ROWS_PER_BUCKET).next_power_of_two().trailing_zeros());
        }
    }

    /// Sorts the rows into 2^bits buckets.
    fn distribute(&mut self, bits: u32) {
        let bucket = |hash: u32| (u64::from(hash) >> (32 - bits)) as usize;
        let mut buckets = vec![0; (1 << bits) + 1];
        for row in self.bucket(0) {
            buckets[bucket(self.words[row]) + 1] += HEADER + self.words[row + 2] as usize;
        }
        for i in 1..buckets.len() {
            buckets[i] += buckets[i - 1];
        }
        let mut distributed = std::mem::take(&mut self.distributed);
        distributed.resize(self.words.len(), 0);
        let mut next = buckets.clone();
        for row in self.bucket(0) {
            let whole = &self.words[row..row + HEADER + self.words[row + 2] as usize];
            let at = &mut next[bucket(whole[0])];
            distributed[*at..*at + whole.len()].copy_from_slice(whole);
            *at += whole.len();
        }
        distributed.truncate(self.words.len());
        self.distributed = std::mem::replace(&mut self.words, distributed);
        self.buckets = buckets;
    }

    /// Starts of the rows of a bucket.
    fn bucket(&self, bucket: usize) -> impl Iterator<Item = usize> + '_ {
        let (mut at, end) = (self.buckets[bucket], self.buckets[bucket + 1]);
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

/// The table of one bucket; its memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Join {
    /// Start of a row + 1, or 0.
    slots: Vec<u32>,
}

impl Join {
    /// Whether both sides hold the same rows equally often. Empties the copy counts of `right`.
    pub fn equal(&mut self, left: &JoinRows, right: &mut JoinRows) -> bool {
        left.buckets == right.buckets
            && (0..left.buckets.len() - 1).all(|bucket| self.equal_bucket(left, right, bucket))
    }

    fn equal_bucket(&mut self, left: &JoinRows, right: &mut JoinRows, bucket: usize) -> bool {
        let rows: usize = right.bucket(bucket).count();
        self.slots.clear();
        self.slots.resize((rows * 2).next_power_of_two(), 0);
        let (mut at, end) = (right.buckets[bucket], right.buckets[bucket + 1]);
        while at < end {
            let slot = self.probe(right, right.words[at], right.content(at));
            match self.slots[slot].checked_sub(1) {
                None => self.slots[slot] = at as u32 + 1,
                Some(first) => right.words[first as usize + 1] += 1,
            }
            at += HEADER + right.words[at + 2] as usize;
        }
        left.bucket(bucket).all(|row| {
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
    fn probe(&self, rows: &JoinRows, hash: u32, content: &[u32]) -> usize {
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
        let (mut a, mut b) = (JoinRows::default(), JoinRows::default());
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
    fn many_buckets() {
        let rows: Vec<Vec<u32>> = (0..50_000).map(|i| vec![i % 977, i % 1_013, i / 7]).collect();
        let forward: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        let mut backward: Vec<&[u32]> = forward.iter().rev().copied().collect();
        assert!(equal(&forward, &backward));
        backward[123] = &[1, 2, 3];
        assert!(!equal(&forward, &backward));
    }
}
