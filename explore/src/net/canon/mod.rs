//! Keys of markings: exact canonical forms under Ω*.
//!
//! Two ways, chosen once per net: where Ω* has no sibling relation and no place holds two pids, a
//! marking is a forest and [`forest`] orders it; otherwise [`general`] asks the equivalence engine.
//! Both give an order of the threads; the key is the marking written in that order, so equal keys
//! mean equivalent markings whatever the order, and equivalent markings get equal keys.

pub mod bytes;
pub mod forest;
pub mod general;

use super::compiled::Net;
use super::marking::{Element, Marking};
use crate::search::{Canoniser, Failure};
use forest::Forest;
use general::General;
use pidlab_budget::Budget;
use pidlab_core::{Relation, Relations};

/// The canoniser of the markings of a net.
#[derive(Clone, Copy)]
pub struct NetCanoniser<'n> {
    net: &'n Net,
    relations: Relations,
    is_forest: bool,
}

/// Memory of one thread.
pub enum Worker {
    Forest(Box<Forest>),
    General(Box<General>),
}

impl<'n> NetCanoniser<'n> {
    /// Keys under Ω* = `relations`, in the way that fits the net.
    pub fn new(net: &'n Net, relations: Relations) -> NetCanoniser<'n> {
        NetCanoniser { net, relations, is_forest: is_forest(net, relations) }
    }

    /// The same by the general way, for comparison.
    pub fn general(net: &'n Net, relations: Relations) -> NetCanoniser<'n> {
        NetCanoniser { net, relations, is_forest: false }
    }

    /// The threads in canonical order, after a call of `key`.
    pub fn order<'w>(&self, worker: &'w Worker) -> &'w [Element] {
        match worker {
            Worker::Forest(forest) => forest.order(),
            Worker::General(general) => general.order(),
        }
    }
}

/// Whether every marking of the net is a forest under Ω*.
pub fn is_forest(net: &Net, relations: Relations) -> bool {
    !relations.contains(Relation::AdjacentSibling)
        && !relations.contains(Relation::ElderSibling)
        && net.places.iter().all(|place| place.pids.len() <= 1)
}

impl Canoniser<Marking> for NetCanoniser<'_> {
    type Worker = Worker;

    fn worker(&self) -> Worker {
        if self.is_forest {
            Worker::Forest(Box::default())
        } else {
            Worker::General(Box::default())
        }
    }

    fn allow(&self, worker: &mut Worker, budget: &Budget) {
        match worker {
            Worker::Forest(forest) => forest.budget = budget.clone(),
            Worker::General(general) => general.budget = budget.clone(),
        }
    }

    fn key(
        &self,
        worker: &mut Worker,
        marking: &Marking,
        key: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        key.clear();
        match worker {
            Worker::Forest(forest) => forest.write(self.net, self.relations, marking, key)?,
            Worker::General(general) => general.write(self.net, self.relations, marking, key)?,
        }
        Ok(())
    }

    fn decode(&self, worker: &mut Worker, key: &[u8], marking: &mut Marking) {
        match worker {
            Worker::Forest(forest) => forest.read(self.net, key, marking),
            Worker::General(_) => general::read(self.net, key, marking),
        }
    }
}
