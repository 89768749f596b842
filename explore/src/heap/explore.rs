//! Explores a heap program: options in, counts, bytes and traces out.

use super::compile::program::HeapProgram;
use super::language::ast::PropertyKind;
use super::machine::violation::Fault;
use super::model::{FOUND_PROPERTY, FOUND_TERMINATION, FOUND_VIOLATION, HeapModel};
use super::report::trace::{Goal, HeapReplay, HeapTrace};
use super::store::collapse::CollapseStore;
use super::store::gzip::GzipStore;
use super::store::keys::{Encoding, Keys};
use super::store::pack::Packing;
use super::store::tree::TreeStore;
use super::symmetry::numbering::HeapOrder;
use super::symmetry::threads::ThreadSymmetry;
use crate::graph::StateGraph;
use crate::property::PropertyAnswer;
use crate::search::{
    Alone, ArenaStore, Canonizer, Continue, Counters, Failure, Id, Limits, Options, Order,
    SearchReport, Searcher, StopReason, Store, search,
};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// How the visited set is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Four bytes a word.
    None,
    /// One byte for each word that fits: the fastest.
    #[default]
    Bytes,
    /// As many bits for each word as its type needs.
    Packed,
    /// Every state by itself, which Bogor'03 compares with (section 5).
    Gzip,
    /// Parts of states in pools, a state as a row of numbers (Bogor'03, section 4.1).
    Collapse,
    /// Pairs of pairs in hash tables (Laarman, van de Pol, Weber 2011).
    Tree,
}

impl Compression {
    /// All of them, in the order of a list for users.
    pub const ALL: [Compression; 6] = [
        Compression::None,
        Compression::Bytes,
        Compression::Packed,
        Compression::Gzip,
        Compression::Collapse,
        Compression::Tree,
    ];

    fn name(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Bytes => "bytes",
            Compression::Packed => "packed",
            Compression::Gzip => "gzip",
            Compression::Collapse => "collapse",
            Compression::Tree => "tree",
        }
    }

    fn encoding(self) -> Encoding {
        match self {
            Compression::None | Compression::Gzip | Compression::Collapse => Encoding::Words,
            Compression::Bytes => Encoding::Bytes,
            Compression::Packed => Encoding::Bits,
            Compression::Tree => Encoding::Blocks,
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Compression {
    type Err = String;

    fn from_str(text: &str) -> Result<Compression, String> {
        Compression::ALL.into_iter().find(|known| known.name() == text).ok_or_else(|| {
            format!("unknown compression {text:?}; use none, bytes, packed, gzip, collapse or tree")
        })
    }
}

/// How to explore. The default is depth-first with heap symmetry and no thread symmetry.
#[derive(Clone)]
pub struct HeapOptions<'a> {
    /// Which orders of threads are taken for one.
    pub symmetry: ThreadSymmetry,
    /// Whether addresses of objects count.
    pub heap: HeapOrder,
    /// How the visited set is kept.
    pub compression: Compression,
    /// Breadth-first or depth-first.
    pub order: Order,
    /// What ends the search early.
    pub limits: Limits,
    /// End at the first state where some thread is stuck.
    pub stop_at_deadlock: bool,
    /// Run the way to the first deadlock or violation again.
    pub trace: bool,
    /// Keep the state graph.
    pub graph: bool,
    /// Called now and then.
    pub progress: Option<&'a (dyn Fn(&Counters) + Sync)>,
}

impl Default for HeapOptions<'_> {
    fn default() -> Self {
        HeapOptions {
            symmetry: ThreadSymmetry::None,
            heap: HeapOrder::DepthFirst,
            compression: Compression::default(),
            order: Order::DepthFirst,
            limits: Limits::default(),
            stop_at_deadlock: false,
            trace: false,
            graph: false,
            progress: None,
        }
    }
}

/// A property of the program and its answer.
#[derive(Debug)]
pub struct HeapVerdict {
    /// Its name, or its text.
    pub property: String,
    /// The word that it begins with: `never`, `always` or `reach`.
    pub kind: &'static str,
    /// What it came to.
    pub answer: PropertyAnswer,
    /// A run to the state that decides it.
    pub trace: Option<HeapTrace>,
}

/// What an exploration found.
#[derive(Debug)]
pub struct HeapExploration {
    /// Counts and the way to every state.
    pub report: SearchReport,
    /// The first violation or limit of the program, with its text.
    pub fault: Option<(Fault, String)>,
    /// What the properties came to, in order.
    pub verdicts: Vec<HeapVerdict>,
    /// To the violation, or else to the first state where some thread is stuck.
    pub trace: Option<HeapTrace>,
    /// Why it was left out: a limit was reached before it was found again.
    pub left_out: Option<StopReason>,
    /// The state graph, if it was asked for.
    pub graph: Option<StateGraph>,
    /// Bytes of the visited set: keys and index, without the way back that traces need.
    pub store_bytes: u64,
}

impl HeapExploration {
    /// States without successor where some thread has not returned.
    pub fn stuck(&self) -> u64 {
        self.report.counters.deadlocks - self.report.counters.ends
    }

    /// Bytes of the visited set by states.
    pub fn bytes_per_state(&self) -> f64 {
        self.store_bytes as f64 / self.report.counters.states.max(1) as f64
    }
}

/// Explores a program.
pub fn explore(
    program: HeapProgram,
    options: &HeapOptions<'_>,
) -> Result<HeapExploration, Failure> {
    explore_by(program, options, &Alone)
}

/// The same, where `searcher` runs the search.
pub fn explore_by(
    program: HeapProgram,
    options: &HeapOptions<'_>,
    searcher: &impl Searcher,
) -> Result<HeapExploration, Failure> {
    if options.symmetry == ThreadSymmetry::Exact && options.heap == HeapOrder::Address {
        let message = "the exact form includes heap symmetry, which cannot be off";
        return Err(Failure::Model(message.into()));
    }
    let packing = Packing::new(&program);
    let model = HeapModel::new(program, options.heap);
    let keys = Keys {
        layout: &model.layout,
        packing: &packing,
        symmetry: options.symmetry,
        heap: options.heap,
        encoding: options.compression.encoding(),
    };
    match options.compression {
        Compression::None | Compression::Bytes | Compression::Packed => {
            run(&model, &keys, &ArenaStore::new, options, searcher)
        }
        Compression::Gzip => run(&model, &keys, &GzipStore::new, options, searcher),
        Compression::Collapse => {
            run(&model, &keys, &|| CollapseStore::new(&model.layout), options, searcher)
        }
        Compression::Tree => run(&model, &keys, &TreeStore::new, options, searcher),
    }
}

fn run<S: Store>(
    model: &HeapModel,
    keys: &Keys<'_>,
    fresh: &(impl Fn() -> S + Sync),
    options: &HeapOptions<'_>,
    searcher: &impl Searcher,
) -> Result<HeapExploration, Failure> {
    let search_options = Options {
        order: options.order,
        from: go_on_from(options),
        one_per_level: true,
        limits: options.limits.clone(),
        stop_at: 1 << FOUND_VIOLATION,
        stop_at_deadlock: options.stop_at_deadlock,
        ends: 1 << FOUND_TERMINATION,
        record_edges: options.graph,
        progress: options.progress,
        ..Options::default()
    };
    let (report, store) = searcher.search(model, keys, fresh, &search_options)?;
    let violation = report.found(FOUND_VIOLATION);
    let fault = violation.and_then(|id| read_fault(keys, &store, id));
    // the way to a limit is long and says nothing: the program goes on like that
    let at_limit = fault.is_some_and(|fault| fault.violation.is_limit());
    let goal = match violation {
        Some(id) => Some((id, Goal::Violation)),
        None => report.first_stuck.map(|id| (id, Goal::Deadlock)),
    };
    let goal = goal.filter(|_| !at_limit);
    let runs = Runs { model, keys, store: &store, report: &report, options };
    let (trace, mut left_out) = runs.to(goal)?;
    let mut verdicts = Vec::with_capacity(model.program.properties.len());
    for number in 0..model.program.properties.len() {
        let (verdict, reason) = runs.verdict(number)?;
        verdicts.push(verdict);
        left_out = left_out.or(reason);
    }
    let graph = options.graph.then(|| runs.replay().graph(&report)).transpose()?;
    let fault = fault.map(|fault| (fault, fault.describe(&model.program)));
    let store_bytes = report.key_bytes + report.index_bytes - report.parent_bytes;
    Ok(HeapExploration { report, fault, verdicts, trace, left_out, graph, store_bytes })
}

/// Finds runs to states of a search that is over.
struct Runs<'a> {
    model: &'a HeapModel,
    keys: &'a Keys<'a>,
    store: &'a dyn Store,
    report: &'a SearchReport,
    options: &'a HeapOptions<'a>,
}

impl Runs<'_> {
    fn replay(&self) -> HeapReplay<'_> {
        let Runs { model, keys, store, report, options } = self;
        let budget = options.limits.budget.to_present();
        HeapReplay { model, keys, store: *store, parents: &report.parents, budget }
    }

    /// A run, if runs are asked for, or the limit that came first.
    fn to(
        &self,
        goal: Option<(Id, Goal)>,
    ) -> Result<(Option<HeapTrace>, Option<StopReason>), Failure> {
        let Some((id, goal)) = goal.filter(|_| self.options.trace) else { return Ok((None, None)) };
        let (model, keys) = (self.model, self.keys);
        let breadth_first = self.options.order == Order::BreadthFirst;
        let steps = self.report.parents.path(id).1.len();
        let found = match breadth_first || steps <= LONG_WAY {
            true => self.replay().trace(id, goal).map(Ok),
            false => match shortest_trace(model, keys, self.options, goal) {
                // the way that was found is there still
                Ok(Err(_)) if steps <= LONGEST_TOLD => self.replay().trace(id, goal).map(Ok),
                other => other,
            },
        };
        match found {
            Ok(Ok(trace)) => Ok((Some(trace), None)),
            Ok(Err(reason)) => Ok((None, Some(reason))),
            Err(Failure::Limit(what)) => Ok((None, Some(what.into()))),
            Err(other) => Err(other),
        }
    }

    fn verdict(&self, number: usize) -> Result<(HeapVerdict, Option<StopReason>), Failure> {
        let property = &self.model.program.properties[number];
        let decided = self.report.found(FOUND_PROPERTY + number as u32);
        let is_goal = property.kind == PropertyKind::Reach;
        let answer = match (decided, is_goal, self.report.complete()) {
            (Some(_), true, _) => PropertyAnswer::Reached,
            (Some(_), false, _) => PropertyAnswer::Violated,
            (None, true, true) => PropertyAnswer::Unreachable,
            (None, false, true) => PropertyAnswer::Holds,
            (None, _, false) => PropertyAnswer::Unknown,
        };
        let (trace, left_out) = self.to(decided.map(|id| (id, Goal::Property(number))))?;
        let (property, kind) = (property.name.clone(), property.kind.name());
        Ok((HeapVerdict { property, kind, answer, trace }, left_out))
    }
}

/// Steps that a depth-first trace may have before a shorter one is looked for.
const LONG_WAY: usize = 100;

/// Steps that are told where a limit ends the search for fewer; nobody reads more.
const LONGEST_TOLD: usize = 10_000;

/// A way to the nearest state of a kind, by another search, or the limit that ends it.
fn shortest_trace(
    model: &HeapModel,
    keys: &Keys<'_>,
    options: &HeapOptions<'_>,
    goal: Goal,
) -> Result<Result<HeapTrace, StopReason>, Failure> {
    let keys = Keys { encoding: Encoding::Bytes, ..*keys };
    let mut store = ArenaStore::new();
    let budget = options.limits.budget.to_present();
    let bit = match goal {
        Goal::Violation => Some(FOUND_VIOLATION),
        Goal::Property(number) => Some(FOUND_PROPERTY + number as u32),
        Goal::Deadlock => None,
    };
    let options = Options {
        order: Order::BreadthFirst,
        from: Continue::Concrete,
        limits: options.limits.clone(),
        stop_at: 1 << FOUND_VIOLATION | bit.map_or(0, |bit| 1 << bit),
        stop_at_deadlock: goal == Goal::Deadlock,
        ends: 1 << FOUND_TERMINATION,
        ..Options::default()
    };
    let report = search(model, &keys, &mut store, &options)?;
    let found = bit.map_or(report.first_stuck, |bit| report.found(bit));
    let Some(id) = found else { return Ok(Err(report.stopped.unwrap_or(StopReason::Time))) };
    let replay = HeapReplay { model, keys: &keys, store: &store, parents: &report.parents, budget };
    replay.trace(id, goal).map(Ok)
}

/// A state that is its own key needs no copy in the frontier: it is read from the store.
fn go_on_from(options: &HeapOptions<'_>) -> Continue {
    match (options.order, options.symmetry) {
        (Order::BreadthFirst, ThreadSymmetry::None) => Continue::Representative,
        _ => Continue::Concrete,
    }
}

fn read_fault(keys: &Keys<'_>, store: &impl Store, id: Id) -> Option<Fault> {
    let (mut key, mut words) = (Vec::new(), Vec::new());
    store.read(id, &mut key);
    keys.decode(&mut keys.worker(), &key, &mut words);
    Fault::read(&words)
}
