//! The shape graph of a state (Bogor'03, section 3.3): threads and objects are elements, everything
//! else is colours and labelled tuples of elements.
//!
//! Two states are equal up to the order of threads and the places of objects exactly if their shape
//! graphs are isomorphic. Elements of sets and keys of tables carry no position, so their order
//! does not count. Contents are written out word by word: hashed into a structure, or as they are.

use crate::heap::machine::layout::*;
use pidlab_backends::canon::Contents;

const GLOBAL: u64 = 0x91_0b;
const THREAD: u64 = 0x74_68;
const OBJECT: u64 = 0x6f_62;
const LOCK: u64 = 0x6c_6f;
const MEMBER: u64 = 0x6d_65;
const SIZE_OF: u64 = 0x73_69;
/// Stands for a reference in the contents of an element.
const SOME: u64 = u64::MAX;

/// Describes shape graphs; keeps its memory.
#[derive(Default)]
pub struct ShapeGraph {
    /// By offset in the heap: the element of the object there.
    element: Vec<u32>,
    threads: u32,
    contents: Vec<u64>,
    /// Threads are told apart by their numbers.
    pub threads_in_order: bool,
}

/// Which words of a record or frame are more than values.
#[derive(Clone, Copy)]
struct Fields<'l> {
    start: usize,
    size: usize,
    references: &'l [u32],
    locks: &'l [u32],
}

impl ShapeGraph {
    /// Numbers the elements of a state: 0.. are the threads in order, then come the objects in order of
    /// address. Returns how many there are.
    pub fn number(&mut self, layout: &Layout, words: &[Word]) -> usize {
        self.threads = words[0];
        self.element.clear();
        self.element.resize(words.len() - heap_start(words), 0);
        let mut next = self.threads;
        for at in layout.objects(words) {
            self.element[at - heap_start(words)] = next;
            next += 1;
        }
        next as usize
    }

    /// Describes the state that was numbered.
    pub fn describe(&mut self, layout: &Layout, words: &[Word], out: &mut impl Contents) {
        for &at in &layout.global_references {
            if let Some(element) = self.target(words[at as usize]) {
                out.tuple(&[GLOBAL, at.into()], &[element]);
            }
        }
        for (thread, at) in layout.threads(words).enumerate() {
            let fields = layout.frames(words, at).map(|start| {
                let pc = words[start] as usize;
                let (size, references) =
                    (layout.frame_size[pc] as usize, &layout.frame_references[pc]);
                Fields { start, size, references, locks: &[] }
            });
            self.words_of(words, thread as u32, THREAD, fields, out);
        }
        for (number, at) in layout.objects(words).enumerate() {
            self.object(layout, words, self.threads + number as u32, at, out);
        }
    }

    fn target(&self, reference: Word) -> Option<u32> {
        Some(self.element[reference.checked_sub(1)? as usize])
    }

    fn object(
        &mut self,
        layout: &Layout,
        words: &[Word],
        element: u32,
        at: usize,
        out: &mut impl Contents,
    ) {
        match &layout.objects[words[at] as usize] {
            ObjectLayout::Record { size, references, locks } => {
                let fields = Fields { start: at, size: *size, references, locks };
                self.words_of(words, element, OBJECT, std::iter::once(fields), out);
            }
            &ObjectLayout::Sequence { stride, references, ordered } => {
                let kind = u64::from(words[at]);
                out.tuple(&[SIZE_OF, kind, words[at + SIZE].into()], &[element]);
                for index in 0..words[at + SIZE] as usize {
                    let place = if ordered { index as u64 + 1 } else { 0 };
                    let from = at + ELEMENTS + stride * index;
                    let parts = &words[from..from + stride];
                    self.member([kind, place], parts, references, element, out);
                }
            }
        }
    }

    /// A record or the frames of a thread: values colour it, references and locks are pairs.
    fn words_of<'l>(
        &mut self,
        words: &[Word],
        element: u32,
        kind: u64,
        parts: impl Iterator<Item = Fields<'l>>,
        out: &mut impl Contents,
    ) {
        let mut contents = std::mem::take(&mut self.contents);
        contents.clear();
        contents.push(kind);
        if kind == THREAD && self.threads_in_order {
            contents.push(element.into());
        }
        // type, or where the thread stands
        let (mut own, mut passed) = (0, 0);
        for fields in parts {
            if passed == 0 {
                own = u64::from(words[fields.start]);
            }
            contents.push(words[fields.start].into());
            for offset in 1..fields.size {
                let label = [own, (passed + offset) as u64];
                let word = words[fields.start + offset];
                let content =
                    self.word_of(word, offset as u32, fields, element, (kind, label), out);
                contents.push(content);
            }
            passed += fields.size;
        }
        out.tuple(&contents, &[element]);
        self.contents = contents;
    }

    /// What a word adds to the contents of its element; references and locks become pairs.
    fn word_of(
        &self,
        word: Word,
        offset: u32,
        fields: Fields<'_>,
        element: u32,
        (kind, [own, place]): (u64, [u64; 2]),
        out: &mut impl Contents,
    ) -> u64 {
        if fields.references.contains(&offset) {
            return match self.target(word) {
                Some(target) => {
                    out.tuple(&[kind, own, place], &[element, target]);
                    SOME
                }
                None => 0,
            };
        }
        if fields.locks.contains(&offset) {
            let (holder, count) = lock_parts(word);
            if let Some(thread) = holder {
                out.tuple(&[LOCK, own, place, count.into()], &[element, thread]);
            }
            return count.into();
        }
        word.into()
    }

    /// One element of a sequence: a tuple of the sequence and the references in it.
    fn member(
        &self,
        [kind, place]: [u64; 2],
        parts: &[Word],
        references: [bool; 2],
        element: u32,
        out: &mut impl Contents,
    ) {
        let mut contents = [MEMBER, kind, place, 0, 0];
        let mut members = [element; 3];
        let mut count = 1;
        let places = contents[3..].iter_mut().zip(parts.iter().zip(references));
        for (content, (&word, is_reference)) in places {
            match is_reference.then(|| self.target(word)).flatten() {
                Some(target) => {
                    members[count] = target;
                    count += 1;
                    *content = SOME;
                }
                // a reference to nothing differs from every number
                None if is_reference => *content = SOME - 1,
                None => *content = word.into(),
            }
        }
        out.tuple(&contents[..3 + parts.len()], &members[..count]);
    }
}
