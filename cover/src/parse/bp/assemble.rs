//! The machine of a program as a net: places with names, transitions in a fixed order, targets.
//!
//! Places are the shared states, the state after a failed assertion, the state before the shared variables
//! have their first values where these are open, and the local states. The name of a local state says
//! where the thread is and which of its variables are true: `New:12{ok}` is before line 12 of `New`.

use super::ast::{BoolProgram, ThreadCount};
use super::expr::Expr;
use super::flow::{Edge, FlowOp};
use super::machine::{Machine, Meeting, Move, local_name};
use crate::budget::{Budget, Exhausted};
use crate::config::{Config, Entry, OMEGA};
use crate::names::Names;
use crate::net::{Net, System, Transition, collect_entries};
use pidlab_syntax::{Parsed, Source, Span, quoted};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Turns a machine into a net that asks about conditions on shared variables and the assertions.
pub fn assemble(
    program: &BoolProgram,
    errors: &[Expr<u32>],
    machine: Machine,
    source: &Source,
) -> Parsed<Net> {
    Assembler::new(program, errors, machine, source)?.net()
}

struct Assembler<'a> {
    program: &'a BoolProgram,
    errors: &'a [Expr<u32>],
    machine: Machine<'a>,
    budget: &'a Budget,
    /// Numbers of shared states, those with a special meaning included.
    shared: u32,
    texts: Vec<Arc<str>>,
    net: Net,
}

impl<'a> Assembler<'a> {
    fn new(
        program: &'a BoolProgram,
        errors: &'a [Expr<u32>],
        machine: Machine<'a>,
        source: &'a Source,
    ) -> Parsed<Assembler<'a>> {
        let special = 1 + u32::from(machine.first > 1);
        let shared = machine.shared.values.len() as u32 + special;
        let texts = machine.flow.edges.iter().map(|edge| edge.text.as_str().into()).collect();
        let (budget, net) = (source.budget(), Net::default());
        Ok(Assembler { program, errors, machine, budget, shared, texts, net })
    }

    /// The shared state after a failed assertion.
    fn error(&self) -> u32 {
        self.machine.shared.values.len() as u32
    }

    fn net(mut self) -> Parsed<Net> {
        self.net.places = self.place_names()?;
        let local = self.machine.local.values.len() as u32;
        self.net.systems = vec![System::new(self.shared, local)];
        self.net.targets = self.targets()?;
        self.start();
        let mut moves = std::mem::take(&mut self.machine.moves);
        moves.sort_unstable_by_key(|m| (m.shared, m.local));
        for one in &moves {
            self.steps(one)?;
        }
        for one in &moves {
            self.failure(one)?;
        }
        let mut meetings = std::mem::take(&mut self.machine.meetings);
        meetings.sort_unstable_by_key(|m| (m.shared, m.from, m.to));
        for one in meetings {
            self.meeting(one)?;
        }
        Ok(self.net)
    }

    fn start(&mut self) {
        let flow = self.machine.flow;
        let mut threads: Vec<Entry> = Vec::new();
        for (entry, &local) in flow.entries.iter().zip(&self.machine.entries) {
            let place = self.shared + local;
            match entry.count {
                ThreadCount::Exactly(count) => threads.push((place, count)),
                ThreadCount::Any(least) => {
                    threads.push((place, OMEGA));
                    self.net.at_least.extend((least > 0).then_some((place, least)));
                }
            }
        }
        let first = if self.machine.first > 1 { self.shared - 1 } else { 0 };
        let entries = [(first, 1)].into_iter().chain(threads.iter().copied());
        self.net.initial = Config::new(entries.collect());
        if self.machine.first > 1 {
            let text: Arc<str> = "initial values".into();
            for shared in 0..self.machine.first {
                for &(place, _) in &threads {
                    let (pre, post) = (vec![(first, 1), (place, 1)], vec![(shared, 1), (place, 1)]);
                    self.push(pre, post, &text, 0);
                }
            }
        }
    }

    fn push(&mut self, pre: Vec<Entry>, post: Vec<Entry>, text: &Arc<str>, line: u32) {
        self.net.transitions.push(Transition { pre, post, transfers: Vec::new(), line });
        self.net.labels.push(text.clone());
    }

    fn push_step(&mut self, pre: Vec<Entry>, post: Vec<Entry>, edge: u32) {
        let text = self.texts[edge as usize].clone();
        self.push(pre, post, &text, self.machine.flow.edges[edge as usize].place.line);
    }

    fn steps(&mut self, Move { shared, local, steps, .. }: &Move) -> Result<(), Exhausted> {
        let mut steps = self.machine.steps[steps.clone()].to_vec();
        let started = |range: (u32, u32)| range.0 as usize..range.1 as usize;
        let all = &self.machine.started;
        steps.sort_by_key(|to| (to.shared, to.local, &all[started(to.started)]));
        for to in steps {
            self.budget.steps(1)?;
            let mut locals = vec![to.local];
            locals.extend(&self.machine.started[started(to.started)]);
            let (pre, post) = (self.sum(*shared, &[*local]), self.sum(to.shared, &locals));
            self.push_step(pre, post, to.edge);
        }
        Ok(())
    }

    fn failure(&mut self, failed: &Move) -> Result<(), Exhausted> {
        if let Some(edge) = failed.failure {
            self.budget.steps(1)?;
            let pre = self.sum(failed.shared, &[failed.local]);
            self.push_step(pre, vec![(self.error(), 1)], edge);
        }
        Ok(())
    }

    fn meeting(&mut self, meeting: Meeting) -> Result<(), Exhausted> {
        self.budget.steps(1)?;
        let pre = self.sum(meeting.shared, &meeting.from);
        let post = self.sum(meeting.shared, &meeting.to);
        self.push_step(pre, post, meeting.edge);
        Ok(())
    }

    fn sum(&self, shared: u32, locals: &[u32]) -> Vec<Entry> {
        let threads = locals.iter().map(|l| (self.shared + l, 1));
        collect_entries([(shared, 1)].into_iter().chain(threads)).unwrap_or_default()
    }

    /// The failed-assertion state, and the shared states that an `error` line describes.
    fn targets(&self) -> Parsed<Vec<Config>> {
        let mut targets = vec![Config::new(vec![(self.error(), 1)])];
        for condition in self.errors {
            for (number, value) in self.machine.shared.values.iter().enumerate() {
                self.budget.poll()?;
                let get = |i: &u32| value >> i & 1 == 1;
                if condition.values(&get, &get).yes {
                    targets.push(Config::new(vec![(number as u32, 1)]));
                }
            }
        }
        Ok(targets)
    }

    fn place_names(&self) -> Result<Names, Exhausted> {
        let machine = &self.machine;
        let shared = machine.shared.values.iter().map(|&value| {
            let names = self.program.shared.iter().map(|v| v.name.as_str()).enumerate();
            let on = names.filter(|(i, _)| value >> i & 1 == 1).map(|n| n.1).collect::<Vec<_>>();
            format!("shared{{{}}}", on.join(","))
        });
        let start = (machine.first > 1).then(|| "start".to_string());
        let lines = self.lines();
        let local = machine
            .local
            .values
            .iter()
            .map(|&(node, value)| local_name(machine.flow, node, value, lines[node as usize]));
        let mut all = Names::default();
        let mut seen = FxHashSet::default();
        for mut name in shared.chain(["error".to_string()]).chain(start).chain(local) {
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

    /// The line of what a thread at a node does next.
    fn lines(&self) -> Vec<Option<u32>> {
        let mut lines = vec![None; self.machine.flow.nodes as usize];
        for Edge { from, place, .. } in self.machine.flow.edges.iter().rev() {
            lines[*from as usize] = Some(place.line);
        }
        lines
    }
}

/// A condition over the numbers of shared variables.
pub fn error_condition(
    program: &BoolProgram,
    condition: &Expr,
    span: Span,
    source: &Source,
) -> Parsed<Expr<u32>> {
    condition.try_map(&mut |name: &String| {
        let found = program.shared.iter().position(|shared| shared.name == *name);
        found
            .map(|number| number as u32)
            .ok_or_else(|| source.error(span, format!("{} is not a shared variable", quoted(name))))
    })
}

/// Whether there is anything to check.
pub fn check_asserts(program: &BoolProgram, edges: &[Edge], source: &Source) -> Parsed<()> {
    let asserts = edges.iter().any(|e| matches!(e.op, FlowOp::Assert(_)));
    if program.must_assert && program.errors.is_empty() && !asserts {
        let message = "empty target: expected `error …;` or an assertion";
        return Err(source.error(Span::default(), message));
    }
    Ok(())
}
