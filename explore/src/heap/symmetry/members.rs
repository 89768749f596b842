//! The order of objects where sets and tables hold references and threads stay in order: a short way that decides
//! most states, where the general engine would take several times as long.
//!
//! Objects that variables lead to without going through a set, or a table with references for keys, are numbered depth
//! first, as in Bogor'03, figure 4. Then come the members of the sets and tables found so far, in their order: those
//! that have numbers already need none; the others are sorted by colours, hashes of what they hold and of the sets they
//! are in. Members of one colour are exchangeable if they hold the same and nothing tells them apart from outside
//! ([`are_twins`]): then any order of them gives one form. If they are not, the engine must decide; colours and the
//! order so far are the same for equivalent states, so that it decides all of them or none, however bad the hash is.
//!
//! Cost: linear in the state for each set with several new members.

use super::hash::mix;
use crate::heap::machine::layout::*;

/// Stands for an object without a number in a colour.
const UNNUMBERED: u64 = u64::MAX;

/// Buffers for one state after another.
#[derive(Debug, Default)]
pub struct Members {
    /// By offset in the heap: 1 + number of the object, 0 if it has none.
    number: Vec<u32>,
    /// Positions of objects by number.
    order: Vec<u32>,
    /// Sets of references, and tables with references for keys, in the order of their numbers.
    collections: Vec<u32>,
    stack: Vec<Word>,
    fresh: Vec<(u64, Word)>,
}

impl Members {
    /// Positions of the objects of a state in an order that is the same for all states that differ in addresses
    /// only; `None` if the general engine must find it.
    pub fn order(&mut self, layout: &Layout, words: &[Word]) -> Option<&[u32]> {
        self.number.clear();
        self.number.resize(words.len() - heap_start(words), 0);
        self.order.clear();
        self.collections.clear();
        for &at in &layout.global_references {
            self.visit(layout, words, words[at as usize]);
        }
        for thread in layout.threads(words) {
            layout.thread_references(words, thread, |at| self.visit(layout, words, words[at]));
        }
        let mut next = 0;
        while let Some(&at) = self.collections.get(next) {
            next += 1;
            if !self.visit_members(layout, words, at as usize) {
                return None;
            }
        }
        Some(&self.order)
    }

    /// Numbers an object and everything below it, depth first; members of sets and tables wait.
    #[inline]
    fn visit(&mut self, layout: &Layout, words: &[Word], root: Word) {
        if root == 0 || self.number[root as usize - 1] != 0 {
            return;
        }
        self.stack.push(root);
        while let Some(reference) = self.stack.pop() {
            if self.number[reference as usize - 1] != 0 {
                continue;
            }
            let at = heap_start(words) + reference as usize - 1;
            self.order.push(at as u32);
            self.number[reference as usize - 1] = self.order.len() as u32;
            if has_unordered_members(&layout.objects[words[at] as usize]) {
                self.collections.push(at as u32);
                continue;
            }
            let (first, stack) = (self.stack.len(), &mut self.stack);
            layout.object_references(words, at, |at| {
                stack.extend(Some(words[at]).filter(|&r| r != 0))
            });
            // the first child is popped first
            self.stack[first..].reverse();
        }
    }

    /// Numbers what a set or table holds; `false` if it is not clear in which order.
    fn visit_members(&mut self, layout: &Layout, words: &[Word], at: usize) -> bool {
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.clear();
        layout.object_references(words, at, |at| {
            let reference = words[at];
            if reference != 0 && self.number[reference as usize - 1] == 0 {
                fresh.push((0, reference));
            }
        });
        let clear = fresh.len() < 2 || self.sort(layout, words, &mut fresh);
        if clear {
            fresh.iter().for_each(|&(_, reference)| self.visit(layout, words, reference));
        }
        self.fresh = fresh;
        clear
    }

    /// Sorts members by colour; `false` if some of one colour are not exchangeable.
    fn sort(&self, layout: &Layout, words: &[Word], fresh: &mut Vec<(u64, Word)>) -> bool {
        for (color, reference) in fresh.iter_mut() {
            *color = self.color(layout, words, *reference);
        }
        fresh.sort_unstable();
        // a table may hold an object several times
        fresh.dedup();
        let mut alike = fresh.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1);
        alike.all(|group| are_twins(layout, words, group))
    }

    fn color(&self, layout: &Layout, words: &[Word], reference: Word) -> u64 {
        let at = heap_start(words) + reference as usize - 1;
        let size = layout.object_size(words, at);
        let mut color = mix(words[at].into(), size as u64);
        match &layout.objects[words[at] as usize] {
            ObjectLayout::Record { references, .. } => {
                for offset in 1..size as u32 {
                    let word = words[at + offset as usize];
                    color = mix(color, self.content(word, references.contains(&offset)));
                }
            }
            &ObjectLayout::Sequence { stride, references, ordered } => {
                let mut sum = 0_u64;
                for (place, element) in words[at + ELEMENTS..at + size].chunks(stride).enumerate() {
                    let parts = element.iter().zip(references);
                    let start = if ordered { place as u64 } else { 0 };
                    let element =
                        parts.fold(start, |all, (&word, is)| mix(all, self.content(word, is)));
                    sum = sum.wrapping_add(mix(1, element));
                }
                color = mix(color, sum);
            }
        }
        let holds = |&&at: &&u32| holds(layout, words, at as usize, reference);
        self.collections.iter().filter(holds).fold(color, |color, &at| {
            mix(color, self.number[at as usize - heap_start(words)].into())
        })
    }

    /// A word as all equivalent states have it; threads stay in order, so that locks are values.
    fn content(&self, word: Word, is_reference: bool) -> u64 {
        match (is_reference, word) {
            (false, value) => value.into(),
            (true, 0) => 0,
            (true, reference) => match self.number[reference as usize - 1] {
                0 => UNNUMBERED,
                number => number.into(),
            },
        }
    }
}

/// Whether it is a set of references, or a table with references for keys; by other keys, tables are in order.
fn has_unordered_members(object: &ObjectLayout) -> bool {
    matches!(object, ObjectLayout::Sequence { ordered: false, references: [true, _], .. })
}

/// Whether a collection has a reference in it.
fn holds(layout: &Layout, words: &[Word], at: usize, reference: Word) -> bool {
    let mut found = false;
    layout.object_references(words, at, |at| found |= words[at] == reference);
    found
}

/// Whether all objects of a group can be exchanged: they hold the same words, every set has all of them or none, and
/// nothing else refers to them. Variables do not: what they lead to has a number.
fn are_twins(layout: &Layout, words: &[Word], group: &[(u64, Word)]) -> bool {
    let contents = |reference: Word| {
        let at = heap_start(words) + reference as usize - 1;
        &words[at..at + layout.object_size(words, at)]
    };
    let alike = group.windows(2).all(|pair| contents(pair[0].1) == contents(pair[1].1));
    let told_apart = |at: usize| {
        let mut count = 0;
        layout.object_references(words, at, |at| {
            count += usize::from(group.iter().any(|&(_, reference)| reference == words[at]));
        });
        let is_set = matches!(
            layout.objects[words[at] as usize],
            ObjectLayout::Sequence { ordered: false, stride: 1, .. }
        );
        count != 0 && !(is_set && count == group.len())
    };
    alike && !layout.objects(words).any(told_apart)
}
