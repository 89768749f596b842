//! k-bounded thread symmetry: the comparison of two threads by what they see (Bogor'03, section 3.4
//! and figure 3).
//!
//! Threads are compared by the height of their stacks (line 1), then by the program counters of all
//! frames, then by the values of their primitive variables, then
//! by the objects their reference variables lead to: type, primitive fields, and depth-first through
//! reference fields, at most k steps away. Frames count from the running one down. Where k is 0 only
//! the thread itself counts. Without functions every stack has height 1.
//!
//! Three readings of ours, where the figure is silent: each reference variable starts with empty
//! `seen` sets, as the call in line 9 has it; of two null references neither is less (line 12 takes
//! them for equal); a lock counts as a primitive value, by how often it is held and not by whom,
//! since holders are what is being ordered.
//!
//! Cost: P × N for each thread at worst. Weakness: an object reached again by both sides at different
//! depths is "less" on the left, so the relation need not be an order; sorting by it is a heuristic
//! that misses symmetric states, and the number of states depends on the order of the search.

use crate::heap::machine::layout::*;
use std::cmp::Ordering;

/// Compares two threads; `a` and `b` are where they start.
#[inline]
pub fn compare_threads(layout: &Layout, words: &[Word], a: usize, b: usize, k: usize) -> Ordering {
    if layout.has_functions {
        return compare_stacks(layout, words, a, b, k);
    }
    words[a].cmp(&words[b]).then_with(|| {
        frame_primitives(layout, words, a, b).then_with(|| frame_objects(layout, words, a, b, k))
    })
}

/// The same where threads have stacks: each line of the figure goes through all frames.
#[cold]
fn compare_stacks(layout: &Layout, words: &[Word], a: usize, b: usize, k: usize) -> Ordering {
    let frames = |at| layout.frames(words, at);
    let pairs = || frames(a).zip(frames(b));
    let heights = frames(a).count().cmp(&frames(b).count());
    heights
        .then_with(|| first_difference(pairs().map(|(a, b)| words[a].cmp(&words[b]))))
        .then_with(|| first_difference(pairs().map(|(a, b)| frame_primitives(layout, words, a, b))))
        .then_with(|| first_difference(pairs().map(|(a, b)| frame_objects(layout, words, a, b, k))))
}

/// Figure 3, lines 5 to 7, for two frames with one program counter.
#[inline(always)]
fn frame_primitives(layout: &Layout, words: &[Word], a: usize, b: usize) -> Ordering {
    let pc = words[a] as usize;
    primitives(words, a, b, 1..layout.frame_size[pc] as usize, &layout.frame_references[pc])
}

/// Figure 3, lines 8 to 10.
#[inline(always)]
fn frame_objects(layout: &Layout, words: &[Word], a: usize, b: usize, k: usize) -> Ordering {
    let references = layout.frame_references[words[a] as usize].iter();
    let pairs = references.map(|&at| (words[a + at as usize], words[b + at as usize]));
    first_difference(pairs.map(|(x, y)| compare_objects(layout, words, x, y, k)))
}

/// Insertion sort: stable, and at ease with a comparison that is not an order (the library's sort
/// may panic on one). Sequences are short, and nearly sorted where a step changed one thread.
pub fn stable_sort(items: &mut [u32], compare: impl Fn(u32, u32) -> Ordering) {
    for end in 1..items.len() {
        let item = items[end];
        let mut at = end;
        while at > 0 && compare(items[at - 1], item).is_gt() {
            items[at] = items[at - 1];
            at -= 1;
        }
        items[at] = item;
    }
}

fn first_difference(mut results: impl Iterator<Item = Ordering>) -> Ordering {
    results.find(|result| result.is_ne()).unwrap_or(Ordering::Equal)
}

/// Compares words at the same offsets, references left out.
fn primitives(
    words: &[Word],
    a: usize,
    b: usize,
    offsets: std::ops::Range<usize>,
    references: &[u32],
) -> Ordering {
    let values = offsets.filter(|&at| !references.contains(&(at as u32)));
    first_difference(values.map(|at| (words[a + at] as i32).cmp(&(words[b + at] as i32))))
}

/// Compares what two references lead to, up to k steps: figure 3, lines 12 to 25.
pub fn compare_objects(layout: &Layout, words: &[Word], a: Word, b: Word, k: usize) -> Ordering {
    if k == 0 || a == b {
        return Ordering::Equal;
    }
    let mut search = Comparison { layout, words, seen: (Vec::new(), Vec::new()), open: Vec::new() };
    search.step(a, b, 0, k).then_with(|| search.run(k))
}

/// The two depth-first searches in step. The stack is explicit: a list can be long.
struct Comparison<'a> {
    layout: &'a Layout,
    words: &'a [Word],
    seen: (Vec<Word>, Vec<Word>),
    open: Vec<(Word, Word, usize)>,
}

impl Comparison<'_> {
    fn run(&mut self, k: usize) -> Ordering {
        while let Some((a, b, depth)) = self.open.pop() {
            let result = self.step(a, b, depth, k);
            if result.is_ne() {
                return result;
            }
        }
        Ordering::Equal
    }

    fn step(&mut self, a: Word, b: Word, depth: usize, k: usize) -> Ordering {
        if depth == k || a == b {
            return Ordering::Equal;
        }
        if a == 0 || self.seen.0.contains(&a) {
            return Ordering::Less;
        }
        if b == 0 || self.seen.1.contains(&b) {
            return Ordering::Greater;
        }
        let start = heap_start(self.words) - 1;
        let (at_a, at_b) = (start + a as usize, start + b as usize);
        let types = self.words[at_a].cmp(&self.words[at_b]);
        let result = types.then_with(|| self.contents(at_a, at_b, depth));
        // what was seen matters only if there is more to see
        if result.is_eq() && !self.open.is_empty() {
            self.seen.0.push(a);
            self.seen.1.push(b);
        }
        result
    }

    /// Primitive fields now; reference fields go on the stack, the first on top.
    fn contents(&mut self, a: usize, b: usize, depth: usize) -> Ordering {
        let (words, layout) = (self.words, self.layout);
        let result = match &layout.objects[words[a] as usize] {
            ObjectLayout::Record { size, references, locks } => {
                record_primitives(words, a, b, *size, references, locks)
            }
            ObjectLayout::Sequence { stride, references, .. } => {
                let values = |at: usize| {
                    let count = stride * words[at + SIZE] as usize;
                    (0..count)
                        .filter(|i| !references[i % stride])
                        .map(move |i| words[at + ELEMENTS + i] as i32)
                };
                words[a + SIZE].cmp(&words[b + SIZE]).then_with(|| values(a).cmp(values(b)))
            }
        };
        if result.is_eq() {
            let first = self.open.len();
            let open = &mut self.open;
            layout.object_references(words, a, |at| {
                open.push((words[at], words[b + (at - a)], depth + 1));
            });
            self.open[first..].reverse();
        }
        result
    }
}

fn record_primitives(
    words: &[Word],
    a: usize,
    b: usize,
    size: usize,
    references: &[u32],
    locks: &[u32],
) -> Ordering {
    first_difference((1..size).filter(|&at| !references.contains(&(at as u32))).map(|at| {
        let (x, y) = (words[a + at], words[b + at]);
        match locks.contains(&(at as u32)) {
            true => lock_parts(x).1.cmp(&lock_parts(y).1),
            false => (x as i32).cmp(&(y as i32)),
        }
    }))
}
