//! The shape graph of a state (Bogor'03, section 3.3): threads and objects are elements, everything
//! else is colours and labelled tuples of elements.
//!
//! Two states are equal up to the order of threads and the places of objects exactly if their shape
//! graphs are isomorphic. Elements of sets and keys of tables carry no position, so their order
//! does not count.

use super::layout::*;
use pidlab_core::Structure;
use pidlab_core::mix::mix;

const GLOBAL: u64 = 0x91_0b;
const THREAD: u64 = 0x74_68;
const OBJECT: u64 = 0x6f_62;
const LOCK: u64 = 0x6c_6f;
const MEMBER: u64 = 0x6d_65;
/// Stands for a reference in the colour of an element.
const SOME: u64 = 0x73_6f;

/// Builds shape graphs; keeps its memory.
#[derive(Default)]
pub struct ShapeGraph {
    /// By offset in the heap: the element of the object there.
    element: Vec<u32>,
    pub structure: Structure,
    threads: u32,
}

impl ShapeGraph {
    /// Elements 0.. are the threads in order, then come the objects in order of address.
    pub fn build(&mut self, layout: &Layout, words: &[Word]) -> &Structure {
        self.threads = words[0];
        self.place_objects(layout, words);
        for &at in &layout.global_references {
            if let Some(element) = self.target(words[at as usize]) {
                self.structure.paint(element, mix(GLOBAL, at.into()));
            }
        }
        for (thread, at) in layout.threads(words).enumerate() {
            self.thread(layout, words, thread as u32, at);
        }
        for (number, at) in layout.objects(words).enumerate() {
            self.object(layout, words, self.threads + number as u32, at);
        }
        &self.structure
    }

    fn place_objects(&mut self, layout: &Layout, words: &[Word]) {
        self.element.clear();
        self.element.resize(words.len() - heap_start(words), 0);
        let mut next = self.threads;
        for at in layout.objects(words) {
            self.element[at - heap_start(words)] = next;
            next += 1;
        }
        self.structure.clear(next as usize);
    }

    fn target(&self, reference: Word) -> Option<u32> {
        Some(self.element[reference.checked_sub(1)? as usize])
    }

    fn thread(&mut self, layout: &Layout, words: &[Word], element: u32, at: usize) {
        let pc = words[at] as usize;
        let references = &layout.thread_references[pc];
        self.words_of(words, element, at, layout.thread_size[pc] as usize, references, &[], THREAD);
    }

    fn object(&mut self, layout: &Layout, words: &[Word], element: u32, at: usize) {
        match &layout.objects[words[at] as usize] {
            ObjectLayout::Record { size, references, locks } => {
                self.words_of(words, element, at, *size, references, locks, OBJECT);
            }
            &ObjectLayout::Sequence { stride, references, ordered } => {
                let kind = mix(OBJECT, words[at].into());
                self.structure.paint(element, mix(kind, words[at + SIZE].into()));
                for index in 0..words[at + SIZE] as usize {
                    let label = mix(MEMBER, if ordered { index as u64 + 1 } else { 0 });
                    let from = at + ELEMENTS + stride * index;
                    self.member(&words[from..from + stride], references, element, mix(kind, label));
                }
            }
        }
    }

    /// A record or thread: values colour it, references and locks are pairs.
    #[allow(clippy::too_many_arguments)]
    fn words_of(
        &mut self,
        words: &[Word],
        element: u32,
        at: usize,
        size: usize,
        references: &[u32],
        locks: &[u32],
        kind: u64,
    ) {
        let mut color = mix(kind, words[at].into());
        for offset in 1..size {
            let word = words[at + offset];
            let value = if references.contains(&(offset as u32)) {
                match self.target(word) {
                    Some(target) => {
                        let label = mix(mix(kind, words[at].into()), offset as u64);
                        self.structure.tuple(label, &[element, target]);
                        SOME
                    }
                    None => 0,
                }
            } else if locks.contains(&(offset as u32)) {
                let (holder, count) = lock_parts(word);
                if let Some(thread) = holder {
                    let label = mix(mix(LOCK, words[at].into()), offset as u64);
                    self.structure.tuple(mix(label, count.into()), &[element, thread]);
                }
                count.into()
            } else {
                word.into()
            };
            color = mix(color, value);
        }
        self.structure.paint(element, color);
    }

    /// One element of a sequence: a tuple of the sequence and the references in it.
    fn member(&mut self, parts: &[Word], references: [bool; 2], element: u32, mut label: u64) {
        let mut members = [element; 3];
        let mut count = 1;
        for (&word, is_reference) in parts.iter().zip(references) {
            match is_reference.then(|| self.target(word)).flatten() {
                Some(target) => {
                    members[count] = target;
                    count += 1;
                    label = mix(label, SOME);
                }
                None => label = mix(label, mix(u64::from(is_reference), word.into())),
            }
        }
        self.structure.tuple(label, &members[..count]);
    }
}
