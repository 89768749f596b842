//! Nets as clients of the search loop.

use super::canon::is_forest;
use super::compiled::{Condition, Net, PropertyRule};
use super::expr::Variables;
use super::firing::{FiringRule, Scratch, failure_of};
use super::marking::{Element, Marking, NONE, Thread};
use super::portable::{pack_marking, unpack_marking};
use crate::search::{Failure, Model, Successors};
use pidlab_budget::Budget;
use pidlab_core::Relations;

/// A net whose markings keep what a set of relations sees.
#[derive(Clone, Copy)]
pub struct NetModel<'n> {
    rule: FiringRule<'n>,
    /// Try one of symmetric bindings only, where the marking says which are.
    symmetry: bool,
}

/// Finding of [`Model::inspect`]: without successor this marking is a proper end.
pub const FINAL: u64 = 1 << 62;

#[derive(Default)]
pub struct NetWorker {
    scratch: Scratch,
    variables: Variables,
}

impl<'n> NetModel<'n> {
    /// The model whose markings keep the relations in `kept`.
    pub fn new(net: &'n Net, kept: Relations) -> NetModel<'n> {
        NetModel { rule: FiringRule { net, kept }, symmetry: is_forest(net, kept) }
    }

    /// The same, with every binding tried; for markings whose threads may come before those above
    /// them, as [`NetCanonizer::general`](super::NetCanonizer::general) decodes them.
    pub fn without_symmetry(net: &'n Net, kept: Relations) -> NetModel<'n> {
        NetModel { rule: FiringRule { net, kept }, symmetry: false }
    }

    /// The net.
    pub fn net(&self) -> &'n Net {
        self.rule.net
    }

    /// Whether a closed condition holds.
    pub(super) fn holds(
        &self,
        condition: &Condition,
        variables: &mut Variables,
        marking: &Marking,
    ) -> Result<bool, Failure> {
        variables.reset(condition.slots);
        let holds = condition.expr.holds(variables, marking);
        holds.map_err(|trouble| failure_of(self.rule.net, trouble))
    }
}

/// The marking a net starts with.
pub fn initial_marking(net: &Net, kept: Relations, out: &mut Marking) {
    out.clear();
    let roots = &net.initial.roots;
    for (i, &root) in roots.iter().enumerate() {
        let mut thread = Thread::NEW;
        if i > 0 {
            thread.elder = i as Element - 1;
            if roots[i - 1] + 1 == root {
                thread.flags |= super::marking::ADJACENT;
            }
        }
        debug_assert_eq!(thread.up, NONE);
        out.threads.push(thread.seen_through(kept));
    }
    for place in 0..net.places.len() {
        out.starts.push(out.words.len() as u32);
        for (_, words) in net.initial.tokens.iter().filter(|&&(of, _)| of == place) {
            out.words.extend_from_slice(words);
        }
    }
    out.starts.push(out.words.len() as u32);
}

impl Model for NetModel<'_> {
    type State = Marking;
    type Worker = NetWorker;

    fn worker(&self) -> NetWorker {
        NetWorker::default()
    }

    fn allow(&self, worker: &mut NetWorker, budget: &Budget) {
        worker.variables.budget = budget.clone();
        worker.scratch = Scratch::within(budget);
    }

    fn initial(&self, _: &mut NetWorker, out: &mut Successors<Marking>) -> Result<(), Failure> {
        initial_marking(self.rule.net, self.rule.kept, out.push(0));
        Ok(())
    }

    fn successors(
        &self,
        worker: &mut NetWorker,
        marking: &Marking,
        out: &mut Successors<Marking>,
    ) -> Result<(), Failure> {
        let known = self.symmetry && marking.orbits.len() == marking.threads.len();
        let orbits = known.then_some(&marking.orbits[..]);
        self.rule.each(marking, orbits, &mut worker.scratch, |transition, weight, scratch| {
            let slot = out.push_weighted(transition.label, weight);
            if !self.rule.fire(marking, transition, scratch, slot)? {
                out.retract();
            }
            Ok(())
        })
    }

    fn inspect(&self, worker: &mut NetWorker, marking: &Marking) -> Result<u64, Failure> {
        let mut findings = 0;
        for (bit, property) in self.rule.net.properties.iter().enumerate() {
            let found = match &property.rule {
                PropertyRule::Never(c) | PropertyRule::Reach(c) => {
                    self.holds(c, &mut worker.variables, marking)?
                }
                PropertyRule::Always(c) => !self.holds(c, &mut worker.variables, marking)?,
                PropertyRule::Thread { .. } => false,
            };
            findings |= u64::from(found) << bit;
        }
        if let Some(finals) = &self.rule.net.finals
            && self.holds(finals, &mut worker.variables, marking)?
        {
            findings |= FINAL;
        }
        Ok(findings)
    }

    fn pack(&self, marking: &Marking, bytes: &mut Vec<u8>) -> bool {
        pack_marking(marking, bytes);
        true
    }

    fn unpack(&self, bytes: &[u8], marking: &mut Marking) -> bool {
        unpack_marking(bytes, marking).is_some()
    }
}
