//! Canonical order of forests: after Aho, Hopcroft and Ullman (1974), section 3.2, with hashes.
//!
//! A thread's code hashes its tokens (without the pid, in any order) and the codes of the threads
//! below it. Brothers are ordered by code; equal codes are compared in depth, so the order rests on
//! no hash. The key lists roots, then children of each thread in order, breadth first. One backward
//! pass computes codes and sorts: a thread comes after those above it, and the brothers of a
//! decoded marking come in order but for the few that a transition touched, so each goes to the
//! front of its list at once. Cost: O(size) for successors of decoded markings. Weakness: brothers
//! in no order at all cost the square of their number, and equal ones are compared again at every
//! level above them.

use super::bytes::{Reader, fold, put, unfold};
use crate::net::compiled::Net;
use crate::net::firing::Twins;
use crate::net::marking::{ACTIVE, CHILD, Element, Marking, NONE, Thread};
use pidlab_core::mix::mix;
use pidlab_core::{Relation, Relations};
use std::cmp::Ordering;

/// Memory of the ordering, reused.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    nodes: Vec<Node>,
    tokens: Vec<TokenRef>,
    sorting: Vec<TokenRef>,
    order: Vec<Element>,
    pairs: Vec<(Element, Element)>,
    /// First root in order.
    roots: Element,
}

/// What is known of a thread.
#[derive(Clone, Copy, Debug)]
struct Node {
    code: u64,
    /// Nearest thread above that Ω* sees.
    up: Element,
    /// First child, and next brother, in order.
    child: Element,
    brother: Element,
    /// Its tokens: how many, and the head of a list into `tokens`.
    holds: u32,
    token: u32,
    flags: u8,
}

/// A token in a list.
#[derive(Clone, Copy, Debug)]
struct TokenRef {
    place: u32,
    start: u32,
    next: u32,
}

const END: u32 = u32::MAX;
/// Two bits of a thread's head byte say how many tokens it holds; this value: the number follows.
const MANY: u64 = 3;

impl Forest {
    pub fn order(&self) -> &[Element] {
        &self.order
    }

    /// Orders the threads and appends the key.
    pub fn write(&mut self, net: &Net, relations: Relations, marking: &Marking, key: &mut Vec<u8>) {
        self.arrange(net, relations, marking);
        self.order.clear();
        self.push_brothers(self.roots);
        put(key, self.order.len() as u64);
        let mut at = 0;
        while let Some(&thread) = self.order.get(at) {
            let node = self.nodes[thread as usize];
            let known = self.order.len();
            self.push_brothers(node.child);
            let children = (self.order.len() - known) as u64;
            let holds = u64::from(node.holds);
            put(key, children << 4 | holds.min(MANY) << 2 | u64::from(node.flags));
            if holds >= MANY {
                put(key, holds);
            }
            self.write_tokens(net, marking, node.token, key);
            at += 1;
        }
        write_unowned(net, marking, key);
    }

    #[inline]
    fn push_brothers(&mut self, first: Element) {
        let mut thread = first;
        while thread != NONE {
            self.order.push(thread);
            thread = self.nodes[thread as usize].brother;
        }
    }

    #[inline]
    fn write_tokens(&self, net: &Net, marking: &Marking, first: u32, key: &mut Vec<u8>) {
        let mut at = first;
        while at != END {
            let token = self.tokens[at as usize];
            let info = &net.places[token.place as usize];
            put(key, u64::from(token.place));
            let words = &marking.words[token.start as usize..][..info.width];
            for (i, &word) in words.iter().enumerate() {
                if i != info.pids[0] {
                    put(key, fold(word));
                }
            }
            at = token.next;
        }
    }

    /// Threads that are copies of elder brothers, level by level.
    pub fn twins(&mut self, net: &Net, relations: Relations, marking: &Marking, out: &mut Twins) {
        self.arrange(net, relations, marking);
        out.orbit.clear();
        out.orbit.resize(marking.threads.len(), 1);
        let mut pairs = std::mem::take(&mut self.pairs);
        let view = View { forest: self, net, marking };
        view.mark_copies(self.roots, 1, &mut pairs, out);
        // a thread comes after those above it
        for thread in 0..self.nodes.len() {
            let above = out.orbit[thread];
            view.mark_copies(self.nodes[thread].child, above, &mut pairs, out);
        }
        self.pairs = pairs;
    }

    fn arrange(&mut self, net: &Net, relations: Relations, marking: &Marking) {
        self.see(relations, marking);
        self.list_tokens(net, marking);
        self.sort_long_lists(net, marking);
        self.sort_brothers(net, marking);
    }

    /// The threads as Ω* sees them.
    fn see(&mut self, relations: Relations, marking: &Marking) {
        let far = relations.contains(Relation::Ancestor);
        let near = if relations.contains(Relation::Parent) { CHILD } else { 0 };
        self.nodes.clear();
        self.nodes.extend(marking.threads.iter().map(|thread| {
            let child = thread.flags & near;
            let up = if far || child != 0 { thread.up } else { NONE };
            let flags = thread.flags & ACTIVE | child;
            let code = mix(u64::from(flags), 0xf1a6);
            Node { code, up, child: NONE, brother: NONE, holds: 0, token: END, flags }
        }));
    }

    /// Adds every token to the list and the code of its thread.
    fn list_tokens(&mut self, net: &Net, marking: &Marking) {
        self.tokens.clear();
        // backwards, so that a list runs through the places in order
        for (place, info) in net.places.iter().enumerate().rev() {
            let Some(&pid) = info.pids.first() else { continue };
            let first = marking.starts[place];
            let words = marking.place(place);
            for (index, token) in words.chunks_exact(info.width).enumerate().rev() {
                let node = &mut self.nodes[token[pid] as usize];
                let mut hash = mix(place as u64, 0x70ce);
                for (i, &word) in token.iter().enumerate() {
                    if i != pid {
                        hash = mix(hash, u64::from(word));
                    }
                }
                node.code = node.code.wrapping_add(hash);
                node.holds += 1;
                let next = std::mem::replace(&mut node.token, self.tokens.len() as u32);
                let start = first + (index * info.width) as u32;
                self.tokens.push(TokenRef { place: place as u32, start, next });
            }
        }
    }

    /// Several tokens of one thread are compared and written in order.
    fn sort_long_lists(&mut self, net: &Net, marking: &Marking) {
        if self.tokens.len() <= self.nodes.len() && self.nodes.iter().all(|n| n.holds <= 1) {
            return;
        }
        for thread in 0..self.nodes.len() {
            if self.nodes[thread].holds > 1 {
                self.sort_tokens(net, marking, thread);
            }
        }
    }

    /// Sorts the list of a thread; its pid is the same word in all tokens of a place.
    fn sort_tokens(&mut self, net: &Net, marking: &Marking, thread: usize) {
        let words = |token: &TokenRef| {
            &marking.words[token.start as usize..][..net.places[token.place as usize].width]
        };
        self.sorting.clear();
        let mut at = self.nodes[thread].token;
        while at != END {
            self.sorting.push(self.tokens[at as usize]);
            at = self.tokens[at as usize].next;
        }
        self.sorting.sort_unstable_by(|a, b| (a.place, words(a)).cmp(&(b.place, words(b))));
        let mut at = self.nodes[thread].token;
        for sorted in &self.sorting {
            let slot = &mut self.tokens[at as usize];
            at = slot.next;
            (slot.place, slot.start) = (sorted.place, sorted.start);
        }
    }

    /// Last thread first: when its turn comes everything below it is in order.
    fn sort_brothers(&mut self, net: &Net, marking: &Marking) {
        let mut pairs = std::mem::take(&mut self.pairs);
        self.roots = NONE;
        for thread in (0..self.nodes.len()).rev() {
            let Node { code, up, .. } = self.nodes[thread];
            let first = match up {
                NONE => self.roots,
                up => {
                    let above = &mut self.nodes[up as usize];
                    above.code = above.code.wrapping_add(mix(code, 0xb107));
                    above.child
                }
            };
            let element = thread as Element;
            let before = self.last_before(element, first, net, marking, &mut pairs);
            match (before, up) {
                (NONE, NONE) => self.roots = element,
                (NONE, up) => self.nodes[up as usize].child = element,
                (before, _) => self.nodes[before as usize].brother = element,
            }
            if before == NONE {
                self.nodes[thread].brother = first;
            }
        }
        self.pairs = pairs;
    }

    /// The brother that a thread goes behind, or `NONE` if it is the first of those from `first` on;
    /// behind a brother it is linked to the one after.
    #[inline]
    fn last_before(
        &mut self,
        thread: Element,
        first: Element,
        net: &Net,
        marking: &Marking,
        pairs: &mut Vec<(Element, Element)>,
    ) -> Element {
        let code = self.nodes[thread as usize].code;
        let mut before = NONE;
        let mut next = first;
        while next != NONE {
            let other = self.nodes[next as usize];
            let later = other.code > code
                || other.code == code
                    && View { forest: self, net, marking }.compare(next, thread, pairs)
                        != Ordering::Less;
            if later {
                break;
            }
            before = next;
            next = other.brother;
        }
        self.nodes[thread as usize].brother = next;
        before
    }
}

/// A forest with what it was made of.
#[derive(Clone, Copy)]
struct View<'f> {
    forest: &'f Forest,
    net: &'f Net,
    marking: &'f Marking,
}

impl View<'_> {
    fn node(&self, thread: Element) -> &Node {
        &self.forest.nodes[thread as usize]
    }

    /// The first of equal brothers stands for all; the others and what is below them get 0.
    fn mark_copies(
        &self,
        first: Element,
        above: u32,
        pairs: &mut Vec<(Element, Element)>,
        out: &mut Twins,
    ) {
        let mut leader = first;
        while leader != NONE {
            let mut copies = 1;
            let mut next = self.node(leader).brother;
            while next != NONE && self.is_copy(leader, next, pairs) {
                out.orbit[next as usize] = 0;
                copies += 1;
                next = self.node(next).brother;
            }
            out.orbit[leader as usize] = above * copies;
            leader = next;
        }
    }

    fn is_copy(&self, a: Element, b: Element, pairs: &mut Vec<(Element, Element)>) -> bool {
        self.node(a).code == self.node(b).code && self.compare(a, b, pairs) == Ordering::Equal
    }

    /// Flags, tokens, then children; a total order of whole subtrees.
    fn compare(&self, a: Element, b: Element, pairs: &mut Vec<(Element, Element)>) -> Ordering {
        pairs.clear();
        pairs.push((a, b));
        while let Some((a, b)) = pairs.pop() {
            let (x, y) = (self.node(a), self.node(b));
            let own = (x.flags, x.holds)
                .cmp(&(y.flags, y.holds))
                .then_with(|| self.compare_tokens(x.token, y.token))
                .then_with(|| self.pair_children(x.child, y.child, pairs));
            if own != Ordering::Equal {
                return own;
            }
        }
        Ordering::Equal
    }

    /// Adds the children to the pairs to compare; the one with fewer children is less.
    fn pair_children(
        &self,
        mut a: Element,
        mut b: Element,
        pairs: &mut Vec<(Element, Element)>,
    ) -> Ordering {
        while a != NONE && b != NONE {
            pairs.push((a, b));
            (a, b) = (self.node(a).brother, self.node(b).brother);
        }
        (a != NONE).cmp(&(b != NONE))
    }

    fn compare_tokens(&self, mut a: u32, mut b: u32) -> Ordering {
        while a != END && b != END {
            let (x, y) = (self.forest.tokens[a as usize], self.forest.tokens[b as usize]);
            let tokens = x.place.cmp(&y.place).then_with(|| self.compare_words(x, y));
            if tokens != Ordering::Equal {
                return tokens;
            }
            (a, b) = (x.next, y.next);
        }
        Ordering::Equal
    }

    /// The data of two tokens of one place.
    fn compare_words(&self, x: TokenRef, y: TokenRef) -> Ordering {
        let info = &self.net.places[x.place as usize];
        let words = |token: TokenRef| &self.marking.words[token.start as usize..][..info.width];
        let data = |token| {
            words(token).iter().enumerate().filter(|(i, _)| *i != info.pids[0]).map(|(_, w)| *w)
        };
        data(x).cmp(data(y))
    }
}

/// Tokens that no thread holds, place by place, sorted.
fn write_unowned(net: &Net, marking: &Marking, key: &mut Vec<u8>) {
    for (place, info) in net.places.iter().enumerate() {
        if !info.pids.is_empty() {
            continue;
        }
        let mut tokens: Vec<&[u32]> = marking.place(place).chunks_exact(info.width).collect();
        tokens.sort_unstable();
        put(key, tokens.len() as u64);
        for token in tokens {
            token.iter().for_each(|&word| put(key, fold(word)));
        }
    }
}

/// The marking of a key; threads are numbered in the order of the key.
pub fn read(net: &Net, key: &[u8], marking: &mut Marking) {
    marking.clear();
    let mut reader = Reader(key);
    // the tokens of each place, gathered thread by thread
    let mut gathered: Vec<(u32, u32)> = Vec::with_capacity(32);
    let mut data: Vec<u32> = Vec::with_capacity(64);
    let roots = reader.get();
    marking.threads.resize(roots as usize, Thread { flags: 0, ..Thread::NEW });
    let mut thread = 0;
    while thread < marking.threads.len() {
        let head = reader.get();
        marking.threads[thread].flags = head as u8 & (ACTIVE | CHILD);
        let child = Thread { up: thread as Element, ..Thread::NEW };
        let end = marking.threads.len() + (head >> 4) as usize;
        marking.threads.resize(end, child);
        let holds = match head >> 2 & MANY {
            MANY => reader.get(),
            few => few,
        };
        for _ in 0..holds {
            let place = reader.get() as u32;
            let info = &net.places[place as usize];
            gathered.push((place, data.len() as u32));
            for i in 0..info.width {
                let pid = i == info.pids[0];
                data.push(if pid { thread as u32 } else { unfold(reader.get()) });
            }
        }
        thread += 1;
    }
    for (place, info) in net.places.iter().enumerate() {
        marking.starts.push(marking.words.len() as u32);
        if info.pids.is_empty() {
            let tokens = reader.get() as usize;
            marking.words.extend((0..tokens * info.width).map(|_| unfold(reader.get())));
        } else {
            for &(_, start) in gathered.iter().filter(|&&(of, _)| of as usize == place) {
                marking.words.extend_from_slice(&data[start as usize..][..info.width]);
            }
        }
    }
    marking.starts.push(marking.words.len() as u32);
}
