//! Does a thread of a boolean program refine a local/global machine? (Beacon'01, introduction.)
//!
//! The proof rule carries an invariant of machines over to programs: if B1 ⇒ F1, B2 ⇒ F2 and F1‖F2 ⊨ φ then
//! B1‖B2 ⊨ φ, and if B ⇒ F and F* ⊨ φ then B* ⊨ φ. B ⇒ F is decided as a simulation between local states:
//! whatever the shared state, a step of B that changes it from g to g' must be matched by a step of F that
//! does the same, or by none if g = g', such that the local states are related again. A failed assertion must be
//! matched by a step to an `error` of F, which is a shared state alone or with the local state of one thread: a step of one
//! thread does not say where others are. Shared state number n of F stands for the values
//! of the shared variables that are the digits of n in binary, the variable that is declared first the last digit.
//!
//! Sound by induction over runs: other threads are those of F's, and may do anything to the shared state, or
//! under [`Environment::Threads`] what threads of F can do, as far as pairs of places tell. Not complete:
//! a machine that has to guess what the program does later is refused. Cost: pairs of local states times
//! shared states times steps; a worklist with counters.

use super::ast::{BoolProgram, ThreadCount};
use super::expr::Expr;
use super::flow::FlowOp;
use super::live::Strength;
use super::machine::{Runner, stable_nodes};
use super::step::BoolState;
use super::{FirstValues, inline, live, parser};
use crate::budget::{Budget, Exhausted};
use crate::error::Stop;
use crate::invariants::pairs::PairInvariant;
use crate::net::Net;
use pidlab_syntax::{Diagnostic, Parsed, Source, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// What other threads may do to the shared state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Environment {
    /// Anything.
    #[default]
    Any,
    /// What threads of the machine do.
    Threads,
}

/// Whether a program refines a machine.
#[derive(Clone, Debug, Serialize)]
pub struct Refinement {
    /// Whether it does.
    pub refines: bool,
    /// Local states of the program that were looked at.
    pub program_states: u64,
    /// Pairs of local states that were looked at.
    pub pairs: u64,
    /// Steps that the program can take, after the last of which the machine cannot follow; empty if it
    /// refines.
    pub counterexample: Vec<RefinementStep>,
}

/// A step of the program, and how the machine follows.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct RefinementStep {
    /// Shared state before it, which others may have set, as a number of the machine.
    pub shared: u32,
    /// The variables that are true in it.
    pub shared_true: Vec<String>,
    /// Where the thread of the program is.
    pub local: String,
    /// Local state of the machine.
    pub machine: u32,
    /// Line and text of the statement.
    pub line: u32,
    /// Its text.
    pub statement: String,
    /// Shared state after it, null if an assertion fails.
    pub shared_after: Option<u64>,
    /// Local state of the machine after it; null if it cannot follow.
    pub machine_after: Option<u32>,
}

/// Why it cannot be decided.
#[derive(Debug, thiserror::Error)]
pub enum RefineError {
    /// One of the texts is wrong, or speaks of what is not of single threads.
    #[error(transparent)]
    Wrong(#[from] Box<Diagnostic>),
    /// The machine does not fit.
    #[error("the machine {0}")]
    Machine(String),
    /// A limit was reached.
    #[error(transparent)]
    Limit(#[from] Exhausted),
}

impl From<Diagnostic> for RefineError {
    fn from(error: Diagnostic) -> RefineError {
        match error.limit {
            Some(what) => RefineError::Limit(what),
            None => RefineError::Wrong(Box::new(error)),
        }
    }
}

/// Decides whether the threads of a program refine a machine that was read from an `.lgfsm` file.
pub fn refines(
    source: &Source,
    machine: &Net,
    environment: Environment,
) -> Result<Refinement, RefineError> {
    let budget = source.budget();
    let spec = Spec::new(machine, environment, budget)?;
    let program = parser::parse(source)?;
    let flow = inline::inline(&program, source)?;
    single_threads(&flow.edges, source)?;
    let live = live::live(&flow, Strength::Weak, u128::MAX, budget)?;
    let stable = stable_nodes(&flow);
    let [entry] = flow.entries[..] else {
        let message = "several types of threads: refinement is about one of them";
        return Err(source.error(Span::default(), message).into());
    };
    debug_assert!(entry.count != ThreadCount::Exactly(0));
    one_start(&program, u128::from(spec.start))?;
    let names = program.shared.iter().map(|v| v.name.clone()).collect();
    let runner = Runner::new(&flow, &live, stable, source);
    let mut game = Game::new(spec, runner, names, budget);
    let start = game.pair((entry.node, 0), game.spec.entry)?;
    game.explore()?;
    Ok(game.answer(start))
}

/// The program must start where the machine does.
fn one_start(program: &BoolProgram, start: u128) -> Result<(), RefineError> {
    let Some(other) = FirstValues::new(program, u128::MAX).find(|value| *value != start) else {
        return Ok(());
    };
    let open = program.shared.iter().filter(|variable| variable.initial == Expr::Any);
    let open: Vec<&str> = open.map(|variable| variable.name.as_str()).collect();
    let why = match open.is_empty() {
        true => String::new(),
        false => {
            format!(", as `{}` can have either value at first: give a value", open.join("`, `"))
        }
    };
    Err(RefineError::Machine(format!(
        "starts in shared state {start} alone and the program can start in {other}{why} (shared state n stands for the digits \
         of n in binary, the first variable last)"
    )))
}

/// Threads must not start or meet others.
fn single_threads(edges: &[super::flow::Edge], source: &Source) -> Parsed<()> {
    let other = edges.iter().find(|e| matches!(e.op, FlowOp::Spawn(_) | FlowOp::Sync(_)));
    other.map_or(Ok(()), |edge| {
        let message = "refinement is about single threads, which neither start nor meet others";
        Err(source.error(edge.place.span, message))
    })
}

/// The machine, by shared and local state.
struct Spec {
    shared: u32,
    start: u32,
    entry: u32,
    steps: FxHashMap<(u32, u32), Vec<(u32, u32)>>,
    /// Shared states that are bad, alone or beside a thread in a local state.
    errors: FxHashSet<(u32, Option<u32>)>,
    /// Shared states in which a local state can be.
    possible: Option<Vec<Vec<bool>>>,
}

impl Spec {
    fn new(net: &Net, environment: Environment, budget: &Budget) -> Result<Spec, RefineError> {
        let fail = |what: &str| RefineError::Machine(what.to_string());
        let Some(system) = net.systems.first() else {
            return Err(fail("is not a local/global machine: expected an .lgfsm file"));
        };
        let (shared, locals) = (system.shared.end, system.local.clone());
        let mut steps: FxHashMap<(u32, u32), Vec<(u32, u32)>> = FxHashMap::default();
        for t in &net.transitions {
            budget.steps(1)?;
            let (&[(g, 1), (f, 1)], &[(g2, 1), (f2, 1)]) = (&t.pre[..], &t.post[..]) else {
                return Err(fail("has spawns or broadcasts: expected steps of single threads"));
            };
            if !t.transfers.is_empty() {
                return Err(fail("has passive moves: expected steps of single threads"));
            }
            steps.entry((g, f - shared)).or_default().push((g2, f2 - shared));
        }
        let errors = net.targets.iter().filter_map(|target| match *target.entries() {
            [(g, 1)] if g < shared => Some((g, None)),
            [(g, 1), (f, 1)] if g < shared && shared <= f => Some((g, Some(f - shared))),
            _ => None,
        });
        let errors = errors.collect();
        let start = net.initial.entries().iter().find(|e| e.0 < shared).map_or(0, |e| e.0);
        let mut entries = net.initial.entries().iter().filter(|e| locals.contains(&e.0));
        let (Some(entry), None) = (entries.next(), entries.next()) else {
            return Err(fail("starts threads in several local states: expected one"));
        };
        let possible = match environment {
            Environment::Any => None,
            Environment::Threads => Some(coexistence(net, shared, budget)?),
        };
        let entry = entry.0 - shared;
        Ok(Spec { shared, start, entry, steps, errors, possible })
    }

    fn may_be(&self, shared: u32, local: u32) -> bool {
        self.possible.as_ref().is_none_or(|table| table[local as usize][shared as usize])
    }

    /// Whether a thread that gets there is enough for an error.
    fn is_error(&self, (shared, local): (u32, u32)) -> bool {
        [None, Some(local)].iter().any(|&local| self.errors.contains(&(shared, local)))
    }

    fn steps(&self, shared: u32, local: u32) -> &[(u32, u32)] {
        self.steps.get(&(shared, local)).map_or(&[], |steps| steps)
    }
}

/// By local state: the shared states that can be marked beside it.
fn coexistence(net: &Net, shared: u32, budget: &Budget) -> Result<Vec<Vec<bool>>, RefineError> {
    let pairs = PairInvariant::analyze(net, budget).map_err(|stop| match stop {
        Stop::Limit(what) => RefineError::Limit(what),
        other => RefineError::Machine(other.to_string()),
    })?;
    let mut table = Vec::new();
    for local in shared..net.places.len() as u32 {
        budget.steps(shared as usize)?;
        table.push((0..shared).map(|g| pairs.may_coexist(g, local)).collect());
    }
    Ok(table)
}

/// A local state of the program.
type Local = (u32, u128);

/// A step of the program from a pair, and the pairs that the machine can answer with.
struct Challenge {
    pair: u32,
    shared: u32,
    edge: u32,
    shared_after: Option<u64>,
    answers: Vec<u32>,
    /// Answers that have not failed.
    left: u32,
}

struct Game<'a> {
    spec: Spec,
    runner: Runner<'a>,
    names: Vec<String>,
    budget: &'a Budget,
    numbers: FxHashMap<(Local, u32), u32>,
    pairs: Vec<(Local, u32)>,
    challenges: Vec<Challenge>,
    /// The challenge that the machine cannot meet from a pair, if there is one, and when that was found.
    lost: Vec<Option<(u32, u32)>>,
    /// Challenges in which a pair is an answer.
    asked: Vec<Vec<u32>>,
}

impl<'a> Game<'a> {
    fn new(spec: Spec, runner: Runner<'a>, names: Vec<String>, budget: &'a Budget) -> Game<'a> {
        Game {
            spec,
            runner,
            names,
            budget,
            numbers: FxHashMap::default(),
            pairs: Vec::new(),
            challenges: Vec::new(),
            lost: Vec::new(),
            asked: Vec::new(),
        }
    }

    fn pair(&mut self, local: Local, machine: u32) -> Result<u32, Exhausted> {
        self.budget.grow::<[u64; 12]>(self.numbers.len(), self.numbers.capacity())?;
        let fresh = self.pairs.len() as u32;
        let number = *self.numbers.entry((local, machine)).or_insert(fresh);
        if number == fresh {
            self.pairs.push((local, machine));
            self.lost.push(None);
            self.asked.push(Vec::new());
        }
        Ok(number)
    }

    fn explore(&mut self) -> Result<(), RefineError> {
        let mut next = 0;
        while next < self.pairs.len() {
            self.challenge(next as u32)?;
            next += 1;
        }
        let unmet = (0..self.challenges.len() as u32)
            .filter(|&c| self.challenges[c as usize].left == 0)
            .collect::<Vec<_>>();
        let mut open: std::collections::VecDeque<u32> = unmet.into();
        let mut time = 0;
        while let Some(number) = open.pop_front() {
            self.budget.steps(1)?;
            let pair = self.challenges[number as usize].pair;
            if self.lost[pair as usize].is_some() {
                continue;
            }
            self.lost[pair as usize] = Some((number, time));
            time += 1;
            for &asked in &self.asked[pair as usize] {
                self.budget.steps(1)?;
                let challenge = &mut self.challenges[asked as usize];
                challenge.left -= 1;
                if challenge.left == 0 {
                    open.push_back(asked);
                }
            }
        }
        Ok(())
    }

    /// All steps of the program from a pair, in every shared state that others may set.
    fn challenge(&mut self, pair: u32) -> Result<(), RefineError> {
        let ((node, local), machine) = self.pairs[pair as usize];
        let values = 1u128.checked_shl(self.names.len() as u32).unwrap_or(u128::MAX);
        for shared in 0..self.spec.shared {
            if u128::from(shared) >= values || !self.spec.may_be(shared, machine) {
                continue;
            }
            let from = BoolState { node, shared: u128::from(shared), local };
            for (edge, to) in self.runner.outcomes(from)? {
                self.budget.steps(1)?;
                self.answer_challenge(pair, shared, machine, edge, to)?;
            }
        }
        Ok(())
    }

    fn answer_challenge(
        &mut self,
        pair: u32,
        shared: u32,
        machine: u32,
        edge: u32,
        to: Option<BoolState>,
    ) -> Result<(), RefineError> {
        let steps = self.spec.steps(shared, machine).to_vec();
        let Some(to) = to else {
            // a failed assertion ends the thread, so there is nothing to relate afterwards
            if !steps.iter().any(|&step| self.spec.is_error(step)) {
                self.push(Challenge {
                    pair,
                    shared,
                    edge,
                    shared_after: None,
                    answers: Vec::new(),
                    left: 0,
                });
            }
            return Ok(());
        };
        let mut answers = Vec::new();
        for (g, f) in steps {
            if u128::from(g) == to.shared {
                answers.push(self.pair((to.node, to.local), f)?);
            }
        }
        if to.shared == u128::from(shared) {
            answers.push(self.pair((to.node, to.local), machine)?);
        }
        answers.sort_unstable();
        answers.dedup();
        let left = answers.len() as u32;
        let shared_after = Some(u64::try_from(to.shared).unwrap_or(u64::MAX));
        self.push(Challenge { pair, shared, edge, shared_after, answers, left });
        Ok(())
    }

    fn push(&mut self, challenge: Challenge) {
        let number = self.challenges.len() as u32;
        for &answer in &challenge.answers {
            self.asked[answer as usize].push(number);
        }
        self.challenges.push(challenge);
    }

    fn answer(self, start: u32) -> Refinement {
        let locals: rustc_hash::FxHashSet<Local> = self.pairs.iter().map(|pair| pair.0).collect();
        let mut counterexample = Vec::new();
        let mut at = Some(start);
        while let Some(pair) = at
            && let Some((number, _)) = self.lost[pair as usize]
        {
            let challenge = &self.challenges[number as usize];
            // the answer that holds out longest; all were lost before this pair was
            let next = challenge.answers.iter().copied();
            at = next.max_by_key(|&answer| self.lost[answer as usize].map(|lost| lost.1));
            counterexample.push(self.told(pair, challenge, at));
        }
        Refinement {
            refines: counterexample.is_empty(),
            program_states: locals.len() as u64,
            pairs: self.pairs.len() as u64,
            counterexample,
        }
    }

    fn told(&self, pair: u32, challenge: &Challenge, next: Option<u32>) -> RefinementStep {
        let (local, machine) = self.pairs[pair as usize];
        let (line, statement) = self.runner.statement(challenge.edge);
        let names = self.names.iter().enumerate();
        let on = names.filter(|(i, _)| challenge.shared >> i & 1 == 1).map(|n| n.1.clone());
        RefinementStep {
            shared: challenge.shared,
            shared_true: on.collect(),
            local: self.runner.name(local),
            machine,
            line,
            statement,
            shared_after: challenge.shared_after,
            machine_after: next.map(|answer| self.pairs[answer as usize].1),
        }
    }
}
