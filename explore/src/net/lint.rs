//! SACS'10, Assumptions 1 to 3, tested on a net: they are what makes merging equivalent markings
//! right, and a net of the papers' classes satisfies them (Theorems 2 and 3).
//!
//! The net is explored with pids up to a limit. Assumption 1 is tested on every step, Assumption 2
//! on every marking reached, Assumption 3 on pairs of different markings of one class: every step of
//! the one, renamed by the bijection, must be a step of the other and lead to equivalent markings
//! under the bijection that goes on. The independent checker judges. Where the net has control-flow places,
//! every marking is tested for control safeness (ICTAC'08, Definition 3; Theorem 1.1 says that t-nets have it).

use super::canon::NetCanonizer;
use super::compiled::{Net, Origin, Place};
use super::named::Named;
use super::syntax::tree::{PlaceKind, Type};
use super::trace::{each_step, pids_with_created};
use crate::search::{Canonizer, Failure, StopReason};
use pidlab_budget::Budget;
use pidlab_core::forest::PidId;
use pidlab_core::state::Inconsistent;
use pidlab_core::{Pid, Relations, State};
use pidlab_random::xor_shift;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// How much to test.
#[derive(Clone, Debug)]
pub struct LintSettings {
    /// Ω*.
    pub relations: Relations,
    /// Classes to explore.
    pub max_states: usize,
    /// Pairs of equivalent markings to test Assumption 3 on.
    pub pairs: usize,
    /// What pairs are drawn by.
    pub seed: u64,
    /// What ends the tests early.
    pub budget: Budget,
}

/// How often an assumption was tested, and the first failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LintTest {
    /// How often.
    pub tests: usize,
    /// The first failure in words.
    pub failure: Option<String>,
}

impl LintTest {
    fn note(&mut self, result: Result<(), String>) {
        self.tests += 1;
        if let Err(failure) = result {
            self.failure.get_or_insert(failure);
        }
    }
}

/// What the tests found. Tests that pass are not a proof: a net may break an assumption elsewhere.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LintReport {
    /// Classes that were explored.
    pub classes: usize,
    /// The limit that ended the tests before the settings did.
    pub stopped: Option<StopReason>,
    /// SACS'10, Assumption 1: pids of a successor are old, or next-pids of active threads.
    pub assumption1: LintTest,
    /// SACS'10, Assumption 2: every marking reached is consistent.
    pub assumption2: LintTest,
    /// SACS'10, Assumption 3: equivalent markings have the same steps, up to the bijection.
    pub assumption3: LintTest,
    /// ICTAC'08, Definition 3: every active thread has exactly one token in the control-flow places, and no
    /// other thread has one. `None` where the net has no such place.
    pub control_safe: Option<LintTest>,
    /// What looks like a mistake but is none in itself.
    pub hints: Vec<String>,
}

impl LintReport {
    /// Whether no test failed.
    pub fn holds(&self) -> bool {
        let assumptions = [&self.assumption1, &self.assumption2, &self.assumption3];
        let mut tested = assumptions.into_iter().chain(&self.control_safe);
        tested.all(|tested| tested.failure.is_none())
    }
}

/// Tests the assumptions on the markings that a net reaches.
pub fn lint(net: &Net, settings: &LintSettings) -> Result<LintReport, Failure> {
    let control_safe = flow_places(net).next().map(|_| LintTest::default());
    let mut report = LintReport { control_safe, ..LintReport::default() };
    let mut reached = Reached::new(net, settings);
    match reached.test(settings, &mut report) {
        Err(Failure::Limit(what)) => report.stopped = Some(what.into()),
        other => other?,
    }
    report.classes = reached.classes.len();
    report.hints = hints(net, settings.relations, &reached.fired);
    Ok(report)
}

struct Reached<'n> {
    net: &'n Net,
    budget: Budget,
    relations: Relations,
    canonizer: NetCanonizer<'n>,
    worker: super::canon::CanonWorker,
    numbers: FxHashMap<Vec<u8>, usize>,
    /// One marking of every class.
    classes: Vec<Named>,
    /// Other markings and their class.
    pairs: Vec<(Named, usize)>,
    fired: Vec<bool>,
}

impl<'n> Reached<'n> {
    fn new(net: &'n Net, settings: &LintSettings) -> Reached<'n> {
        let canonizer = NetCanonizer::new(net, settings.relations);
        let budget = settings.budget.clone();
        let mut worker = canonizer.worker();
        canonizer.allow(&mut worker, &budget);
        Reached {
            net,
            budget,
            relations: settings.relations,
            canonizer,
            worker,
            numbers: FxHashMap::default(),
            classes: Vec::new(),
            pairs: Vec::new(),
            fired: vec![false; net.labels.len()],
        }
    }

    fn test(&mut self, settings: &LintSettings, report: &mut LintReport) -> Result<(), Failure> {
        self.explore(settings, report)?;
        for (one, class) in std::mem::take(&mut self.pairs) {
            self.budget.poll()?;
            let other = self.classes[class].clone();
            let result = self.third(&one, &other)?;
            report.assumption3.note(result);
        }
        Ok(())
    }

    fn explore(&mut self, settings: &LintSettings, report: &mut LintReport) -> Result<(), Failure> {
        let mut sample = Sample { seen: 0, state: settings.seed | 1 };
        self.enter(Named::initial(self.net), settings, &mut sample)?;
        let mut next = 0;
        while next < self.classes.len() {
            self.budget.poll()?;
            let before = self.classes[next].clone();
            report.assumption2.note(second(self.net, &before)?);
            if let Some(tested) = &mut report.control_safe {
                tested.note(control_safe(self.net, &before));
            }
            let mut after = Vec::new();
            each_step(self.net, &before, &self.budget, |transition, _, named| {
                self.budget.poll()?;
                self.fired[transition.label as usize] = true;
                report.assumption1.note(first(&before, named));
                after.push(named.clone());
                Ok(())
            })?;
            for named in after {
                self.budget.poll()?;
                self.enter(named, settings, &mut sample)?;
            }
            next += 1;
        }
        Ok(())
    }

    /// Stores the first marking of a class, of as many classes as are explored; of the others keeps a fair sample.
    fn enter(
        &mut self,
        named: Named,
        settings: &LintSettings,
        sample: &mut Sample,
    ) -> Result<(), Failure> {
        let mut key = Vec::new();
        self.canonizer.key(&mut self.worker, &named.marking, &mut key)?;
        let Some(&class) = self.numbers.get(&key) else {
            if self.classes.len() < settings.max_states {
                self.numbers.insert(key, self.classes.len());
                self.classes.push(named);
            }
            return Ok(());
        };
        if named != self.classes[class] {
            match sample.slot(settings.pairs) {
                Some(slot) if slot < self.pairs.len() => self.pairs[slot] = (named, class),
                Some(_) => self.pairs.push((named, class)),
                None => {}
            }
        }
        Ok(())
    }

    fn order(&mut self, named: &Named) -> Result<Vec<u32>, Failure> {
        self.canonizer.key(&mut self.worker, &named.marking, &mut Vec::new())?;
        Ok(self.canonizer.order(&self.worker).to_vec())
    }

    /// Assumption 3 for one pair of equivalent markings.
    fn third(&mut self, q: &Named, r: &Named) -> Result<Result<(), String>, Failure> {
        let (order_q, order_r) = (self.order(q)?, self.order(r)?);
        let mut image = vec![0; order_q.len()];
        for (&x, &y) in order_q.iter().zip(&order_r) {
            image[x as usize] = y;
        }
        let steps_r = steps(self.net, r, &self.budget)?;
        for step in steps(self.net, q, &self.budget)? {
            self.budget.poll()?;
            let answered = steps_r
                .iter()
                .filter(|other| step.renamed(self.net, &image) == other.variables)
                .any(|other| self.leads_to_equivalent(&step, other, &image));
            if !answered {
                let transition = &self.net.labels[step.label as usize];
                let (tokens, others) = (q.tokens(self.net), r.tokens(self.net));
                return Ok(Err(format!(
                    "transition `{transition}` fires at {} but has no counterpart at the equivalent marking {}",
                    tokens.join(" "),
                    others.join(" ")
                )));
            }
        }
        Ok(Ok(()))
    }

    fn leads_to_equivalent(&self, one: &Step, other: &Step, image: &[u32]) -> bool {
        let (Ok(q), Ok(r)) = (one.after.to_state(self.net), other.after.to_state(self.net)) else {
            return false;
        };
        let mut witness: Vec<PidId> = vec![0; q.pid_count()];
        for pid in &one.after.pids {
            let Some(old) = one.pids.iter().position(|p| p == pid) else { return false };
            // created pids correspond in order
            let new = image.get(old).map_or(old, |&y| y as usize);
            let (x, y) = (number(&q, pid), number(&r, &other.pids[new]));
            let (Some(x), Some(y)) = (x, y) else { return false };
            witness[x as usize] = y;
        }
        pidlab_check::verify(&q, &r, self.relations, &witness).is_ok()
    }
}

/// One step with its binding.
struct Step {
    transition: usize,
    label: u32,
    /// Transition and the values of its named variables that are bound before it fires.
    variables: Vec<i64>,
    /// Pids before and created.
    pids: Vec<Vec<u64>>,
    after: Named,
}

impl Step {
    /// The variables with threads replaced by their images.
    fn renamed(&self, net: &Net, image: &[u32]) -> Vec<i64> {
        let transition = &net.transitions[self.transition];
        let slots = self.variables.iter().skip(1).enumerate();
        let values = slots.map(|(slot, &value)| match transition.slot_types[slot] {
            Type::Pid => image.get(value as usize).map_or(value, |&y| i64::from(y)),
            _ => value,
        });
        std::iter::once(self.transition as i64).chain(values).collect()
    }
}

/// In place of variables inside `count`: they are not part of a binding.
const UNNAMED: i64 = i64::MIN;

fn steps(net: &Net, before: &Named, budget: &Budget) -> Result<Vec<Step>, Failure> {
    let mut all = Vec::new();
    each_step(net, before, budget, |transition, scratch, after| {
        let number = net.transitions.iter().position(|t| std::ptr::eq(t, transition));
        let number = number.unwrap_or(0);
        let named = |slot: usize| !transition.slot_names[slot].is_empty();
        let values = scratch.variables.values.iter().enumerate();
        let values = values.map(|(slot, &value)| if named(slot) { value } else { UNNAMED });
        all.push(Step {
            transition: number,
            label: transition.label,
            variables: std::iter::once(number as i64).chain(values).collect(),
            pids: pids_with_created(transition, scratch, before),
            after: after.clone(),
        });
        Ok(())
    })?;
    Ok(all)
}

fn number(state: &State, pid: &[u64]) -> Option<PidId> {
    state.forest().find(&Pid::new(pid)?)
}

/// Pids and active pids of a successor come from the marking before or are next-pids of it.
fn first(before: &Named, after: &Named) -> Result<(), String> {
    let active = |named: &Named, i: usize| named.marking.threads[i].is_active();
    for (i, pid) in after.pids.iter().enumerate() {
        let old = before.pids.iter().position(|p| p == pid);
        let created = before.pids.iter().enumerate().any(|(j, parent)| {
            let child = pid.strip_prefix(&parent[..]);
            active(before, j) && matches!(child, Some(&[n]) if n > before.created[j])
        });
        let was_active = old.is_some_and(|j| active(before, j));
        if old.is_none() && !created || active(after, i) && !was_active && !created {
            let name = after.pid(i as u32);
            return Err(format!("pid {name} is neither old nor newly created (Assumption 1)"));
        }
    }
    Ok(())
}

/// The control-flow places of a net.
fn flow_places(net: &Net) -> impl Iterator<Item = (usize, &Place)> {
    net.places.iter().enumerate().filter(|(_, place)| place.kind == PlaceKind::Flow)
}

/// ICTAC'08, Definition 3; the owner of a token is its first pid.
fn control_safe(net: &Net, named: &Named) -> Result<(), String> {
    let mut owned = vec![0; named.pids.len()];
    for (place, info) in flow_places(net) {
        let Some(&owner) = info.pids.first() else { continue };
        for token in named.marking.place(place).chunks_exact(info.width) {
            owned[token[owner] as usize] += 1;
        }
    }
    for (thread, owned) in (0..).zip(owned) {
        let is_active = named.marking.threads[thread as usize].is_active();
        if owned != u32::from(is_active) {
            let (pid, tokens) = (named.pid(thread), named.tokens(net).join(" "));
            let is = if is_active { "active" } else { "not active" };
            return Err(format!(
                "pid {pid} is {is} and has {owned} tokens in control-flow places at {tokens}"
            ));
        }
    }
    Ok(())
}

/// The marking is a consistent thread configuration; pids of the generator place count as present.
fn second(net: &Net, named: &Named) -> Result<Result<(), String>, Failure> {
    let state = named.to_state(net).map_err(|error| Failure::Model(error.to_string()))?;
    Ok(match state.check_consistent() {
        Ok(()) | Err(Inconsistent::ActiveNotInSigma { .. }) => Ok(()),
        Err(error) => Err(error.to_string()),
    })
}

/// Keeps each of an unknown number of items with the same chance (reservoir sampling).
struct Sample {
    seen: u64,
    state: u64,
}

impl Sample {
    /// Where the next item goes, if it is kept.
    fn slot(&mut self, size: usize) -> Option<usize> {
        self.seen += 1;
        self.state = xor_shift(self.state);
        let slot = if self.seen <= size as u64 { self.seen - 1 } else { self.state % self.seen };
        Some(slot as usize).filter(|&slot| slot < size)
    }
}

fn hints(net: &Net, relations: Relations, fired: &[bool]) -> Vec<String> {
    let mut hints = Vec::new();
    if let Some(found) = net.unsound_use(relations) {
        let relation = found.relation.name();
        hints.push(format!(
            "{} compares with `{relation}`, which is not in Ω*: exploring would be unsound",
            found.by
        ));
    }
    let used = net.used_relations();
    for relation in relations.iter().filter(|&r| !used.contains(r)) {
        let name = relation.name();
        hints.push(format!(
            "`{name}` is in Ω* but nothing compares with it; without it more markings merge"
        ));
    }
    for (place, info) in net.places.iter().enumerate() {
        let filled = net.initial.tokens.iter().any(|t| t.0 == place)
            || net.transitions.iter().any(|t| t.outputs.iter().any(|o| o.place == place));
        let read = net.transitions.iter().flat_map(|t| &t.inputs).any(
            |input| matches!(&input.from, Origin::Token { pattern, .. } if pattern.place == place),
        );
        if !filled {
            hints.push(format!("place `{}` never gets a token", info.name));
        } else if !read {
            hints.push(format!("no transition takes from place `{}`", info.name));
        }
    }
    for (label, _) in net.labels.iter().zip(fired).filter(|(_, fired)| !**fired) {
        hints.push(format!("transition `{label}` did not fire in what was explored"));
    }
    hints
}
