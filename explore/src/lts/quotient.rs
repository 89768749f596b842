//! The reduced system: classes, and the transitions of one state of each (SACS'10, after Assumption 3:
//! equivalence is a strong bisimulation, so that those stand for all).

use super::LtsError;
use super::check::{Assumption, Checker};
use super::file::{FileModel, Lts};
use super::label::{LabelView, Labels, datum_text, pid_text};
use super::program::Program;
use super::schema::Schema;
use super::state::LtsState;
use super::write::write_state;
use crate::graph::{EdgeDetail, StateGraph, StateNode};
use crate::net::marking::Element;
use crate::net::syntax::tree::Type;
use crate::search::{
    ArenaStore, Continue, Failure, Id, Limits, Options, SearchReport, StopReason, search,
};
use pidlab_budget::Budget;
use pidlab_core::Relations;
use pidlab_core::json::read_state;
use serde_json::Map;
use std::io::BufRead;
use std::time::{Duration, Instant};

/// Gives a state of every class.
pub trait Representatives {
    /// Reads a state of a class; `false` if its transitions are not known.
    fn read(&self, store: &ArenaStore, id: Id, state: &mut LtsState) -> bool;
}

/// What to reduce by, and within which limits.
#[derive(Clone)]
pub struct QuotientOptions {
    /// Ω*.
    pub relations: Relations,
    /// Most classes, time, memory.
    pub limits: Limits,
    /// Threads that read and test a file; what is found does not depend on how many.
    pub threads: usize,
    /// Of a program: how many states of a class are asked for besides the first.
    pub members: usize,
    /// Whether the reduced system is wanted, and not its counts alone.
    pub graph: bool,
}

/// A reduced system.
pub struct Quotient {
    /// Counts and the way to every class; edges are distinct by class, label and class.
    pub report: SearchReport,
    /// Edges that are distinct by class, action and class, as an exploration counts them.
    pub edges: u64,
    /// Classes none of whose states has its transitions listed.
    pub open: u64,
    /// States and transitions that were read.
    pub read: ReadCounts,
    /// What was tested.
    pub assumptions: Vec<Assumption>,
    /// Wall-clock time of reading, testing and reducing.
    pub elapsed: Duration,
    /// The reduced system, if it was asked for.
    pub graph: Option<StateGraph>,
}

/// What was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ReadCounts {
    /// States, each as often as it was given.
    pub states: u64,
    /// States whose transitions were given.
    pub expanded: u64,
    /// Transitions.
    pub transitions: u64,
}

impl Quotient {
    /// Whether no test of an assumption failed.
    pub fn holds(&self) -> bool {
        self.assumptions.iter().all(|assumption| assumption.holds)
    }

    /// Whether everything reachable was seen.
    pub fn complete(&self) -> bool {
        self.report.complete() && self.open == 0
    }

    /// Classes without transitions; those that are not known to have none do not count.
    pub fn deadlocks(&self) -> u64 {
        self.report.counters.deadlocks - self.open
    }
}

/// Reduces the system in a file.
pub fn reduce_file(
    name: &str,
    input: impl BufRead,
    options: &QuotientOptions,
) -> Result<Quotient, LtsError> {
    let started = Instant::now();
    let budget = &options.limits.budget;
    let mut checker = Checker::new(options.relations, budget);
    let lts = Lts::read(name, input, options, &mut checker)?;
    let tested = lts.check(&mut checker, options.threads);
    let stopped = limit(tested)?;
    let model = FileModel(&lts);
    let mut store = ArenaStore::new();
    let mut report = search(&model, &model, &mut store, &search_options(options))?;
    report.stopped = report.stopped.or(stopped);
    let read = ReadCounts {
        states: lts.states() as u64,
        expanded: lts.expanded() as u64,
        transitions: lts.transitions() as u64,
    };
    let assumptions = checker.verdicts();
    let parts = Parts { name, schema: &lts.schema, labels: &lts.labels, of: &model, store: &store };
    parts.quotient(report, read, assumptions, started, options)
}

/// Reduces what a program gives.
pub fn reduce_program(command: &[String], options: &QuotientOptions) -> Result<Quotient, LtsError> {
    let started = Instant::now();
    let (relations, budget) = (options.relations, &options.limits.budget);
    let program = Program::start(command, relations, options.members, budget)?;
    let mut store = ArenaStore::new();
    let mut report = search(&program, &program, &mut store, &search_options(options))?;
    if report.stopped.is_none() {
        report.stopped = limit(program.compare_members(&store))?;
    }
    let explored = program.finish();
    let read = ReadCounts {
        states: explored.received,
        expanded: explored.first.len() as u64,
        transitions: explored.transitions,
    };
    let assumptions = explored.checker.verdicts();
    let name = command.join(" ");
    let (schema, labels) = (&explored.schema, &explored.labels);
    let parts = Parts { name: &name, schema, labels, of: &explored, store: &store };
    parts.quotient(report, read, assumptions, started, options)
}

fn search_options(options: &QuotientOptions) -> Options<'static> {
    Options {
        from: Continue::Concrete,
        record_edges: true,
        limits: options.limits.clone(),
        ..Options::default()
    }
}

/// A limit that was reached on the way.
fn limit(done: Result<(), Failure>) -> Result<Option<StopReason>, Failure> {
    match done {
        Ok(()) => Ok(None),
        Err(Failure::Limit(what)) => Ok(Some(what.into())),
        Err(other) => Err(other),
    }
}

/// What a reduced system is made of.
struct Parts<'p, R> {
    name: &'p str,
    schema: &'p Schema,
    labels: &'p Labels,
    of: &'p R,
    store: &'p ArenaStore,
}

impl<R: Representatives> Parts<'_, R> {
    fn quotient(
        &self,
        report: SearchReport,
        read: ReadCounts,
        assumptions: Vec<Assumption>,
        started: Instant,
        options: &QuotientOptions,
    ) -> Result<Quotient, LtsError> {
        let budget = options.limits.budget.to_present();
        let mut edges: Vec<(Id, u32, Id)> = report
            .edges
            .iter()
            .map(|&(from, label, to)| (from, self.labels.action(label), to))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let (mut open, mut state) = (0, LtsState::default());
        for id in 0..report.counters.expanded as Id {
            open += u64::from(!self.of.read(self.store, id, &mut state));
        }
        let graph = options.graph.then(|| self.graph(&report, &budget)).transpose()?;
        let (edges, elapsed) = (edges.len() as u64, started.elapsed());
        Ok(Quotient { report, edges, open, read, assumptions, elapsed, graph })
    }

    fn graph(&self, report: &SearchReport, budget: &Budget) -> Result<StateGraph, Failure> {
        let mut nodes = Vec::new();
        let mut state = LtsState::default();
        for id in 0..report.counters.states as Id {
            budget.step()?;
            let expanded = self.of.read(self.store, id, &mut state);
            let known = expanded && u64::from(id) < report.counters.expanded;
            let mut text = Vec::new();
            write_state(self.schema, &state, &mut text);
            nodes.push(StateNode {
                tokens: tokens(self.schema, &state),
                state: read_state(&text[..]).ok(),
                deadlock: known,
                end: false,
            });
        }
        for &(from, ..) in &report.edges {
            nodes[from as usize].deadlock = false;
        }
        let mut edges = report.edges.clone();
        edges.sort_unstable();
        let (mut labels, mut of_labels) = (Vec::new(), Vec::new());
        let mut label = Vec::new();
        for number in 0..self.labels.len() as u32 {
            budget.step()?;
            self.labels.read(number, &mut label);
            let view = LabelView::of(&label);
            labels.push(view.text(self.schema));
            let mut fields = Map::new();
            view.write_fields(self.schema, &mut fields);
            of_labels.push(EdgeDetail {
                action: Some(self.schema.word_name(view.action).into()),
                pid: fields.remove("pid"),
                parameters: fields.remove("parameters"),
            });
        }
        let details = edges.iter().map(|edge| of_labels[edge.1 as usize].clone()).collect();
        let states = 0..report.counters.states as Id;
        let initial = states.filter(|&id| report.parents.parent(id).is_none()).collect();
        let (name, renamed) = (self.name.into(), Vec::new());
        Ok(StateGraph { name, labels, nodes, edges, initial, details, renamed, left_out: None })
    }
}

/// The vectors of each location, such as `s1⟨@1.1, 0⟩`.
fn tokens(schema: &Schema, state: &LtsState) -> Vec<String> {
    let mut all = Vec::new();
    for (place, info) in schema.places.iter().enumerate() {
        for token in state.marking.place(place).chunks_exact(info.width) {
            let parts = info.types.iter().zip(token).map(|(kind, &word)| match kind {
                Type::Pid => pid_text(state.name(word as Element)),
                _ => datum_text(schema.datum(word)),
            });
            let parts: Vec<String> = parts.collect();
            all.push(format!("{}⟨{}⟩", info.name, parts.join(", ")));
        }
    }
    all.sort_unstable();
    all
}
