//! Best-first by the estimate of [`super::relaxed`].
//!
//! A marking is estimated when it is taken from the queue, not when it is put there, because estimates
//! cost far more than steps; until then it has that of its parent (deferred evaluation). Steps of the
//! relaxed plan go to a second queue, which is served as often as the first, and more often for a while
//! whenever the estimate gets better (Richter and Westphal 2010).

use super::relaxed::{Relaxed, UNREACHABLE};
use super::{Graph, NONE, TURN, Turn};
use crate::answer::Stats;
use crate::budget::Budget;
use crate::error::Stop;
use crate::invariants::pairs::PairInvariant;
use crate::net::Net;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Turns that the helpful steps get beyond their own after a better estimate.
const BOOST: i64 = 1000;

/// A step that was not taken yet: the estimate of where it starts, its number, the node, the transition.
type Open = Reverse<(u64, u32, u32, u32)>;

pub struct Greedy<'a> {
    graph: Graph<'a>,
    relaxed: Relaxed,
    /// All steps but the helpful ones, and those.
    queues: [BinaryHeap<Open>; 2],
    /// Steps taken from each queue; the one with fewer is next.
    turns: [i64; 2],
    best: u64,
    /// Steps listed so far: among equals the older one comes first.
    listed: u32,
}

impl<'a> Greedy<'a> {
    pub fn new(net: &'a Net, pairs: &PairInvariant, budget: &Budget) -> Result<Greedy<'a>, Stop> {
        Ok(Greedy {
            graph: Graph::new(net, pairs, budget)?,
            relaxed: Relaxed::new(net, |t| pairs.is_live(t), budget)?,
            queues: [BinaryHeap::from([Reverse((0, 0, NONE, NONE))]), BinaryHeap::new()],
            turns: [0, 0],
            best: UNREACHABLE,
            listed: 0,
        })
    }

    pub fn turn(&mut self, budget: &Budget, stats: &mut Stats) -> Result<Turn, Stop> {
        for _ in 0..TURN {
            let Some((parent, t)) = self.next() else {
                return Ok(self.graph.end());
            };
            if let Some(node) = self.graph.reach(parent, t, budget, stats)? {
                if let Some(found) = self.graph.hit(node, budget)? {
                    return Ok(found);
                }
                self.list_steps(node, budget)?;
            }
        }
        Ok(Turn::Going)
    }

    fn next(&mut self) -> Option<(u32, u32)> {
        let second = !self.queues[1].is_empty()
            && (self.queues[0].is_empty() || self.turns[1] <= self.turns[0]);
        let queue = usize::from(second);
        let Reverse((_, _, node, t)) = self.queues[queue].pop()?;
        self.turns[queue] += 1;
        Some((node, t))
    }

    fn list_steps(&mut self, node: u32, budget: &Budget) -> Result<(), Stop> {
        let estimate = self.relaxed.estimate(self.graph.config(node), budget)?;
        if estimate.cost == UNREACHABLE {
            self.graph.given_up += 1;
            return Ok(());
        }
        if estimate.cost < self.best {
            self.best = estimate.cost;
            self.turns[1] -= BOOST;
        }
        for t in self.graph.enabled(node) {
            self.listed = self.listed.wrapping_add(1);
            let helpful = estimate.helpful.binary_search(&t).is_ok();
            let open = Reverse((estimate.cost, self.listed, node, t));
            self.queues[usize::from(helpful)].push(open);
        }
        Ok(())
    }
}
