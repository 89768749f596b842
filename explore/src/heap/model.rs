//! A heap program as a [`Model`] of the search: states are vectors of words, steps are
//! transformations of one thread.
//!
//! Threads move in order of creation, transformations in order of the text. States are kept free of
//! garbage and, with heap symmetry, in the numbering of Bogor'03, figure 4: a step that changes no
//! reference and no number of threads keeps both, and costs a copy of the words.

use super::compile::program::{Exit, HeapProgram, Transformation};
use super::language::ast::PropertyKind;
use super::machine::interpreter::{Execution, Halt, Interpreter};
use super::machine::layout::*;
use super::machine::shortcuts::Shortcut;
use super::machine::violation::{Fault, FaultKind};
use super::machine::{frames, monitor};
use super::store::keys::{read_bytes, write_bytes};
use super::symmetry::numbering::{HeapOrder, Numbering};
use crate::search::{Change, Failure, Label, Model, Successors};
use pidlab_budget::Budget;
use rustc_hash::FxHashMap;

/// Bits of [`Model::inspect`].
pub const FOUND_VIOLATION: u32 = 0;
pub const FOUND_TERMINATION: u32 = 1;
/// The first property; the others follow.
pub const FOUND_PROPERTY: u32 = 2;

/// A program with the layout of its states.
pub struct HeapModel {
    /// The program.
    pub program: HeapProgram,
    /// How its states lie in words.
    pub layout: Layout,
    /// Whether addresses of objects count.
    pub heap: HeapOrder,
    /// By transformation.
    shortcuts: Vec<Shortcut>,
}

/// Which thread moved, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub thread: u32,
    pub label: Label,
    /// An exception ended the transformation before its jump and was caught.
    pub caught: bool,
}

/// Why a thread cannot move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// No guard of its location holds.
    Guards,
    /// A transformation blocks at an operation of its body.
    Body { operation: u32 },
    /// It waits to be notified.
    Waiting,
    /// It was notified and the lock is taken.
    Reacquiring,
}

#[derive(Default)]
pub struct HeapWorker {
    machine: Interpreter,
    numbering: Numbering,
    /// The state being changed; equal to the source between attempts.
    scratch: Vec<Word>,
    rewritten: Vec<Word>,
    everyone: Vec<u32>,
    /// The move behind each successor.
    pub moves: Vec<Move>,
    /// If asked for: why attempts failed.
    obstacles: Option<Vec<Obstacle>>,
    /// If asked for: where the objects went in each successor; empty where they stayed.
    pub places: Vec<Vec<Word>>,
    /// If asked for: by number of the successor, the state in which a step of the program failed, which the successor does
    /// not tell.
    pub failed: FxHashMap<usize, Vec<Word>>,
    records_places: bool,
    /// If asked for: successors are told by what changes, where that is known.
    by_changes: bool,
}

impl HeapModel {
    /// The model of a program.
    pub fn new(program: HeapProgram, heap: HeapOrder) -> HeapModel {
        let layout = Layout::new(&program);
        let shortcuts =
            program.transformations.iter().map(|by| Shortcut::of(&program, by)).collect();
        HeapModel { program, layout, heap, shortcuts }
    }

    /// The name of a transition.
    pub fn label_name(&self, label: Label) -> String {
        match label.checked_sub(self.program.transformations.len() as Label) {
            None => self.program.transformation_name(label),
            Some(pc) => {
                let location = &self.program.locations[pc as usize];
                let body = &self.program.bodies[location.body].name;
                format!("{body}.{} (takes its lock back)", location.name)
            }
        }
    }

    /// The transformation behind a label; a thread that takes its lock back has none.
    pub fn transformation(&self, label: Label) -> Option<&Transformation> {
        self.program.transformations.get(label as usize)
    }

    /// Whether a move ends its thread.
    pub fn ends_thread(&self, by: Move) -> bool {
        let returns = self.transformation(by.label).is_some_and(|by| {
            by.exit == Exit::Return && !self.program.body_of(by.from).is_function()
        });
        returns && !by.caught
    }

    /// The state that the program starts in: its main thread, no objects.
    pub fn initial_words(&self) -> Vec<Word> {
        let main = &self.program.bodies[self.program.main];
        let mut words = vec![1, 0];
        words.extend(&self.program.global_values);
        words.extend([main.entry, 0, 0].into_iter().take(self.layout.frame_head));
        words.extend(&main.initial);
        words[1] = words.len() as Word;
        words
    }

    /// Why a thread cannot move in a state where nobody can.
    pub fn obstacles(
        &self,
        worker: &mut HeapWorker,
        words: &Vec<Word>,
        thread: u32,
    ) -> Result<Vec<Obstacle>, Failure> {
        worker.obstacles = Some(Vec::new());
        let mut none = Successors::new();
        if let Some(base) = self.layout.threads(words).nth(thread as usize) {
            worker.machine.unlogged = true;
            worker.machine.restore(&mut worker.scratch, words);
            self.thread_moves(worker, words, thread, base, &mut none)?;
        }
        Ok(worker.obstacles.take().unwrap_or_default())
    }

    /// The thread that stands at an atomic location, or has called from one, if any.
    pub fn atomic_thread(&self, words: &[Word]) -> Option<u32> {
        let atomic = |frame: usize| self.program.locations[words[frame] as usize].atomic;
        let inside = |at: usize| self.layout.frames(words, at).any(atomic);
        let found = self.layout.threads(words).position(inside)?;
        Some(found as u32)
    }

    fn thread_moves(
        &self,
        worker: &mut HeapWorker,
        words: &Vec<Word>,
        thread: u32,
        base: usize,
        out: &mut Successors<Vec<Word>>,
    ) -> Result<(), Failure> {
        let pc = words[base];
        if self.program.uses_wait() && words[base + 1] != 0 {
            self.waiting_move(worker, words, thread, base, out);
            return Ok(());
        }
        let location = &self.program.locations[pc as usize];
        for label in location.first..location.end {
            worker.machine.tape.clear();
            loop {
                worker.machine.tape.rewind();
                worker.machine.budget.spend(words.len() as u64)?;
                self.attempt(worker, words, thread, base, label, out)?;
                if !worker.machine.tape.advance() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Tries one transformation with the choices on the tape.
    #[inline]
    fn attempt(
        &self,
        worker: &mut HeapWorker,
        words: &Vec<Word>,
        thread: u32,
        base: usize,
        label: Label,
        out: &mut Successors<Vec<Word>>,
    ) -> Result<(), Failure> {
        let transformation = &self.program.transformations[label as usize];
        let mut run = Execution {
            program: &self.program,
            layout: &self.layout,
            machine: &mut worker.machine,
            words: &mut worker.scratch,
            thread,
            base,
        };
        let shortcut = &self.shortcuts[label as usize];
        match shortcut.guard(&mut run) {
            Ok(true) => {}
            Ok(false) => {
                worker.note(Obstacle::Guards);
                return Ok(());
            }
            Err(stop) => return self.stopped(worker, words, stop, thread, label, out),
        }
        let done = shortcut.body(&mut run).and_then(|()| frames::leave(&mut run, transformation));
        let caught = matches!(done, Err(Halt::Thrown));
        let done = if caught { frames::unwind(&mut run) } else { done };
        match done {
            Ok(()) => {
                self.commit(worker, words, Move { thread, label, caught }, out);
                Ok(())
            }
            Err(stop) => self.stopped(worker, words, stop, thread, label, out),
        }
    }

    /// A bit for each property that a state decides: a condition that holds, for `always` one that does
    /// not. A condition that goes wrong, as by a null reference, decides nothing.
    fn decided_properties(
        &self,
        worker: &mut HeapWorker,
        words: &Vec<Word>,
    ) -> Result<u64, Failure> {
        worker.scratch.clone_from(words);
        let mut run = Execution {
            program: &self.program,
            layout: &self.layout,
            machine: &mut worker.machine,
            words: &mut worker.scratch,
            thread: 0,
            base: self.layout.first_thread(),
        };
        let mut decided = 0;
        for (property, bit) in self.program.properties.iter().zip(FOUND_PROPERTY..) {
            let wanted = property.kind != PropertyKind::Always;
            match run.guard(property.condition) {
                Ok(holds) => decided |= u64::from(holds == wanted) << bit,
                Err(Halt::Limit(what)) => return Err(what.into()),
                Err(_) => {}
            }
        }
        Ok(decided)
    }

    /// Hands the changed state over and starts again from the source.
    #[inline]
    fn commit(
        &self,
        worker: &mut HeapWorker,
        words: &Vec<Word>,
        by: Move,
        out: &mut Successors<Vec<Word>>,
    ) {
        if worker.by_changes && worker.machine.is_logged() {
            worker.moves.push(by);
            worker.hand_over_changes(by.label, words, out);
            return;
        }
        if worker.machine.touched {
            self.tidy(worker);
        }
        if worker.records_places {
            worker.record_places();
        }
        worker.moves.push(by);
        std::mem::swap(out.push(by.label), &mut worker.scratch);
        worker.machine.unlogged = true;
        worker.machine.restore(&mut worker.scratch, words);
    }

    /// Collects garbage and renumbers objects.
    fn tidy(&self, worker: &mut HeapWorker) {
        let count = worker.scratch[0];
        worker.everyone.clear();
        worker.everyone.extend(0..count);
        let (words, out) = (&worker.scratch, &mut worker.rewritten);
        worker.numbering.rewrite(&self.layout, words, &worker.everyone, self.heap, out);
        std::mem::swap(&mut worker.scratch, &mut worker.rewritten);
    }

    fn stopped(
        &self,
        worker: &mut HeapWorker,
        words: &Vec<Word>,
        stop: Halt,
        thread: u32,
        label: Label,
        out: &mut Successors<Vec<Word>>,
    ) -> Result<(), Failure> {
        let operation = worker.machine.stopped_at;
        match stop {
            Halt::Blocked => worker.note(Obstacle::Body { operation }),
            Halt::Fault(violation) => {
                if worker.records_places {
                    self.record_failure(worker, violation);
                }
                worker.moves.push(Move { thread, label, caught: false });
                Fault { thread, operation, violation }.write(out.push(label));
            }
            // the caller has dealt with exceptions
            Halt::Thrown => {}
            Halt::Limit(what) => return Err(what.into()),
        }
        worker.machine.restore(&mut worker.scratch, words);
        Ok(())
    }

    /// Keeps the state as a step leaves it that fails. Where a limit ends a step an object may be half made.
    fn record_failure(&self, worker: &mut HeapWorker, violation: FaultKind) {
        if violation.is_limit() {
            worker.places.push(Vec::new());
            return;
        }
        if worker.machine.touched {
            self.tidy(worker);
        }
        worker.record_places();
        worker.failed.insert(worker.moves.len(), worker.scratch.clone());
    }

    /// A notified thread takes its lock back.
    fn waiting_move(
        &self,
        worker: &mut HeapWorker,
        words: &Vec<Word>,
        thread: u32,
        base: usize,
        out: &mut Successors<Vec<Word>>,
    ) {
        if words[base + 1] & MODE_MASK == WAITING {
            return worker.note(Obstacle::Waiting);
        }
        if !monitor::reacquire(&mut worker.scratch, thread, base) {
            return worker.note(Obstacle::Reacquiring);
        }
        worker.machine.touched = true;
        let label = self.program.transformations.len() as Label + words[base];
        self.commit(worker, words, Move { thread, label, caught: false }, out);
    }
}

impl HeapWorker {
    /// A worker that keeps track of where objects go, for traces.
    pub fn recording() -> HeapWorker {
        HeapWorker { records_places: true, ..HeapWorker::default() }
    }

    fn record_places(&mut self) {
        let moved = self.machine.touched;
        self.places.push(if moved { self.numbering.places().to_vec() } else { Vec::new() });
    }

    /// The words that were written, with what they hold now.
    #[inline]
    fn hand_over_changes(
        &mut self,
        label: Label,
        words: &Vec<Word>,
        out: &mut Successors<Vec<Word>>,
    ) {
        let scratch = &self.scratch;
        let now = |&(at, _): &Change| (at, scratch[at as usize]);
        out.push_changes(label, self.machine.log.iter().map(now));
        self.machine.restore(&mut self.scratch, words);
    }

    #[inline]
    fn note(&mut self, obstacle: Obstacle) {
        if let Some(obstacles) = &mut self.obstacles {
            obstacles.push(obstacle);
        }
    }
}

impl Model for HeapModel {
    type State = Vec<Word>;
    type Worker = HeapWorker;

    fn worker(&self) -> HeapWorker {
        HeapWorker::default()
    }

    fn allow(&self, worker: &mut HeapWorker, budget: &Budget) {
        worker.machine.budget = budget.clone();
    }

    fn by_changes(&self, worker: &mut HeapWorker) {
        worker.by_changes = true;
    }

    fn change(&self, words: &mut Vec<Word>, changes: &[Change], undo: &mut Vec<Change>) {
        for &(at, word) in changes {
            undo.push((at, words[at as usize]));
            words[at as usize] = word;
        }
    }

    fn initial(
        &self,
        _worker: &mut HeapWorker,
        out: &mut Successors<Vec<Word>>,
    ) -> Result<(), Failure> {
        *out.push(0) = self.initial_words();
        Ok(())
    }

    fn successors(
        &self,
        worker: &mut HeapWorker,
        words: &Vec<Word>,
        out: &mut Successors<Vec<Word>>,
    ) -> Result<(), Failure> {
        worker.moves.clear();
        worker.places.clear();
        worker.failed.clear();
        if is_violation(words) {
            return Ok(());
        }
        worker.machine.unlogged = true;
        worker.machine.restore(&mut worker.scratch, words);
        let atomic = if self.program.has_atomic { self.atomic_thread(words) } else { None };
        let mut base = self.layout.first_thread();
        for thread in 0..words[0] {
            if atomic.is_none_or(|only| only == thread) {
                self.thread_moves(worker, words, thread, base, out)?;
            }
            base = self.layout.thread_end(words, base);
        }
        Ok(())
    }

    fn inspect(&self, worker: &mut HeapWorker, words: &Vec<Word>) -> Result<u64, Failure> {
        if is_violation(words) {
            return Ok(1 << FOUND_VIOLATION);
        }
        let ended = u64::from(words[0] == 0) << FOUND_TERMINATION;
        match self.program.properties.is_empty() {
            true => Ok(ended),
            false => Ok(ended | self.decided_properties(worker, words)?),
        }
    }

    fn pack(&self, words: &Vec<Word>, bytes: &mut Vec<u8>) -> bool {
        write_bytes(words, bytes);
        true
    }

    fn unpack(&self, bytes: &[u8], words: &mut Vec<Word>) -> bool {
        read_bytes(bytes, words);
        true
    }
}
