//! Memory of visited sets: in large pages where the system has them.
//!
//! A lookup goes to a place that is as good as random. In pages of four kibibytes the processor's table
//! of pages misses as often as its caches do, and in a virtual machine every such miss is a walk
//! through two tables. So blocks of a mebibyte and more are mapped by themselves, and the system is asked to back them
//! with pages of two; what is not touched is not held either way.

use memmap2::MmapMut;
use std::ops::{Deref, DerefMut};

/// Bytes from which on a block is mapped by itself.
pub(crate) const LARGE_BLOCK: usize = 1 << 20;

/// A block of zeros to write over.
pub(crate) enum Block {
    Small(Box<[u8]>),
    Large(MmapMut),
}

impl Block {
    pub fn zeroed(len: usize) -> Block {
        if len >= LARGE_BLOCK
            && let Ok(map) = MmapMut::map_anon(len)
        {
            // small pages do as well, only slower
            #[cfg(target_os = "linux")]
            let _unheard = map.advise(memmap2::Advice::HugePage);
            return Block::Large(map);
        }
        Block::Small(vec![0; len].into())
    }
}

impl Default for Block {
    fn default() -> Block {
        Block::Small(Box::default())
    }
}

impl Deref for Block {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Block::Small(bytes) => bytes,
            Block::Large(map) => map,
        }
    }
}

impl DerefMut for Block {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Block::Small(bytes) => bytes,
            Block::Large(map) => map,
        }
    }
}

/// Bytes behind each other that are never moved and never freed one by one: in chunks, so that growing copies
/// nothing. A record lies within one chunk.
#[derive(Default)]
pub(crate) struct Arena {
    /// A chunk stands at its first byte's number by [`CHUNK`]; behind one that is longer are empty ones.
    chunks: Vec<Block>,
    /// How much of each is written.
    used: Vec<usize>,
    bytes: u64,
}

const CHUNK_BITS: u32 = 23;
const CHUNK: usize = 1 << CHUNK_BITS;
/// First size of the first chunk, which is copied into larger ones until it has its full size.
const FIRST: usize = 1 << 12;

impl Arena {
    /// Bytes written.
    pub fn len(&self) -> u64 {
        self.bytes
    }

    /// What is written from a position to the end of its chunk.
    #[inline]
    pub fn rest(&self, at: u64) -> &[u8] {
        &self.chunks[(at >> CHUNK_BITS) as usize][at as usize & (CHUNK - 1)..]
    }

    /// The byte at a position, for its effect on the caches; 0 beyond the end.
    #[inline]
    pub fn peek(&self, at: u64) -> u8 {
        let chunk = self.chunks.get((at >> CHUNK_BITS) as usize);
        chunk.and_then(|chunk| chunk.get(at as usize & (CHUNK - 1))).copied().unwrap_or(0)
    }

    /// Room for a record of so many bytes, and its position.
    #[inline]
    pub fn push(&mut self, len: usize) -> (u64, &mut [u8]) {
        let room = self.chunks.last().map_or(0, |chunk| chunk.len());
        if self.used.last().is_none_or(|used| used + len > room) {
            self.make_room(len);
        }
        let last = self.chunks.len() - 1;
        let start = self.used[last];
        self.used[last] += len;
        self.bytes += len as u64;
        ((last as u64) << CHUNK_BITS | start as u64, &mut self.chunks[last][start..start + len])
    }

    #[cold]
    fn make_room(&mut self, len: usize) {
        if let ([only], [used]) = (&mut self.chunks[..], &self.used[..])
            && used + len <= CHUNK
        {
            // up to large pages by doubling, then at once
            let wanted = (used + len).next_power_of_two();
            let size = if wanted >= LARGE_BLOCK { CHUNK } else { wanted };
            let mut larger = Block::zeroed(size);
            larger[..*used].copy_from_slice(&only[..*used]);
            *only = larger;
            return;
        }
        // the numbers that a long chunk takes up
        while let Some(last) = self.chunks.iter().rposition(|chunk| !chunk.is_empty())
            && self.chunks.len() < last + self.chunks[last].len().div_ceil(CHUNK)
        {
            self.chunks.push(Block::default());
            self.used.push(0);
        }
        let size = if self.chunks.is_empty() { FIRST } else { CHUNK };
        self.chunks.push(Block::zeroed(size.max(len)));
        self.used.push(0);
    }

    /// The record at a position or, where its chunk has none, the first one behind.
    pub fn record_from(&self, at: u64) -> Option<u64> {
        let chunk = (at >> CHUNK_BITS) as usize;
        // a position right behind a full chunk is the start of the next one
        if self.used.get(chunk).is_some_and(|&used| (at as usize & (CHUNK - 1)) < used) {
            return Some(at);
        }
        let behind = (chunk + 1..self.used.len()).find(|&chunk| self.used[chunk] > 0)?;
        Some((behind as u64) << CHUNK_BITS)
    }
}

/// A row of eight-byte words, zeros at first, whose length is a power of two.
pub(crate) struct Words(Block);

impl Words {
    pub fn zeroed(len: usize) -> Words {
        Words(Block::zeroed(len * size_of::<u64>()))
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.0.len() / size_of::<u64>()
    }

    #[inline]
    pub fn get(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.0.as_chunks().0[at])
    }

    #[inline]
    pub fn set(&mut self, at: usize, word: u64) {
        self.0.as_chunks_mut().0[at] = word.to_le_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_all_sizes_are_found_in_order() {
        let sizes = [1, 4000, 200, CHUNK - 5000, 300, 900, CHUNK, 1, 2 * CHUNK + 7, 9, 8];
        let mut arena = Arena::default();
        let mut places = Vec::new();
        for (number, &size) in (1..).zip(&sizes) {
            let (at, bytes) = arena.push(size);
            bytes.fill(number);
            places.push(at);
        }
        let mut at = 0;
        for ((number, &size), &place) in (1..).zip(&sizes).zip(&places) {
            at = arena.record_from(at).unwrap();
            assert_eq!(at, place);
            assert!(arena.rest(at)[..size].iter().all(|&byte| byte == number));
            at += size as u64;
        }
        assert_eq!(arena.record_from(at), None);
        assert_eq!(arena.len(), sizes.iter().sum::<usize>() as u64);
    }
}
