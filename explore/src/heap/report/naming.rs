//! States in the words of the program: which thread, which variable, which value.
//!
//! Threads and objects are named by type and order of creation along one run: `Philosopher 2`,
//! `Fork 1`.

use crate::heap::compile::program::{HeapProgram, ObjectShape, Slot, Type};
use crate::heap::machine::layout::*;
use rustc_hash::FxHashMap;

/// Names along a run.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// By position in the state.
    pub threads: Vec<String>,
    /// By reference.
    objects: FxHashMap<Word, String>,
    made: FxHashMap<String, u32>,
}

/// A variable and its value, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableCell {
    /// What the variable belongs to; nothing for globals.
    pub owner: String,
    pub variable: String,
    pub value: String,
}

impl Names {
    /// Names for everything in a state, in its order.
    pub fn fresh(program: &HeapProgram, layout: &Layout, words: &[Word]) -> Names {
        let mut names = Names::default();
        for at in layout.threads(words) {
            names.add_thread(program, layout, words, at);
        }
        names.add_objects(program, layout, words);
        names
    }

    fn next(&mut self, kind: &str) -> String {
        let count = self.made.entry(kind.to_string()).or_insert(0);
        *count += 1;
        format!("{kind} {count}")
    }

    /// Names the thread that starts at `at`, by its own body: the last of its frames.
    fn add_thread(&mut self, program: &HeapProgram, layout: &Layout, words: &[Word], at: usize) {
        let own = layout.frames(words, at).last().unwrap_or(at);
        let name = self.next(&program.body_of(words[own]).name);
        self.threads.push(name);
    }

    /// Names objects that have none.
    fn add_objects(&mut self, program: &HeapProgram, layout: &Layout, words: &[Word]) {
        for at in layout.objects(words) {
            let reference = (at - heap_start(words)) as Word + 1;
            if !self.objects.contains_key(&reference) {
                let name = self.next(&program.objects[words[at] as usize].name);
                self.objects.insert(reference, name);
            }
        }
    }

    /// Names after a step: `ended` is a thread that left, `places` the new place of each object
    /// (by old offset, 1 + new offset or 0), empty if none moved.
    pub fn after(
        &self,
        program: &HeapProgram,
        layout: &Layout,
        words: &[Word],
        ended: Option<u32>,
        places: &[Word],
    ) -> Names {
        let mut names = self.clone();
        if let Some(thread) = ended {
            names.threads.remove(thread as usize);
        }
        for at in layout.threads(words).skip(names.threads.len()) {
            names.add_thread(program, layout, words, at);
        }
        if !places.is_empty() {
            names.objects.clear();
            names.move_objects(self, program, words, places);
        }
        names.add_objects(program, layout, words);
        names
    }

    /// Names at the new places; new objects are named in the order they were made.
    fn move_objects(
        &mut self,
        old: &Names,
        program: &HeapProgram,
        words: &[Word],
        places: &[Word],
    ) {
        for (before, &now) in (1..).zip(places) {
            if now == 0 {
                continue;
            }
            let of = words[heap_start(words) + now as usize - 1];
            let name = match old.objects.get(&before) {
                Some(name) => name.clone(),
                None => self.next(&program.objects[of as usize].name),
            };
            self.objects.insert(now, name);
        }
    }

    /// The same names where objects and threads were sorted.
    pub fn sorted(&self, threads: &[u32], places: &[Word]) -> Names {
        let new = |reference: Word| places.get(reference as usize - 1).copied().unwrap_or(0);
        Names {
            threads: threads.iter().map(|&thread| self.thread(thread).to_string()).collect(),
            objects: self.objects.iter().map(|(&at, name)| (new(at), name.clone())).collect(),
            made: FxHashMap::default(),
        }
    }

    pub fn reference(&self, word: Word) -> String {
        match word {
            0 => "null".into(),
            _ => self.objects.get(&word).cloned().unwrap_or_else(|| "?".into()),
        }
    }

    pub fn value(&self, of: Type, word: Word) -> String {
        match of {
            Type::Boolean => (word != 0).to_string(),
            Type::Int { .. } => (word as i32).to_string(),
            Type::Null | Type::Object(_) => self.reference(word),
            Type::Lock => match lock_parts(word) {
                (None, _) => "free".into(),
                (Some(thread), 1) => format!("held by {}", self.thread(thread)),
                (Some(thread), count) => format!("held by {}, {count} times", self.thread(thread)),
            },
        }
    }

    pub fn thread(&self, number: u32) -> &str {
        self.threads.get(number as usize).map_or("?", String::as_str)
    }

    /// All variables of a state, in order.
    pub fn cells(
        &self,
        program: &HeapProgram,
        layout: &Layout,
        words: &[Word],
    ) -> Vec<VariableCell> {
        let mut cells = Vec::new();
        self.slots("", &program.globals, &words[HEAD..], &mut cells);
        for (number, at) in layout.threads(words).enumerate() {
            let owner = &self.threads[number];
            if layout.frame_head > 1 {
                cells.push(self.wait_cell(owner, words[at + 1], words[at + 2]));
            }
            let frames: Vec<usize> = layout.frames(words, at).collect();
            for (height, &frame) in frames.iter().rev().enumerate() {
                let body = program.body_of(words[frame]);
                let owner = match (height, body.is_function()) {
                    (_, false) => owner.clone(),
                    // counted from the thread's own body, so that a frame keeps its name
                    (height, true) => format!("{owner} in {}#{height}", body.name),
                };
                self.slots(&owner, &body.slots, &words[frame + layout.frame_head..], &mut cells);
            }
        }
        for at in layout.objects(words) {
            self.object_cells(program, &words[at..], at - heap_start(words), &mut cells);
        }
        cells
    }

    fn slots(&self, owner: &str, slots: &[Slot], words: &[Word], cells: &mut Vec<VariableCell>) {
        cells.extend(slots.iter().zip(words).map(|(slot, &word)| VariableCell {
            owner: owner.to_string(),
            variable: slot.name.clone(),
            value: self.value(slot.of, word),
        }));
    }

    fn wait_cell(&self, owner: &str, mode: Word, object: Word) -> VariableCell {
        let value = match mode & MODE_MASK {
            WAITING => format!("for {}", self.reference(object)),
            NOTIFIED => format!("notified by {}", self.reference(object)),
            _ => "no".into(),
        };
        VariableCell { owner: owner.to_string(), variable: "waits".into(), value }
    }

    fn object_cells(
        &self,
        program: &HeapProgram,
        object: &[Word],
        offset: usize,
        cells: &mut Vec<VariableCell>,
    ) {
        let owner = self.reference(offset as Word + 1);
        let element = |of: Type, word: Word| self.value(of, word);
        let size = object.get(SIZE).map_or(0, |&size| size as usize);
        match &program.objects[object[0] as usize].shape {
            ObjectShape::Record { fields, .. } => self.slots(&owner, fields, &object[1..], cells),
            ObjectShape::Array(of) => cells.extend((0..size).map(|index| VariableCell {
                owner: owner.clone(),
                variable: format!("[{index}]"),
                value: element(*of, object[ELEMENTS + index]),
            })),
            ObjectShape::Set(of) => {
                let mut all: Vec<_> = object[ELEMENTS..ELEMENTS + size]
                    .iter()
                    .map(|&word| element(*of, word))
                    .collect();
                all.sort();
                cells.push(VariableCell {
                    owner,
                    variable: "elements".into(),
                    value: all.join(", "),
                });
            }
            ObjectShape::Table(key, value) => {
                let pairs = object[ELEMENTS..ELEMENTS + 2 * size].as_chunks::<2>().0;
                let mut all: Vec<_> = pairs
                    .iter()
                    .map(|pair| {
                        format!("{} = {}", element(*key, pair[0]), element(*value, pair[1]))
                    })
                    .collect();
                all.sort();
                cells.push(VariableCell {
                    owner,
                    variable: "entries".into(),
                    value: all.join(", "),
                });
            }
        }
    }
}

impl std::fmt::Display for VariableCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.owner.as_str(), self.variable.starts_with('[')) {
            ("", _) => f.write_str(&self.variable),
            (owner, true) => write!(f, "{owner}{}", self.variable),
            (owner, false) => write!(f, "{owner}.{}", self.variable),
        }
    }
}
