//! Garbage collection and heap symmetry (Bogor'03, figure 4).
//!
//! Objects are numbered in depth-first order from the global variables, then from the local
//! variables of one thread after another; what gets no number is garbage. A state rewritten with
//! its objects in that order is the same for all states that differ in addresses only, once the
//! order of threads is fixed. The figure starts below the objects that variables refer to; these
//! need numbers as well, as the paper's figure 5 shows, so variables are treated as edges of a root.
//!
//! Cost: linear in the state. Elements of sets and keys of tables are taken by signature (section
//! 3.5), which leaves ties: a heuristic, as in the paper. Keys of the visited set do not rest on it
//! ([`super::exact`]).

use super::kbots::{compare_objects, stable_sort};
use crate::heap::machine::layout::*;
use std::cmp::Ordering;

/// Offset of an object without a number.
const UNSEEN: Word = 0;

/// How the objects of a rewritten state are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapOrder {
    /// Figure 4.
    DepthFirst,
    /// By address, that is, by time of creation.
    Address,
}

/// Buffers for rewriting states.
#[derive(Debug, Default)]
pub struct Numbering {
    /// By old offset: 1 + new offset.
    new: Vec<Word>,
    /// Old positions of live objects, in new order.
    order: Vec<u32>,
    stack: Vec<Word>,
    children: Vec<Word>,
    starts: Vec<u32>,
    rank: Vec<u32>,
}

impl Numbering {
    /// Writes `words` with threads in the given order (numbers of threads) and live objects only.
    pub fn rewrite(
        &mut self,
        layout: &Layout,
        words: &[Word],
        threads: &[u32],
        heap: HeapOrder,
        out: &mut Vec<Word>,
    ) {
        self.find_threads(layout, words, threads);
        self.number(layout, words, threads, heap);
        self.write(layout, words, threads, out);
    }

    /// By position in the last state rewritten: where its word came from.
    pub fn sources(&self, layout: &Layout, words: &[Word], threads: &[u32]) -> Vec<u32> {
        let mut sources: Vec<u32> = (0..layout.first_thread() as u32).collect();
        for &thread in threads {
            let start = self.starts[thread as usize];
            sources.extend(start..layout.thread_end(words, start as usize) as u32);
        }
        for &at in &self.order {
            sources.extend(at..at + layout.object_size(words, at as usize) as u32);
        }
        sources
    }

    /// By old offset in the last state rewritten: 1 + new offset, 0 for garbage.
    pub fn places(&self) -> &[Word] {
        &self.new
    }

    /// Writes `words` with threads and objects (numbers by address) in the given orders; there must
    /// not be garbage.
    pub fn rewrite_as(
        &mut self,
        layout: &Layout,
        words: &[Word],
        threads: &[u32],
        objects: &[u32],
        out: &mut Vec<Word>,
    ) {
        let starts: Vec<u32> = layout.objects(words).map(|at| at as u32).collect();
        let objects: Vec<u32> = objects.iter().map(|&object| starts[object as usize]).collect();
        self.rewrite_at(layout, words, threads, &objects, out);
    }

    /// Writes `words` with threads (by number) and objects (by position) in the given orders; there must not be
    /// garbage.
    pub fn rewrite_at(
        &mut self,
        layout: &Layout,
        words: &[Word],
        threads: &[u32],
        objects: &[u32],
        out: &mut Vec<Word>,
    ) {
        self.find_threads(layout, words, threads);
        self.order.clear();
        self.order.extend_from_slice(objects);
        self.new.clear();
        self.new.resize(words.len() - heap_start(words), UNSEEN);
        self.place_in_order(layout, words);
        self.write(layout, words, threads, out);
    }

    fn find_threads(&mut self, layout: &Layout, words: &[Word], threads: &[u32]) {
        self.starts.clear();
        self.starts.extend(layout.threads(words).map(|at| at as u32));
        self.rank.clear();
        self.rank.resize(threads.len(), 0);
        for (position, &thread) in threads.iter().enumerate() {
            self.rank[thread as usize] = position as u32;
        }
    }

    /// Gives new offsets to all live objects.
    fn number(&mut self, layout: &Layout, words: &[Word], threads: &[u32], heap: HeapOrder) {
        self.new.clear();
        self.new.resize(words.len() - heap_start(words), UNSEEN);
        self.order.clear();
        let mut next = 0;
        for &at in &layout.global_references {
            self.visit(layout, words, words[at as usize], &mut next);
        }
        for &thread in threads {
            let start = self.starts[thread as usize] as usize;
            layout.thread_references(words, start, |at| {
                self.visit(layout, words, words[at], &mut next);
            });
        }
        if heap == HeapOrder::Address {
            self.renumber_by_address(layout, words);
        }
    }

    /// Numbers an object and everything below it, depth first.
    #[inline]
    fn visit(&mut self, layout: &Layout, words: &[Word], root: Word, next: &mut Word) {
        if root == 0 || self.new[root as usize - 1] != UNSEEN {
            return;
        }
        self.stack.push(root);
        while let Some(reference) = self.stack.pop() {
            if self.new[reference as usize - 1] != UNSEEN {
                continue;
            }
            let at = heap_start(words) + reference as usize - 1;
            self.new[reference as usize - 1] = *next + 1;
            *next += layout.object_size(words, at) as Word;
            self.order.push(at as u32);
            self.push_children(layout, words, at);
        }
    }

    fn push_children(&mut self, layout: &Layout, words: &[Word], at: usize) {
        let first = self.stack.len();
        let stack = &mut self.stack;
        layout.object_references(words, at, |position| {
            if words[position] != 0 {
                stack.push(words[position]);
            }
        });
        if layout.objects[words[at] as usize].is_unordered() {
            self.sort_children(layout, words, first);
        }
        // the first child is popped first
        self.stack[first..].reverse();
    }

    /// Elements that have numbers already come first, the others by signature.
    fn sort_children(&mut self, layout: &Layout, words: &[Word], first: usize) {
        self.children.clear();
        self.children.extend(self.stack.drain(first..));
        let new = &self.new;
        stable_sort(&mut self.children, |a, b| match (new[a as usize - 1], new[b as usize - 1]) {
            (UNSEEN, UNSEEN) => compare_objects(layout, words, a, b, usize::MAX),
            (UNSEEN, _) => Ordering::Greater,
            (_, UNSEEN) => Ordering::Less,
            (a, b) => a.cmp(&b),
        });
        self.stack.append(&mut self.children);
    }

    fn renumber_by_address(&mut self, layout: &Layout, words: &[Word]) {
        self.order.sort_unstable();
        self.place_in_order(layout, words);
    }

    /// Offsets for the objects as they are ordered.
    fn place_in_order(&mut self, layout: &Layout, words: &[Word]) {
        let mut next = 0;
        for &at in &self.order {
            self.new[at as usize - heap_start(words)] = next + 1;
            next += layout.object_size(words, at as usize) as Word;
        }
    }

    fn write(&self, layout: &Layout, words: &[Word], threads: &[u32], out: &mut Vec<Word>) {
        out.clear();
        out.extend_from_slice(&words[..layout.first_thread()]);
        for &at in &layout.global_references {
            out[at as usize] = self.map(words[at as usize]);
        }
        for &thread in threads {
            let start = self.starts[thread as usize] as usize;
            let to = out.len();
            out.extend_from_slice(&words[start..layout.thread_end(words, start)]);
            layout.thread_references(words, start, |at| {
                out[to + at - start] = self.map(words[at]);
            });
        }
        for &at in &self.order {
            self.write_object(layout, words, at as usize, out);
        }
    }

    #[inline]
    fn map(&self, reference: Word) -> Word {
        if reference == 0 { 0 } else { self.new[reference as usize - 1] }
    }

    #[inline]
    fn write_object(&self, layout: &Layout, words: &[Word], at: usize, out: &mut Vec<Word>) {
        let to = out.len();
        out.extend_from_slice(&words[at..at + layout.object_size(words, at)]);
        layout.object_references(words, at, |position| {
            out[to + position - at] = self.map(words[position]);
        });
        if layout.has_locks {
            layout.object_locks(words, at, |position| {
                out[to + position - at] = self.map_lock(words[position]);
            });
        }
        if let ObjectLayout::Sequence { stride, ordered: false, .. } =
            layout.objects[words[at] as usize]
        {
            sort_elements(&mut out[to + ELEMENTS..], stride);
        }
    }

    fn map_lock(&self, word: Word) -> Word {
        match lock_parts(word) {
            (Some(holder), count) => lock_word(self.rank[holder as usize], count),
            (None, _) => word,
        }
    }
}

/// Elements in ascending order of their first word.
fn sort_elements(elements: &mut [Word], stride: usize) {
    match stride {
        1 => elements.sort_unstable(),
        _ => {
            let (pairs, _) = elements.as_chunks_mut::<2>();
            pairs.sort_unstable();
        }
    }
}
