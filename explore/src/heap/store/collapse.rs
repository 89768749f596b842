//! Collapse compression (Bogor'03, section 4.1).
//!
//! The state is taken apart along its structure: globals, every object, every thread's variables,
//! every thread (a row of program counter and variables for each frame of its stack). Each part is a row of numbers that goes into a pool and is replaced by its number
//! there; rows of such numbers stand for the heap, for all threads, and at last for the state.
//! References are numbers of objects in the order of figure 4, so equal parts of different states
//! are equal rows. Types stand in the row of the heap and not in the objects' own, as in the paper,
//! so objects of different types can share.
//!
//! Cost: one probe per object and two per thread. Weakness: the rows of the heap and of the threads
//! change with every step, and each is as long as the state has parts.

use crate::heap::machine::interpreter::MOST_WORDS;
use crate::heap::machine::layout::*;
use crate::search::{ArenaStore, Id, Store, key_hash};

/// The parts of a state in the order of the paper's figure 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Globals,
    /// An object, by number from 0.
    Object(u32),
    Heap,
    /// The variables of a frame: numbers of the thread and of the frame, the running one first.
    ThreadStore(u32, u32),
    Thread(u32),
    Threads,
    State,
}

/// Rows to numbers, from 1 in order of appearance.
pub trait Pool {
    fn number(&mut self, part: Part, row: &[u32]) -> Option<u32>;
}

/// Memory for taking states apart.
#[derive(Default)]
pub struct Collapse {
    /// By offset: 1 + the object's number.
    numbers: Vec<u32>,
    row: Vec<u32>,
    above: Vec<u32>,
    /// Program counters and variables of a thread's frames.
    frames: Vec<u32>,
}

impl Collapse {
    /// The numbers of globals, heap and threads; `None` if the pool declines a row.
    pub fn parts(
        &mut self,
        layout: &Layout,
        words: &[Word],
        pool: &mut impl Pool,
    ) -> Option<[u32; 3]> {
        self.number_objects(layout, words);
        self.row.clear();
        self.row.extend_from_slice(&words[HEAD..layout.first_thread()]);
        for &at in &layout.global_references {
            self.row[at as usize - HEAD] = self.reference(words[at as usize]);
        }
        let globals = pool.number(Part::Globals, &self.row)?;
        let heap = self.heap(layout, words, pool)?;
        let threads = self.threads(layout, words, pool)?;
        Some([globals, heap, threads])
    }

    fn number_objects(&mut self, layout: &Layout, words: &[Word]) {
        self.numbers.clear();
        self.numbers.resize(words.len() - heap_start(words), 0);
        for (number, at) in layout.objects(words).enumerate() {
            self.numbers[at - heap_start(words)] = number as u32 + 1;
        }
    }

    fn reference(&self, word: Word) -> u32 {
        if word == 0 { 0 } else { self.numbers[word as usize - 1] }
    }

    fn heap(&mut self, layout: &Layout, words: &[Word], pool: &mut impl Pool) -> Option<u32> {
        self.above.clear();
        for (number, at) in layout.objects(words).enumerate() {
            let end = at + layout.object_size(words, at);
            self.row.clear();
            self.row.extend_from_slice(&words[at + 1..end]);
            layout.object_references(words, at, |position| {
                self.row[position - at - 1] = self.reference(words[position]);
            });
            self.above.push(words[at]);
            self.above.push(pool.number(Part::Object(number as u32), &self.row)?);
        }
        pool.number(Part::Heap, &self.above)
    }

    fn threads(&mut self, layout: &Layout, words: &[Word], pool: &mut impl Pool) -> Option<u32> {
        self.above.clear();
        for (number, at) in layout.threads(words).enumerate() {
            let number = number as u32;
            self.frames.clear();
            for (depth, at) in layout.frames(words, at).enumerate() {
                let pc = words[at] as usize;
                let end = at + layout.frame_size[pc] as usize;
                self.row.clear();
                self.row.extend_from_slice(&words[at + 1..end]);
                for &offset in &layout.frame_references[pc] {
                    self.row[offset as usize - 1] = self.reference(words[at + offset as usize]);
                }
                let store = pool.number(Part::ThreadStore(number, depth as u32), &self.row)?;
                self.frames.extend([words[at], store]);
            }
            self.above.push(pool.number(Part::Thread(number), &self.frames)?);
        }
        pool.number(Part::Threads, &self.above)
    }
}

/// Numbers with seven bits a byte.
fn write_row(row: &[u32], out: &mut Vec<u8>) {
    out.clear();
    for &value in row {
        let mut rest = value;
        while rest >= 0x80 {
            out.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
    }
}

fn read_row(bytes: &[u8], row: &mut Vec<u32>) {
    row.clear();
    let (mut value, mut shift) = (0, 0);
    for &byte in bytes {
        value |= u32::from(byte & 0x7F) << shift;
        shift += 7;
        if byte < 0x80 {
            row.push(value);
            (value, shift) = (0, 0);
        }
    }
}

/// The pool behind a [`CollapseStore`]: rows as bytes, in one arena.
#[derive(Default)]
struct Rows {
    arena: ArenaStore,
    bytes: Vec<u8>,
}

impl Pool for Rows {
    fn number(&mut self, _part: Part, row: &[u32]) -> Option<u32> {
        write_row(row, &mut self.bytes);
        Some(self.arena.insert(&self.bytes, key_hash(&self.bytes)).0 + 1)
    }
}

/// Looks rows up without adding them.
struct KnownRows<'p>(&'p ArenaStore);

impl Pool for KnownRows<'_> {
    fn number(&mut self, _part: Part, row: &[u32]) -> Option<u32> {
        let mut bytes = Vec::new();
        write_row(row, &mut bytes);
        self.0.find(&bytes, key_hash(&bytes)).map(|number| number + 1)
    }
}

/// A [`Store`] of collapsed states; keys are words (see [`super::keys`]).
pub struct CollapseStore<'l> {
    layout: &'l Layout,
    collapse: Collapse,
    rows: Rows,
    states: ArenaStore,
    words: Vec<Word>,
    bytes: Vec<u8>,
}

impl<'l> CollapseStore<'l> {
    pub fn new(layout: &'l Layout) -> CollapseStore<'l> {
        CollapseStore {
            layout,
            collapse: Collapse::default(),
            rows: Rows::default(),
            states: ArenaStore::new(),
            words: Vec::new(),
            bytes: Vec::new(),
        }
    }

    fn row(&self, number: u32) -> Vec<u32> {
        let (mut bytes, mut row) = (Vec::new(), Vec::new());
        self.rows.arena.read(number - 1, &mut bytes);
        read_row(&bytes, &mut row);
        row
    }

    /// Puts a state together again.
    fn restore(&self, [globals, heap, threads]: [u32; 3]) -> Vec<Word> {
        let threads = self.row(threads);
        let mut words = vec![threads.len() as Word, 0];
        words.extend(self.row(globals));
        for &thread in &threads {
            for frame in self.row(thread).as_chunks::<2>().0 {
                words.push(frame[0]);
                words.extend(self.row(frame[1]));
            }
        }
        words[1] = words.len() as Word;
        let mut starts = vec![0];
        for object in self.row(heap).as_chunks::<2>().0 {
            starts.push((words.len() - heap_start(&words)) as u32 + 1);
            words.push(object[0]);
            words.extend(self.row(object[1]));
        }
        let mut positions = Vec::new();
        self.layout.all_references(&words, |position| positions.push(position));
        positions.into_iter().for_each(|at| words[at] = starts[words[at] as usize]);
        words
    }
}

/// Marks the row of a violation, which has no parts.
const WHOLE: u32 = 0;

impl Store for CollapseStore<'_> {
    fn insert(&mut self, key: &[u8], _hash: u64) -> (Id, bool) {
        super::keys::read_words(key, &mut self.words);
        match is_violation(&self.words) {
            true => {
                self.words.insert(0, WHOLE);
                write_row(&self.words, &mut self.bytes);
            }
            false => {
                let parts = self.collapse.parts(self.layout, &self.words, &mut self.rows);
                write_row(&parts.unwrap_or_default(), &mut self.bytes);
            }
        }
        self.states.insert(&self.bytes, key_hash(&self.bytes))
    }

    fn find(&self, key: &[u8], _hash: u64) -> Option<Id> {
        let (mut words, mut bytes) = (Vec::new(), Vec::new());
        super::keys::read_words(key, &mut words);
        if is_violation(&words) {
            words.insert(0, WHOLE);
            write_row(&words, &mut bytes);
        } else {
            let mut known = KnownRows(&self.rows.arena);
            write_row(&Collapse::default().parts(self.layout, &words, &mut known)?, &mut bytes);
        }
        self.states.find(&bytes, key_hash(&bytes))
    }

    fn read(&self, id: Id, key: &mut Vec<u8>) {
        let (mut bytes, mut row) = (Vec::new(), Vec::new());
        self.states.read(id, &mut bytes);
        read_row(&bytes, &mut row);
        let words = match row[..] {
            [globals, heap, threads] => self.restore([globals, heap, threads]),
            _ => row[1..].to_vec(),
        };
        super::keys::write_words(&words, key);
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn key_bytes(&self) -> u64 {
        self.states.key_bytes() + self.rows.arena.key_bytes()
    }

    fn index_bytes(&self) -> u64 {
        self.states.index_bytes() + self.rows.arena.index_bytes()
    }

    fn room(&self) -> u64 {
        // a key has no more rows than words
        self.states.room().min(self.rows.arena.room() / MOST_WORDS as u64)
    }

    fn growth_bytes(&self) -> u64 {
        self.states.growth_bytes().max(self.rows.arena.growth_bytes())
    }
}
