//! From a control-flow graph to a local/global machine, on the fly.
//!
//! A local state is a program point and the values of the variables that are live there. A step
//! runs one operation and then on through operations that touch nothing shared (they commute with
//! everything other threads do) to the next point where another thread's move could matter; an
//! atomic block is one step and happens only if it can be finished. Steps are computed for pairs of
//! shared and local state that can occur together as far as pairs tell: beside a thread that moves
//! stand only local states that may stand beside both its shared and its local state. Cost: the steps
//! of the machine, times the rounds until no new pair comes; a program that assigns `*` to k shared
//! variables has 2^k steps there from each of up to 2^k states, so the budget is polled at each of them.

use super::BoolMachine;
use super::ast::{BoolProgram, Expr};
use super::flow::{Edge, Flow, FlowOp};
use super::step::{BoolState, execute, live_variables, touches_shared};
use crate::budget::{Budget, Exhausted};
use crate::config::Config;
use crate::names::Names;
use crate::net::{MAX_PLACES, Net, Transition, collect_entries};
use pidlab_syntax::{Parsed, Source, Span, quoted};
use rustc_hash::{FxHashMap, FxHashSet};

pub fn build(program: &BoolProgram, flow: &Flow, source: &Source) -> Parsed<BoolMachine> {
    let mut builder = Builder::new(program, flow, source)?;
    builder.explore()?;
    builder.machine(program)
}

struct Builder<'a> {
    flow: &'a Flow,
    source: &'a Source,
    budget: &'a Budget,
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
    moves: Vec<Move>,
    steps: Vec<Step>,
    queue: Vec<(u32, u32)>,
}

/// What a thread can do in a pair of shared and local state: a range of the steps, and the assertion
/// that can fail on the way.
struct Move {
    shared: u32,
    local: u32,
    steps: std::ops::Range<usize>,
    failure: Option<usize>,
}

/// Where a step leads, and the edge that tells most about it.
#[derive(Clone, Copy)]
struct Step {
    shared: u32,
    local: u32,
    edge: usize,
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
        let mut found = Vec::new();
        for (i, (a, b)) in self.0.iter().zip(&other.0).enumerate() {
            let mut word = a & b;
            while word != 0 {
                found.push(i as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
        found
    }
}

/// Numbers for values in the order they first occur.
struct Interner<T> {
    numbers: FxHashMap<T, u32>,
    values: Vec<T>,
}

impl<T: Copy + Eq + std::hash::Hash> Interner<T> {
    fn new() -> Interner<T> {
        Interner { numbers: FxHashMap::default(), values: Vec::new() }
    }

    /// Asks for room for one more value.
    fn room(&self, budget: &Budget) -> Result<(), Exhausted> {
        budget.grow::<(T, u32)>(self.numbers.len(), self.numbers.capacity())
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
    fn new(program: &BoolProgram, flow: &'a Flow, source: &'a Source) -> Parsed<Builder<'a>> {
        let budget = source.budget();
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
        Ok(Builder {
            flow,
            source,
            budget,
            stable,
            live: live_variables(flow, budget)?,
            out,
            initial: values.map(|(i, (_, value))| u128::from(*value) << i).sum(),
            shared: Interner::new(),
            local: Interner::new(),
            present: Vec::new(),
            beside: Vec::new(),
            moves: Vec::new(),
            steps: Vec::new(),
            queue: Vec::new(),
        })
    }

    fn explore(&mut self) -> Parsed<()> {
        let start = self.shared_number(self.initial);
        let entry = self.local_number((0, 0));
        self.beside[entry as usize].insert(entry);
        self.add_pair(start, entry);
        loop {
            while let Some((s, l)) = self.queue.pop() {
                self.compute_move(s, l)?;
            }
            let mut changed = false;
            for at in 0..self.moves.len() {
                let Move { shared, local, .. } = self.moves[at];
                for step in self.moves[at].steps.clone() {
                    changed |= self.propagate(shared, local, self.steps[step])?;
                }
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// The steps of a new pair.
    fn compute_move(&mut self, s: u32, l: u32) -> Parsed<()> {
        let (node, local) = self.local.values[l as usize];
        let from = BoolState { node, shared: self.shared.values[s as usize], local };
        let (first, mut failure) = (self.steps.len(), None);
        let mut known: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        for (edge, outcome) in self.run_step(from)? {
            self.budget.steps(1)?;
            let Some(to) = outcome else {
                failure = failure.or(Some(edge));
                continue;
            };
            self.shared.room(self.budget)?;
            self.local.room(self.budget)?;
            self.budget.grow::<(u64, usize)>(known.len(), known.capacity())?;
            let shared = self.shared_number(to.shared);
            let local = self.local_number((to.node, to.local));
            match known.get(&(shared, local)) {
                Some(&step) => self.steps[step].edge = edge,
                None => {
                    known.insert((shared, local), self.steps.len());
                    self.steps.push(Step { shared, local, edge });
                }
            }
            if self.shared.values.len() + self.local.values.len() > MAX_PLACES {
                let message = format!("more than {MAX_PLACES} shared and local states");
                return Err(self.source.error(self.flow.edges[edge].place.span, message));
            }
        }
        self.moves.push(Move { shared: s, local: l, steps: first..self.steps.len(), failure });
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

    /// Puts what a step leads to beside everything that may stand by; whether that was news.
    fn propagate(&mut self, s: u32, l: u32, to: Step) -> Result<bool, Exhausted> {
        let bystanders = self.present[s as usize].common(&self.beside[l as usize]);
        self.budget.steps(1 + bystanders.len())?;
        let mut changed = self.add_pair(to.shared, to.local);
        for other in bystanders {
            changed |= self.add_pair(to.shared, other);
            changed |= self.beside[to.local as usize].insert(other);
            changed |= self.beside[other as usize].insert(to.local);
        }
        Ok(changed)
    }

    /// All ways to get from a resting point to the next one; `None` is a failed assertion. The edge
    /// is the one that tells most about the step: the first that touches something shared.
    fn run_step(&self, from: BoolState) -> Result<Vec<(usize, Option<BoolState>)>, Exhausted> {
        let mut results = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(BoolState, Option<usize>)> = vec![(from, None)];
        let mut first = true;
        while let Some((state, told)) = stack.pop() {
            self.budget.steps(1)?;
            if !std::mem::take(&mut first) && self.stable[state.node as usize] {
                let local = state.local & self.live[state.node as usize];
                let Some(edge) = told.or(self.out[from.node as usize].first().copied()) else {
                    continue;
                };
                results.push((edge, Some(BoolState { local, ..state })));
                continue;
            }
            self.budget.grow::<(BoolState, bool)>(seen.len(), seen.capacity())?;
            if !seen.insert((state, told.is_some())) {
                continue;
            }
            for &e in &self.out[state.node as usize] {
                let edge = &self.flow.edges[e];
                let visible = touches_shared(&edge.op);
                let told = told.or(visible.then_some(e));
                let outcomes = execute(edge, state);
                if outcomes.fails {
                    results.push((e, None));
                }
                for next in outcomes {
                    self.budget.steps(1)?;
                    stack.push((next, told));
                }
            }
        }
        Ok(results)
    }

    fn machine(mut self, program: &BoolProgram) -> Parsed<BoolMachine> {
        let shared = self.shared.values.len() as u32;
        let local = |l: u32| shared + 1 + l;
        let mut net = Net {
            places: self.place_names(program)?,
            initial: Config::new(vec![(0, 1), (local(0), crate::config::OMEGA)]),
            at_least: vec![(local(0), 1)],
            targets: self.targets(program, shared)?,
            ..Net::default()
        };
        let sum = |s: u32, l: u32| collect_entries([(s, 1), (local(l), 1)]).unwrap_or_default();
        self.moves.sort_unstable_by_key(|m| (m.shared, m.local));
        for Move { shared: s, local: l, steps, .. } in &self.moves {
            let steps = &mut self.steps[steps.clone()];
            steps.sort_unstable_by_key(|step| (step.shared, step.local));
            for to in steps {
                self.budget.steps(1)?;
                let edge = &self.flow.edges[to.edge];
                net.push_step(sum(*s, *l), sum(to.shared, to.local), edge);
            }
        }
        for failed in &self.moves {
            if let Some(edge) = failed.failure {
                self.budget.steps(1)?;
                let pre = sum(failed.shared, failed.local);
                net.push_step(pre, vec![(shared, 1)], &self.flow.edges[edge]);
            }
        }
        Ok(BoolMachine {
            net,
            shared_used: self.shared.values.len(),
            shared_declared: 1u128.checked_shl(program.shared.len() as u32).unwrap_or(u128::MAX),
            local_used: self.local.values.len(),
            local_variables: self.flow.locals.len(),
        })
    }

    /// The failed-assertion state, and the shared states that an `error` line describes.
    fn targets(&self, program: &BoolProgram, error: u32) -> Parsed<Vec<Config>> {
        let mut targets = vec![Config::new(vec![(error, 1)])];
        for (condition, place) in &program.errors {
            let condition: Expr<usize> = condition.try_map(&mut |name: &String| {
                program.shared.iter().position(|(shared, _)| shared == name).ok_or_else(|| {
                    let message = format!("{} is not a shared variable", quoted(name));
                    self.source.error(place.span, message)
                })
            })?;
            for (number, value) in self.shared.values.iter().enumerate() {
                self.budget.poll()?;
                if condition.values(&|i: &usize| value >> i & 1 == 1).1 {
                    targets.push(Config::new(vec![(number as u32, 1)]));
                }
            }
        }
        let asserts = self.flow.edges.iter().any(|e| matches!(e.op, FlowOp::Assert(_)));
        if program.errors.is_empty() && !asserts {
            let message = "empty target: expected `error …;` or an assertion";
            return Err(self.source.error(Span::default(), message));
        }
        Ok(targets)
    }

    fn place_names(&self, program: &BoolProgram) -> Result<Names, Exhausted> {
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
        let mut all = Names::default();
        let mut seen = FxHashSet::default();
        for mut name in shared.chain(["error".to_string()]).chain(local) {
            self.budget.poll()?;
            self.budget.grow::<String>(seen.len(), seen.capacity())?;
            while !seen.insert(name.clone()) {
                self.budget.poll()?;
                name.push('\'');
            }
            all.push(&name);
        }
        Ok(all)
    }
}

impl Net {
    fn push_step(&mut self, pre: Vec<(u32, u32)>, post: Vec<(u32, u32)>, edge: &Edge) {
        self.transitions.push(Transition {
            pre,
            post,
            transfers: Vec::new(),
            line: edge.place.line,
        });
        self.labels.push(edge.text.clone());
    }
}

/// Whether a node leads directly into an atomic block.
fn enters_atomic(flow: &Flow, out: &[Vec<usize>], node: usize) -> bool {
    out[node].iter().any(|&e| flow.atomic[flow.edges[e].to as usize])
}
