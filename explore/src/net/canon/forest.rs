//! Canonical order of forests: after Aho, Hopcroft and Ullman (1974), section 3.2, with hashes.
//!
//! A thread's record is its tokens without the pid, sorted. Its code hashes the record and the codes
//! of the threads below it. Children are ordered by code; equal codes are compared in depth, so the
//! order rests on no hash. The key lists roots, then children of each thread in order, breadth
//! first. Cost: O(size) and sorting of siblings; comparing equal brothers costs their size, once per
//! level. Weakness: a chain of equal brothers all the way down a deep forest is compared again at
//! every level.

use super::bytes::{Reader, fold, put, unfold};
use crate::net::compiled::Net;
use crate::net::firing::Twins;
use crate::net::marking::{ACTIVE, CHILD, Element, Marking, NONE, Thread};
use pidlab_core::Relations;
use pidlab_core::mix::{mix, mix_bytes};
use std::cmp::Ordering;

/// Memory of the ordering, reused.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    /// Links and flags as Ω* sees them: (up, flags).
    seen: Vec<(Element, u8)>,
    /// Tokens of each thread: head of a list into `tokens`.
    head: Vec<u32>,
    tokens: Vec<TokenRef>,
    sorting: Vec<TokenRef>,
    records: Vec<u8>,
    record_start: Vec<u32>,
    /// Number of tokens of each thread.
    holds: Vec<u32>,
    code: Vec<u64>,
    /// Children of thread t: `children[child_start[t]..child_start[t + 1]]`; roots are last.
    child_start: Vec<u32>,
    children: Vec<Element>,
    order: Vec<Element>,
    pairs: Vec<(Element, Element)>,
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
        self.walk_breadth_first();
        let roots = self.child_range(marking.threads.len()).len();
        put(key, roots as u64);
        for &thread in &self.order {
            self.write_thread(thread as usize, key);
        }
        write_unowned(net, marking, key);
    }

    fn write_thread(&self, thread: usize, key: &mut Vec<u8>) {
        let children = self.child_range(thread).len() as u64;
        let holds = u64::from(self.holds[thread]);
        let flags = u64::from(self.seen[thread].1 & (ACTIVE | CHILD));
        put(key, children << 4 | holds.min(MANY) << 2 | flags);
        if holds >= MANY {
            put(key, holds);
        }
        key.extend_from_slice(self.record(thread));
    }

    /// Threads that are copies of elder brothers, level by level.
    pub fn twins(&mut self, net: &Net, relations: Relations, marking: &Marking, out: &mut Twins) {
        self.arrange(net, relations, marking);
        self.walk_breadth_first();
        let n = marking.threads.len();
        out.orbit.clear();
        out.orbit.resize(n, 1);
        let mut pairs = std::mem::take(&mut self.pairs);
        self.mark_copies(self.child_range(n), 1, &mut pairs, out);
        for &thread in &self.order {
            let above = out.orbit[thread as usize];
            self.mark_copies(self.child_range(thread as usize), above, &mut pairs, out);
        }
        self.pairs = pairs;
    }

    /// The first of equal brothers stands for all; the others and what is below them get 0.
    fn mark_copies(
        &self,
        brothers: std::ops::Range<usize>,
        above: u32,
        pairs: &mut Vec<(Element, Element)>,
        out: &mut Twins,
    ) {
        let mut first = brothers.start;
        while first < brothers.end {
            let mut end = first + 1;
            let leader = self.children[first];
            while end < brothers.end && self.is_copy(leader, self.children[end], pairs) {
                out.orbit[self.children[end] as usize] = 0;
                end += 1;
            }
            out.orbit[leader as usize] = above * (end - first) as u32;
            first = end;
        }
    }

    fn is_copy(&self, a: Element, b: Element, pairs: &mut Vec<(Element, Element)>) -> bool {
        let all = Below { forest: self, children: &self.children, from: 0 };
        self.code[a as usize] == self.code[b as usize]
            && all.compare(a, b, pairs) == Ordering::Equal
    }

    fn arrange(&mut self, net: &Net, relations: Relations, marking: &Marking) {
        self.see(relations, marking);
        self.list_tokens(net, marking);
        self.write_records(net, marking);
        self.hash_upwards();
        self.group_children();
        self.sort_children();
    }

    fn see(&mut self, relations: Relations, marking: &Marking) {
        self.seen.clear();
        self.seen.extend(marking.threads.iter().map(|thread| {
            let seen = thread.seen_through(relations);
            (seen.up, seen.flags)
        }));
    }

    fn list_tokens(&mut self, net: &Net, marking: &Marking) {
        self.head.clear();
        self.head.resize(marking.threads.len(), END);
        self.holds.clear();
        self.holds.resize(marking.threads.len(), 0);
        self.tokens.clear();
        // backwards, so that a list runs through the places in order
        for (place, info) in net.places.iter().enumerate().rev() {
            let Some(&pid) = info.pids.first() else { continue };
            let range = marking.starts[place]..marking.starts[place + 1];
            for start in range.step_by(info.width).rev() {
                let thread = marking.words[start as usize + pid] as usize;
                let next = std::mem::replace(&mut self.head[thread], self.tokens.len() as u32);
                self.tokens.push(TokenRef { place: place as u32, start, next });
                self.holds[thread] += 1;
            }
        }
    }

    fn write_records(&mut self, net: &Net, marking: &Marking) {
        self.records.clear();
        self.record_start.clear();
        self.code.clear();
        for thread in 0..marking.threads.len() {
            let start = self.records.len();
            self.record_start.push(start as u32);
            self.write_record(net, marking, thread);
            let seed = u64::from(self.seen[thread].1 & (ACTIVE | CHILD));
            self.code.push(mix_bytes(seed, &self.records[start..]));
        }
        self.record_start.push(self.records.len() as u32);
    }

    fn write_record(&mut self, net: &Net, marking: &Marking, thread: usize) {
        if self.holds[thread] > 1 {
            self.sort_tokens(net, marking, thread);
        }
        let mut at = self.head[thread];
        while at != END {
            let token = self.tokens[at as usize];
            put(&mut self.records, u64::from(token.place));
            let info = &net.places[token.place as usize];
            let words = &marking.words[token.start as usize..][..info.width];
            for (i, &word) in words.iter().enumerate() {
                if i != info.pids[0] {
                    put(&mut self.records, fold(word));
                }
            }
            at = token.next;
        }
    }

    /// Sorts the list of a thread; its pid is the same word in all tokens of a place.
    fn sort_tokens(&mut self, net: &Net, marking: &Marking, thread: usize) {
        let words = |token: &TokenRef| {
            &marking.words[token.start as usize..][..net.places[token.place as usize].width]
        };
        self.sorting.clear();
        let mut at = self.head[thread];
        while at != END {
            self.sorting.push(self.tokens[at as usize]);
            at = self.tokens[at as usize].next;
        }
        self.sorting.sort_unstable_by(|a, b| (a.place, words(a)).cmp(&(b.place, words(b))));
        let mut at = self.head[thread];
        for sorted in &self.sorting {
            let slot = &mut self.tokens[at as usize];
            at = slot.next;
            (slot.place, slot.start) = (sorted.place, sorted.start);
        }
    }

    /// A thread comes after those above it, so one backward pass reaches all.
    fn hash_upwards(&mut self) {
        for thread in (0..self.code.len()).rev() {
            let up = self.seen[thread].0;
            if up != NONE {
                let below = mix(self.code[thread], 0xb107);
                let code = &mut self.code[up as usize];
                *code = code.wrapping_add(below);
            }
        }
    }

    fn slot(&self, thread: usize) -> usize {
        match self.seen[thread].0 {
            NONE => self.seen.len(),
            up => up as usize,
        }
    }

    fn group_children(&mut self) {
        let n = self.seen.len();
        self.child_start.clear();
        self.child_start.resize(n + 2, 0);
        for thread in 0..n {
            let slot = self.slot(thread);
            self.child_start[slot + 1] += 1;
        }
        for slot in 0..=n {
            self.child_start[slot + 1] += self.child_start[slot];
        }
        self.children.clear();
        self.children.resize(n, 0);
        // filling from the back of each range restores the starts
        for thread in (0..n).rev() {
            let slot = self.slot(thread);
            let at = &mut self.child_start[slot + 1];
            *at -= 1;
            self.children[*at as usize] = thread as Element;
        }
        self.child_start.remove(0);
        self.child_start.push(n as u32);
    }

    fn child_range(&self, slot: usize) -> std::ops::Range<usize> {
        self.child_start[slot] as usize..self.child_start[slot + 1] as usize
    }

    /// Deepest first: a comparison in depth needs the order below.
    fn sort_children(&mut self) {
        let mut children = std::mem::take(&mut self.children);
        let mut pairs = std::mem::take(&mut self.pairs);
        for slot in (0..=self.seen.len()).rev() {
            // the roots have the last slot but come after all others
            let slot = if slot == 0 { self.seen.len() } else { slot - 1 };
            let range = self.child_range(slot);
            if range.len() > 1 {
                // what is below a thread lies behind its children, what is below the roots before
                let is_roots = slot == self.seen.len();
                let (before, rest) = children.split_at_mut(range.start);
                let (brothers, behind) = rest.split_at_mut(range.len());
                let (below, from) = if is_roots { (before, 0) } else { (behind, range.end) };
                let view = Below { forest: self, children: below, from };
                brothers.sort_unstable_by(|&a, &b| {
                    let codes = self.code[a as usize].cmp(&self.code[b as usize]);
                    codes.then_with(|| view.compare(a, b, &mut pairs))
                });
            }
        }
        self.children = children;
        self.pairs = pairs;
    }

    fn record(&self, thread: usize) -> &[u8] {
        &self.records[self.record_start[thread] as usize..self.record_start[thread + 1] as usize]
    }

    fn walk_breadth_first(&mut self) {
        self.order.clear();
        let roots = self.child_range(self.seen.len());
        self.order.extend_from_slice(&self.children[roots]);
        let mut at = 0;
        while at < self.order.len() {
            let below = self.child_range(self.order[at] as usize);
            self.order.extend_from_slice(&self.children[below]);
            at += 1;
        }
    }
}

/// The part of the children that is sorted already.
struct Below<'f> {
    forest: &'f Forest,
    children: &'f [Element],
    from: usize,
}

impl Below<'_> {
    fn of(&self, thread: Element) -> &[Element] {
        let range = self.forest.child_range(thread as usize);
        if range.is_empty() {
            return &[];
        }
        &self.children[range.start - self.from..range.end - self.from]
    }

    /// Records, then children, breadth first.
    fn compare(&self, a: Element, b: Element, pairs: &mut Vec<(Element, Element)>) -> Ordering {
        let forest = self.forest;
        pairs.clear();
        pairs.push((a, b));
        while let Some((a, b)) = pairs.pop() {
            let flags = |t: Element| forest.seen[t as usize].1 & (ACTIVE | CHILD);
            let own = flags(a)
                .cmp(&flags(b))
                .then_with(|| forest.record(a as usize).cmp(forest.record(b as usize)))
                .then_with(|| self.of(a).len().cmp(&self.of(b).len()));
            if own != Ordering::Equal {
                return own;
            }
            pairs.extend(self.of(a).iter().copied().zip(self.of(b).iter().copied()));
        }
        Ordering::Equal
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
