//! Traces with pids: a path of the reduced graph replayed as a run of the net.
//!
//! Each step looks for the binding that leads from the concrete marking at hand to a member of the
//! next class; Theorem 3 of SACS'10 says that there is one, because the bijection between a marking
//! and its representative is kept by every transition. The pids are therefore those of one and the
//! same run from the start to the end. Cost: the bindings of one transition per step.

use super::compiled::{Net, Transition};
use super::firing::{FiringRule, Scratch};
use super::named::Named;
use super::syntax::tree::Type;
use super::trees::Classes;
use crate::search::{Canonizer, Failure, Id, Parents, SearchReport};
use pidlab_budget::Budget;
use pidlab_core::Relations;
use serde_json::Value;

/// One step of a run.
#[derive(Clone, Debug)]
pub struct NetTraceStep {
    /// Its name.
    pub transition: String,
    /// Variables and their values, such as `p = 1.1`.
    pub binding: Vec<(String, String)>,
    /// The same as JSON: pids with their `@`, and data.
    pub values: Vec<(String, Value)>,
    /// The marking after it.
    pub after: Named,
    /// Number of the class.
    pub class: Id,
}

/// A run from the initial marking.
#[derive(Clone, Debug)]
pub struct NetTrace {
    /// The initial marking.
    pub start: Named,
    /// What is fired, in order.
    pub steps: Vec<NetTraceStep>,
}

impl NetTrace {
    /// Gives the classes their numbers in the whole space.
    pub(super) fn number(&mut self, report: &SearchReport) {
        for step in &mut self.steps {
            step.class = report.number(step.class);
        }
    }

    /// The marking the run ends with.
    pub fn last(&self) -> &Named {
        self.steps.last().map_or(&self.start, |step| &step.after)
    }
}

/// Gives the key that the search gave to a concrete marking.
pub trait KeyOf {
    fn key_of(&mut self, named: &Named, key: &mut Vec<u8>) -> Result<(), Failure>;
}

/// Keys by canonical form.
pub struct Canonical<'n, C: Canonizer<super::Marking>> {
    canonizer: &'n C,
    worker: C::Worker,
}

impl<'n, C: Canonizer<super::Marking>> Canonical<'n, C> {
    pub fn new(canonizer: &'n C, budget: &Budget) -> Canonical<'n, C> {
        let mut worker = canonizer.worker();
        canonizer.allow(&mut worker, budget);
        Canonical { canonizer, worker }
    }
}

impl<C: Canonizer<super::Marking>> KeyOf for Canonical<'_, C> {
    fn key_of(&mut self, named: &Named, key: &mut Vec<u8>) -> Result<(), Failure> {
        self.canonizer.key(&mut self.worker, &named.marking, key)
    }
}

/// Keys with pids.
pub struct ByName<'n>(pub super::plain::PlainCanonizer<'n>);

impl KeyOf for ByName<'_> {
    fn key_of(&mut self, named: &Named, key: &mut Vec<u8>) -> Result<(), Failure> {
        self.0.key(&mut self.0.worker(), named, key)
    }
}

/// Replays paths of a search as runs of the net.
pub struct NetReplay<'a, K> {
    pub net: &'a Net,
    pub classes: &'a Classes,
    pub keys: K,
    pub budget: &'a Budget,
}

impl<K: KeyOf> NetReplay<'_, K> {
    /// The run that the path to a state stands for.
    pub fn run(&mut self, parents: &Parents, to: Id) -> Result<NetTrace, Failure> {
        let start = Named::initial(self.net);
        let mut steps: Vec<NetTraceStep> = Vec::new();
        for step in parents.path(to).1 {
            let before = steps.last().map_or(&start, |step: &NetTraceStep| &step.after);
            let next = self.step(before, step.label, step.to)?;
            steps.push(next);
        }
        Ok(NetTrace { start, steps })
    }

    /// The first binding of a transition that leads to a class.
    pub fn step(&mut self, before: &Named, label: u32, to: Id) -> Result<NetTraceStep, Failure> {
        self.budget.poll()?;
        let (mut wanted, mut key) = (Vec::new(), Vec::new());
        self.classes.read(to, &mut wanted);
        let mut found = None;
        let (net, keys) = (self.net, &mut self.keys);
        each_step(net, before, self.budget, |transition, scratch, after| {
            if found.is_none() && transition.label == label {
                keys.key_of(after, &mut key)?;
                if key == wanted {
                    let values = values(net, transition, scratch, before);
                    found = Some(NetTraceStep {
                        transition: net.labels[label as usize].clone(),
                        binding: binding(net, transition, scratch, before),
                        values,
                        after: after.clone(),
                        class: to,
                    });
                }
            }
            Ok(())
        })?;
        found.ok_or_else(|| Failure::Model(LOST.into()))
    }
}

const LOST: &str = "a step of the reduced graph has no counterpart in the net; of an exploration that was forced that can happen, of any other it is a bug";

/// Calls `visit` with every firing at a marking and the marking after.
pub fn each_step(
    net: &Net,
    before: &Named,
    budget: &Budget,
    mut visit: impl FnMut(&Transition, &Scratch, &Named) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let rule = FiringRule { net, kept: Relations::ALL };
    let (mut before, mut after) = (before.clone(), Named::default());
    // tokens lie as steps put them, and the firing rule knows equal ones by their neighbours
    before.marking.sort_tokens(net.places.iter().map(|place| place.width));
    rule.each(&before.marking, None, &mut Scratch::within(budget), |transition, _, scratch| {
        if before.fire(net, transition, scratch, &mut after)? {
            visit(transition, scratch, &after)?;
        }
        Ok(())
    })
}

/// The pids before a firing and those it creates, in the numbering of its variables.
pub fn pids_with_created(
    transition: &Transition,
    scratch: &Scratch,
    before: &Named,
) -> Vec<Vec<u64>> {
    let mut pids = before.pids.clone();
    let mut created = before.created.clone();
    for create in &transition.creates {
        let parent = scratch.variables.values[create.parent] as usize;
        for _ in 0..create.number {
            created[parent] += 1;
            let mut child = pids[parent].clone();
            child.push(created[parent]);
            pids.push(child);
        }
    }
    pids
}

/// The variables of a firing with their values; created pids included.
fn binding(
    net: &Net,
    transition: &Transition,
    scratch: &Scratch,
    before: &Named,
) -> Vec<(String, String)> {
    let pids = pids_with_created(transition, scratch, before);
    let pid = |thread: u32| {
        let steps = pids.get(thread as usize).map(Vec::as_slice).unwrap_or(&[]);
        steps.iter().map(u64::to_string).collect::<Vec<_>>().join(".")
    };
    let named = transition.slot_names.iter().enumerate().filter(|(_, name)| !name.is_empty());
    named
        .map(|(slot, name)| {
            let word = scratch.variables.values[slot] as u32;
            (name.clone(), net.word_text(transition.slot_types[slot], word, &pid))
        })
        .collect()
}

/// The variables of a firing with their values as JSON; created pids included.
pub fn values(
    net: &Net,
    transition: &Transition,
    scratch: &Scratch,
    before: &Named,
) -> Vec<(String, Value)> {
    let pids = pids_with_created(transition, scratch, before);
    let named = transition.slot_names.iter().enumerate().filter(|(_, name)| !name.is_empty());
    named
        .map(|(slot, name)| {
            let word = scratch.variables.values[slot] as u32;
            let value = match transition.slot_types[slot] {
                Type::Pid => {
                    let steps = pids.get(word as usize).map(Vec::as_slice).unwrap_or(&[]);
                    let steps: Vec<String> = steps.iter().map(u64::to_string).collect();
                    format!("@{}", steps.join(".")).into()
                }
                Type::Int => (word as i32).into(),
                Type::Bool => (word != 0).into(),
                Type::Text => text_value(&net.texts[word as usize]),
            };
            (name.clone(), value)
        })
        .collect()
}

/// A string, told from pids as states do.
fn text_value(text: &str) -> Value {
    if text.starts_with('@') { format!("@{text}").into() } else { text.into() }
}
