//! The keys of a state's successors, looked up together.
//!
//! A visited set is far larger than the caches, so a lookup waits for memory twice: for the table and
//! for the record. The keys of all successors are computed first; then all places in the table are
//! read, then all records, so that the processor waits for many of them at once. What has to be read is
//! for the store to say: [`Store::warm`], [`Store::insert_all`].

use super::model::{Canonizer, Change, Failure, Successors, Tag};
#[cfg(doc)]
use super::store::Store;
use super::store::key_hash;
use pidlab_budget::Budget;
use std::ops::Range;

/// Keys one after another.
#[derive(Default)]
pub struct KeyBatch {
    bytes: Vec<u8>,
    /// Where each key ends, and its hash.
    keys: Vec<(usize, u64)>,
    key: Vec<u8>,
    budget: Budget,
}

impl KeyBatch {
    pub(super) fn new(budget: &Budget) -> KeyBatch {
        KeyBatch { budget: budget.clone(), ..KeyBatch::default() }
    }

    /// Computes the keys of some successors; those told by what changes are of the state that the canoniser
    /// has prepared.
    #[inline]
    pub(super) fn fill<S: Default, C: Canonizer<S>>(
        &mut self,
        canonizer: &C,
        worker: &mut C::Worker,
        successors: &Successors<S>,
        range: Range<usize>,
    ) -> Result<(), Failure> {
        self.clear();
        for index in range {
            let start = self.bytes.len();
            match successors.changes(index) {
                Some(changes) => canonizer.changed_key(worker, changes, &mut self.bytes)?,
                None => {
                    canonizer.key(worker, successors.state(index), &mut self.key)?;
                    self.bytes.extend_from_slice(&self.key);
                }
            }
            self.note(start)?;
        }
        Ok(())
    }

    /// Computes the keys of successors that are told by what changes.
    #[inline]
    pub(super) fn fill_changed<S, C: Canonizer<S>>(
        &mut self,
        canonizer: &C,
        worker: &mut C::Worker,
        tags: &[Tag],
        changes: &[Change],
    ) -> Result<(), Failure> {
        self.clear();
        for changes in tags.iter().filter_map(|tag| tag.changes(changes)) {
            let start = self.bytes.len();
            canonizer.changed_key(worker, changes, &mut self.bytes)?;
            self.note(start)?;
        }
        Ok(())
    }

    #[inline]
    fn clear(&mut self) {
        self.bytes.clear();
        self.keys.clear();
    }

    /// Takes note of a key that begins at `start`.
    #[inline]
    fn note(&mut self, start: usize) -> Result<(), Failure> {
        let key = &self.bytes[start..];
        self.budget.spend(key.len() as u64)?;
        self.keys.push((self.bytes.len(), key_hash(key)));
        Ok(())
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Bytes of all keys.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// A key and its hash.
    #[inline]
    pub fn get(&self, index: usize) -> (&[u8], u64) {
        let start = if index == 0 { 0 } else { self.keys[index - 1].0 };
        let (end, hash) = self.keys[index];
        (&self.bytes[start..end], hash)
    }

    /// All keys and their hashes.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> + Clone {
        (0..self.len()).map(|index| self.get(index))
    }
}
