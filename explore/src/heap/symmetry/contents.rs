//! Elements compared by what they hold, word by word: where two traversals have one code.
//!
//! Contents are everything of an element but where its references lead and who holds its locks:
//! program counter or type, size, values, which references are null, how often locks are held.
//! Equal codes and equal contents, element by element, mean that the traversals map one onto the
//! other by an automorphism: equal null patterns cut both codes into the same pieces, so that the
//! numbers behind the colours stand for the same references.
//!
//! Cost: linear in the elements compared; nothing unless codes tie.

use crate::heap::machine::layout::*;
use std::cmp::Ordering;

/// Where the elements of a state start: the root first, then threads, then objects.
#[derive(Debug, Default)]
pub struct ElementStarts {
    threads: u32,
    starts: Vec<u32>,
}

impl ElementStarts {
    pub fn of(layout: &Layout, words: &[Word]) -> ElementStarts {
        let mut elements = ElementStarts::default();
        elements.fill(layout, words);
        elements
    }

    /// Takes over the elements of a state.
    pub fn fill(&mut self, layout: &Layout, words: &[Word]) {
        self.threads = words[0];
        self.starts.clear();
        self.starts.push(0);
        self.starts.extend(layout.threads(words).map(|at| at as u32));
        self.starts.extend(layout.objects(words).map(|at| at as u32));
    }

    /// Compares two lists of elements, first by their contents in order, then by length.
    pub fn compare(
        &self,
        layout: &Layout,
        words: &[Word],
        a: impl Iterator<Item = u32>,
        mut b: impl Iterator<Item = u32>,
    ) -> Ordering {
        for a in a {
            let Some(b) = b.next() else { return Ordering::Greater };
            match self.compare_two(layout, words, a, b) {
                Ordering::Equal => {}
                unequal => return unequal,
            }
        }
        if b.next().is_some() { Ordering::Less } else { Ordering::Equal }
    }

    /// Threads before objects, then by program counter or type, which say how to read the rest.
    fn compare_two(&self, layout: &Layout, words: &[Word], a: u32, b: u32) -> Ordering {
        let (x, y) = (self.starts[a as usize] as usize, self.starts[b as usize] as usize);
        // the root is its only like and has no contents
        if x == y {
            return Ordering::Equal;
        }
        let is_object = |element| element > self.threads;
        let kind = (is_object(a), words[x]).cmp(&(is_object(b), words[y]));
        kind.then_with(|| match is_object(a) {
            false => compare_stacks(layout, words, x, y),
            true => compare_objects(layout, words, x, y),
        })
    }
}

/// Compares two threads frame by frame; equal program counters have frames of equal size.
fn compare_stacks(layout: &Layout, words: &[Word], x: usize, y: usize) -> Ordering {
    for (x, y) in layout.frames(words, x).zip(layout.frames(words, y)) {
        let pc = words[x] as usize;
        let frames = words[x].cmp(&words[y]).then_with(|| {
            let size = layout.frame_size[pc] as usize;
            let fields = (&words[x..x + size], &words[y..y + size]);
            compare_fields(fields, &layout.frame_references[pc], &[])
        });
        if frames.is_ne() {
            return frames;
        }
    }
    Ordering::Equal
}

/// Compares two objects of one type.
fn compare_objects(layout: &Layout, words: &[Word], x: usize, y: usize) -> Ordering {
    match &layout.objects[words[x] as usize] {
        ObjectLayout::Record { size, references, locks } => {
            compare_fields((&words[x..x + size], &words[y..y + size]), references, locks)
        }
        ObjectLayout::Sequence { stride, references, .. } => {
            let of = |at: usize| &words[at + ELEMENTS..at + layout.object_size(words, at)];
            let pairs = of(x).iter().zip(of(y)).enumerate();
            let mut parts = pairs.map(|(index, (a, b))| match references[index % stride] {
                true => (*a != 0).cmp(&(*b != 0)),
                false => a.cmp(b),
            });
            let unequal = parts.find(|part| part.is_ne()).unwrap_or(Ordering::Equal);
            words[x + SIZE].cmp(&words[y + SIZE]).then(unequal)
        }
    }
}

/// Compares two records or threads of one kind.
fn compare_fields(fields: (&[Word], &[Word]), references: &[u32], locks: &[u32]) -> Ordering {
    let held = |word| {
        let (holder, count) = lock_parts(word);
        (holder.is_some(), count)
    };
    for (offset, (&a, &b)) in (0..).zip(fields.0.iter().zip(fields.1)) {
        let field = if a == b {
            Ordering::Equal
        } else if references.contains(&offset) {
            (a != 0).cmp(&(b != 0))
        } else if locks.contains(&offset) {
            held(a).cmp(&held(b))
        } else {
            a.cmp(&b)
        };
        if field.is_ne() {
            return field;
        }
    }
    Ordering::Equal
}
