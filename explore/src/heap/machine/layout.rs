//! How a state lies in a vector of words.
//!
//! ```text
//! | thread count | heap start | globals … | thread | thread | … | object | object | … |
//! thread:  frame of the running function, frame of its caller, …, frame of the thread's own body
//! frame:   program counter, [wait mode, object waited for,] parameters and local variables
//! object:  type, fields   or   type, size, elements
//! ```
//! A program counter says whether its frame is that of a function, and so whether another frame
//! follows: stacks need no length. Below the running frame it stands for the place that is called
//! from ([`HeapProgram`]'s locations for calls under way).
//!
//! A reference is 1 + the object's offset from the heap's start; 0 is `null`. Threads stand in
//! order of creation. A lock is one word: 1 + the number of the thread that holds it, and in the
//! upper half how often. A state that is a violation has [`VIOLATION`] for its thread count.

use crate::heap::compile::program::{Body, HeapProgram, ObjectShape, Pc, Slot, Type};

/// A word of a state: a value, a reference, a program counter or a lock.
pub type Word = u32;

/// Words before the globals.
pub const HEAD: usize = 2;
/// Thread count of a state that stands for a violation or a limit.
pub const VIOLATION: Word = Word::MAX;
/// Offset of an object's size, where it has one.
pub const SIZE: usize = 1;
/// Offset of the first element.
pub const ELEMENTS: usize = 2;

/// Wait mode of a thread, in the low bits of its second word: not notified yet.
pub const WAITING: Word = 1;
/// Woken, and about to take its lock back.
pub const NOTIFIED: Word = 2;
/// The bits of the mode; above them stand how often the lock was held, and which field it is.
pub const MODE_MASK: Word = 3;

/// Where the references and locks of one kind of object are.
#[derive(Clone, Debug)]
pub enum ObjectLayout {
    /// Fields in a fixed order.
    Record {
        /// Words, the type included.
        size: usize,
        /// Offsets of references.
        references: Vec<u32>,
        /// Offsets of locks.
        locks: Vec<u32>,
    },
    /// `stride` words per element; `references` says which of them are references.
    Sequence {
        /// 1 for arrays and sets, 2 for tables.
        stride: usize,
        /// Which words of an element are references.
        references: [bool; 2],
        /// Arrays are; sets and tables are not.
        ordered: bool,
    },
}

/// Word positions derived from a program once.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Number of global variables.
    pub globals: usize,
    /// Words of a frame before its variables.
    pub frame_head: usize,
    /// By program counter: words of the frame.
    pub frame_size: Vec<u32>,
    /// By program counter: number of the thread type or function.
    pub frame_kind: Vec<u32>,
    /// By program counter: whether it lies in a function, so that the caller's frame follows.
    pub has_caller: Vec<bool>,
    /// Whether there are functions.
    pub has_functions: bool,
    /// Positions of references among the globals, from the state's start.
    pub global_references: Vec<u32>,
    /// By program counter: positions of references from the frame's start.
    pub frame_references: Vec<Box<[u32]>>,
    /// By type.
    pub objects: Vec<ObjectLayout>,
    /// Whether a type has locks.
    pub has_locks: bool,
    /// Whether sets or tables with references in them occur.
    pub has_unordered_references: bool,
}

fn references(slots: &[Slot], start: usize) -> impl Iterator<Item = u32> {
    let is_reference = |slot: &Slot| slot.of.is_reference();
    let found = slots.iter().enumerate().filter(move |(_, slot)| is_reference(slot));
    found.map(move |(at, _)| (start + at) as u32)
}

impl Layout {
    /// The positions for a program.
    pub fn new(program: &HeapProgram) -> Layout {
        let pcs = 0..program.locations.len() as Pc;
        let objects: Vec<_> = program.objects.iter().map(|o| object_layout(&o.shape)).collect();
        Layout {
            globals: program.globals.len(),
            frame_head: program.frame_head,
            frame_size: pcs.clone().map(|pc| program.frame_size(pc) as u32).collect(),
            frame_kind: program.locations.iter().map(|l| l.body as u32).collect(),
            has_caller: pcs.clone().map(|pc| program.body_of(pc).is_function()).collect(),
            has_functions: program.bodies.iter().any(Body::is_function),
            global_references: references(&program.globals, HEAD).collect(),
            frame_references: pcs.map(|pc| frame_references(program, pc)).collect(),
            has_locks: objects.iter().any(ObjectLayout::has_locks),
            has_unordered_references: objects.iter().any(ObjectLayout::has_unordered_references),
            objects,
        }
    }

    /// Where the first thread starts.
    #[inline]
    pub fn first_thread(&self) -> usize {
        HEAD + self.globals
    }

    /// Words of the object that starts at `at`.
    #[inline]
    pub fn object_size(&self, words: &[Word], at: usize) -> usize {
        match &self.objects[words[at] as usize] {
            ObjectLayout::Record { size, .. } => *size,
            ObjectLayout::Sequence { stride, .. } => ELEMENTS + stride * words[at + SIZE] as usize,
        }
    }

    /// Calls `visit` with the position of every reference in the object at `at`, in order.
    #[inline]
    pub fn object_references(&self, words: &[Word], at: usize, mut visit: impl FnMut(usize)) {
        match &self.objects[words[at] as usize] {
            ObjectLayout::Record { references, .. } => {
                references.iter().for_each(|&offset| visit(at + offset as usize));
            }
            ObjectLayout::Sequence { references: [false, false], .. } => {}
            ObjectLayout::Sequence { stride, references, .. } => {
                for position in 0..stride * words[at + SIZE] as usize {
                    if references[position % stride] {
                        visit(at + ELEMENTS + position);
                    }
                }
            }
        }
    }

    /// Calls `visit` with the position of every lock in the object at `at`.
    pub fn object_locks(&self, words: &[Word], at: usize, mut visit: impl FnMut(usize)) {
        if let ObjectLayout::Record { locks, .. } = &self.objects[words[at] as usize] {
            locks.iter().for_each(|&offset| visit(at + offset as usize));
        }
    }

    /// Start positions of the threads, in order.
    pub fn threads<'a>(&'a self, words: &'a [Word]) -> impl Iterator<Item = usize> + 'a {
        let mut at = self.first_thread();
        (0..words[0]).map(move |_| {
            let start = at;
            at = self.thread_end(words, start);
            start
        })
    }

    /// Where the thread that starts at `at` ends.
    #[inline]
    pub fn thread_end(&self, words: &[Word], at: usize) -> usize {
        match self.has_functions {
            true => self.stack_end(words, at),
            false => at + self.frame_size[words[at] as usize] as usize,
        }
    }

    fn stack_end(&self, words: &[Word], mut at: usize) -> usize {
        loop {
            let pc = words[at] as usize;
            at += self.frame_size[pc] as usize;
            if !self.has_caller[pc] {
                return at;
            }
        }
    }

    /// Start positions of the frames of the thread that starts at `at`, the running one first.
    #[inline]
    pub fn frames<'a>(&'a self, words: &'a [Word], at: usize) -> impl Iterator<Item = usize> + 'a {
        let next = move |&at: &usize| {
            let pc = words[at] as usize;
            let more = self.has_functions && self.has_caller[pc];
            more.then(|| at + self.frame_size[pc] as usize)
        };
        std::iter::successors(Some(at), next)
    }

    /// Calls `visit` with the position of every reference in the thread that starts at `at`.
    #[inline]
    pub fn thread_references(&self, words: &[Word], at: usize, mut visit: impl FnMut(usize)) {
        let mut frame = at;
        loop {
            let pc = words[frame] as usize;
            for &offset in &self.frame_references[pc] {
                visit(frame + offset as usize);
            }
            if !self.has_functions || !self.has_caller[pc] {
                return;
            }
            frame += self.frame_size[pc] as usize;
        }
    }

    /// Start positions of the objects, in order.
    pub fn objects<'a>(&'a self, words: &'a [Word]) -> impl Iterator<Item = usize> + 'a {
        let mut at = heap_start(words);
        std::iter::from_fn(move || {
            let start = at;
            if start >= words.len() {
                return None;
            }
            at += self.object_size(words, start);
            Some(start)
        })
    }

    /// Calls `visit` with the position of every reference in the state.
    pub fn all_references(&self, words: &[Word], mut visit: impl FnMut(usize)) {
        self.global_references.iter().for_each(|&at| visit(at as usize));
        for thread in self.threads(words) {
            self.thread_references(words, thread, &mut visit);
        }
        for object in self.objects(words) {
            self.object_references(words, object, &mut visit);
        }
    }

    /// Calls `visit` with the position of every lock in the state.
    pub fn all_locks(&self, words: &[Word], mut visit: impl FnMut(usize)) {
        for object in self.objects(words) {
            self.object_locks(words, object, &mut visit);
        }
    }
}

impl ObjectLayout {
    fn has_locks(&self) -> bool {
        matches!(self, ObjectLayout::Record { locks, .. } if !locks.is_empty())
    }

    /// Whether it is a set or table with references in it.
    pub fn has_unordered_references(&self) -> bool {
        matches!(self, ObjectLayout::Sequence { ordered: false, references, .. } if references.contains(&true))
    }

    /// Whether the order of elements does not count.
    pub fn is_unordered(&self) -> bool {
        matches!(self, ObjectLayout::Sequence { ordered: false, .. })
    }
}

fn frame_references(program: &HeapProgram, pc: Pc) -> Box<[u32]> {
    let waited_for = program.uses_wait().then_some(2);
    let slots = &program.body_of(pc).slots;
    waited_for.into_iter().chain(references(slots, program.frame_head)).collect()
}

fn object_layout(shape: &ObjectShape) -> ObjectLayout {
    let sequence = |stride, first: Type, second: Type, ordered| ObjectLayout::Sequence {
        stride,
        references: [first.is_reference(), second.is_reference()],
        ordered,
    };
    match shape {
        ObjectShape::Record { fields, .. } => {
            let locks = fields.iter().enumerate().filter(|(_, field)| field.of == Type::Lock);
            ObjectLayout::Record {
                size: 1 + fields.len(),
                references: references(fields, 1).collect(),
                locks: locks.map(|(at, _)| at as u32 + 1).collect(),
            }
        }
        ObjectShape::Array(element) => sequence(1, *element, Type::Boolean, true),
        ObjectShape::Set(element) => sequence(1, *element, Type::Boolean, false),
        ObjectShape::Table(key, value) => sequence(2, *key, *value, false),
    }
}

/// Where the first object starts.
#[inline]
pub fn heap_start(words: &[Word]) -> usize {
    words[1] as usize
}

/// Whether a state stands for a violation or a limit.
pub fn is_violation(words: &[Word]) -> bool {
    words.first() == Some(&VIOLATION)
}

/// Holder of a lock, if any, and how often it holds it.
pub fn lock_parts(word: Word) -> (Option<u32>, u32) {
    ((word & 0xFFFF).checked_sub(1), word >> 16)
}

/// A lock held `count` times by a thread.
pub fn lock_word(thread: u32, count: u32) -> Word {
    (thread + 1) | count << 16
}
