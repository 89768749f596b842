//! Properties of single threads along runs: `thread x: after A never B until C`.
//!
//! SACS'10 (after Assumption 3): the bijection between equivalent markings is kept along runs, so
//! properties of individual threads survive the reduction. The net gets a place that holds the
//! thread under watch; the watched thread is then part of the marking, and markings are merged only
//! if the threads under watch correspond. A run starts without one; wherever A holds for a thread
//! the search may begin to watch it, and it gives up where C holds or the thread is gone.

use super::compiled::{Condition, Net, Place, PropertyRule};
use super::expr::Variables;
use super::firing::{Scratch, failure_of};
use super::marking::{Element, Marking};
use super::model::{NetModel, NetWorker};
use super::named::Named;
use super::syntax::tree::{PlaceKind, Type};
use crate::search::{Failure, Model, Successors};
use pidlab_budget::Budget;
use pidlab_core::Relations;

/// Name of the added place.
const PLACE: &str = "watched";
/// Name of the step that begins to watch a thread.
pub const STEP: &str = "watch";

/// A net with a place for the watched thread: its pid, and whether a transition fired since.
pub fn extended(net: &Net) -> Net {
    let mut net = net.clone();
    let types = vec![Type::Pid, Type::Int];
    net.places.push(Place::new(PLACE.into(), PlaceKind::Data, types, Default::default()));
    net.labels.push(STEP.into());
    net
}

/// The conditions of a thread property.
#[derive(Clone, Copy)]
struct Conditions<'n> {
    after: &'n Condition,
    never: &'n Condition,
    until: Option<&'n Condition>,
}

/// The search for a violation of one thread property in an [`extended`] net.
#[derive(Clone, Copy)]
pub struct WatchModel<'n> {
    base: NetModel<'n>,
    net: &'n Net,
    conditions: Conditions<'n>,
}

impl<'n> WatchModel<'n> {
    /// `None` if the property is not about threads.
    pub fn new(net: &'n Net, property: usize, kept: Relations) -> Option<WatchModel<'n>> {
        let PropertyRule::Thread { after, never, until } = &net.properties[property].rule else {
            return None;
        };
        let conditions = Conditions { after, never, until: until.as_ref() };
        Some(WatchModel { base: NetModel::new(net, kept), net, conditions })
    }

    pub fn net(&self) -> &'n Net {
        self.net
    }

    fn place(&self) -> usize {
        self.net.places.len() - 1
    }

    /// The watched thread and whether a transition fired since.
    fn watched(&self, marking: &Marking) -> Option<(Element, bool)> {
        match marking.place(self.place()) {
            [thread, fired] => Some((*thread, *fired != 0)),
            _ => None,
        }
    }

    fn holds(
        &self,
        condition: &Condition,
        variables: &mut Variables,
        thread: Element,
        marking: &Marking,
    ) -> Result<bool, Failure> {
        variables.reset(condition.slots.max(1));
        variables.values[0] = i64::from(thread);
        let holds = condition.expr.holds(variables, marking);
        holds.map_err(|trouble| failure_of(self.net, trouble))
    }

    fn is_gone(&self, thread: Element, marking: &Marking) -> bool {
        let others = &self.net.places[..self.place()];
        let held = others.iter().enumerate().any(|(place, info)| {
            let mut tokens = marking.place(place).chunks_exact(info.width);
            tokens.any(|token| info.pids.iter().any(|&pid| token[pid] == thread))
        });
        !marking.threads[thread as usize].is_active() && !held
    }

    /// Marks the watched thread after a transition fired; `false` if it need not be watched on.
    fn go_on(&self, marking: &mut Marking) -> bool {
        let Some((thread, _)) = self.watched(marking) else { return true };
        if self.is_gone(thread, marking) {
            return false;
        }
        let fired = marking.starts[self.place()] as usize + 1;
        marking.words[fired] = 1;
        marking.touch(thread);
        true
    }

    fn watch(&self, marking: &mut Marking, thread: Element) {
        marking.touch(thread);
        marking.words.extend([thread, 0]);
        if let Some(end) = marking.starts.last_mut() {
            *end += 2;
        }
    }

    fn ends_here(&self, variables: &mut Variables, marking: &Marking) -> Result<bool, Failure> {
        match (self.watched(marking), self.conditions.until) {
            (Some((thread, _)), Some(until)) => self.holds(until, variables, thread, marking),
            _ => Ok(false),
        }
    }

    /// All moves at a marking with pids, for replaying a path: label and marking after.
    pub fn moves(&self, before: &Named, budget: &Budget) -> Result<Vec<(u32, Named)>, Failure> {
        let mut variables = Variables { budget: budget.clone(), ..Variables::default() };
        let mut all = Vec::new();
        if self.ends_here(&mut variables, &before.marking)? {
            return Ok(all);
        }
        super::trace::each_step(self.net, before, budget, |transition, _: &Scratch, after| {
            let mut after = after.clone();
            if self.go_on(&mut after.marking) {
                all.push((transition.label, after));
            }
            Ok(())
        })?;
        if self.watched(&before.marking).is_none() {
            for thread in 0..before.marking.threads.len() as Element {
                if self.holds(self.conditions.after, &mut variables, thread, &before.marking)? {
                    let mut after = before.clone();
                    self.watch(&mut after.marking, thread);
                    all.push((self.label(), after));
                }
            }
        }
        Ok(all)
    }

    fn label(&self) -> u32 {
        self.net.labels.len() as u32 - 1
    }
}

#[derive(Default)]
pub struct WatchWorker {
    base: NetWorker,
    variables: Variables,
    moves: Successors<Marking>,
}

impl Model for WatchModel<'_> {
    type State = Marking;
    type Worker = WatchWorker;

    fn worker(&self) -> WatchWorker {
        WatchWorker::default()
    }

    fn allow(&self, worker: &mut WatchWorker, budget: &Budget) {
        worker.variables.budget = budget.clone();
        self.base.allow(&mut worker.base, budget);
    }

    fn initial(
        &self,
        worker: &mut WatchWorker,
        out: &mut Successors<Marking>,
    ) -> Result<(), Failure> {
        self.base.initial(&mut worker.base, out)
    }

    fn successors(
        &self,
        worker: &mut WatchWorker,
        marking: &Marking,
        out: &mut Successors<Marking>,
    ) -> Result<(), Failure> {
        let WatchWorker { base, variables, moves } = worker;
        if self.ends_here(variables, marking)? {
            return Ok(());
        }
        moves.clear();
        self.base.successors(base, marking, moves)?;
        for index in 0..moves.len() {
            let after = out.push(moves.label(index));
            after.copy_from(moves.state(index));
            if !self.go_on(after) {
                out.retract();
            }
        }
        if self.watched(marking).is_some() {
            return Ok(());
        }
        for thread in 0..marking.threads.len() as Element {
            if self.holds(self.conditions.after, variables, thread, marking)? {
                let after = out.push(self.label());
                after.copy_from(marking);
                self.watch(after, thread);
            }
        }
        Ok(())
    }

    /// Bit 0: the watched thread does what it must not.
    fn inspect(&self, worker: &mut WatchWorker, marking: &Marking) -> Result<u64, Failure> {
        let Some((thread, true)) = self.watched(marking) else { return Ok(0) };
        let wrong = self.holds(self.conditions.never, &mut worker.variables, thread, marking)?;
        Ok(u64::from(wrong))
    }
}
