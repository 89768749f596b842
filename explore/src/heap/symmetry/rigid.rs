//! Canonical forms of shapes seen before: the traversals of [`super::traversal`], kept.
//!
//! In many programs steps change values much more often than references. Where the traversals of a
//! shape graph do not depend on the colours of its elements, they are computed once per shape: the
//! order of elements from every starting thread, and the state rewritten in that order with gaps
//! for values. A further state of the same shape only needs colours, the choice of the least code,
//! and its values put into the gaps. The result is the same as that of the traversal, so it does not
//! matter which of the two is asked: colours are the same, and equal codes are told apart in the same
//! way, by contents.
//!
//! Cost: a pass over references to recognise the shape, one over values, and the comparison of a
//! few codes. Memory: a shape costs about the square of its number of threads; the number of shapes
//! is bounded, and a program whose shapes do not repeat is left alone after a while.

use super::contents::ElementStarts;
use super::hash::mix;
use super::numbering::{HeapOrder, Numbering};
use super::traversal::{COLOR, RigidCode, Traversal, rarest};
use crate::heap::machine::layout::*;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

const MOST_SHAPES: usize = 256;
/// Lookups after which shapes must have proved to repeat.
const TRIAL: u64 = 1 << 12;

/// What a word of a state is to its shape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Part of the shape: references, locks, types.
    Fixed,
    /// Part of the shape as well; colours count it among the values. Sizes, and program counters below
    /// the running frame.
    Size,
    /// The thread's type is part of the shape, the program counter is a value.
    Counter,
    Value,
}

/// One shape: how to recognise it, and its traversals, if they do not depend on colours.
struct Known {
    length: usize,
    fixed: Vec<(u32, Word)>,
    /// Positions of program counters and types of their threads.
    kinds: Vec<(u32, u32)>,
    forms: Option<Forms>,
}

struct Forms {
    seeds: Vec<u64>,
    /// By element: positions of its values.
    values: Vec<Vec<u32>>,
    sees: Vec<Vec<u32>>,
    starts: Vec<Start>,
    elements: ElementStarts,
}

/// The form of states for which a thread is the best to start from.
struct Start {
    code: Vec<u32>,
    template: Vec<Word>,
    /// Where values go, and where they come from.
    gaps: Vec<(u32, u32)>,
}

#[derive(Default)]
pub struct RigidShapes {
    known: Vec<Known>,
    by_skeleton: FxHashMap<Box<[Word]>, usize>,
    last: usize,
    skeleton: Vec<Word>,
    colors: Vec<u64>,
    sorted: Vec<(u64, u32)>,
    lookups: u64,
    hits: u64,
}

impl RigidShapes {
    /// Writes the canonical form of `words` over `out`, if the shape is known to allow it.
    #[inline]
    pub fn canonical(&mut self, layout: &Layout, words: &[Word], out: &mut Vec<Word>) -> bool {
        match self.known.get(self.last) {
            Some(known) if known.matches(layout, words) => {}
            _ => {
                if !self.find(layout, words) {
                    return false;
                }
            }
        }
        let Some(forms) = &self.known[self.last].forms else { return false };
        self.colors.clear();
        forms.color(words, &mut self.colors);
        let colored = self.colors[1..=forms.starts.len()].iter().copied().zip(1..);
        self.sorted.clear();
        self.sorted.extend(colored);
        let candidates = rarest(&mut self.sorted);
        let start = forms.least(candidates, &self.colors, layout, words);
        out.clone_from(&start.template);
        for &(to, from) in &start.gaps {
            out[to as usize] = words[from as usize];
        }
        true
    }

    /// Makes the shape of `words` the last one; adds it if there is room.
    fn find(&mut self, layout: &Layout, words: &[Word]) -> bool {
        if self.lookups > TRIAL && 2 * self.hits < self.lookups {
            return false;
        }
        self.lookups += 1;
        self.skeleton.clear();
        self.skeleton.extend_from_slice(words);
        let skeleton = &mut self.skeleton;
        roles(layout, words, |at, role| match role {
            Role::Fixed | Role::Size => {}
            Role::Counter => skeleton[at] = layout.frame_kind[words[at] as usize],
            Role::Value => skeleton[at] = 0,
        });
        if let Some(&known) = self.by_skeleton.get(self.skeleton.as_slice()) {
            self.hits += 1;
            self.last = known;
            return true;
        }
        self.known.len() < MOST_SHAPES && self.add(layout, words)
    }

    fn add(&mut self, layout: &Layout, words: &[Word]) -> bool {
        self.last = self.known.len();
        self.by_skeleton.insert(self.skeleton.as_slice().into(), self.last);
        self.known.push(Known::new(layout, words));
        true
    }
}

impl Known {
    fn new(layout: &Layout, words: &[Word]) -> Known {
        let (mut fixed, mut kinds) = (vec![(0, words[0]), (1, words[1])], Vec::new());
        roles(layout, words, |at, role| match role {
            Role::Fixed | Role::Size => fixed.push((at as u32, words[at])),
            Role::Counter => kinds.push((at as u32, layout.frame_kind[words[at] as usize])),
            Role::Value => {}
        });
        Known { length: words.len(), fixed, kinds, forms: Forms::new(layout, words) }
    }

    #[inline]
    fn matches(&self, layout: &Layout, words: &[Word]) -> bool {
        self.length == words.len()
            && self.fixed.iter().all(|&(at, word)| words[at as usize] == word)
            && self.kinds.iter().all(|&(at, kind)| {
                layout.frame_kind.get(words[at as usize] as usize) == Some(&kind)
            })
    }
}

impl Forms {
    fn new(layout: &Layout, words: &[Word]) -> Option<Forms> {
        let rigid = Traversal::default().rigid(layout, words)?;
        let mut numbering = Numbering::default();
        let mut start = |code: &RigidCode| Start::new(layout, words, code, &mut numbering);
        let starts = rigid.codes.iter().map(&mut start).collect();
        let values = values_by_element(layout, words, rigid.seeds.len());
        let elements = ElementStarts::of(layout, words);
        Some(Forms { seeds: rigid.seeds, values, sees: rigid.sees, starts, elements })
    }

    /// The colours that [`Traversal`] gives.
    #[inline]
    fn color(&self, words: &[Word], colors: &mut Vec<u64>) {
        colors.extend(self.values.iter().zip(&self.seeds).map(|(values, &seed)| {
            mix(seed, values.iter().fold(0, |color, &at| mix(color, words[at as usize].into())))
        }));
        for (thread, sees) in (1..).zip(&self.sees) {
            let own = colors[thread];
            colors[thread] = sees.iter().fold(own, |color, &to| mix(color, colors[to as usize]));
        }
    }

    /// The start with the least code; of equal codes the one with the least contents.
    #[inline]
    fn least(
        &self,
        candidates: &[(u64, u32)],
        colors: &[u64],
        layout: &Layout,
        words: &[Word],
    ) -> &Start {
        let start = |&(_, element): &(u64, u32)| &self.starts[element as usize - 1];
        let mut best = start(&candidates[0]);
        for candidate in candidates[1..].iter().map(start) {
            let code = candidate.compare(best, colors);
            let contents = || {
                let (queue, best) = (candidate.queue(), best.queue());
                self.elements.compare(layout, words, queue, best)
            };
            if code.then_with(contents) == Ordering::Less {
                best = candidate;
            }
        }
        best
    }
}

impl Start {
    fn new(layout: &Layout, words: &[Word], code: &RigidCode, numbering: &mut Numbering) -> Start {
        let mut template = Vec::new();
        numbering.rewrite(layout, words, &code.threads, HeapOrder::DepthFirst, &mut template);
        let mut gaps = Vec::new();
        let sources = numbering.sources(layout, words, &code.threads);
        roles(layout, &template, |at, role| {
            if matches!(role, Role::Counter | Role::Value) {
                gaps.push((at as u32, sources[at]));
            }
        });
        Start { code: code.code.clone(), template, gaps }
    }

    /// The elements in the order they are reached.
    fn queue(&self) -> impl Iterator<Item = u32> {
        self.code.iter().filter(|&&entry| entry & COLOR != 0).map(|&entry| entry & !COLOR)
    }

    #[inline]
    fn compare(&self, other: &Start, colors: &[u64]) -> Ordering {
        let value = |entry: u32| match entry & COLOR {
            0 => u64::from(entry),
            _ => colors[(entry & !COLOR) as usize],
        };
        for (&a, &b) in self.code.iter().zip(&other.code) {
            let (a, b) = (value(a), value(b));
            if a != b {
                return a.cmp(&b);
            }
        }
        self.code.len().cmp(&other.code.len())
    }
}

/// Calls `visit` with every position behind the head and the role of its word.
fn roles(layout: &Layout, words: &[Word], mut visit: impl FnMut(usize, Role)) {
    let of = |is_reference| if is_reference { Role::Fixed } else { Role::Value };
    for at in HEAD..layout.first_thread() {
        visit(at, of(layout.global_references.contains(&(at as u32))));
    }
    for start in layout.threads(words) {
        for frame in layout.frames(words, start) {
            let pc = words[frame] as usize;
            visit(frame, if frame == start { Role::Counter } else { Role::Size });
            for offset in 1..layout.frame_size[pc] {
                let is_reference = layout.frame_references[pc].contains(&offset);
                visit(frame + offset as usize, of(is_reference));
            }
        }
    }
    for start in layout.objects(words) {
        object_roles(layout, words, start, &mut visit);
    }
}

fn object_roles(
    layout: &Layout,
    words: &[Word],
    start: usize,
    visit: &mut impl FnMut(usize, Role),
) {
    let of = |is_fixed| if is_fixed { Role::Fixed } else { Role::Value };
    visit(start, Role::Fixed);
    match &layout.objects[words[start] as usize] {
        ObjectLayout::Record { size, references, locks } => {
            for offset in 1..*size as u32 {
                let is_fixed = references.contains(&offset) || locks.contains(&offset);
                visit(start + offset as usize, of(is_fixed));
            }
        }
        &ObjectLayout::Sequence { stride, references, .. } => {
            visit(start + SIZE, Role::Size);
            for index in 0..stride * words[start + SIZE] as usize {
                visit(start + ELEMENTS + index, of(references[index % stride]));
            }
        }
    }
}

/// Positions of values by element: the root has none, then threads, then objects.
fn values_by_element(layout: &Layout, words: &[Word], elements: usize) -> Vec<Vec<u32>> {
    let starts: Vec<usize> = layout.threads(words).chain(layout.objects(words)).collect();
    let mut values = vec![Vec::new(); elements];
    roles(layout, words, |at, role| {
        let element = starts.partition_point(|&start| start <= at);
        if role != Role::Fixed && element > 0 {
            values[element].push(at as u32);
        }
    });
    values
}
