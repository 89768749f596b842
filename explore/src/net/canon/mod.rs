//! Keys of markings: exact canonical forms under Ω*.
//!
//! Two ways, chosen once per net: where no place holds two pids a marking is a forest, unless Ω* has a
//! sibling relation and neither `parent` nor `ancestor`, and [`forest`] orders it; otherwise [`general`] asks
//! the equivalence engine.
//! Both give an order of the threads; the key is the marking written in that order, so equal keys
//! mean equivalent markings whatever the order, and equivalent markings get equal keys.

pub mod bytes;
pub mod forest;
pub mod general;

use super::compiled::Net;
use super::marking::{Element, Marking};
use crate::search::{Canonizer, Failure};
use forest::ForestOrder;
use general::General;
use pidlab_budget::Budget;
use pidlab_core::Relations;

/// The canonizer of the markings of a net.
#[derive(Clone, Copy)]
pub struct NetCanonizer<'n> {
    net: &'n Net,
    relations: Relations,
    is_forest: bool,
}

/// Memory of one thread.
pub enum CanonWorker {
    Forest(Box<ForestOrder>),
    General(Box<General>),
}

impl<'n> NetCanonizer<'n> {
    /// Keys under Ω* = `relations`, in the way that fits the net.
    pub fn new(net: &'n Net, relations: Relations) -> NetCanonizer<'n> {
        NetCanonizer { net, relations, is_forest: is_forest(net, relations) }
    }

    /// The same by the general way, for comparison.
    pub fn general(net: &'n Net, relations: Relations) -> NetCanonizer<'n> {
        NetCanonizer { net, relations, is_forest: false }
    }

    /// The threads in canonical order, after a call of `key`.
    pub fn order<'w>(&self, worker: &'w CanonWorker) -> &'w [Element] {
        match worker {
            CanonWorker::Forest(forest) => forest.order(),
            CanonWorker::General(general) => general.order(),
        }
    }
}

/// Whether every marking of the net is a forest under Ω*.
pub fn is_forest(net: &Net, relations: Relations) -> bool {
    forest::sees_forests(relations) && net.places.iter().all(|place| place.pids.len() <= 1)
}

impl Canonizer<Marking> for NetCanonizer<'_> {
    type Worker = CanonWorker;

    fn worker(&self) -> CanonWorker {
        if self.is_forest {
            CanonWorker::Forest(Box::default())
        } else {
            CanonWorker::General(Box::default())
        }
    }

    fn allow(&self, worker: &mut CanonWorker, budget: &Budget) {
        match worker {
            CanonWorker::Forest(forest) => forest.budget = budget.clone(),
            CanonWorker::General(general) => general.budget = budget.clone(),
        }
    }

    fn key(
        &self,
        worker: &mut CanonWorker,
        marking: &Marking,
        key: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        key.clear();
        match worker {
            CanonWorker::Forest(forest) => {
                forest.write(&self.net.places, self.relations, marking, key)?
            }
            CanonWorker::General(general) => {
                general.write(&self.net.places, self.relations, marking, key)?
            }
        }
        Ok(())
    }

    fn decode(&self, worker: &mut CanonWorker, key: &[u8], marking: &mut Marking) {
        match worker {
            CanonWorker::Forest(forest) => {
                forest.read(&self.net.places, self.relations, key, marking)
            }
            CanonWorker::General(_) => general::read(&self.net.places, key, marking),
        }
    }
}
