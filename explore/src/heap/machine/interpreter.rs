//! The stack machine that runs guards and bodies on a state's words, in place.
//!
//! A body that blocks halfway (a lock that is taken, `pick` from an empty set) has no effect: the
//! caller throws the words away, and the transformation counts as not enabled. Nondeterminism
//! inside a body comes from a [`Tape`] of choices, which the caller winds on until all are tried.

use super::collections;
use super::layout::*;
use super::monitor;
use super::violation::FaultKind;
use crate::heap::compile::program::{HeapProgram, ObjectId, ObjectShape, Op};
use crate::search::Change;
use pidlab_budget::{Budget, Exhausted};

/// Why a run did not reach its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    Blocked,
    /// An exception, which lies on the stack.
    Thrown,
    Fault(FaultKind),
    /// A limit of the search was reached.
    Limit(Exhausted),
}

impl From<Exhausted> for Halt {
    fn from(what: Exhausted) -> Halt {
        Halt::Limit(what)
    }
}

impl From<FaultKind> for Halt {
    fn from(violation: FaultKind) -> Halt {
        Halt::Fault(violation)
    }
}

pub type Ran<T> = Result<T, Halt>;

/// Operations one body may take.
const MOST_STEPS: u32 = 1_000_000;
const MOST_THREADS: u32 = 1 << 8;
/// Words of one state.
pub const MOST_WORDS: usize = 1 << 13;

/// The choices of one run: taken from the tape as far as it goes, then the first possibility each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tape {
    digits: [u8; Tape::LENGTH],
    radices: [u8; Tape::LENGTH],
    recorded: usize,
    used: usize,
}

impl Tape {
    pub const LENGTH: usize = 12;

    pub fn rewind(&mut self) {
        self.used = 0;
    }

    pub fn clear(&mut self) {
        (self.recorded, self.used) = (0, 0);
    }

    /// One of `count` possibilities, which is at least 1.
    pub fn choose(&mut self, count: usize) -> Ran<usize> {
        if count == 1 {
            return Ok(0);
        }
        let radix = match u8::try_from(count) {
            Ok(radix) if self.used < Tape::LENGTH => radix,
            _ => return Err(FaultKind::ChoiceLimit(Tape::LENGTH as u32).into()),
        };
        let at = self.used;
        self.used += 1;
        if at == self.recorded {
            (self.digits[at], self.radices[at]) = (0, radix);
            self.recorded = self.used;
        }
        Ok(self.digits[at] as usize)
    }

    /// Goes on to the next sequence of choices; `false` when all were tried.
    pub fn advance(&mut self) -> bool {
        self.recorded = self.used;
        while let Some(last) = self.recorded.checked_sub(1) {
            self.digits[last] += 1;
            if self.digits[last] < self.radices[last] {
                return true;
            }
            self.recorded = last;
        }
        false
    }
}

/// Buffers that outlive a run.
#[derive(Debug, Default)]
pub struct Interpreter {
    pub(super) stack: Vec<i32>,
    /// References at odd places, other values at even ones.
    pub temporaries: Vec<Word>,
    pub(super) positions: Vec<usize>,
    pub tape: Tape,
    pub budget: Budget,
    /// References or threads changed: garbage and numbering must be looked at.
    pub touched: bool,
    /// What single words held before they were written, in order.
    pub log: Vec<Change>,
    /// Words changed without being in the log.
    pub unlogged: bool,
    /// Where the last run stopped.
    pub stopped_at: u32,
}

impl Interpreter {
    /// Whether the log tells all that changed.
    #[inline]
    pub fn is_logged(&self) -> bool {
        !self.touched && !self.unlogged
    }

    /// Takes back what changed since `source` was copied to `words`.
    #[inline]
    pub fn restore(&mut self, words: &mut Vec<Word>, source: &Vec<Word>) {
        if self.is_logged() {
            self.log.iter().for_each(|&(at, _)| words[at as usize] = source[at as usize]);
        } else {
            words.clone_from(source);
        }
        self.log.clear();
        (self.touched, self.unlogged) = (false, false);
    }
}

/// One run: the machine on a thread of a state.
pub struct Execution<'a> {
    pub program: &'a HeapProgram,
    pub layout: &'a Layout,
    pub machine: &'a mut Interpreter,
    pub words: &'a mut Vec<Word>,
    /// Number of the running thread.
    pub thread: u32,
    /// Where it starts.
    pub base: usize,
}

impl Execution<'_> {
    /// Whether a guard holds.
    #[inline]
    pub fn guard(&mut self, start: u32) -> Ran<bool> {
        self.execute(start)?;
        Ok(self.pop() != 0)
    }

    #[inline]
    pub fn body(&mut self, start: u32) -> Ran<()> {
        self.execute(start)
    }

    fn execute(&mut self, start: u32) -> Ran<()> {
        self.machine.stack.clear();
        let program = self.program;
        let mut at = start as usize;
        // where the row of operations under way began
        let mut from = at;
        let mut steps = 0;
        loop {
            let op = program.code[at];
            at += 1;
            match self.simple(op) {
                Ok(Next::Go) => {}
                Ok(Next::Jump(to)) => {
                    self.machine.budget.spend((at - from) as u64)?;
                    at = to as usize;
                    from = at;
                    steps += 1;
                    if steps > MOST_STEPS {
                        self.machine.stopped_at = at as u32;
                        return Err(FaultKind::StepLimit(MOST_STEPS).into());
                    }
                }
                Ok(Next::End) => {
                    self.machine.budget.spend((at - from) as u64)?;
                    return Ok(());
                }
                Err(stop) => {
                    self.machine.stopped_at = at as u32 - 1;
                    return Err(stop);
                }
            }
        }
    }

    /// The frequent operations; all others are out of line.
    #[inline(always)]
    fn simple(&mut self, op: Op) -> Ran<Next> {
        match op {
            Op::Push(value) => self.push(value),
            Op::LoadLocal(local) => self.push(self.words[self.local(local)] as i32),
            Op::LoadLocalField { local, field } => {
                let object = self.words[self.local(local.into())];
                let at = self.field(object, field.into())?;
                self.push(self.words[at] as i32);
            }
            Op::SetLocalField { local, field, value } => {
                let object = self.words[self.local(local.into())];
                let at = self.field(object, field.into())?;
                self.write(at, value.into());
            }
            Op::Not => self.unary(|value| i32::from(value == 0)),
            Op::End => return Ok(Next::End),
            Op::Jump(to) => return Ok(Next::Jump(to)),
            Op::JumpIfFalse(to) => {
                return Ok(if self.pop() == 0 { Next::Jump(to) } else { Next::Go });
            }
            Op::AndThen(to) => return Ok(self.jump_if(false, to)),
            Op::OrElse(to) => return Ok(self.jump_if(true, to)),
            other => self.general(other)?,
        }
        Ok(Next::Go)
    }

    /// Keeps the value and jumps if it is `wanted`, drops it otherwise.
    fn jump_if(&mut self, wanted: bool, to: u32) -> Next {
        let value = self.pop();
        if (value != 0) == wanted {
            self.push(value);
            return Next::Jump(to);
        }
        Next::Go
    }

    #[inline(never)]
    fn general(&mut self, op: Op) -> Ran<()> {
        match op {
            Op::LoadGlobal(global) => self.push(self.words[HEAD + global as usize] as i32),
            Op::LoadTemp(temp) => self.push(self.machine.temporaries[temp as usize] as i32),
            Op::LoadField(field) => {
                let object = self.pop() as Word;
                let at = self.field(object, field)?;
                self.push(self.words[at] as i32);
            }
            Op::LoadElement => {
                let at = self.element()?;
                self.push(self.words[at] as i32);
            }
            Op::StoreLocal(local) => {
                let value = self.pop() as Word;
                self.write(self.local(local), value);
            }
            Op::StoreGlobal(global) => {
                let value = self.pop() as Word;
                self.write(HEAD + global as usize, value);
            }
            Op::StoreTemp(temp) => self.store_temporary(temp as usize),
            Op::StoreField(field) => {
                let value = self.pop() as Word;
                let object = self.pop() as Word;
                let at = self.field(object, field)?;
                self.write(at, value);
            }
            Op::StoreElement => {
                let value = self.pop() as Word;
                let at = self.element()?;
                self.write(at, value);
            }
            Op::Touch => self.machine.touched = true,
            Op::Range { low, high } => self.check_range(low, high)?,
            Op::Negate => {
                let value = self.pop().checked_neg().ok_or(FaultKind::Overflow)?;
                self.push(value);
            }
            Op::Add => self.arithmetic(i32::checked_add)?,
            Op::Subtract => self.arithmetic(i32::checked_sub)?,
            Op::Multiply => self.arithmetic(i32::checked_mul)?,
            Op::Divide => self.division(i32::checked_div)?,
            Op::Remainder => self.division(i32::checked_rem)?,
            Op::Equal => self.compare(|a, b| a == b),
            Op::Differ => self.compare(|a, b| a != b),
            Op::Less => self.compare(|a, b| a < b),
            Op::LessEqual => self.compare(|a, b| a <= b),
            other => self.rare(other)?,
        }
        Ok(())
    }

    fn rare(&mut self, op: Op) -> Ran<()> {
        match op {
            Op::New(of) => self.create(of),
            Op::NewArray { of, levels } => self.create_array(of, levels as usize),
            Op::InstanceOf(of) => {
                let object = self.pop() as Word;
                let is = object != 0 && self.is_a(object, of);
                self.push(i32::from(is));
                Ok(())
            }
            Op::Cast(of) => {
                let object = self.pop() as Word;
                if object != 0 && !self.is_a(object, of) {
                    return Err(FaultKind::BadCast.into());
                }
                self.push(object as i32);
                Ok(())
            }
            Op::Choose => self.choose(),
            Op::Start(thread) => self.start(thread as usize),
            Op::Assert => match self.pop() {
                0 => Err(FaultKind::AssertionFailed.into()),
                _ => Ok(()),
            },
            Op::Assume => match self.pop() {
                0 => Err(Halt::Blocked),
                _ => Ok(()),
            },
            Op::Throw => Err(Halt::Thrown),
            Op::CountAt(_) | Op::CountFrames(_) | Op::CountObjects(_) => {
                let count = self.count(op);
                self.push(count as i32);
                Ok(())
            }
            Op::NotNull => match self.machine.stack.last() {
                Some(0) => Err(FaultKind::NullDereference.into()),
                _ => Ok(()),
            },
            Op::Lock(_)
            | Op::Unlock(_)
            | Op::Wait(_)
            | Op::Notify(_)
            | Op::NotifyAll(_)
            | Op::Held(_)
            | Op::Available(_) => monitor::run(self, op),
            other => {
                self.machine.unlogged = true;
                collections::run(self, other)
            }
        }
    }

    /// Writes a word and keeps what it held.
    #[inline]
    pub fn write(&mut self, at: usize, word: Word) {
        self.machine.log.push((at as u32, self.words[at]));
        self.words[at] = word;
    }

    #[inline]
    pub fn push(&mut self, value: i32) {
        self.machine.stack.push(value);
    }

    #[inline]
    pub fn pop(&mut self) -> i32 {
        self.machine.stack.pop().unwrap_or(0)
    }

    #[inline]
    fn unary(&mut self, apply: impl Fn(i32) -> i32) {
        if let Some(top) = self.machine.stack.last_mut() {
            *top = apply(*top);
        }
    }

    fn compare(&mut self, apply: impl Fn(i32, i32) -> bool) {
        let right = self.pop();
        self.unary(|left| i32::from(apply(left, right)));
    }

    fn arithmetic(&mut self, apply: impl Fn(i32, i32) -> Option<i32>) -> Ran<()> {
        let (right, left) = (self.pop(), self.pop());
        let result = apply(left, right).ok_or(FaultKind::Overflow)?;
        self.push(result);
        Ok(())
    }

    fn division(&mut self, apply: impl Fn(i32, i32) -> Option<i32>) -> Ran<()> {
        if self.machine.stack.last() == Some(&0) {
            return Err(FaultKind::DivisionByZero.into());
        }
        self.arithmetic(apply)
    }

    fn check_range(&mut self, low: i32, high: i32) -> Ran<()> {
        match self.machine.stack.last() {
            Some(&value) if !(low..=high).contains(&value) => {
                Err(FaultKind::OutOfRange { value, low, high }.into())
            }
            _ => Ok(()),
        }
    }

    #[inline]
    pub(super) fn local(&self, local: u32) -> usize {
        self.base + self.layout.frame_head + local as usize
    }

    fn store_temporary(&mut self, temp: usize) {
        let value = self.pop() as Word;
        if temp >= self.machine.temporaries.len() {
            self.machine.temporaries.resize(temp + 1, 0);
        }
        self.machine.temporaries[temp] = value;
    }

    /// Where an object starts.
    #[inline]
    pub fn object(&self, reference: Word) -> Ran<usize> {
        match reference {
            0 => Err(FaultKind::NullDereference.into()),
            _ => Ok(heap_start(self.words) + reference as usize - 1),
        }
    }

    #[inline]
    pub fn field(&self, reference: Word, field: u32) -> Ran<usize> {
        Ok(self.object(reference)? + 1 + field as usize)
    }

    /// Pops index and array.
    fn element(&mut self) -> Ran<usize> {
        let (index, array) = (self.pop(), self.pop() as Word);
        let at = self.object(array)?;
        let length = self.words[at + SIZE] as i32;
        if !(0..length).contains(&index) {
            return Err(FaultKind::IndexOutOfBounds { index, length }.into());
        }
        Ok(at + ELEMENTS + index as usize)
    }

    pub(super) fn is_a(&self, reference: Word, of: ObjectId) -> bool {
        let at = heap_start(self.words) + reference as usize - 1;
        self.program.is_subtype(self.words[at], of)
    }

    /// Appends an object's words and pushes a reference to it.
    pub fn allocate(&mut self, of: ObjectId, rest: impl Iterator<Item = Word>) -> Ran<()> {
        let reference = self.words.len() - heap_start(self.words) + 1;
        self.words.push(of);
        self.words.extend(rest.take(MOST_WORDS));
        self.machine.touched = true;
        if self.words.len() > MOST_WORDS {
            return Err(FaultKind::HeapLimit(MOST_WORDS as u32).into());
        }
        self.push(reference as i32);
        Ok(())
    }

    fn create(&mut self, of: ObjectId) -> Ran<()> {
        let program = self.program;
        match &program.objects[of as usize].shape {
            ObjectShape::Record { fields, .. } => {
                self.allocate(of, fields.iter().map(|field| field.of.default_word()))
            }
            _ => self.allocate(of, std::iter::once(0)),
        }
    }

    /// Makes an array; with several levels its elements are arrays, and so on.
    fn create_array(&mut self, of: ObjectId, levels: usize) -> Ran<()> {
        let program = self.program;
        let lengths = self.machine.stack.split_off(self.machine.stack.len() - levels);
        if let Some(&length) = lengths.iter().find(|length| **length < 0) {
            return Err(FaultKind::NegativeLength(length).into());
        }
        let mut kinds = program.levels(of, levels as u32).zip(lengths.iter().map(|&n| n as usize));
        let Some((of, mut length)) = kinds.next() else { return Ok(()) };
        // arrays of one level lie behind each other
        let (mut first, mut count) = (self.words.len(), 1);
        self.allocate_array(of, length)?;
        for (of, inner) in kinds {
            let start = self.words.len();
            for array in 0..count {
                for index in 0..length {
                    self.allocate_array(of, inner)?;
                    let element = first + array * (ELEMENTS + length) + ELEMENTS + index;
                    self.words[element] = self.pop() as Word;
                }
            }
            (first, count, length) = (start, count * length, inner);
        }
        Ok(())
    }

    fn allocate_array(&mut self, of: ObjectId, length: usize) -> Ran<()> {
        let ObjectShape::Array(element) = self.program.objects[of as usize].shape else {
            return Ok(());
        };
        let elements = std::iter::repeat_n(element.default_word(), length);
        self.allocate(of, std::iter::once(length as Word).chain(elements))
    }

    fn choose(&mut self) -> Ran<()> {
        let (high, low) = (self.pop(), self.pop());
        let count = i64::from(high) - i64::from(low) + 1;
        if count < 1 {
            return Err(FaultKind::EmptyChoice { low, high }.into());
        }
        let chosen = self.machine.tape.choose(count as usize)?;
        self.push(low + chosen as i32);
        Ok(())
    }

    /// For properties: what of a kind there is in the state.
    fn count(&self, op: Op) -> usize {
        let (layout, words) = (self.layout, &*self.words);
        let threads = layout.threads(words);
        match op {
            Op::CountAt(pc) => threads.filter(|&at| words[at] == pc).count(),
            Op::CountFrames(body) => {
                let frames = threads.flat_map(|at| layout.frames(words, at));
                frames.filter(|&at| layout.frame_kind[words[at] as usize] == body).count()
            }
            Op::CountObjects(of) => {
                let is_meant = |&at: &usize| self.program.is_subtype(words[at], of);
                layout.objects(words).filter(is_meant).count()
            }
            _ => 0,
        }
    }

    /// Inserts a thread behind the others; its arguments are on the stack.
    fn start(&mut self, number: usize) -> Ran<()> {
        if self.words[0] >= MOST_THREADS {
            return Err(FaultKind::ThreadLimit(MOST_THREADS).into());
        }
        let thread = &self.program.bodies[number];
        let arguments = self.machine.stack.len() - thread.parameters;
        let head = [thread.entry, 0, 0].into_iter().take(self.layout.frame_head);
        let given = self.machine.stack[arguments..].iter().map(|&value| value as Word);
        let at = heap_start(self.words);
        let new = head.chain(given).chain(thread.initial.iter().copied());
        self.words.splice(at..at, new);
        self.machine.stack.truncate(arguments);
        self.words[0] += 1;
        self.words[1] += (self.layout.frame_head + thread.slots.len()) as Word;
        self.machine.touched = true;
        Ok(())
    }
}

enum Next {
    Go,
    Jump(u32),
    End,
}
