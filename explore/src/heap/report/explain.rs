//! The collapse table of a state, as in Bogor'03, figures 5 and 6.
//!
//! A state is reached by naming the threads that move; the table shows every part of the sorted
//! state, its row of numbers, and the number that the row has in the pool. Several tables in a row
//! share one pool, so a later table shows what it reuses.

use super::naming::Names;
use crate::heap::compile::program::{ObjectShape, Slot, Type};
use crate::heap::machine::layout::*;
use crate::heap::machine::violation::Fault;
use crate::heap::model::{HeapModel, HeapWorker};
use crate::heap::store::collapse::{Collapse, Part, Pool};
use crate::heap::symmetry::numbering::Numbering;
use crate::heap::symmetry::threads::ThreadSymmetry;
use crate::search::{Failure, Model, Successors};
use pidlab_budget::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use serde::Serialize;
use thiserror::Error;

/// Why there is no table. Steps count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are the words of the messages")]
pub enum ExplainError {
    /// A step names a thread that is not there.
    #[error("step {step}: there is no thread {name:?}; threads are: {known}")]
    NoThread { step: usize, name: String, known: String },
    /// The thread is there and has no step.
    #[error("step {step}: {name} cannot move")]
    Stuck { step: usize, name: String },
    /// The step leads to a violation, which has no parts to show.
    #[error("step {step}: {name} runs into an error: {text}")]
    Fault { step: usize, name: String, text: String },
    /// Asked for with exact symmetry.
    #[error("the tables follow the paper's sortings; use none, pc or kbots:<k>")]
    Exact,
    /// A limit was reached first.
    #[error("{0}")]
    Limit(Exhausted),
}

/// One part of a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CollapseRow {
    /// Which: globals, a thread, an object, the state itself.
    pub structure: String,
    /// Its words, or the numbers of its parts.
    pub vector: Vec<String>,
    /// The number that the pool has for it.
    pub number: u32,
    /// Whether the pool had it already.
    pub known: bool,
}

/// The parts of one state.
#[derive(Clone, Debug, Serialize)]
pub struct CollapseTable {
    /// The move that led to the state.
    pub after: String,
    /// Parts before what they are parts of.
    pub rows: Vec<CollapseRow>,
}

/// Tables of the last `last` states of the run where the named threads move, one after another.
pub fn explain(
    model: &HeapModel,
    symmetry: ThreadSymmetry,
    moves: &[String],
    last: usize,
    budget: &Budget,
) -> Result<Vec<CollapseTable>, ExplainError> {
    if symmetry == ThreadSymmetry::Exact {
        return Err(ExplainError::Exact);
    }
    let (program, layout) = (&model.program, &model.layout);
    let mut worker = HeapWorker::recording();
    model.allow(&mut worker, budget);
    let mut words = model.initial_words();
    let mut names = Names::fresh(program, layout, &words);
    let mut pool = Numbers::default();
    let mut tables = Vec::new();
    if moves.len() < last {
        tables.push(table(model, symmetry, &words, &names, "the start", &mut pool));
    }
    for (index, name) in moves.iter().enumerate() {
        let taken = step(model, &mut worker, &words, &names, index + 1, name)?;
        names = names.after(program, layout, &taken.words, taken.ended, &taken.places);
        words = taken.words;
        if moves.len() - index <= last {
            tables.push(table(model, symmetry, &words, &names, name, &mut pool));
        }
    }
    Ok(tables)
}

/// A step as the names need it.
struct Taken {
    words: Vec<Word>,
    ended: Option<u32>,
    places: Vec<Word>,
}

/// Lets a thread make its first possible move.
fn step(
    model: &HeapModel,
    worker: &mut HeapWorker,
    words: &Vec<Word>,
    names: &Names,
    step: usize,
    name: &str,
) -> Result<Taken, ExplainError> {
    let Some(thread) = names.threads.iter().position(|known| known == name) else {
        let known = names.threads.join(", ");
        return Err(ExplainError::NoThread { step, name: name.into(), known });
    };
    let mut successors = Successors::new();
    let stuck = ExplainError::Stuck { step, name: name.into() };
    match model.successors(worker, words, &mut successors) {
        Err(Failure::Limit(what)) => return Err(ExplainError::Limit(what)),
        other => other.map_err(|_| stuck.clone())?,
    }
    let index = worker.moves.iter().position(|by| by.thread as usize == thread).ok_or(stuck)?;
    let next = successors.state(index).clone();
    if let Some(fault) = Fault::read(&next) {
        let text = fault.describe(&model.program);
        return Err(ExplainError::Fault { step, name: name.into(), text });
    }
    let ended = model.ends_thread(worker.moves[index]).then_some(thread as u32);
    Ok(Taken { words: next, ended, places: worker.places[index].clone() })
}

fn table(
    model: &HeapModel,
    symmetry: ThreadSymmetry,
    words: &[Word],
    names: &Names,
    after: &str,
    pool: &mut Numbers,
) -> CollapseTable {
    let layout = &model.layout;
    let starts: Vec<u32> = layout.threads(words).map(|at| at as u32).collect();
    let (mut order, mut sorted) = (Vec::new(), Vec::new());
    symmetry.sort(layout, words, &starts, &mut order);
    let mut numbering = Numbering::default();
    numbering.rewrite(layout, words, &order, model.heap, &mut sorted);
    let names = names.sorted(&order, numbering.places());
    let mut view = View { model, words: &sorted, names: &names, pool, rows: Vec::new() };
    let parts = Collapse::default().parts(layout, &sorted, &mut view);
    view.number(Part::State, &parts.unwrap_or_default());
    CollapseTable { after: after.to_string(), rows: view.rows }
}

/// The paper's single pool of rows.
#[derive(Default)]
struct Numbers(FxHashMap<Vec<u32>, u32>);

/// A pool that writes down what it is asked for.
struct View<'a> {
    model: &'a HeapModel,
    words: &'a [Word],
    names: &'a Names,
    pool: &'a mut Numbers,
    rows: Vec<CollapseRow>,
}

impl Pool for View<'_> {
    fn number(&mut self, part: Part, row: &[u32]) -> Option<u32> {
        let fresh = self.pool.0.len() as u32 + 1;
        let number = *self.pool.0.entry(row.to_vec()).or_insert(fresh);
        let shown = CollapseRow {
            structure: self.structure(part),
            vector: self.vector(part, row),
            number,
            known: number != fresh,
        };
        self.rows.push(shown);
        Some(number)
    }
}

impl View<'_> {
    fn structure(&self, part: Part) -> String {
        match part {
            Part::Globals => "Globals".into(),
            Part::Object(number) => self.object_name(number),
            Part::Heap => "Heap".into(),
            Part::ThreadStore(number, frame) => {
                let (name, body) = (self.names.thread(number), self.frame(number, frame));
                let body = &self.model.program.body_of(self.words[body]);
                match body.is_function() {
                    true => format!("{name} Store in {}", body.name),
                    false => format!("{name} Store"),
                }
            }
            Part::Thread(number) => self.names.thread(number).to_string(),
            Part::Threads => "Threads".into(),
            Part::State => "State".into(),
        }
    }

    /// Where a frame of a thread starts.
    fn frame(&self, thread: u32, frame: u32) -> usize {
        let layout = &self.model.layout;
        let at = layout.threads(self.words).nth(thread as usize);
        at.and_then(|at| layout.frames(self.words, at).nth(frame as usize)).unwrap_or(0)
    }

    fn object_start(&self, number: u32) -> usize {
        self.model.layout.objects(self.words).nth(number as usize).unwrap_or(0)
    }

    fn object_name(&self, number: u32) -> String {
        let offset = self.object_start(number) - heap_start(self.words);
        self.names.reference(offset as Word + 1)
    }

    fn vector(&self, part: Part, row: &[u32]) -> Vec<String> {
        let program = &self.model.program;
        let plain = |row: &[u32]| row.iter().map(u32::to_string).collect();
        match part {
            Part::Globals => self.values(&program.globals, row),
            Part::Object(number) => self.object(self.object_start(number), row),
            Part::ThreadStore(number, frame) => {
                let at = self.frame(number, frame);
                let head = program.frame_head - 1;
                let mut shown: Vec<String> = plain(&row[..head]);
                shown.extend(self.values(&program.body_of(self.words[at]).slots, &row[head..]));
                shown
            }
            Part::Thread(_) => {
                let frames = row.as_chunks::<2>().0.iter();
                let shown =
                    |&[pc, store]: &[u32; 2]| [program.location_name(pc), store.to_string()];
                frames.flat_map(shown).collect()
            }
            Part::Heap => self.heap(row),
            Part::Threads | Part::State => plain(row),
        }
    }

    fn heap(&self, row: &[u32]) -> Vec<String> {
        let pairs = row.as_chunks::<2>().0.iter();
        let of = |id: u32| self.model.program.objects[id as usize].name.clone();
        pairs.flat_map(|&[id, number]| [of(id), number.to_string()]).collect()
    }

    fn object(&self, at: usize, row: &[u32]) -> Vec<String> {
        let of = |of: Type| move |&word: &u32| shown(of, word);
        match &self.model.program.objects[self.words[at] as usize].shape {
            ObjectShape::Record { fields, .. } => self.values(fields, row),
            ObjectShape::Array(element) | ObjectShape::Set(element) => {
                row[1..].iter().map(of(*element)).collect()
            }
            ObjectShape::Table(key, value) => {
                let pairs = row[1..].as_chunks::<2>().0.iter();
                pairs.flat_map(|pair| [shown(*key, pair[0]), shown(*value, pair[1])]).collect()
            }
        }
    }

    fn values(&self, slots: &[Slot], row: &[u32]) -> Vec<String> {
        slots.iter().zip(row).map(|(slot, &word)| shown(slot.of, word)).collect()
    }
}

/// References are numbers of objects here, and 0 for null.
fn shown(of: Type, word: u32) -> String {
    match of {
        Type::Boolean => (word != 0).to_string(),
        Type::Int { .. } => (word as i32).to_string(),
        _ => word.to_string(),
    }
}
