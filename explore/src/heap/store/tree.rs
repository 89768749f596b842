//! Tree compression of the visited set (Laarman, van de Pol, Weber, "Parallel recursive state
//! compression for free", SPIN 2011).
//!
//! A key is a row of 32-bit words. It is halved, and its halves again; a half of one word is the word
//! itself, a longer one is the number of a pair in a table. The pair of the two first halves stands
//! for the key. States share halves, so a state costs little more than its last pair, 5 bytes, or up to 8
//! where there are many halves, and a place in a hash index of 4-byte entries. Keys of one length have the same tree, so pairs of all
//! levels share one table; last pairs have one table per length of key, and numbers of states are
//! runs over these tables.
//!
//! Cost: one probe for each pair over words in which a key differs from the one before. Weakness: keys that change everywhere at once share nothing.

use crate::heap::machine::interpreter::MOST_WORDS;
use crate::search::{Id, KeyBatch, Store, room_of};
use pidlab_core::mix::mix;
use std::ops::Range;

const CHUNK_BITS: u32 = 10;
const CHUNK: usize = 1 << CHUNK_BITS;
/// Bytes of a pair whose halves both fit into 20 bits, and of any pair.
const NARROW: usize = 5;
const WIDE: usize = 8;
/// Second half of the last pair of a key that has one word only.
const ABSENT: u32 = u32::MAX;
/// Pairs that move to a larger table together.
const TOGETHER: u32 = 32;
/// Slots of a group.
const GROUP: usize = 16;

/// Slots that are looked at together: one line of the caches, in a few instructions over vectors. Groups are seven eighths
/// full; looking at slots one by one, to the first free one, took a third of a search's time.
#[derive(Clone)]
#[repr(align(64))]
struct Group([u32; GROUP]);

impl Group {
    const EMPTY: Group = Group([0; GROUP]);

    /// The slots whose bits under a mask are those of `tag`, one bit each; free ones may be among them.
    #[inline]
    fn like(&self, tag: u32, mask: u32) -> u32 {
        self.0
            .iter()
            .zip(0..)
            .fold(0, |like, (slot, at)| like | u32::from(slot & mask == tag) << at)
    }

    /// How many slots are taken; they come first.
    #[inline]
    fn taken(&self) -> usize {
        self.0.iter().map(|&slot| usize::from(slot != 0)).sum()
    }
}

/// Pairs behind each other, in as many bytes each as the widest needs.
struct Chunk {
    width: usize,
    bytes: Box<[u8]>,
}

impl Chunk {
    fn new(width: usize) -> Chunk {
        // a pair is read as eight bytes, the last one too
        Chunk { width, bytes: vec![0; CHUNK * width + WIDE - width].into() }
    }

    /// Bits of each half.
    fn half_bits(&self) -> usize {
        4 * self.width
    }

    #[inline]
    fn get(&self, at: usize) -> u64 {
        let bytes = self.bytes[at * self.width..].first_chunk().copied().unwrap_or_default();
        let stored = u64::from_le_bytes(bytes);
        let mask = (1 << self.half_bits()) - 1;
        (stored & mask) << 32 | stored >> self.half_bits() & mask
    }

    fn set(&mut self, at: usize, pair: u64) {
        let (left, right) = (pair >> 32, pair & u64::from(u32::MAX));
        let needed = (u64::BITS - (left | right).leading_zeros()).div_ceil(4) as usize;
        if needed > self.width {
            let narrow = std::mem::replace(self, Chunk::new(needed));
            (0..at).for_each(|at| self.set(at, narrow.get(at)));
        }
        let stored = right << self.half_bits() | left;
        self.bytes[at * self.width..][..self.width]
            .copy_from_slice(&stored.to_le_bytes()[..self.width]);
    }
}

/// A set of pairs with numbers in order of insertion.
pub struct NodeTable {
    /// Pairs in chunks of one size: growing copies nothing and wastes no more than a chunk.
    chunks: Vec<Chunk>,
    len: u32,
    /// 0, or 1 + number with as many bits of the pair's hash above it as there is room for: a pair
    /// is seldom looked at in vain. The number of groups is not a power of two, so that it can grow by a sixth.
    groups: Vec<Group>,
    /// Bits of a number in a slot.
    bits: u32,
}

impl Default for NodeTable {
    fn default() -> NodeTable {
        NodeTable::with_groups(4)
    }
}

impl NodeTable {
    fn with_groups(count: usize) -> NodeTable {
        let bits = usize::BITS - (count * GROUP).leading_zeros();
        NodeTable { chunks: Vec::new(), len: 0, groups: vec![Group::EMPTY; count], bits }
    }

    #[inline]
    pub fn get(&self, number: u32) -> u64 {
        self.chunks[(number >> CHUNK_BITS) as usize].get(number as usize & (CHUNK - 1))
    }

    /// The number of a pair, or the group with the free slot where it belongs.
    #[inline]
    fn probe(&self, pair: u64, hash: u64) -> Result<u32, usize> {
        let (mut home, tag) = (self.home(hash), self.tag(hash));
        loop {
            let group = &self.groups[home];
            let taken = group.taken();
            let mut like = group.like(tag, self.tag(u64::MAX)) & ((1 << taken) - 1);
            while like != 0 {
                let number = (group.0[like.trailing_zeros() as usize] ^ tag) - 1;
                if self.get(number) == pair {
                    return Ok(number);
                }
                like &= like - 1;
            }
            if taken < GROUP {
                return Err(home);
            }
            home = self.next(home);
        }
    }

    /// Takes the first free slot from a group on.
    #[inline]
    fn take(&mut self, mut home: usize, slot: u32) {
        let mut taken = self.groups[home].taken();
        while taken == GROUP {
            home = self.next(home);
            taken = self.groups[home].taken();
        }
        self.groups[home].0[taken] = slot;
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.groups.len() as u128) >> 64) as usize
    }

    #[inline]
    fn next(&self, group: usize) -> usize {
        if group + 1 == self.groups.len() { 0 } else { group + 1 }
    }

    /// The bits of a hash above the number in a slot.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        (hash << self.bits) as u32
    }

    pub fn find(&self, pair: u64) -> Option<u32> {
        self.probe(pair, mix(pair, 0)).ok()
    }

    /// Reads what a lookup of a pair with this hash reads first.
    #[inline]
    fn peek_group(&self, hash: u64) -> u64 {
        self.groups[self.home(hash)].0[0].into()
    }

    /// Reads what it reads next, if a slot promises the pair.
    #[inline]
    fn peek_pair(&self, hash: u64) -> u64 {
        let (group, tag) = (&self.groups[self.home(hash)], self.tag(hash));
        let like = group.like(tag, self.tag(u64::MAX));
        let slot = group.0.get(like.trailing_zeros() as usize).copied().unwrap_or(0);
        let number = (slot ^ tag).wrapping_sub(1);
        if number < self.len { self.get(number) } else { 0 }
    }

    /// The number of a pair, and whether it is new.
    #[inline]
    pub fn insert(&mut self, pair: u64) -> (u32, bool) {
        self.insert_hashed(pair, mix(pair, 0))
    }

    #[inline]
    fn insert_hashed(&mut self, pair: u64, hash: u64) -> (u32, bool) {
        let group = match self.probe(pair, hash) {
            Ok(number) => return (number, false),
            Err(group) => group,
        };
        let number = self.len;
        let at = number as usize & (CHUNK - 1);
        if at == 0 {
            self.chunks.push(Chunk::new(NARROW));
        }
        self.chunks[(number >> CHUNK_BITS) as usize].set(at, pair);
        self.take(group, self.tag(hash) | (number + 1));
        self.len += 1;
        if self.len as usize > self.most_pairs() {
            self.grow();
        }
        (number, true)
    }

    /// Pairs beyond which the table grows.
    #[inline]
    fn most_pairs(&self) -> usize {
        self.groups.len() * (GROUP / 8 * 7)
    }

    fn room(&self) -> u64 {
        room_of(self.most_pairs() - self.len as usize, self.growth_bytes())
    }

    /// Groups that are added at once.
    fn growth(&self) -> usize {
        (self.groups.len() / 6).max(1)
    }

    fn growth_bytes(&self) -> u64 {
        (self.growth() * size_of::<Group>()) as u64
    }

    #[cold]
    fn grow(&mut self) {
        let larger = self.groups.len() + self.growth();
        // the old one first: everything in it is found again among the pairs
        self.groups = Vec::new();
        let empty = NodeTable::with_groups(larger);
        (self.groups, self.bits) = (empty.groups, empty.bits);
        for first in (0..self.len).step_by(TOGETHER as usize) {
            // several at a time, so that the processor waits for many slots at once
            let mut hashes = [0; TOGETHER as usize];
            let numbers = first..self.len.min(first + TOGETHER);
            let mut seen = 0;
            for (number, hash) in numbers.clone().zip(&mut hashes) {
                *hash = mix(self.get(number), 0);
                seen ^= self.peek_group(*hash);
            }
            std::hint::black_box(seen);
            for (number, hash) in numbers.zip(hashes) {
                self.take(self.home(hash), self.tag(hash) | (number + 1));
            }
        }
    }

    fn pair_bytes(&self) -> u64 {
        let chunks = self.chunks.iter().map(|chunk| chunk.bytes.len() + size_of::<Chunk>());
        chunks.sum::<usize>() as u64
    }

    fn index_bytes(&self) -> u64 {
        (self.groups.capacity() * size_of::<Group>()) as u64
    }
}

/// States of one key length.
struct Class {
    bytes: usize,
    roots: NodeTable,
    /// Where runs of consecutive states start: number among the roots, number of the state.
    runs: Vec<(u32, Id)>,
}

/// A [`Store`] of trees.
#[derive(Default)]
pub struct TreeStore {
    inner: NodeTable,
    classes: Vec<Class>,
    /// Where runs of states of one class start: number of the state, class.
    runs: Vec<(Id, u32)>,
    len: Id,
    nearby: Nearby,
    /// Of keys that are inserted together.
    roots: Vec<Root>,
}

/// The last pair of a key.
struct Root {
    pair: u64,
    hash: u64,
    class: usize,
}

impl TreeStore {
    pub fn new() -> TreeStore {
        TreeStore::default()
    }

    fn class(&mut self, bytes: usize) -> usize {
        if let Some(known) = self.classes.iter().position(|class| class.bytes == bytes) {
            return known;
        }
        self.classes.push(Class { bytes, roots: NodeTable::default(), runs: Vec::new() });
        self.classes.len() - 1
    }

    /// The last pair of a key whose halves are stored afterwards.
    #[inline]
    fn root(&mut self, key: &[u8]) -> Root {
        let pair = self.nearby.fold(key, &mut self.inner);
        Root { pair, hash: mix(pair, 0), class: self.class(key.len()) }
    }

    #[inline]
    fn insert_root(&mut self, root: &Root) -> (Id, bool) {
        let class = &mut self.classes[root.class];
        let (number, fresh) = class.roots.insert_hashed(root.pair, root.hash);
        if !fresh {
            return (class.id_of(number), false);
        }
        self.note(root.class, number);
        self.len += 1;
        (self.len - 1, true)
    }

    /// Notes that a new state belongs to a class.
    fn note(&mut self, class: usize, root: u32) {
        if self.runs.last().is_none_or(|&(_, last)| last as usize != class) {
            self.runs.push((self.len, class as u32));
            self.classes[class].runs.push((root, self.len));
        }
    }
}

impl Class {
    fn id_of(&self, root: u32) -> Id {
        let run = self.runs.partition_point(|&(first, _)| first <= root) - 1;
        self.runs[run].1 + (root - self.runs[run].0)
    }

    fn root_of(&self, id: Id) -> u32 {
        let run = self.runs.partition_point(|&(_, first)| first <= id) - 1;
        self.runs[run].0 + (id - self.runs[run].1)
    }
}

/// A word of a key; the last one is filled up with zeros.
#[inline]
fn word(key: &[u8], at: usize) -> u32 {
    let rest = &key[4 * at..];
    let bytes = rest.first_chunk().copied().unwrap_or_else(|| {
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        last
    });
    u32::from_le_bytes(bytes)
}

fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// Where a row of two words or more is cut.
fn halves(words: Range<usize>) -> [Range<usize>; 2] {
    let middle = words.start + words.len() / 2;
    [words.start..middle, middle..words.end]
}

/// The last pair of a key; `half` gives the words for the halves, of which there are none in keys of one word.
fn last_pair(key: &[u8], mut half: impl FnMut(Range<usize>, usize) -> Option<u32>) -> Option<u64> {
    match key.len().div_ceil(4) {
        0 => Some(pair(ABSENT, ABSENT)),
        1 => Some(pair(word(key, 0), ABSENT)),
        count => {
            let [left, right] = halves(0..count);
            Some(pair(half(left, 1)?, half(right, 2)?))
        }
    }
}

/// A half as one word, if its pairs are known. The depth is the logarithm of the key's length.
fn find_half(key: &[u8], words: Range<usize>, inner: &NodeTable) -> Option<u32> {
    if words.len() == 1 {
        return Some(word(key, words.start));
    }
    let [left, right] = halves(words);
    inner.find(pair(find_half(key, left, inner)?, find_half(key, right, inner)?))
}

/// The tree of an earlier key. Keys come from steps that change little: the numbers of halves that are the
/// same need not be looked up again.
#[derive(Default)]
struct Nearby {
    row: Vec<u32>,
    /// By place in the tree, the root first, then its halves, then theirs.
    numbers: Vec<u32>,
    new: Vec<u32>,
}

impl Nearby {
    /// The last pair of a key whose halves are in `inner` afterwards.
    #[inline]
    fn fold(&mut self, key: &[u8], inner: &mut NodeTable) -> u64 {
        let count = key.len().div_ceil(4);
        self.new.clear();
        self.new.extend((0..count).map(|at| word(key, at)));
        let is_like = self.row.len() == count;
        if !is_like {
            self.numbers.clear();
            self.numbers.resize(2 * count.next_power_of_two(), 0);
        }
        let half = |words, node| Some(self.half(words, node, is_like, inner));
        let last = last_pair(key, half).unwrap_or(u64::MAX);
        std::mem::swap(&mut self.row, &mut self.new);
        last
    }

    fn half(
        &mut self,
        words: Range<usize>,
        node: usize,
        is_like: bool,
        inner: &mut NodeTable,
    ) -> u32 {
        if words.len() == 1 {
            return self.new[words.start];
        }
        if is_like && self.row[words.clone()] == self.new[words.clone()] {
            return self.numbers[node];
        }
        let [left, right] = halves(words);
        let left = self.half(left, 2 * node + 1, is_like, inner);
        let right = self.half(right, 2 * node + 2, is_like, inner);
        let (number, _) = inner.insert(pair(left, right));
        self.numbers[node] = number;
        number
    }
}

/// The inverse of [`last_pair`], for a key of `count` words.
fn unfold(last: u64, count: usize, inner: &NodeTable, key: &mut Vec<u8>) {
    let halves = [(last >> 32) as u32, last as u32];
    let sizes = match count {
        0 => [0, 0],
        1 => [1, 0],
        _ => [count / 2, count - count / 2],
    };
    for (half, size) in halves.into_iter().zip(sizes) {
        match size {
            0 => {}
            1 => key.extend_from_slice(&half.to_le_bytes()),
            _ => unfold(inner.get(half), size, inner, key),
        }
    }
}

impl Store for TreeStore {
    fn insert(&mut self, key: &[u8], _hash: u64) -> (Id, bool) {
        let root = self.root(key);
        self.insert_root(&root)
    }

    /// The inner pairs stay in the caches; the last ones, as many as states, are waited for together.
    fn insert_all(&mut self, keys: &KeyBatch, found: &mut Vec<(Id, bool)>) {
        let mut roots = std::mem::take(&mut self.roots);
        roots.clear();
        roots.extend(keys.iter().map(|(key, _)| self.root(key)));
        let table = |root: &Root| &self.classes[root.class].roots;
        let groups = roots.iter().fold(0, |sum, root| sum ^ table(root).peek_group(root.hash));
        let pairs = roots.iter().fold(0, |sum, root| sum ^ table(root).peek_pair(root.hash));
        std::hint::black_box((groups, pairs));
        found.extend(roots.iter().map(|root| self.insert_root(root)));
        self.roots = roots;
    }

    fn find(&self, key: &[u8], _hash: u64) -> Option<Id> {
        let root = last_pair(key, |words, _| find_half(key, words, &self.inner))?;
        let class = self.classes.iter().find(|class| class.bytes == key.len())?;
        class.roots.find(root).map(|number| class.id_of(number))
    }

    fn read(&self, id: Id, key: &mut Vec<u8>) {
        let run = self.runs.partition_point(|&(first, _)| first <= id) - 1;
        let class = &self.classes[self.runs[run].1 as usize];
        let root = class.roots.get(class.root_of(id));
        key.clear();
        unfold(root, class.bytes.div_ceil(4), &self.inner, key);
        key.truncate(class.bytes);
    }

    fn len(&self) -> usize {
        self.len as usize
    }

    fn key_bytes(&self) -> u64 {
        let roots: u64 = self.classes.iter().map(|class| class.roots.pair_bytes()).sum();
        roots + self.inner.pair_bytes()
    }

    fn index_bytes(&self) -> u64 {
        let class_bytes = |class: &Class| {
            class.roots.index_bytes() + (class.runs.capacity() * size_of::<(u32, Id)>()) as u64
        };
        let classes: u64 = self.classes.iter().map(class_bytes).sum();
        classes + self.inner.index_bytes() + (self.runs.capacity() * size_of::<(Id, u32)>()) as u64
    }

    fn room(&self) -> u64 {
        let classes = self.classes.iter().map(|class| class.roots.room());
        // a key has fewer pairs than words; a new length starts with a small table
        classes.min().unwrap_or(u64::MAX).min(self.inner.room() / MOST_WORDS as u64)
    }

    fn growth_bytes(&self) -> u64 {
        let classes = self.classes.iter().map(|class| class.roots.growth_bytes());
        classes.max().unwrap_or(0).max(self.inner.growth_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{ArenaStore, key_hash};
    use std::collections::BTreeSet;

    /// Keys of many lengths with much in common.
    fn key(i: u32) -> Vec<u8> {
        let length = [0, 1, 3, 4, 7, 8, 12, 20, 21, 36][i as usize % 10];
        (0..length).map(|at| if at == length / 2 { (i / 10) as u8 } else { at as u8 }).collect()
    }

    #[test]
    fn behaves_like_the_plain_store() {
        let (mut tree, mut plain) = (TreeStore::new(), ArenaStore::new());
        let mut read = Vec::new();
        for i in (0..3_000).chain(0..3_000) {
            let (key, hash) = (key(i), key_hash(&key(i)));
            assert_eq!(tree.find(&key, hash), plain.find(&key, hash));
            assert_eq!(tree.insert(&key, hash), plain.insert(&key, hash));
        }
        assert_eq!(tree.len(), plain.len());
        for id in 0..tree.len() as Id {
            let mut expected = Vec::new();
            plain.read(id, &mut expected);
            tree.read(id, &mut read);
            assert_eq!(read, expected);
        }
    }

    #[test]
    fn many_pairs() {
        let mut table = NodeTable::default();
        // halves of all sizes, so that chunks of both widths occur
        let pair =
            |i: u64| pair((i * i) as u32, if i % 3_000 < 2_000 { i as u32 } else { !i as u32 });
        for i in 0..100_000 {
            assert_eq!(table.insert(pair(i)), (i as u32, true));
        }
        for i in 0..100_000 {
            assert_eq!(table.insert(pair(i)), (i as u32, false));
            assert_eq!(table.get(i as u32), pair(i));
        }
        assert_eq!(table.find(super::pair(3, 3)), None);
        let widths: BTreeSet<usize> = table.chunks.iter().map(|chunk| chunk.width).collect();
        assert!(widths.contains(&NARROW) && widths.contains(&WIDE) && widths.len() > 2);
    }
}
