//! The marking of a forest's key, and what the key says about symmetry.
//!
//! A key lists the threads depth first with equal siblings side by side, so siblings whose bytes are
//! equal are copies, and one pass over the bytes finds how many threads an automorphism maps each
//! thread to. Cost: O(size).

use super::super::bytes::{KeyReader, unfold};
use super::{END, ForestOrder, MANY, TokenRef, YOUNGER, YOUNGEST, sees_siblings};
use crate::net::compiled::Place;
use crate::net::marking::{
    ACTIVE, ADJACENT, CHILD, Element, Marking, NEXT_ADJACENT, NO_TREE, NONE, Origin, Thread,
};
use pidlab_core::Relations;

/// Where the subtrees of a key are; memory that is reused.
#[derive(Clone, Debug, Default)]
pub struct Family {
    /// Where each thread begins in the key, and where the last tree ends.
    starts: Vec<u32>,
    /// The last thread below each thread, or itself.
    last: Vec<Element>,
    /// The child of each thread that the next one is compared with.
    leader: Vec<Element>,
}

impl ForestOrder {
    /// The marking of a key; threads are numbered in the order of the key.
    pub fn read(
        &mut self,
        places: &[Place],
        relations: Relations,
        key: &[u8],
        marking: &mut Marking,
    ) {
        let siblings = sees_siblings(relations);
        marking.clear();
        let mut reader = KeyReader(key);
        let mut tokens = std::mem::take(&mut self.tokens);
        tokens.clear();
        self.trees.clear();
        self.stack.clear();
        self.family.starts.clear();
        let data = &mut self.written;
        data.clear();
        for tree in 0..reader.get() {
            let start = key.len() - reader.0.len();
            let tree = u8::try_from(tree).unwrap_or(NO_TREE);
            let mut read = Reading { places, key, siblings, tokens: &mut tokens, data };
            let starts = &mut self.family.starts;
            read.tree(&mut reader, tree, marking, &mut self.stack, starts);
            self.trees.push((start as u32, (key.len() - reader.0.len()) as u32));
        }
        self.family.starts.push((key.len() - reader.0.len()) as u32);
        for (place, info) in places.iter().enumerate() {
            marking.starts.push(marking.words.len() as u32);
            if info.pids.is_empty() {
                let count = reader.get() as usize;
                marking.words.extend((0..count * info.width).map(|_| unfold(reader.get())));
                continue;
            }
            for token in tokens.iter().filter(|token| token.place as usize == place) {
                marking.words.extend_from_slice(&data[token.start as usize..][..info.width]);
            }
        }
        marking.starts.push(marking.words.len() as u32);
        self.tokens = tokens;
        self.family.find_orbits(key, marking);
        self.remember(key, marking);
    }

    /// Of the key read last, into `marking`: threads whose subtree equals that of an elder sibling, after
    /// the first such sibling, and how many threads the subtree has.
    pub fn copies(&self, marking: &Marking) -> Vec<(Element, Element, Element)> {
        let mut copies = Vec::new();
        // one more for the roots
        let mut leader = vec![NONE; marking.threads.len() + 1];
        for (thread, above) in marking.threads.iter().map(Thread::above).enumerate() {
            let at = if above == NONE { marking.threads.len() } else { above as usize };
            let first = &mut leader[at];
            let bytes = |thread| self.family.bytes(&self.source, thread);
            if *first != NONE && bytes(*first as usize) == bytes(thread) {
                let size = self.family.last[thread] + 1 - thread as Element;
                copies.push((*first, thread as Element, size));
            } else {
                *first = thread as Element;
            }
        }
        copies
    }

    /// Keeps the key for the successors of the marking.
    fn remember(&mut self, key: &[u8], marking: &mut Marking) {
        self.source.clear();
        self.source.extend_from_slice(key);
        self.serial += 1;
        if self.trees.len() <= u64::BITS as usize {
            marking.origin = Origin { serial: self.serial, touched: 0 };
        }
    }
}

impl Family {
    fn find_orbits(&mut self, key: &[u8], marking: &mut Marking) {
        let Marking { threads, orbits, .. } = marking;
        self.find_last(threads);
        orbits.clear();
        orbits.resize(threads.len(), 0);
        self.leader.clear();
        // one more for the roots
        self.leader.resize(threads.len() + 1, NONE);
        for (thread, above) in threads.iter().map(Thread::above).enumerate() {
            let above = if above == NONE { threads.len() } else { above as usize };
            let leader = self.leader[above];
            if leader != NONE && self.bytes(key, leader as usize) == self.bytes(key, thread) {
                orbits[leader as usize] += 1;
            } else {
                self.leader[above] = thread as Element;
                orbits[thread] = 1;
            }
        }
        // a thread comes after those above it
        for (thread, above) in threads.iter().map(Thread::above).enumerate() {
            if above != NONE {
                orbits[thread] *= orbits[above as usize];
            }
        }
    }

    fn find_last(&mut self, threads: &[Thread]) {
        self.last.clear();
        self.last.extend(0..threads.len() as Element);
        for (thread, above) in threads.iter().map(Thread::above).enumerate().rev() {
            if above != NONE {
                let last = self.last[thread];
                let above = &mut self.last[above as usize];
                *above = last.max(*above);
            }
        }
    }

    /// A thread and everything below it.
    #[inline]
    fn bytes<'k>(&self, key: &'k [u8], thread: usize) -> &'k [u8] {
        let after = self.last[thread] as usize + 1;
        &key[self.starts[thread] as usize..self.starts[after] as usize]
    }
}

/// What a key is made of, on the way to a marking.
struct Reading<'r> {
    places: &'r [Place],
    key: &'r [u8],
    siblings: bool,
    tokens: &'r mut Vec<TokenRef>,
    data: &'r mut Vec<u32>,
}

impl Reading<'_> {
    /// Reads one tree: threads, and their tokens with the pid put in.
    fn tree(
        &mut self,
        reader: &mut KeyReader<'_>,
        tree: u8,
        marking: &mut Marking,
        open: &mut Vec<Element>,
        starts: &mut Vec<u32>,
    ) {
        open.clear();
        open.push(NONE);
        // one entry for every thread still to come: the thread that it hangs below
        while let Some(above) = open.pop() {
            starts.push((self.key.len() - reader.0.len()) as u32);
            let head = reader.get();
            let thread = marking.threads.len() as Element;
            let flags = head as u8 & (ACTIVE | CHILD);
            let links = if self.siblings { reader.byte() } else { 0 };
            marking.threads.push(Thread { up: above, flags, tree, ..Thread::NEW });
            if links != 0 {
                tie(&mut marking.threads, thread, above, links);
            }
            open.extend(std::iter::repeat_n(thread, (head >> 4) as usize));
            for _ in 0..tokens_of(head, reader) {
                let place = reader.get() as u32;
                let info = &self.places[place as usize];
                let start = self.data.len() as u32;
                self.tokens.push(TokenRef { place, start, next: END });
                for i in 0..info.width {
                    let is_pid = i == info.pids[0];
                    self.data.push(if is_pid { thread } else { unfold(reader.get()) });
                }
            }
        }
    }
}

/// Links a thread with its siblings, and with its parent as the youngest.
fn tie(threads: &mut [Thread], thread: Element, above: Element, links: u8) {
    let mut up = above;
    if links & YOUNGER != 0 {
        up = threads[above as usize].up;
        let tied = &mut threads[thread as usize];
        (tied.up, tied.elder) = (up, above);
        tied.flags |= links & ADJACENT;
    }
    if links & YOUNGEST != 0 && up != NONE {
        let parent = &mut threads[up as usize];
        parent.youngest = thread;
        parent.flags |= links & NEXT_ADJACENT;
    }
}

/// Number of tokens of a thread, once its head was read.
#[inline]
fn tokens_of(head: u64, reader: &mut KeyReader<'_>) -> u64 {
    match head >> 2 & MANY {
        MANY => reader.get(),
        few => few,
    }
}

/// Passes over one tree of a forest whose heads tell no links between siblings.
pub fn skip_tree(places: &[Place], reader: &mut KeyReader<'_>) {
    let mut open = 1;
    while open > 0 {
        let head = reader.get();
        open += (head >> 4) as usize;
        open -= 1;
        for _ in 0..tokens_of(head, reader) {
            let width = places[reader.get() as usize].width;
            (1..width).for_each(|_| {
                reader.get();
            });
        }
    }
}
