//! The visited set: keys to numbers and back.
//!
//! [`ArenaStore`] lays the keys one after another in one arena; a record is the state's number, the
//! length of its key and the key. An open-addressing table of 8-byte entries (40 bits of position,
//! 24 bits of hash) leads to the records, so a lookup costs one miss in the table and one in the
//! arena. Beyond the key a state costs 5 bytes in the arena, 11 to 22 in the table and one byte
//! in a sparse index from numbers to records. Equality is decided on the bytes, never on hashes.

use super::batch::KeyBatch;
use super::memory::{Arena, Words};
use std::hash::Hasher;

/// Number of a stored state, in order of insertion.
pub type Id = u32;

/// A set of keys with numbers.
pub trait Store: Sync {
    /// The number of a key, and whether it is new; `hash` is [`key_hash`] of it.
    fn insert(&mut self, key: &[u8], hash: u64) -> (Id, bool);

    /// Inserts keys in their order; what [`Store::insert`] says of each goes to the end of `found`. A store that waits
    /// for memory does so for all of them at once.
    fn insert_all(&mut self, keys: &KeyBatch, found: &mut Vec<(Id, bool)>) {
        self.warm(keys);
        found.extend(keys.iter().map(|(key, hash)| self.insert(key, hash)));
    }

    /// The number of a key that is stored; `hash` is [`key_hash`] of it.
    fn find(&self, key: &[u8], hash: u64) -> Option<Id>;

    /// Reads what a lookup of a key with this hash reads first, for its effect on the caches.
    #[inline]
    fn peek_table(&self, _hash: u64) -> u64 {
        0
    }

    /// Reads what a lookup of a key with this hash reads next.
    #[inline]
    fn peek_record(&self, _hash: u64) -> u64 {
        0
    }

    /// Reads what lookups of these keys will read, all at once.
    #[inline]
    fn warm(&self, keys: &KeyBatch) {
        if keys.len() > 1 {
            let table = keys.iter().fold(0, |sum, (_, hash)| sum ^ self.peek_table(hash));
            let records = keys.iter().fold(0, |sum, (_, hash)| sum ^ self.peek_record(hash));
            std::hint::black_box((table, records));
        }
    }

    /// Writes the key with a number over `key`.
    fn read(&self, id: Id, key: &mut Vec<u8>);

    /// Number of keys.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes held by the keys themselves.
    fn key_bytes(&self) -> u64;

    /// Bytes held for finding them.
    fn index_bytes(&self) -> u64;

    /// How many keys can be inserted before a table grows by a mebibyte or more.
    fn room(&self) -> u64;

    /// Bytes that it grows by then, at once.
    fn growth_bytes(&self) -> u64;
}

/// Growth at once that is worth a look at the memory in use.
const LARGE: u64 = 1 << 20;

/// The room of a table: `left` keys fit in before it grows.
pub(crate) fn room_of(left: usize, growth_bytes: u64) -> u64 {
    if growth_bytes < LARGE { u64::MAX } else { left as u64 }
}

/// The hash that every [`Store`] is given.
#[inline]
pub fn key_hash(key: &[u8]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(key);
    // the table uses both ends of the word
    let hash = hasher.finish();
    (hash ^ (hash >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

const EMPTY: u64 = u64::MAX;
const TAG_BITS: u32 = 24;
const INDEX_EVERY: u32 = 8;
/// Records that move to a larger table together.
const TOGETHER: usize = 32;

/// Keys in one arena.
pub struct ArenaStore {
    arena: Arena,
    /// Complements of the entries, so that memory is empty as the system gives it.
    table: Words,
    /// Position of every 8th record.
    index: Vec<u64>,
    len: u32,
    key_bytes: u64,
}

impl Default for ArenaStore {
    fn default() -> ArenaStore {
        ArenaStore {
            arena: Arena::default(),
            table: Words::zeroed(1 << 10),
            index: Vec::new(),
            len: 0,
            key_bytes: 0,
        }
    }
}

impl ArenaStore {
    /// An empty store.
    pub fn new() -> ArenaStore {
        ArenaStore::default()
    }

    /// The key with a number.
    pub fn key(&self, id: Id) -> &[u8] {
        let mut at = self.index[(id / INDEX_EVERY) as usize];
        for _ in 0..id % INDEX_EVERY {
            let end = self.record(at).end;
            at = self.arena.record_from(end).unwrap_or(end);
        }
        self.record(at).key
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        (hash >> (u64::BITS - self.table.len().trailing_zeros())) as usize
    }

    #[inline]
    fn entry(&self, slot: usize) -> u64 {
        !self.table.get(slot)
    }

    #[inline]
    fn set_entry(&mut self, slot: usize, at: u64, hash: u64) {
        self.table.set(slot, !(at << TAG_BITS | Self::tag(hash)));
    }

    #[inline]
    fn tag(hash: u64) -> u64 {
        hash & ((1 << TAG_BITS) - 1)
    }

    /// Keys beyond which the table grows.
    #[inline]
    fn most_keys(&self) -> usize {
        self.table.len() / 4 * 3
    }

    /// The slot of a key, or the free slot where it belongs.
    #[inline]
    fn probe(&self, key: &[u8], hash: u64) -> (usize, Option<Id>) {
        let mask = self.table.len() - 1;
        let mut slot = self.home(hash);
        loop {
            let entry = self.entry(slot);
            if entry == EMPTY {
                return (slot, None);
            }
            if entry & ((1 << TAG_BITS) - 1) == Self::tag(hash) {
                let record = self.record(entry >> TAG_BITS);
                if record.key == key {
                    return (slot, Some(record.id));
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    #[inline]
    fn record(&self, at: u64) -> Record<'_> {
        let head = self.arena.rest(at);
        let id = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        let (len, start) = match head[4] {
            LONG => (u32::from_le_bytes([head[5], head[6], head[7], head[8]]) as usize, 9),
            short => (short as usize, 5),
        };
        Record { id, key: &head[start..start + len], end: at + (start + len) as u64 }
    }

    /// Appends a record and says where.
    fn push_record(&mut self, key: &[u8]) -> u64 {
        self.key_bytes += key.len() as u64;
        let (mut head, mut start) = ([0; 9], 5);
        head[..4].copy_from_slice(&self.len.to_le_bytes());
        match u8::try_from(key.len()) {
            Ok(short) if short != LONG => head[4] = short,
            _ => {
                head[4] = LONG;
                head[5..].copy_from_slice(&(key.len() as u32).to_le_bytes());
                start = 9;
            }
        }
        let (at, record) = self.arena.push(start + key.len());
        record[..start].copy_from_slice(&head[..start]);
        record[start..].copy_from_slice(key);
        at
    }

    #[cold]
    fn grow(&mut self) {
        let larger = self.table.len() * 2;
        // the old one first: everything in it is found again in the arena
        self.table = Words::zeroed(0);
        self.table = Words::zeroed(larger);
        let mut moving = [(0, 0); TOGETHER];
        let mut next = self.arena.record_from(0);
        while next.is_some() {
            // several at a time, so that the processor waits for many places of the table at once
            let mut count = 0;
            while let Some(at) = next
                && count < TOGETHER
            {
                let record = self.record(at);
                moving[count] = (at, key_hash(record.key));
                next = self.arena.record_from(record.end);
                count += 1;
            }
            let places = moving[..count].iter().fold(0, |sum, m| sum ^ self.peek_table(m.1));
            std::hint::black_box(places);
            for &(at, hash) in &moving[..count] {
                let mut slot = self.home(hash);
                while self.entry(slot) != EMPTY {
                    slot = (slot + 1) & (self.table.len() - 1);
                }
                self.set_entry(slot, at, hash);
            }
        }
    }
}

/// First byte of a length that takes four more.
const LONG: u8 = u8::MAX;

struct Record<'a> {
    id: Id,
    key: &'a [u8],
    end: u64,
}

impl Store for ArenaStore {
    #[inline]
    fn insert(&mut self, key: &[u8], hash: u64) -> (Id, bool) {
        let (slot, known) = self.probe(key, hash);
        if let Some(id) = known {
            return (id, false);
        }
        let (id, at) = (self.len, self.push_record(key));
        if id.is_multiple_of(INDEX_EVERY) {
            self.index.push(at);
        }
        self.set_entry(slot, at, hash);
        self.len += 1;
        if self.len as usize > self.most_keys() {
            self.grow();
        }
        (id, true)
    }

    fn find(&self, key: &[u8], hash: u64) -> Option<Id> {
        self.probe(key, hash).1
    }

    #[inline]
    fn peek_table(&self, hash: u64) -> u64 {
        self.entry(self.home(hash))
    }

    #[inline]
    fn peek_record(&self, hash: u64) -> u64 {
        self.arena.peek(self.entry(self.home(hash)) >> TAG_BITS).into()
    }

    fn read(&self, id: Id, key: &mut Vec<u8>) {
        key.clear();
        key.extend_from_slice(self.key(id));
    }

    fn len(&self) -> usize {
        self.len as usize
    }

    fn key_bytes(&self) -> u64 {
        self.key_bytes
    }

    fn index_bytes(&self) -> u64 {
        let heads = self.arena.len() - self.key_bytes;
        heads + (self.table.len() * 8 + self.index.len() * 8) as u64
    }

    fn room(&self) -> u64 {
        room_of(self.most_keys() - self.len as usize, self.growth_bytes())
    }

    fn growth_bytes(&self) -> u64 {
        (self.table.len() * size_of::<u64>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_insertion_and_lead_back() {
        let mut store = ArenaStore::new();
        let key = |i: u32| i.to_string().repeat(1 + i as usize % 300).into_bytes();
        for i in 0..5_000 {
            assert_eq!(store.insert(&key(i), key_hash(&key(i))), (i, true));
        }
        let mut read = Vec::new();
        for i in (0..5_000).rev() {
            assert_eq!(store.insert(&key(i), key_hash(&key(i))), (i, false));
            store.read(i, &mut read);
            assert_eq!(read, key(i));
        }
        assert_eq!(store.find(b"no such key", key_hash(b"no such key")), None);
        assert_eq!(store.len(), 5_000);
    }

    #[test]
    fn equal_hashes_do_not_merge_keys() {
        let mut store = ArenaStore::new();
        assert_eq!(store.insert(b"a", 7), (0, true));
        assert_eq!(store.insert(b"b", 7), (1, true));
        assert_eq!(store.insert(b"a", 7), (0, false));
    }
}
