//! Best-first by steps taken and [`Equation`], the least number of steps left.
//!
//! The weights that bound a marking also bound each of its successors, by one product; with that bound a
//! step waits in the queue, and its marking is measured when its turn comes. Steps left count more than
//! steps taken: runs are close to shortest ones, and found much sooner than shortest ones.

use super::equation::{Distance, Equation, effect_of, gain};
use super::{Graph, NONE, TURN, Turn};
use crate::answer::Stats;
use crate::budget::Budget;
use crate::error::Stop;
use crate::invariants::pairs::PairInvariant;
use crate::net::Net;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Each target has a program of its own.
const MOST_TARGETS: usize = 4;

/// How much a step that is left counts, against one for a step that was taken.
const WEIGHT: u64 = 3;

/// A step that was not taken yet: its rank, the bound, how late it was listed, the node, the transition.
type Open = Reverse<(u64, u64, Reverse<u32>, u32, u32)>;

pub struct Nearest<'a> {
    graph: Graph<'a>,
    equations: Vec<Equation>,
    effects: Vec<Vec<(u32, i64)>>,
    queue: BinaryHeap<Open>,
    listed: u32,
}

impl<'a> Nearest<'a> {
    /// `None` where the equation does not describe the net: with transfers, or any number of tokens.
    pub fn new(
        net: &'a Net,
        pairs: &PairInvariant,
        budget: &Budget,
    ) -> Result<Option<Nearest<'a>>, Stop> {
        if net.has_transfers() || !net.has_fixed_start() || net.targets.len() > MOST_TARGETS {
            return Ok(None);
        }
        let equation = |target| Equation::new(net, target, |t| pairs.is_live(t), budget);
        let effect = |t: &crate::net::Transition| {
            budget.steps(1 + t.pre.len() + t.post.len())?;
            Ok(effect_of(&t.pre, &t.post))
        };
        Ok(Some(Nearest {
            graph: Graph::new(net, pairs, budget)?,
            equations: net.targets.iter().map(equation).collect::<Result<_, Stop>>()?,
            effects: net.transitions.iter().map(effect).collect::<Result<_, Stop>>()?,
            queue: BinaryHeap::from([Reverse((0, 0, Reverse(0), NONE, NONE))]),
            listed: 0,
        }))
    }

    pub fn turn(&mut self, budget: &Budget, stats: &mut Stats) -> Result<Turn, Stop> {
        for _ in 0..TURN {
            let Some(Reverse((_, bound, _, parent, t))) = self.queue.pop() else {
                return Ok(self.graph.end());
            };
            if let Some(node) = self.graph.reach(parent, t, budget, stats)? {
                if let Some(found) = self.graph.hit(node, budget)? {
                    return Ok(found);
                }
                self.list_steps(node, bound, budget)?;
            }
        }
        Ok(Turn::Going)
    }

    /// Measures a marking and lists its steps with what is then left at least.
    fn list_steps(&mut self, node: u32, bound: u64, budget: &Budget) -> Result<(), Stop> {
        let mut nearest: Option<(f64, Vec<f64>)> = None;
        let mut unknown = false;
        for equation in &mut self.equations {
            match equation.distance(self.graph.config(node), budget)? {
                Distance::Steps(steps, weights) => {
                    if nearest.as_ref().is_none_or(|(least, _)| steps < *least) {
                        nearest = Some((steps, weights));
                    }
                }
                Distance::Unreachable => {}
                Distance::Unknown => unknown = true,
            }
        }
        if nearest.is_none() && !unknown {
            self.graph.given_up += 1;
            return Ok(());
        }
        let taken = u64::from(self.graph.nodes[node as usize].steps) + 1;
        for t in self.graph.enabled(node) {
            budget.steps(1)?;
            self.listed = self.listed.wrapping_add(1);
            let left = nearest.as_ref().map_or(bound, |(steps, weights)| {
                (steps - gain(weights, &self.effects[t as usize]) - 1e-6).ceil().max(0.0) as u64
            });
            let rank = taken + WEIGHT * left;
            self.queue.push(Reverse((rank, left, Reverse(self.listed), node, t)));
        }
        Ok(())
    }
}
