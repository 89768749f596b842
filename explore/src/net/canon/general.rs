//! Canonical order of any marking, by the equivalence engine.
//!
//! The marking becomes the engine's incidence structure: activity and tokens with one pid are
//! colours, tokens with several pids and the links that Ω* sees are labelled tuples. The engine
//! answers with a canonical position for each thread. The key holds the whole marking in that order.

use super::bytes::{KeyReader, fold, put, unfold};
use crate::net::compiled::Place;
use crate::net::marking::{Element, Marking, NONE, Thread};
use crate::search::Failure;
use pidlab_backends::canon::{Contents, Listing, StructureCanonizer};
use pidlab_budget::Budget;
use pidlab_core::{Relations, Structure};

/// Memory of the ordering, reused.
#[derive(Default)]
pub struct General {
    structure: Structure,
    engine: StructureCanonizer,
    /// What one order may use.
    pub budget: Budget,
    token: Token,
    seen: Vec<Thread>,
    position: Vec<Element>,
    order: Vec<Element>,
    renamed: Vec<u32>,
    pairs: Vec<u64>,
    tokens: Vec<u32>,
    sorted: Vec<u32>,
}

/// A token taken apart: what it holds besides pids, and its pids.
#[derive(Default)]
struct Token {
    words: Vec<u64>,
    members: Vec<u32>,
}

const UP: u64 = 0x0a01;
const ELDER: u64 = 0x0a02;
const YOUNGEST: u64 = 0x0a03;
const FLAGS: u64 = 0x0a04;
const TOKEN: u64 = 0x70ce;

impl General {
    pub fn order(&self) -> &[Element] {
        &self.order
    }

    /// Whether no automorphism moves a thread of the marking ordered last, so far as hashing tells:
    /// `true` is a proof.
    pub fn is_rigid(&self) -> bool {
        self.engine.is_discrete()
    }

    /// The colour of a thread of the marking ordered last: an automorphism keeps it.
    pub fn color(&self, thread: Element) -> u64 {
        self.engine.color(thread)
    }

    /// Orders the threads and appends the key.
    pub fn write(
        &mut self,
        places: &[Place],
        relations: Relations,
        marking: &Marking,
        key: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        self.see(relations, marking);
        let (seen, token) = (&self.seen, &mut self.token);
        self.structure.clear(seen.len());
        describe(places, marking, seen, token, &mut self.structure);
        let list = |listing: &mut Listing| describe(places, marking, seen, token, listing);
        // each order is counted by itself
        self.budget.hold(0);
        let position = self.engine.canonize(&self.structure, list, &self.budget)?;
        self.position.clear();
        self.position.extend_from_slice(position);
        self.order.clear();
        self.order.resize(self.position.len(), 0);
        for (thread, &at) in self.position.iter().enumerate() {
            self.order[at as usize] = thread as Element;
        }
        self.write_all(places, marking, key);
        Ok(())
    }

    /// Appends the marking with its threads in a given order.
    pub fn write_in_order(
        &mut self,
        places: &[Place],
        relations: Relations,
        marking: &Marking,
        order: &[Element],
        key: &mut Vec<u8>,
    ) {
        self.see(relations, marking);
        self.order.clear();
        self.order.extend_from_slice(order);
        self.position.clear();
        self.position.resize(order.len(), 0);
        for (at, &thread) in order.iter().enumerate() {
            self.position[thread as usize] = at as Element;
        }
        self.write_all(places, marking, key);
    }

    fn see(&mut self, relations: Relations, marking: &Marking) {
        self.seen.clear();
        self.seen.extend(marking.threads.iter().map(|t| t.seen_through(relations)));
    }

    fn write_all(&mut self, places: &[Place], marking: &Marking, key: &mut Vec<u8>) {
        self.write_threads(key);
        for place in 0..places.len() {
            self.write_place(places, marking, place, key);
        }
    }

    fn write_threads(&self, key: &mut Vec<u8>) {
        let at = |link: Element| match link {
            NONE => 0,
            thread => u64::from(self.position[thread as usize]) + 1,
        };
        put(key, self.order.len() as u64);
        for &thread in &self.order {
            let thread = &self.seen[thread as usize];
            put(key, at(thread.up) << 4 | u64::from(thread.flags));
            put(key, at(thread.elder));
            put(key, at(thread.youngest));
        }
    }

    fn write_place(
        &mut self,
        places: &[Place],
        marking: &Marking,
        place: usize,
        key: &mut Vec<u8>,
    ) {
        let info = &places[place];
        self.renamed.clear();
        self.renamed.extend_from_slice(marking.place(place));
        for token in self.renamed.chunks_exact_mut(info.width) {
            for &pid in &info.pids {
                token[pid] = self.position[token[pid] as usize];
            }
        }
        self.sort_tokens(info.width);
        put(key, (self.renamed.len() / info.width) as u64);
        for token in self.renamed.chunks_exact(info.width) {
            for (i, &word) in token.iter().enumerate() {
                put(key, if info.pids.contains(&i) { u64::from(word) } else { fold(word) });
            }
        }
    }

    /// Puts the renamed tokens of a place in the order of their words; those of one or two words, which most are, as numbers.
    fn sort_tokens(&mut self, width: usize) {
        match width {
            1 => self.renamed.sort_unstable(),
            2 => {
                let (tokens, pairs) = (self.renamed.as_chunks_mut::<2>().0, &mut self.pairs);
                pairs.clear();
                pairs.extend(tokens.iter().map(|&[a, b]| u64::from(a) << 32 | u64::from(b)));
                pairs.sort_unstable();
                for (token, pair) in tokens.iter_mut().zip(pairs) {
                    *token = [(*pair >> 32) as u32, *pair as u32];
                }
            }
            _ => {
                let words = |token: u32| &self.renamed[token as usize * width..][..width];
                self.tokens.clear();
                self.tokens.extend(0..(self.renamed.len() / width) as u32);
                self.tokens.sort_unstable_by_key(|&token| words(token));
                self.sorted.clear();
                self.tokens.iter().for_each(|&token| self.sorted.extend_from_slice(words(token)));
                std::mem::swap(&mut self.renamed, &mut self.sorted);
            }
        }
    }
}

/// What Ω* shows of a marking.
fn describe(
    places: &[Place],
    marking: &Marking,
    seen: &[Thread],
    Token { words, members }: &mut Token,
    out: &mut impl Contents,
) {
    for (i, thread) in (0..).zip(seen) {
        let flags = u64::from(thread.flags);
        out.tuple(&[FLAGS, flags], &[i]);
        for (link, label) in [(thread.up, UP), (thread.elder, ELDER), (thread.youngest, YOUNGEST)] {
            if link != NONE {
                out.tuple(&[label, flags], &[i, link]);
            }
        }
    }
    for (place, info) in places.iter().enumerate() {
        for token in marking.place(place).chunks_exact(info.width) {
            words.clear();
            members.clear();
            words.extend([TOKEN, place as u64]);
            for (i, &word) in token.iter().enumerate() {
                match info.pids.contains(&i) {
                    true => members.push(word),
                    false => words.push(word.into()),
                }
            }
            out.tuple(words, members);
        }
    }
}

/// The marking of a key; threads are numbered in the order of the key.
pub fn read(places: &[Place], key: &[u8], marking: &mut Marking) {
    marking.clear();
    let mut reader = KeyReader(key);
    let link = |value: u64| if value == 0 { NONE } else { value as Element - 1 };
    for _ in 0..reader.get() {
        let head = reader.get();
        let (up, flags) = (link(head >> 4), head as u8 & 0xF);
        let (elder, youngest) = (link(reader.get()), link(reader.get()));
        marking.threads.push(Thread { up, elder, youngest, flags, ..Thread::NEW });
    }
    for info in places {
        marking.starts.push(marking.words.len() as u32);
        for _ in 0..reader.get() {
            for i in 0..info.width {
                let value = reader.get();
                let word = if info.pids.contains(&i) { value as u32 } else { unfold(value) };
                marking.words.push(word);
            }
        }
    }
    marking.starts.push(marking.words.len() as u32);
}
