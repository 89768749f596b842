//! From a control-flow graph to a local/global machine, on the fly.
//!
//! A local state is a program point and the values of the variables that are live there. A step
//! runs one operation and then on through operations that touch nothing shared (they commute with
//! everything other threads do) to the next point where another thread's move could matter; an
//! atomic block is one step and happens only if it can be finished. Steps are computed for pairs of
//! shared and local state that can occur together as far as pairs tell: beside a thread that moves
//! stand only local states that may stand beside both its shared and its local state.

use super::Machine;
use super::ast::{Expr, Program};
use super::flow::{Edge, Flow, Op, Var};
use crate::config::Config;
use crate::error::ParseError;
use crate::net::{MAX_PLACES, Net, Transition, collect_entries};
use rustc_hash::{FxHashMap, FxHashSet};

/// Values of shared and local variables at a program point while a step runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    node: u32,
    shared: u128,
    local: u128,
}

pub fn build(program: &Program, flow: &Flow) -> Result<Machine, ParseError> {
    let mut builder = Builder::new(program, flow);
    builder.explore()?;
    builder.machine(program)
}

struct Builder<'a> {
    flow: &'a Flow,
    out: Vec<Vec<usize>>,
    /// Points at which a thread rests between steps.
    stable: Vec<bool>,
    live: Vec<u128>,
    initial: u128,
    shared: Interner<u128>,
    local: Interner<(u32, u128)>,
    /// Local states that may occur with a shared state, and beside another local state.
    present: Vec<Bits>,
    beside: Vec<Bits>,
    steps: FxHashMap<[u32; 4], usize>,
    step_list: Vec<[u32; 4]>,
    failures: FxHashMap<[u32; 2], usize>,
    queue: Vec<(u32, u32)>,
}

/// A growing set of small numbers.
#[derive(Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn insert(&mut self, number: u32) -> bool {
        let word = number as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & (1 << (number % 64)) == 0;
        self.0[word] |= 1 << (number % 64);
        new
    }

    fn common(&self, other: &Bits) -> Vec<u32> {
        let words = self.0.iter().zip(&other.0).map(|(a, b)| a & b);
        let bits = |(i, word): (usize, u64)| {
            (0..64).filter(move |b| word >> b & 1 == 1).map(move |b| i as u32 * 64 + b)
        };
        words.enumerate().filter(|w| w.1 != 0).flat_map(bits).collect()
    }
}

/// Numbers for values in the order they were met.
struct Interner<T> {
    numbers: FxHashMap<T, u32>,
    values: Vec<T>,
}

impl<T: Copy + Eq + std::hash::Hash> Interner<T> {
    fn new() -> Interner<T> {
        Interner { numbers: FxHashMap::default(), values: Vec::new() }
    }

    fn number(&mut self, value: T) -> u32 {
        let Interner { numbers, values } = self;
        *numbers.entry(value).or_insert_with(|| {
            values.push(value);
            values.len() as u32 - 1
        })
    }
}

impl<'a> Builder<'a> {
    fn new(program: &Program, flow: &'a Flow) -> Builder<'a> {
        let mut out = vec![Vec::new(); flow.nodes as usize];
        for (i, edge) in flow.edges.iter().enumerate() {
            out[edge.from as usize].push(i);
        }
        let values = program.shared.iter().enumerate();
        let stable = (0..flow.nodes as usize)
            .map(|node| {
                let visible = out[node].iter().any(|&e| touches_shared(&flow.edges[e].op));
                !flow.atomic[node] && (node == 0 || visible || enters_atomic(flow, &out, node))
                    || out[node].is_empty()
            })
            .collect();
        Builder {
            flow,
            stable,
            live: live_variables(flow),
            out,
            initial: values.map(|(i, (_, value))| u128::from(*value) << i).sum(),
            shared: Interner::new(),
            local: Interner::new(),
            present: Vec::new(),
            beside: Vec::new(),
            steps: FxHashMap::default(),
            step_list: Vec::new(),
            failures: FxHashMap::default(),
            queue: Vec::new(),
        }
    }

    fn explore(&mut self) -> Result<(), ParseError> {
        let start = self.shared_number(self.initial);
        let entry = self.local_number((0, 0));
        self.beside[entry as usize].insert(entry);
        self.add_pair(start, entry);
        loop {
            self.compute_steps()?;
            let mut changed = false;
            for i in 0..self.step_list.len() {
                changed |= self.propagate(self.step_list[i]);
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// The steps of all pairs that are new.
    fn compute_steps(&mut self) -> Result<(), ParseError> {
        while let Some((s, l)) = self.queue.pop() {
            let (node, local) = self.local.values[l as usize];
            let from = State { node, shared: self.shared.values[s as usize], local };
            for (edge, outcome) in self.run_step(from) {
                match outcome {
                    None => {
                        self.failures.entry([s, l]).or_insert(edge);
                    }
                    Some(to) => self.add_step(s, l, to, edge),
                }
            }
            if self.shared.values.len() + self.local.values.len() > MAX_PLACES {
                let message = format!("more than {MAX_PLACES} shared and local states");
                return Err(ParseError::new(self.flow.edges[0].line, message));
            }
        }
        Ok(())
    }

    fn shared_number(&mut self, value: u128) -> u32 {
        let number = self.shared.number(value);
        if number as usize == self.present.len() {
            self.present.push(Bits::default());
        }
        number
    }

    fn local_number(&mut self, value: (u32, u128)) -> u32 {
        let number = self.local.number(value);
        if number as usize == self.beside.len() {
            self.beside.push(Bits::default());
        }
        number
    }

    fn add_pair(&mut self, s: u32, l: u32) -> bool {
        let new = self.present[s as usize].insert(l);
        if new {
            self.queue.push((s, l));
        }
        new
    }

    fn add_step(&mut self, s: u32, l: u32, to: State, edge: usize) {
        let next = self.shared_number(to.shared);
        let moved = self.local_number((to.node, to.local));
        let step = [s, l, next, moved];
        if self.steps.insert(step, edge).is_none() {
            self.step_list.push(step);
        }
    }

    /// Puts what a step leads to beside everything that may stand by; whether that was news.
    fn propagate(&mut self, [s, l, next, moved]: [u32; 4]) -> bool {
        let bystanders = self.present[s as usize].common(&self.beside[l as usize]);
        let mut changed = self.add_pair(next, moved);
        for other in bystanders {
            changed |= self.add_pair(next, other);
            changed |= self.beside[moved as usize].insert(other);
            changed |= self.beside[other as usize].insert(moved);
        }
        changed
    }

    /// All ways to get from a resting point to the next one; `None` is a failed assertion. The edge
    /// is the one that tells most about the step: the first that touches something shared.
    fn run_step(&self, from: State) -> Vec<(usize, Option<State>)> {
        let mut results = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(State, Option<usize>)> = vec![(from, None)];
        let mut first = true;
        while let Some((state, told)) = stack.pop() {
            if !std::mem::take(&mut first) && self.stable[state.node as usize] {
                let local = state.local & self.live[state.node as usize];
                let Some(edge) = told.or(self.out[from.node as usize].first().copied()) else {
                    continue;
                };
                results.push((edge, Some(State { local, ..state })));
                continue;
            }
            if !seen.insert((state, told.is_some())) {
                continue;
            }
            for &e in &self.out[state.node as usize] {
                let edge = &self.flow.edges[e];
                let visible = touches_shared(&edge.op);
                let told = told.or(visible.then_some(e));
                for outcome in execute(edge, state) {
                    match outcome {
                        None => results.push((e, None)),
                        Some(next) => stack.push((next, told)),
                    }
                }
            }
        }
        results
    }

    fn machine(self, program: &Program) -> Result<Machine, ParseError> {
        let shared = self.shared.values.len() as u32;
        let names = self.place_names(program);
        let error = shared;
        let local = |l: u32| shared + 1 + l;
        let mut net = Net {
            places: names,
            initial: Config::new(vec![(0, 1), (local(0), crate::config::OMEGA)]),
            at_least: vec![(local(0), 1)],
            ..Net::default()
        };
        let sum = |entries: [(u32, u32); 2]| collect_entries(entries).unwrap_or_default();
        let mut steps: Vec<([u32; 4], usize)> = self.steps.iter().map(|(k, v)| (*k, *v)).collect();
        steps.sort_unstable();
        for ([s, l, s2, l2], edge) in steps {
            let (pre, post) = (sum([(s, 1), (local(l), 1)]), sum([(s2, 1), (local(l2), 1)]));
            net.push_step(pre, post, &self.flow.edges[edge]);
        }
        let mut failures: Vec<([u32; 2], usize)> =
            self.failures.iter().map(|(k, v)| (*k, *v)).collect();
        failures.sort_unstable();
        for ([s, l], edge) in failures {
            let pre = sum([(s, 1), (local(l), 1)]);
            net.push_step(pre, vec![(error, 1)], &self.flow.edges[edge]);
        }
        net.targets = self.targets(program, error)?;
        Ok(Machine {
            net,
            shared_used: self.shared.values.len(),
            shared_declared: 1u128.checked_shl(program.shared.len() as u32).unwrap_or(u128::MAX),
            local_used: self.local.values.len(),
            local_variables: self.flow.locals.len(),
        })
    }

    /// The failed-assertion state, and the shared states that an `error` line describes.
    fn targets(&self, program: &Program, error: u32) -> Result<Vec<Config>, ParseError> {
        let mut targets = vec![Config::new(vec![(error, 1)])];
        for (condition, line) in &program.errors {
            let condition: Expr<usize> = condition.try_map(&mut |name: &String| {
                program.shared.iter().position(|(shared, _)| shared == name).ok_or_else(|| {
                    ParseError::new(*line, format!("`{name}` is not a shared variable"))
                })
            })?;
            for (number, value) in self.shared.values.iter().enumerate() {
                if condition.values(&|i: &usize| value >> i & 1 == 1).1 {
                    targets.push(Config::new(vec![(number as u32, 1)]));
                }
            }
        }
        let asserts = self.flow.edges.iter().any(|e| matches!(e.op, Op::Assert(_)));
        if program.errors.is_empty() && !asserts {
            return Err(ParseError::new(1, "empty target: expected `error …;` or an assertion"));
        }
        Ok(targets)
    }

    fn place_names(&self, program: &Program) -> Vec<String> {
        let set = |value: u128, names: &mut dyn Iterator<Item = (usize, &str)>| {
            let on: Vec<&str> = names.filter(|(i, _)| value >> i & 1 == 1).map(|n| n.1).collect();
            on.join(",")
        };
        let shared = self.shared.values.iter().map(|&value| {
            let mut names = program.shared.iter().map(|(n, _)| n.as_str()).enumerate();
            format!("shared{{{}}}", set(value, &mut names))
        });
        let local = self.local.values.iter().map(|&(node, value)| {
            let mut names = self.flow.locals.iter().map(String::as_str).enumerate();
            format!("at{node}{{{}}}", set(value, &mut names))
        });
        let mut all: Vec<String> = shared.chain(["error".to_string()]).chain(local).collect();
        let mut seen = FxHashSet::default();
        for name in &mut all {
            while !seen.insert(name.clone()) {
                name.push('\'');
            }
        }
        all
    }
}

impl Net {
    fn push_step(&mut self, pre: Vec<(u32, u32)>, post: Vec<(u32, u32)>, edge: &Edge) {
        self.transitions.push(Transition { pre, post, transfers: Vec::new(), line: edge.line });
        self.labels.push(edge.text.clone());
    }
}

/// Whether an operation reads or writes a shared variable, or may fail.
fn touches_shared(op: &Op) -> bool {
    let mut touches = false;
    let mut look = |v: &Var| touches |= matches!(v, Var::Shared(_));
    match op {
        Op::Skip => {}
        Op::Assume(e) => e.each_variable(&mut look),
        Op::Assert(_) | Op::Lock(_) => return true,
        Op::Assign(pairs) => pairs.iter().for_each(|(v, e)| {
            look(v);
            e.each_variable(&mut look);
        }),
    }
    touches
}

/// Whether a node leads directly into an atomic block.
fn enters_atomic(flow: &Flow, out: &[Vec<usize>], node: usize) -> bool {
    out[node].iter().any(|&e| flow.atomic[flow.edges[e].to as usize])
}

/// The results of one operation; `None` is a failed assertion.
fn execute(edge: &Edge, state: State) -> Vec<Option<State>> {
    let get = |v: &Var| match v {
        Var::Shared(i) => state.shared >> i & 1 == 1,
        Var::Local(i) => state.local >> i & 1 == 1,
    };
    let next = State { node: edge.to, ..state };
    match &edge.op {
        Op::Skip => vec![Some(next)],
        Op::Assume(e) => {
            if e.values(&get).1 {
                vec![Some(next)]
            } else {
                Vec::new()
            }
        }
        Op::Assert(e) => {
            let (no, yes) = e.values(&get);
            no.then_some(None).into_iter().chain(yes.then_some(Some(next))).collect()
        }
        Op::Lock(v) => match get(v) {
            true => Vec::new(),
            false => vec![Some(assign(next, *v, true))],
        },
        Op::Assign(pairs) => {
            let mut results = vec![next];
            for (v, e) in pairs {
                let (no, yes) = e.values(&get);
                let values = [(no, false), (yes, true)];
                results = results
                    .into_iter()
                    .flat_map(|s| {
                        values.into_iter().filter(|x| x.0).map(move |x| assign(s, *v, x.1))
                    })
                    .collect();
            }
            results.into_iter().map(Some).collect()
        }
    }
}

fn assign(mut state: State, v: Var, value: bool) -> State {
    let (word, bit) = match v {
        Var::Shared(i) => (&mut state.shared, i),
        Var::Local(i) => (&mut state.local, i),
    };
    *word = *word & !(1 << bit) | u128::from(value) << bit;
    state
}

/// Per node the local variables whose value may still be read: a backward fixpoint.
fn live_variables(flow: &Flow) -> Vec<u128> {
    let mut live = vec![0u128; flow.nodes as usize];
    let mut changed = true;
    while changed {
        changed = false;
        for edge in flow.edges.iter().rev() {
            let before = live_before(&edge.op, live[edge.to as usize]);
            let node = &mut live[edge.from as usize];
            changed |= before & !*node != 0;
            *node |= before;
        }
    }
    live
}

fn live_before(op: &Op, after: u128) -> u128 {
    let mut live = after;
    let mut read = 0u128;
    let mut look = |v: &Var| {
        if let Var::Local(i) = v {
            read |= 1 << i;
        }
    };
    match op {
        Op::Skip | Op::Lock(_) => {}
        Op::Assume(e) | Op::Assert(e) => e.each_variable(&mut look),
        Op::Assign(pairs) => {
            for (v, e) in pairs {
                e.each_variable(&mut look);
                if let Var::Local(i) = v {
                    live &= !(1 << i);
                }
            }
        }
    }
    live | read
}
