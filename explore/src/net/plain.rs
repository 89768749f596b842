//! `--canon off`: the plain state space, where pids are what they are.
//!
//! A key holds the pids in order, their counters and the tokens; nothing is merged that is not
//! equal. The state space of a net that creates threads for ever is infinite.

use super::canon::bytes::{KeyReader, put};
use super::canon::general::{self, General};
use super::compiled::Net;
use super::firing::{FiringRule, Scratch};
use super::model::NetModel;
use super::named::Named;
use crate::search::{Canonizer, Failure, Model, Successors};
use pidlab_budget::Budget;
use pidlab_core::Relations;

/// A net with pids.
#[derive(Clone, Copy)]
pub struct PlainModel<'n> {
    net: &'n Net,
    findings: NetModel<'n>,
}

impl<'n> PlainModel<'n> {
    pub fn new(net: &'n Net) -> PlainModel<'n> {
        PlainModel { net, findings: NetModel::without_symmetry(net, Relations::ALL) }
    }
}

#[derive(Default)]
pub struct PlainWorker {
    scratch: Scratch,
    findings: super::model::NetWorker,
}

impl Model for PlainModel<'_> {
    type State = Named;
    type Worker = PlainWorker;

    fn worker(&self) -> PlainWorker {
        PlainWorker::default()
    }

    fn allow(&self, worker: &mut PlainWorker, budget: &Budget) {
        worker.scratch = Scratch::within(budget);
        self.findings.allow(&mut worker.findings, budget);
    }

    fn initial(&self, _: &mut PlainWorker, out: &mut Successors<Named>) -> Result<(), Failure> {
        out.push(0).set_initial(self.net);
        Ok(())
    }

    fn successors(
        &self,
        worker: &mut PlainWorker,
        state: &Named,
        out: &mut Successors<Named>,
    ) -> Result<(), Failure> {
        let rule = FiringRule { net: self.net, kept: Relations::ALL };
        rule.each(&state.marking, None, &mut worker.scratch, |transition, _, scratch| {
            if !state.fire(self.net, transition, scratch, out.push(transition.label))? {
                out.retract();
            }
            Ok(())
        })
    }

    fn inspect(&self, worker: &mut PlainWorker, state: &Named) -> Result<u64, Failure> {
        self.findings.inspect(&mut worker.findings, &state.marking)
    }
}

/// Keys of markings with their pids.
#[derive(Clone, Copy)]
pub struct PlainCanonizer<'n>(pub &'n Net);

impl Canonizer<Named> for PlainCanonizer<'_> {
    type Worker = General;

    fn worker(&self) -> General {
        General::default()
    }

    fn key(&self, worker: &mut General, state: &Named, key: &mut Vec<u8>) -> Result<(), Failure> {
        key.clear();
        let mut order: Vec<u32> = (0..state.pids.len() as u32).collect();
        order.sort_unstable_by_key(|&thread| &state.pids[thread as usize]);
        put(key, order.len() as u64);
        for &thread in &order {
            let pid = &state.pids[thread as usize];
            put(key, pid.len() as u64);
            pid.iter().for_each(|&step| put(key, step));
            put(key, state.created[thread as usize]);
        }
        worker.write_in_order(&self.0.places, Relations::ALL, &state.marking, &order, key);
        Ok(())
    }

    fn decode(&self, _: &mut General, key: &[u8], state: &mut Named) {
        let mut reader = KeyReader(key);
        let threads = reader.get();
        state.pids.clear();
        state.created.clear();
        for _ in 0..threads {
            let steps = reader.get();
            state.pids.push((0..steps).map(|_| reader.get()).collect());
            state.created.push(reader.get());
        }
        general::read(&self.0.places, reader.0, &mut state.marking);
    }
}
