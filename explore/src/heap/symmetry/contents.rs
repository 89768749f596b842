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
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for a in a {
            let Some(b) = b.next() else { return Ordering::Greater };
            if a == b {
                continue;
            }
            self.write(layout, words, a, &mut left);
            self.write(layout, words, b, &mut right);
            match left.cmp(&right) {
                Ordering::Equal => {}
                unequal => return unequal,
            }
        }
        if b.next().is_some() { Ordering::Less } else { Ordering::Equal }
    }

    /// Writes the contents of an element over `out`; the root has none.
    fn write(&self, layout: &Layout, words: &[Word], element: u32, out: &mut Vec<Word>) {
        out.clear();
        let start = self.starts[element as usize] as usize;
        if element == 0 {
            return;
        }
        if element <= self.threads {
            let pc = words[start] as usize;
            let end = start + layout.thread_size[pc] as usize;
            out.push(0);
            return write_fields(&words[start..end], &layout.thread_references[pc], &[], out);
        }
        out.push(1);
        match &layout.objects[words[start] as usize] {
            ObjectLayout::Record { size, references, locks } => {
                write_fields(&words[start..start + size], references, locks, out);
            }
            ObjectLayout::Sequence { stride, references, .. } => {
                let end = start + layout.object_size(words, start);
                out.extend_from_slice(&words[start..start + ELEMENTS]);
                let parts = words[start + ELEMENTS..end].iter().enumerate();
                out.extend(parts.map(|(index, &word)| match references[index % stride] {
                    true => Word::from(word != 0),
                    false => word,
                }));
            }
        }
    }
}

fn write_fields(fields: &[Word], references: &[u32], locks: &[u32], out: &mut Vec<Word>) {
    for (offset, &word) in (0..).zip(fields) {
        if references.contains(&offset) {
            out.push(Word::from(word != 0));
        } else if locks.contains(&offset) {
            let (holder, count) = lock_parts(word);
            out.extend([Word::from(holder.is_some()), count]);
        } else {
            out.push(word);
        }
    }
}
