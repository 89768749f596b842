//! From a control-flow graph to a local/global machine, on the fly.
//!
//! A local state is a program point and the values of the variables that are live there. A step
//! runs one operation and then on through operations that touch nothing shared (they commute with
//! everything other threads do) to the next point where another thread's move could matter; an
//! atomic section is one step and happens only if it can be finished. Steps are computed for pairs of
//! shared and local state that can occur together as far as pairs tell: beside a thread that moves
//! stand only local states that may stand beside both its shared and its local state.
//!
//! A worklist holds the shared and local states beside which something new may stand. What may stand
//! beside a move only grows, so its number tells whether there is news, and all of it is handed on at
//! once, 64 local states a word. Cost: the steps of the machine times its local states over 64, a few
//! times; a program that assigns `*` to k shared variables has 2^k steps there from each of up to 2^k
//! states, so the budget is polled at each of them.

use super::bits::{Bits, Interner};
use super::flow::{ENDED, Edge, Flow, FlowOp};
use super::live::Live;
use super::step::{BoolState, execute, touches_shared};
use crate::budget::{Budget, Exhausted};
use crate::net::MAX_PLACES;
use pidlab_syntax::{Parsed, Source};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// What the threads of a program can do.
pub struct Machine<'a> {
    pub flow: &'a Flow,
    pub shared: Interner<u128>,
    pub local: Interner<(u32, u128)>,
    /// The local state of each entry.
    pub entries: Vec<u32>,
    /// How many of the shared states can be the first.
    pub first: u32,
    pub moves: Vec<Move>,
    pub steps: Vec<Step>,
    /// Local states of threads that steps start, one after the other.
    pub started: Vec<u32>,
    /// Pairs of local states that go on together in a shared state, and where they go.
    pub meetings: Vec<Meeting>,
}

/// What a thread can do in a pair of shared and local state: a range of the steps, and the assertion
/// that can fail on the way.
pub struct Move {
    pub shared: u32,
    pub local: u32,
    pub steps: std::ops::Range<usize>,
    pub failure: Option<u32>,
    /// How many local states may stand beside it, as far as they have been handed on.
    beside: u32,
}

/// Where a step leads, the threads that it starts, and the edge that tells most about it.
#[derive(Clone, Copy)]
pub struct Step {
    pub shared: u32,
    pub local: u32,
    pub started: (u32, u32),
    pub edge: u32,
}

/// Two threads that take edges with the same event.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Meeting {
    pub shared: u32,
    pub from: [u32; 2],
    pub to: [u32; 2],
    pub edge: u32,
}

/// Builds the machine. Threads start with each of the given values of the shared variables.
pub fn build<'a>(
    flow: &'a Flow,
    live: &'a Live,
    stable: Vec<bool>,
    first: impl Iterator<Item = u128>,
    source: &'a Source,
) -> Parsed<Machine<'a>> {
    let mut builder = Builder::new(flow, live, stable, source);
    builder.begin(first)?;
    builder.explore()?;
    Ok(builder.machine)
}

/// Points at which a thread rests between steps.
pub fn stable_nodes(flow: &Flow) -> Vec<bool> {
    let out = flow.out();
    let mut stable: Vec<bool> = (0..flow.nodes as usize)
        .map(|node| {
            let edges = out[node].iter().map(|&e| &flow.edges[e as usize]);
            let waits = |edge: &Edge| {
                touches_shared(&edge.op) || flow.atomic[edge.to as usize] && !flow.atomic[node]
            };
            !flow.atomic[node] && (out[node].is_empty() || edges.into_iter().any(waits))
        })
        .collect();
    flow.starts().for_each(|start| stable[start as usize] = true);
    let meetings = flow.edges.iter().filter(|edge| matches!(edge.op, FlowOp::Sync(_)));
    meetings.for_each(|edge| stable[edge.to as usize] = true);
    stable
}

/// A state beside which something new may stand.
#[derive(Clone, Copy)]
enum News {
    Shared(u32),
    Local(u32),
}

struct Builder<'a> {
    machine: Machine<'a>,
    source: &'a Source,
    budget: &'a Budget,
    live: &'a Live,
    out: Vec<Vec<u32>>,
    stable: Vec<bool>,
    /// Local states that may occur with a shared state, and beside another local state.
    present: Vec<Bits>,
    beside: Vec<Bits>,
    /// The moves in each shared and of each local state.
    moves_in: Vec<Vec<u32>>,
    moves_of: Vec<Vec<u32>>,
    news: VecDeque<News>,
    /// Whether a state is among the news already.
    shared_news: Vec<bool>,
    local_news: Vec<bool>,
    /// Pairs whose moves have not been computed.
    open: Vec<(u32, u32)>,
    met: FxHashSet<Meeting>,
}

impl<'a> Builder<'a> {
    fn new(flow: &'a Flow, live: &'a Live, stable: Vec<bool>, source: &'a Source) -> Builder<'a> {
        let machine = Machine {
            flow,
            shared: Interner::new(),
            local: Interner::new(),
            entries: Vec::new(),
            first: 0,
            moves: Vec::new(),
            steps: Vec::new(),
            started: Vec::new(),
            meetings: Vec::new(),
        };
        Builder {
            machine,
            source,
            budget: source.budget(),
            live,
            out: flow.out(),
            stable,
            present: Vec::new(),
            beside: Vec::new(),
            moves_in: Vec::new(),
            moves_of: Vec::new(),
            news: VecDeque::new(),
            shared_news: Vec::new(),
            local_news: Vec::new(),
            open: Vec::new(),
            met: FxHashSet::default(),
        }
    }

    fn begin(&mut self, first: impl Iterator<Item = u128>) -> Parsed<()> {
        use super::ast::ThreadCount;
        let entries = &self.machine.flow.entries;
        let mut together = Bits::default();
        let mut starts = Vec::new();
        for entry in entries {
            let number = self.local_number((entry.node, 0))?;
            self.machine.entries.push(number);
            starts.push((number, entry.count != ThreadCount::Exactly(1)));
            together.insert(number);
        }
        for &(number, several) in &starts {
            let others = starts.iter().filter(|other| other.0 != number || several);
            for other in others {
                self.beside[number as usize].insert(other.0);
            }
        }
        for value in first {
            self.budget.steps(1)?;
            let shared = self.shared_number(value)?;
            self.machine.first = shared + 1;
            self.add_present(shared, &together);
        }
        Ok(())
    }

    fn explore(&mut self) -> Parsed<()> {
        let mut bystanders = Bits::default();
        loop {
            while let Some((s, l)) = self.open.pop() {
                self.compute_move(s, l)?;
            }
            let moves = match self.news.pop_front() {
                Some(News::Shared(s)) => {
                    self.shared_news[s as usize] = false;
                    self.moves_in[s as usize].clone()
                }
                Some(News::Local(l)) => {
                    self.local_news[l as usize] = false;
                    self.moves_of[l as usize].clone()
                }
                None if self.meet(&mut bystanders)? => continue,
                None => return Ok(()),
            };
            for number in moves {
                self.hand_on(number, &mut bystanders)?;
            }
        }
    }

    /// The steps of a new pair.
    fn compute_move(&mut self, s: u32, l: u32) -> Parsed<()> {
        let (node, local) = self.machine.local.values[l as usize];
        let from = BoolState { node, shared: self.machine.shared.values[s as usize], local };
        let (first, mut failure) = (self.machine.steps.len(), None);
        let mut known: FxHashMap<(u32, u32, Vec<u32>), usize> = FxHashMap::default();
        for Outcome { edge, to, started } in self.run_step(from)? {
            self.budget.steps(1)?;
            let Some(to) = to else {
                failure = failure.or(Some(edge));
                continue;
            };
            self.budget.grow::<[u64; 6]>(known.len(), known.capacity())?;
            let shared = self.shared_number(to.shared)?;
            let local = self.local_number((to.node, to.local))?;
            let numbers = started.into_iter().map(|start| self.local_number(start));
            let mut started: Vec<u32> = numbers.collect::<Result<_, _>>()?;
            started.sort_unstable();
            if let Some(&step) = known.get(&(shared, local, started.clone())) {
                self.machine.steps[step].edge = edge;
                continue;
            }
            let from = self.machine.started.len() as u32;
            self.machine.started.extend(&started);
            let range = (from, from + started.len() as u32);
            known.insert((shared, local, started), self.machine.steps.len());
            self.machine.steps.push(Step { shared, local, started: range, edge });
            self.check_size(edge)?;
        }
        let steps = first..self.machine.steps.len();
        for number in steps.clone() {
            self.arrive(self.machine.steps[number])?;
        }
        let number = self.machine.moves.len() as u32;
        self.moves_in[s as usize].push(number);
        self.moves_of[l as usize].push(number);
        self.machine.moves.push(Move { shared: s, local: l, steps, failure, beside: 0 });
        let mut bystanders = Bits::default();
        Ok(self.hand_on(number, &mut bystanders)?)
    }

    fn check_size(&self, edge: u32) -> Parsed<()> {
        if self.present.len() + self.beside.len() <= MAX_PLACES {
            return Ok(());
        }
        let message = format!("more than {MAX_PLACES} shared and local states");
        Err(self.source.error(self.machine.flow.edges[edge as usize].place.span, message))
    }

    fn shared_number(&mut self, value: u128) -> Result<u32, Exhausted> {
        let number = self.machine.shared.number(value, self.budget)?;
        if number as usize == self.present.len() {
            self.present.push(Bits::default());
            self.moves_in.push(Vec::new());
            self.shared_news.push(false);
        }
        Ok(number)
    }

    fn local_number(&mut self, value: (u32, u128)) -> Result<u32, Exhausted> {
        let number = self.machine.local.number(value, self.budget)?;
        if number as usize == self.beside.len() {
            self.beside.push(Bits::default());
            self.moves_of.push(Vec::new());
            self.local_news.push(false);
        }
        Ok(number)
    }

    /// A step alone: its thread and those it starts are there, beside each other.
    fn arrive(&mut self, step: Step) -> Result<(), Exhausted> {
        let started = step.started.0 as usize..step.started.1 as usize;
        let mut all = vec![step.local];
        all.extend(&self.machine.started[started]);
        for (i, &one) in all.iter().enumerate() {
            self.budget.steps(1)?;
            self.add_pair(step.shared, one);
            all[i + 1..].iter().for_each(|&other| self.put_beside(one, other));
        }
        Ok(())
    }

    /// What may stand beside a move stands beside what its steps lead to.
    fn hand_on(&mut self, number: u32, bystanders: &mut Bits) -> Result<(), Exhausted> {
        let Move { shared, local, .. } = self.machine.moves[number as usize];
        self.present[shared as usize].common(&self.beside[local as usize], bystanders);
        self.budget.steps(1 + bystanders.words())?;
        let count = bystanders.len();
        let known = &mut self.machine.moves[number as usize].beside;
        if std::mem::replace(known, count) == count {
            return Ok(());
        }
        for step in self.machine.moves[number as usize].steps.clone() {
            let Step { shared, local, started, .. } = self.machine.steps[step];
            self.budget.steps(1 + bystanders.words())?;
            self.add_present(shared, bystanders);
            self.put_all_beside(local, bystanders);
            for at in started.0..started.1 {
                self.put_all_beside(self.machine.started[at as usize], bystanders);
            }
        }
        Ok(())
    }

    fn add_pair(&mut self, s: u32, l: u32) {
        if self.present[s as usize].insert(l) {
            self.open.push((s, l));
            self.mark_shared(s);
        }
    }

    fn add_present(&mut self, s: u32, locals: &Bits) {
        let (open, before) = (&mut self.open, self.present[s as usize].len());
        self.present[s as usize].add(locals, |l| open.push((s, l)));
        if self.present[s as usize].len() != before {
            self.mark_shared(s);
        }
    }

    fn put_beside(&mut self, a: u32, b: u32) {
        if self.beside[a as usize].insert(b) {
            self.beside[b as usize].insert(a);
            self.mark_local(a);
            self.mark_local(b);
        }
    }

    fn put_all_beside(&mut self, l: u32, others: &Bits) {
        let mut fresh = Vec::new();
        self.beside[l as usize].add(others, |other| fresh.push(other));
        if !fresh.is_empty() {
            self.mark_local(l);
        }
        for other in fresh {
            self.beside[other as usize].insert(l);
            self.mark_local(other);
        }
    }

    fn mark_shared(&mut self, s: u32) {
        if !std::mem::replace(&mut self.shared_news[s as usize], true) {
            self.news.push_back(News::Shared(s));
        }
    }

    fn mark_local(&mut self, l: u32) {
        if !std::mem::replace(&mut self.local_news[l as usize], true) {
            self.news.push_back(News::Local(l));
        }
    }

    /// Lets threads meet wherever two of them wait for the same event; whether that was news. Done
    /// anew in every round: programs have few such places.
    fn meet(&mut self, bystanders: &mut Bits) -> Parsed<bool> {
        let events = |builder: &Self, l: u32| -> Vec<(u32, u32)> {
            let node = builder.machine.local.values[l as usize].0;
            let edges = builder.out[node as usize].iter();
            let event = |&e: &u32| match builder.machine.flow.edges[e as usize].op {
                FlowOp::Sync(event) => Some((event, e)),
                _ => None,
            };
            edges.filter_map(event).collect()
        };
        let waiting: Vec<(u32, Vec<(u32, u32)>)> = (0..self.beside.len() as u32)
            .map(|l| (l, events(self, l)))
            .filter(|(_, events)| !events.is_empty())
            .collect();
        for (i, (a, from_a)) in waiting.iter().enumerate() {
            for (b, from_b) in &waiting[i..] {
                for edges in pairs_of_equal_events(from_a, from_b) {
                    self.budget.steps(1)?;
                    if self.beside[*a as usize].contains(*b) {
                        self.meet_everywhere([*a, *b], edges, bystanders)?;
                    }
                }
            }
        }
        Ok(!self.open.is_empty() || !self.news.is_empty())
    }

    fn meet_everywhere(
        &mut self,
        from: [u32; 2],
        edges: [u32; 2],
        bystanders: &mut Bits,
    ) -> Parsed<()> {
        let mut both = Bits::default();
        self.beside[from[0] as usize].common(&self.beside[from[1] as usize], &mut both);
        let to = [self.past(from[0], edges[0])?, self.past(from[1], edges[1])?];
        for shared in 0..self.present.len() as u32 {
            self.budget.steps(1 + both.words())?;
            let here = &self.present[shared as usize];
            if !here.contains(from[0]) || !here.contains(from[1]) {
                continue;
            }
            here.common(&both, bystanders);
            self.add_pair(shared, to[0]);
            self.add_pair(shared, to[1]);
            self.put_beside(to[0], to[1]);
            self.put_all_beside(to[0], bystanders);
            self.put_all_beside(to[1], bystanders);
            let meeting = Meeting { shared, from, to, edge: edges[0] };
            self.budget.grow::<Meeting>(self.met.len(), self.met.capacity())?;
            if self.met.insert(meeting) {
                self.machine.meetings.push(meeting);
            }
        }
        Ok(())
    }

    /// The local state after an edge that changes no value.
    fn past(&mut self, l: u32, edge: u32) -> Result<u32, Exhausted> {
        let to = self.machine.flow.edges[edge as usize].to;
        let (_, values) = self.machine.local.values[l as usize];
        self.local_number((to, values & self.live.local[to as usize]))
    }

    /// All ways to get from a resting point to the next one.
    fn run_step(&self, from: BoolState) -> Result<Vec<Outcome>, Exhausted> {
        let mut results = Vec::new();
        let mut seen = FxHashSet::default();
        let start = Running { state: from, told: None, started: Vec::new() };
        let mut stack = vec![start];
        let (mut first, mut effects) = (true, Vec::new());
        while let Some(Running { state, told, started }) = stack.pop() {
            self.budget.steps(1)?;
            let moved = !std::mem::take(&mut first);
            if moved && self.stable[state.node as usize] {
                let local = state.local & self.live.local[state.node as usize];
                let Some(edge) = told.or(self.out[from.node as usize].first().copied()) else {
                    continue;
                };
                results.push(Outcome { edge, to: Some(BoolState { local, ..state }), started });
                continue;
            }
            self.budget.grow::<(BoolState, bool)>(seen.len(), seen.capacity())?;
            if !seen.insert((state, told.is_some(), started.clone())) {
                continue;
            }
            if moved && !self.machine.flow.atomic[state.node as usize] {
                let changes = state.shared != from.shared || !started.is_empty();
                effects.extend(changes.then(|| ((state.shared, started.clone()), told)));
            }
            for &e in &self.out[state.node as usize] {
                let edge = &self.machine.flow.edges[e as usize];
                if matches!(edge.op, FlowOp::Sync(_)) {
                    continue;
                }
                let told = told.or(touches_shared(&edge.op).then_some(e));
                let mut started = started.clone();
                if let FlowOp::Spawn(child) = edge.op {
                    started.push((child, state.local & self.live.local[child as usize]));
                }
                let mut outcomes = execute(edge, state);
                if outcomes.fails {
                    results.push(Outcome { edge: e, to: None, started: Vec::new() });
                }
                while let Some(next) = outcomes.advance() {
                    self.budget.steps(1)?;
                    let started = started.clone();
                    stack.extend(next.map(|state| Running { state, told, started }));
                }
            }
        }
        self.keep_effects(effects, &mut results)?;
        Ok(results)
    }

    /// A thread that never rests again, as it waits for its own variables or runs in circles, has done what
    /// it has done.
    fn keep_effects(
        &self,
        effects: Vec<(Effect, Option<u32>)>,
        results: &mut Vec<Outcome>,
    ) -> Result<(), Exhausted> {
        let mut known: FxHashSet<Effect> = FxHashSet::default();
        if !effects.is_empty() {
            let rests = results.iter().filter_map(|r| Some((r.to?.shared, r.started.clone())));
            known.extend(rests);
        }
        for ((shared, started), told) in effects {
            self.budget.steps(1)?;
            if let Some(edge) = told
                && known.insert((shared, started.clone()))
            {
                let to = Some(BoolState { node: ENDED, shared, local: 0 });
                results.push(Outcome { edge, to, started });
            }
        }
        Ok(())
    }
}

/// Runs single steps of single threads.
pub struct Runner<'a>(Builder<'a>);

impl<'a> Runner<'a> {
    pub fn new(
        flow: &'a Flow,
        live: &'a Live,
        stable: Vec<bool>,
        source: &'a Source,
    ) -> Runner<'a> {
        Runner(Builder::new(flow, live, stable, source))
    }

    /// The edge and the end of every step; none is a failed assertion.
    pub fn outcomes(&self, from: BoolState) -> Result<Vec<(u32, Option<BoolState>)>, Exhausted> {
        Ok(self.0.run_step(from)?.into_iter().map(|outcome| (outcome.edge, outcome.to)).collect())
    }

    /// Line and text of an edge.
    pub fn statement(&self, edge: u32) -> (u32, String) {
        let edge = &self.0.machine.flow.edges[edge as usize];
        (edge.place.line, edge.text.clone())
    }

    /// What a local state is called.
    pub fn name(&self, (node, values): (u32, u128)) -> String {
        let edges = &self.0.out[node as usize];
        let line = edges.first().map(|&e| self.0.machine.flow.edges[e as usize].place.line);
        local_name(self.0.machine.flow, node, values, line)
    }
}

/// `New:12{ok}`: before line 12 of a procedure, with the variables that are true.
pub fn local_name(flow: &Flow, node: u32, values: u128, line: Option<u32>) -> String {
    let frame = &flow.frames[flow.frame_of[node as usize] as usize];
    let names = frame.locals.iter().filter(|(i, _)| values >> i & 1 == 1);
    let on = names.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(",");
    match line {
        Some(line) => format!("{}:{line}{{{on}}}", frame.procedure),
        None => format!("ended{{{on}}}"),
    }
}

/// A step on its way: where it is, the edge that tells most about it, threads started so far.
struct Running {
    state: BoolState,
    told: Option<u32>,
    started: Vec<(u32, u128)>,
}

/// Shared values and started threads: all that others see of a step.
type Effect = (u128, Vec<(u32, u128)>);

/// A way to get to the next resting point; `None` is a failed assertion. The edge is the one that tells
/// most about the step: the first that touches something shared.
struct Outcome {
    edge: u32,
    to: Option<BoolState>,
    started: Vec<(u32, u128)>,
}

fn pairs_of_equal_events(a: &[(u32, u32)], b: &[(u32, u32)]) -> Vec<[u32; 2]> {
    let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
    pairs.filter(|(x, y)| x.0 == y.0).map(|(x, y)| [x.1, y.1]).collect()
}
