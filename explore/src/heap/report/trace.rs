//! The way to a deadlock or a violation, in terms of the program: thread, location, source line,
//! changed variables; and why nobody can go on.
//!
//! The search keeps for each state where it was reached from. The steps are run again from the
//! initial state, with records of which thread moved and where objects went.

use super::naming::{Names, VariableCell};
use crate::heap::machine::layout::*;
use crate::heap::machine::violation::Fault;
use crate::heap::model::{HeapModel, HeapWorker, Obstacle};
use crate::heap::store::keys::{KeyWorker, Keys};
use crate::search::{
    Canonizer, Failure, Id, Model, Parents, PathStep, Store, Successors, key_hash,
};
use pidlab_budget::Budget;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// One step of a run.
#[derive(Clone, Debug, Serialize)]
pub struct HeapTraceStep {
    /// Who moves, such as `Philosopher 2`.
    pub thread: String,
    /// Name of the transition: thread type and location.
    pub transition: String,
    /// Location the thread goes to; nothing if it ends there, or if the step fails.
    pub to: Option<String>,
    /// Whether the step goes wrong; then it is the last.
    pub fails: bool,
    /// Line of the text.
    pub line: usize,
    /// `variable: old -> new`, new objects, started threads; up to where it fails if the step does.
    pub changes: Vec<String>,
}

/// A run in the words of the program.
#[derive(Clone, Debug, Serialize)]
pub struct HeapTrace {
    /// In order.
    pub steps: Vec<HeapTraceStep>,
    /// What is wrong at the end.
    pub ending: Vec<String>,
}

/// Replays paths of a search.
pub struct HeapReplay<'a> {
    pub model: &'a HeapModel,
    pub keys: &'a Keys<'a>,
    pub store: &'a dyn Store,
    pub parents: &'a Parents,
    pub budget: Budget,
}

/// What a run leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    Violation,
    Deadlock,
    /// A state that decides a property, by number.
    Property(usize),
}

/// A state along a run, and what its threads and objects are called there.
pub struct NamedState {
    pub words: Vec<Word>,
    pub names: Names,
}

/// Memory for running steps again.
pub struct Stepper {
    worker: HeapWorker,
    keys: KeyWorker,
}

impl HeapReplay<'_> {
    pub fn stepper(&self) -> Stepper {
        let (mut worker, mut keys) = (HeapWorker::recording(), self.keys.worker());
        self.model.allow(&mut worker, &self.budget);
        self.keys.allow(&mut keys, &self.budget);
        Stepper { worker, keys }
    }

    pub fn start(&self) -> NamedState {
        let words = self.model.initial_words();
        let names = Names::fresh(&self.model.program, &self.model.layout, &words);
        NamedState { words, names }
    }

    pub fn trace(&self, to: Id, goal: Goal) -> Result<HeapTrace, Failure> {
        let (_, path) = self.parents.path(to);
        let mut stepper = self.stepper();
        let mut at = self.start();
        let mut steps = Vec::with_capacity(path.len());
        for PathStep { label, to } in path {
            self.budget.poll()?;
            let (described, after) = self.step(&mut stepper, &at, label, to)?;
            steps.push(described);
            at = after;
        }
        let ending = match goal {
            _ if is_violation(&at.words) => self.fault(&at.names, &at.words),
            Goal::Property(number) => self.standing(number, &at.names, &at.words),
            _ => self.standstill(&mut stepper.worker, &at.names, &at.words)?,
        };
        Ok(HeapTrace { steps, ending })
    }

    /// The step by a label to the state with a number, in words, and the state. Names are what they were after a
    /// violation, whose state tells no values: those at the failure come from the step that is run again.
    pub fn step(
        &self,
        stepper: &mut Stepper,
        from: &NamedState,
        label: u32,
        to: Id,
    ) -> Result<(HeapTraceStep, NamedState), Failure> {
        let NamedState { words, names } = from;
        let (after, index) = self.follow(stepper, words, label, to)?;
        let by = stepper.worker.moves[index];
        let mut described = self.describe_move(words, names, by.thread, label);
        let (program, layout) = (&self.model.program, &self.model.layout);
        let places = &stepper.worker.places[index];
        if is_violation(&after) {
            described.fails = true;
            if let Some(failed) = stepper.worker.failed.get(&index) {
                let new = names.after(program, layout, failed, None, places);
                described.changes = self.changes(names, words, &new, failed);
            }
            return Ok((described, NamedState { words: after, names: names.clone() }));
        }
        let ended = self.model.ends_thread(by).then_some(by.thread);
        described.to = match ended {
            Some(_) => None,
            None => self.location_of(&after, by.thread),
        };
        let new = names.after(program, layout, &after, ended, places);
        described.changes = self.changes(names, words, &new, &after);
        Ok((described, NamedState { words: after, names: new }))
    }

    /// A property, and where each thread stands when it is decided.
    fn standing(&self, property: usize, names: &Names, words: &[Word]) -> Vec<String> {
        let program = &self.model.program;
        let threads = names.threads.iter().zip(self.model.layout.threads(words));
        let places =
            threads.map(|(name, at)| format!("{name} at {}", program.location_name(words[at])));
        std::iter::once(program.properties[property].name.clone()).chain(places).collect()
    }

    /// The successor by a label whose key has a number, and its place among all successors.
    fn follow(
        &self,
        Stepper { worker, keys }: &mut Stepper,
        words: &Vec<Word>,
        label: u32,
        to: Id,
    ) -> Result<(Vec<Word>, usize), Failure> {
        let mut successors = Successors::new();
        self.model.successors(worker, words, &mut successors)?;
        let mut key = Vec::new();
        for index in 0..successors.len() {
            if successors.label(index) != label {
                continue;
            }
            self.keys.key(keys, successors.state(index), &mut key)?;
            if self.store.find(&key, key_hash(&key)) == Some(to) {
                return Ok((successors.state(index).clone(), index));
            }
        }
        Err(Failure::Model("the way to the state cannot be run again; try breadth-first".into()))
    }

    fn describe_move(
        &self,
        words: &[Word],
        names: &Names,
        thread: u32,
        label: u32,
    ) -> HeapTraceStep {
        let program = &self.model.program;
        let pc = self.model.layout.threads(words).nth(thread as usize).map_or(0, |at| words[at]);
        let line = match self.model.transformation(label) {
            Some(transformation) => program.line(transformation.span),
            None => {
                let location = &program.locations[pc as usize];
                let first = &program.transformations[location.first as usize];
                program.line(first.span)
            }
        };
        HeapTraceStep {
            thread: names.thread(thread).to_string(),
            transition: self.model.label_name(label),
            to: None,
            fails: false,
            line,
            changes: Vec::new(),
        }
    }

    /// Where a thread stands.
    fn location_of(&self, words: &[Word], thread: u32) -> Option<String> {
        let at = self.model.layout.threads(words).nth(thread as usize)?;
        Some(self.model.program.location_name(words[at]))
    }

    fn changes(&self, old: &Names, before: &[Word], new: &Names, after: &[Word]) -> Vec<String> {
        let (program, layout) = (&self.model.program, &self.model.layout);
        let place = |cell: &VariableCell| (cell.owner.clone(), cell.variable.clone());
        let values =
            |cells: Vec<VariableCell>| cells.into_iter().map(|cell| (place(&cell), cell.value));
        let known: FxHashMap<_, _> = values(old.cells(program, layout, before)).collect();
        let owners: Vec<&str> = known.keys().map(|(owner, _)| owner.as_str()).collect();
        let mut changes: Vec<String> = Vec::new();
        for cell in new.cells(program, layout, after) {
            match known.get(&place(&cell)) {
                Some(value) if *value == cell.value => {}
                Some(value) => changes.push(format!("{cell}: {value} -> {}", cell.value)),
                None if owners.contains(&cell.owner.as_str()) => {
                    changes.push(format!("{cell}: {}", cell.value));
                }
                None => changes.push(format!("new {cell}: {}", cell.value)),
            }
        }
        changes
    }

    pub fn fault(&self, names: &Names, words: &[Word]) -> Vec<String> {
        let fault = Fault::read(words);
        let text = |fault: Fault| {
            format!("{}: {}", names.thread(fault.thread), fault.describe(&self.model.program))
        };
        fault.map(text).into_iter().collect()
    }

    /// Why each thread cannot move.
    fn standstill(
        &self,
        worker: &mut HeapWorker,
        names: &Names,
        words: &Vec<Word>,
    ) -> Result<Vec<String>, Failure> {
        let program = &self.model.program;
        let alone = if program.has_atomic { self.model.atomic_thread(words) } else { None };
        let starts: Vec<usize> = self.model.layout.threads(words).collect();
        let mut lines = Vec::new();
        for (thread, at) in starts.into_iter().enumerate() {
            let location = program.location_name(words[at]);
            let obstacles = self.model.obstacles(worker, words, thread as u32)?;
            let why = match alone {
                Some(only) if only != thread as u32 => {
                    format!("must wait, since {} is in an atomic block", names.thread(only))
                }
                _ => self.reasons(&obstacles),
            };
            let inside = if alone == Some(thread as u32) { " inside an atomic block" } else { "" };
            lines.push(format!("{} at {location}{inside}: {why}", names.threads[thread]));
        }
        Ok(lines)
    }

    fn reasons(&self, obstacles: &[Obstacle]) -> String {
        let program = &self.model.program;
        let mut reasons: Vec<String> = Vec::new();
        for obstacle in obstacles {
            let reason = match *obstacle {
                Obstacle::Guards => "no guard holds".to_string(),
                Obstacle::Waiting => "waits to be notified".to_string(),
                Obstacle::Reacquiring => "was notified, but its lock is taken".to_string(),
                Obstacle::Body { operation } => {
                    let span = program.spans[operation as usize];
                    let (code, line) = (program.text(span), program.line(span));
                    format!("blocks at `{code}` in line {line}")
                }
            };
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        reasons.join("; ")
    }
}
