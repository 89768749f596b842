//! The bijection behind a merged edge: from the threads of a marking to those of an equivalent one.
//!
//! Two markings with one key have their threads in the same canonical places, so the orders in which
//! the keys list them give the bijection h of SACS'10, Definition 1. It is a function of the two
//! markings and is computed again wherever it is wanted, for the price of two canonical forms; the
//! store holds nothing for it.

use super::canon::{CanonWorker, NetCanonizer};
use super::compiled::Net;
use super::named::Named;
use crate::search::{Canonizer, Failure};
use pidlab_budget::Budget;
use pidlab_core::Relations;

/// Canonical orders of markings with pids.
pub struct Orders<'n> {
    canonizer: NetCanonizer<'n>,
    worker: CanonWorker,
    /// The key of the marking that was ordered last.
    pub key: Vec<u8>,
}

impl<'n> Orders<'n> {
    /// Orders under Ω* = `relations`, without limits.
    pub fn new(net: &'n Net, relations: Relations) -> Orders<'n> {
        Orders::within(net, relations, &Budget::unlimited())
    }

    /// The same, where one canonical form may use no more than `budget`.
    pub fn within(net: &'n Net, relations: Relations, budget: &Budget) -> Orders<'n> {
        let canonizer = NetCanonizer::new(net, relations);
        let mut worker = canonizer.worker();
        canonizer.allow(&mut worker, budget);
        Orders { canonizer, worker, key: Vec::new() }
    }

    /// The threads of a marking in canonical order.
    pub fn of(&mut self, named: &Named) -> Result<Vec<u32>, Failure> {
        self.canonizer.key(&mut self.worker, &named.marking, &mut self.key)?;
        Ok(self.canonizer.order(&self.worker).to_vec())
    }

    /// The bijection between equivalent markings as pairs of threads; `None` if they are not.
    pub fn between(&mut self, q: &Named, r: &Named) -> Result<Option<Vec<(u32, u32)>>, Failure> {
        let mine = self.of(q)?;
        let key = std::mem::take(&mut self.key);
        let theirs = self.of(r)?;
        let equal = key == self.key;
        Ok(equal.then(|| mine.into_iter().zip(theirs).collect()))
    }
}

/// The pids that a bijection changes: those of `q` with those of `r`, ordered.
pub fn renamed(q: &Named, r: &Named, pairs: &[(u32, u32)]) -> Vec<(String, String)> {
    let mut changed: Vec<(u32, u32)> =
        pairs.iter().copied().filter(|&(x, y)| q.pids[x as usize] != r.pids[y as usize]).collect();
    changed.sort_unstable_by_key(|&(x, _)| &q.pids[x as usize]);
    changed.into_iter().map(|(x, y)| (q.pid(x), r.pid(y))).collect()
}
