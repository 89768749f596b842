//! From a state to its key in the visited set, under the chosen symmetry and encoding.
//!
//! The search goes on from the concrete state; the key only says which states are one (Bogor'03,
//! section 3.2: a state is represented by its sorting). With heap symmetry and without thread
//! symmetry a concrete state is its own sorting, so its key costs a copy, unless sets hold references.

use super::pack::{PackBuffer, Packing};
use crate::heap::machine::layout::{Layout, Word, is_violation};
use crate::heap::symmetry::exact::Exact;
use crate::heap::symmetry::numbering::{HeapOrder, Numbering};
use crate::heap::symmetry::threads::ThreadSymmetry;
use crate::search::{Canonizer, Change, Failure};
use pidlab_budget::Budget;

/// How a sorted state becomes bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Four bytes a word.
    Words,
    /// One byte for small words, three or five for others.
    Bytes,
    /// As many bits as a variable's type needs.
    Bits,
    /// Bits, filled up with zeros to whole words: fewer different lengths, for tree compression.
    Blocks,
}

const BLOCK: usize = size_of::<Word>();

pub struct Keys<'m> {
    pub layout: &'m Layout,
    pub packing: &'m Packing,
    pub symmetry: ThreadSymmetry,
    pub heap: HeapOrder,
    pub encoding: Encoding,
}

#[derive(Default)]
pub struct KeyWorker {
    numbering: Numbering,
    exact: Exact,
    starts: Vec<u32>,
    order: Vec<u32>,
    sorted: Vec<Word>,
    again: Vec<Word>,
    pack: PackBuffer,
    /// The state whose successors are told by what changes, and its key.
    source: Vec<Word>,
    source_key: Vec<u8>,
    whole_key: Vec<u8>,
    /// Where words lie in the source's key, in bits or in bytes; no bytes where all words have one.
    source_pack: PackBuffer,
    source_starts: Vec<u32>,
    undo: Vec<Change>,
    /// Changes by word.
    ordered: Vec<Change>,
    /// Whether a changed word is a changed part of the key.
    patched: bool,
}

impl Keys<'_> {
    /// Whether every state is its own sorting.
    fn is_sorted(&self) -> bool {
        let open = self.layout.has_unordered_references && self.heap == HeapOrder::DepthFirst;
        self.symmetry == ThreadSymmetry::None && !open
    }

    #[inline]
    fn write(&self, words: &[Word], pack: &mut PackBuffer, key: &mut Vec<u8>) {
        match self.encoding {
            Encoding::Words => write_words(words, key),
            Encoding::Bytes => write_bytes(words, key),
            Encoding::Bits => self.packing.pack(self.layout, words, pack, key),
            Encoding::Blocks => {
                self.packing.pack(self.layout, words, pack, key);
                key.resize(key.len().next_multiple_of(BLOCK), 0);
            }
        }
    }

    fn list_source_starts(&self, worker: &mut KeyWorker) {
        worker.source_starts.clear();
        if self.encoding == Encoding::Bytes && worker.source_key.len() > worker.source.len() {
            list_starts(&worker.source_key, &mut worker.source_starts);
        }
    }

    /// Appends the prepared key with changes; `false` if a word does not fit where its old value was.
    #[inline]
    fn patch(&self, worker: &mut KeyWorker, changes: &[Change], key: &mut Vec<u8>) -> bool {
        if self.encoding == Encoding::Bytes {
            worker.patch_bytes(changes, key);
            return true;
        }
        let start = key.len();
        key.extend_from_slice(&worker.source_key);
        let key = &mut key[start..];
        if self.encoding != Encoding::Words {
            return self.packing.patch(&worker.source_pack, changes, key);
        }
        let words = key.as_chunks_mut().0;
        changes.iter().for_each(|&(at, word)| words[at as usize] = word.to_le_bytes());
        true
    }

    /// Sorts a state into `worker.sorted`; `false` if the state is its own sorting.
    #[inline]
    fn sort(&self, worker: &mut KeyWorker, words: &[Word]) -> Result<bool, Failure> {
        if is_violation(words) {
            return Ok(false);
        }
        // elements of sets and tables leave the order of objects open
        let open = self.layout.has_unordered_references && self.heap == HeapOrder::DepthFirst;
        if self.symmetry == ThreadSymmetry::None {
            return match open {
                true => worker.exact.with_threads_in_order(self.layout, words, &mut worker.sorted),
                false => Ok(false),
            };
        }
        if self.symmetry == ThreadSymmetry::Exact {
            worker.exact.canonical(self.layout, words, &mut worker.sorted)?;
            return Ok(true);
        }
        worker.starts.clear();
        worker.starts.extend(self.layout.threads(words).map(|at| at as u32));
        self.symmetry.sort(self.layout, words, &worker.starts, &mut worker.order);
        let (order, out) = (&worker.order, &mut worker.sorted);
        worker.numbering.rewrite(self.layout, words, order, self.heap, out);
        if open {
            let (sorted, out) = (&worker.sorted, &mut worker.again);
            if worker.exact.with_threads_in_order(self.layout, sorted, out)? {
                std::mem::swap(&mut worker.sorted, &mut worker.again);
            }
        }
        Ok(true)
    }
}

impl KeyWorker {
    /// Appends the source's key with changes, where words take as many bytes as they need.
    #[inline]
    fn patch_bytes(&mut self, changes: &[Change], key: &mut Vec<u8>) {
        let is_wide = |&(_, word): &Change| word >= TWO_MORE.into();
        if !self.source_starts.is_empty() || changes.iter().any(is_wide) {
            return self.splice(changes, key);
        }
        let start = key.len();
        key.extend_from_slice(&self.source_key);
        for &(at, word) in changes {
            key[start + at as usize] = word as u8;
        }
    }

    /// The same where a word may have more or fewer bytes than before: what lies between the changed
    /// words is copied.
    fn splice(&mut self, changes: &[Change], key: &mut Vec<u8>) {
        let KeyWorker { source_key, source_starts: starts, ordered, .. } = self;
        ordered.clear();
        ordered.extend_from_slice(changes);
        // of several values of one word the last one counts: order is kept
        ordered.sort_by_key(|&(at, _)| at);
        let start = |at: usize| starts.get(at).map_or(at, |&start| start as usize);
        let mut next = 0;
        for (index, &(at, word)) in ordered.iter().enumerate() {
            if ordered.get(index + 1).is_some_and(|later| later.0 == at) {
                continue;
            }
            key.extend_from_slice(&source_key[start(next)..start(at as usize)]);
            write_wide(word, key);
            next = at as usize + 1;
        }
        let rest = if next < self.source.len() { start(next) } else { source_key.len() };
        key.extend_from_slice(&source_key[rest..]);
    }
}

/// Words as bytes, the low byte first.
#[inline]
pub fn write_words(words: &[Word], bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

/// Marks of words that do not fit into one byte.
const TWO_MORE: u8 = 0xFE;
const FOUR_MORE: u8 = 0xFF;

/// Small words as one byte each, several at a time.
#[inline]
pub fn write_bytes(mut words: &[Word], bytes: &mut Vec<u8>) {
    bytes.clear();
    while let Some(wide) = words.iter().position(|&word| word >= TWO_MORE.into()) {
        bytes.extend(words[..wide].iter().map(|&word| word as u8));
        write_wide(words[wide], bytes);
        words = &words[wide + 1..];
    }
    bytes.extend(words.iter().map(|&word| word as u8));
}

/// A word in as many bytes as it needs.
#[inline]
fn write_wide(word: Word, bytes: &mut Vec<u8>) {
    if word < TWO_MORE.into() {
        bytes.push(word as u8);
    } else if let Ok(short) = u16::try_from(word) {
        bytes.push(TWO_MORE);
        bytes.extend(short.to_le_bytes());
    } else {
        bytes.push(FOUR_MORE);
        bytes.extend(word.to_le_bytes());
    }
}

/// Where each word begins in what [`write_bytes`] wrote.
fn list_starts(bytes: &[u8], starts: &mut Vec<u32>) {
    let mut at = 0;
    while let Some(&first) = bytes.get(at) {
        starts.push(at as u32);
        at += 1 + more_bytes(first);
    }
}

/// Bytes of a word behind its first one.
#[inline]
fn more_bytes(first: u8) -> usize {
    match first {
        TWO_MORE => 2,
        FOUR_MORE => 4,
        _ => 0,
    }
}

/// The inverse of [`write_bytes`].
pub fn read_bytes(mut bytes: &[u8], words: &mut Vec<Word>) {
    words.clear();
    let largest = bytes.iter().fold(0, |largest, &byte| byte.max(largest));
    if largest < TWO_MORE {
        return words.extend(bytes.iter().map(|&byte| Word::from(byte)));
    }
    while let Some((&first, rest)) = bytes.split_first() {
        let more = more_bytes(first);
        let (wide, rest) = rest.split_at(more.min(rest.len()));
        let number = wide.iter().rev().fold(0, |number, &byte| number << 8 | Word::from(byte));
        words.push(if more == 0 { first.into() } else { number });
        bytes = rest;
    }
}

pub fn read_words(bytes: &[u8], words: &mut Vec<Word>) {
    words.clear();
    let (chunks, _) = bytes.as_chunks::<4>();
    words.extend(chunks.iter().map(|&chunk| Word::from_le_bytes(chunk)));
}

impl Canonizer<Vec<Word>> for Keys<'_> {
    type Worker = KeyWorker;

    fn worker(&self) -> KeyWorker {
        KeyWorker::default()
    }

    fn allow(&self, worker: &mut KeyWorker, budget: &Budget) {
        worker.exact.budget = budget.clone();
    }

    fn key(
        &self,
        worker: &mut KeyWorker,
        words: &Vec<Word>,
        key: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let sorted = if self.sort(worker, words)? { &worker.sorted } else { words };
        self.write(sorted, &mut worker.pack, key);
        Ok(())
    }

    fn takes_changes(&self) -> bool {
        // with locks most steps move objects or threads and are whole states all the same: what the others
        // save is less than preparing them costs, by 10 to 25 % of bounded-buffer.bir and ordered-list.bir
        !self.layout.has_locks
    }

    #[inline]
    fn prepare(&self, worker: &mut KeyWorker, words: &Vec<Word>) -> bool {
        worker.source.clone_from(words);
        worker.patched = self.is_sorted();
        if worker.patched {
            let key = &mut worker.source_key;
            self.write(words, &mut worker.source_pack, key);
            self.list_source_starts(worker);
        }
        worker.patched
    }

    #[inline]
    fn changed_key(
        &self,
        worker: &mut KeyWorker,
        changes: &[Change],
        key: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let start = key.len();
        if worker.patched && self.patch(worker, changes, key) {
            return Ok(());
        }
        key.truncate(start);
        let mut words = std::mem::take(&mut worker.source);
        worker.undo.clear();
        for &(at, word) in changes {
            worker.undo.push((at, words[at as usize]));
            words[at as usize] = word;
        }
        let mut whole = std::mem::take(&mut worker.whole_key);
        let done = self.key(worker, &words, &mut whole);
        key.extend_from_slice(&whole);
        worker.whole_key = whole;
        worker.undo.iter().rev().for_each(|&(at, word)| words[at as usize] = word);
        worker.source = words;
        done
    }

    fn decode(&self, worker: &mut KeyWorker, key: &[u8], words: &mut Vec<Word>) {
        match self.encoding {
            Encoding::Words => read_words(key, words),
            Encoding::Bytes => read_bytes(key, words),
            Encoding::Bits | Encoding::Blocks => {
                self.packing.unpack(self.layout, key, &mut worker.source_pack, words)
            }
        }
    }

    /// A state that is read is its own sorting, so its key is there already.
    fn decode_source(&self, worker: &mut KeyWorker, key: &[u8], words: &mut Vec<Word>) {
        self.decode(worker, key, words);
        if !self.takes_changes() {
            return;
        }
        worker.source.clone_from(words);
        worker.patched = self.is_sorted();
        if worker.patched {
            worker.source_key.clear();
            worker.source_key.extend_from_slice(key);
            self.list_source_starts(worker);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_words_of_all_sizes_are_spliced_in() {
        let values = [0, 7, 0xFD, 0xFE, 0xFFFF, 0x1_0000];
        for seed in 0..values.len().pow(3) {
            let pick = |at: usize| values[seed / values.len().pow(at as u32 % 3) % values.len()];
            let mut source: Vec<Word> = (0..5).map(pick).collect();
            let changes: Vec<Change> = vec![(4, pick(2)), (0, pick(1)), (2, 9), (2, pick(0))];
            let mut worker = KeyWorker { source: source.clone(), ..KeyWorker::default() };
            write_bytes(&source, &mut worker.source_key);
            if worker.source_key.len() > source.len() {
                list_starts(&worker.source_key, &mut worker.source_starts);
            }
            let (mut key, mut whole) = (vec![1, 2, 3], Vec::new());
            worker.patch_bytes(&changes, &mut key);
            changes.iter().for_each(|&(at, word)| source[at as usize] = word);
            write_bytes(&source, &mut whole);
            assert_eq!(key[3..], whole, "{source:?}");
        }
    }

    #[test]
    fn words_of_all_sizes_come_back() {
        let small = [0, 1, 7, 0xFD];
        let large = [0, 0xFD, 0xFE, 0xFF, 0x100, 0xFFFF, 0x1_0000, Word::MAX];
        for words in [&small[..], &large[..], &[]] {
            let (mut bytes, mut read) = (Vec::new(), Vec::new());
            write_bytes(words, &mut bytes);
            read_bytes(&bytes, &mut read);
            assert_eq!(read, words);
            write_words(words, &mut bytes);
            read_words(&bytes, &mut read);
            assert_eq!(read, words);
        }
    }
}
