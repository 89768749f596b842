//! `directed`: forward search that goes where a target seems near (Blondin, Haase, Offtermatt 2021,
//! "Directed reachability for infinite-state systems").
//!
//! Best-first over markings, nearest first by the estimate of [`relaxed`]. A marking is estimated when it
//! is taken from the queue, not when it is put there, because estimates cost far more than steps; until
//! then it has that of its parent (deferred evaluation). Steps of the relaxed plan go to a second queue,
//! which is served as often as the first, and more often for a while whenever the estimate gets better
//! (Richter and Westphal 2010). Finds long runs that blind searches do not, and proves safety only where
//! no marking is left that may lead to a target; with infinitely many it does not end.

mod relaxed;

use super::bounded::start_with;
use crate::answer::{Finding, Proof, Run, Stats};
use crate::budget::Budget;
use crate::config::Config;
use crate::error::Stop;
use crate::invariants::pairs::PairInvariant;
use crate::net::{EnabledIndex, Net, Transition};
use relaxed::{Relaxed, UNREACHABLE};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;

/// Turns that the helpful steps get beyond their own after a better estimate.
const BOOST: i64 = 1000;

/// Most tokens that a place of any number is tried with when a run is written down.
const MOST_THREADS: u32 = 1 << 24;

pub fn run(
    net: &Net,
    pairs: &PairInvariant,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Finding, Stop> {
    if net.transitions.iter().any(Transition::has_choice) {
        return Err(Stop::Inapplicable("broadcasts in which threads choose".into()));
    }
    let mut search = Search {
        net,
        index: EnabledIndex::new(net, |t| pairs.is_live(t), budget)?,
        relaxed: Relaxed::new(net, |t| pairs.is_live(t), budget)?,
        nodes: Vec::new(),
        seen: FxHashSet::default(),
        queues: [BinaryHeap::new(), BinaryHeap::new()],
        turns: [0, 0],
        best: UNREACHABLE,
        listed: 0,
    };
    let result = search.run(budget, stats);
    stats.kept = search.nodes.len() as u64;
    result
}

/// A marking that was taken up, and how it was reached.
struct Node {
    config: Config,
    parent: u32,
    via: u32,
}

/// A step that was not taken yet: the estimate of where it starts, its number, the node, the transition.
type Open = Reverse<(u64, u32, u32, u32)>;

struct Search<'a> {
    net: &'a Net,
    index: EnabledIndex,
    relaxed: Relaxed,
    nodes: Vec<Node>,
    seen: FxHashSet<Config>,
    /// All steps, and the helpful ones.
    queues: [BinaryHeap<Open>; 2],
    /// Steps taken from each queue; the one with fewer is next.
    turns: [i64; 2],
    best: u64,
    /// Steps listed so far: among equals the older one comes first.
    listed: u32,
}

impl Search<'_> {
    fn run(&mut self, budget: &Budget, stats: &mut Stats) -> Result<Finding, Stop> {
        let start = self.net.initial.clone();
        if let Some(found) = self.take_up(start, NONE, NONE, budget, stats)? {
            return Ok(found);
        }
        while let Some((node, t)) = self.next() {
            budget.poll()?;
            let config = &self.nodes[node as usize].config;
            let after = self.net.fire(config, &self.net.transitions[t as usize])?;
            if let Some(found) = self.take_up(after, node, t, budget, stats)? {
                return Ok(found);
            }
        }
        if self.net.has_fixed_start() && stats.explored == self.nodes.len() as u64 {
            let all = self.nodes.drain(..).map(|node| node.config).collect();
            return Ok(Finding::Safe(Proof::Forward(all)));
        }
        Err(Stop::Incomplete("no marking is left that seems to lead to a target".into()))
    }

    fn next(&mut self) -> Option<(u32, u32)> {
        let second = !self.queues[1].is_empty()
            && (self.queues[0].is_empty() || self.turns[1] <= self.turns[0]);
        let queue = usize::from(second);
        let Reverse((_, _, node, t)) = self.queues[queue].pop()?;
        self.turns[queue] += 1;
        Some((node, t))
    }

    /// Estimates a marking and lists its steps; a run if it covers a target.
    fn take_up(
        &mut self,
        config: Config,
        parent: u32,
        via: u32,
        budget: &Budget,
        stats: &mut Stats,
    ) -> Result<Option<Finding>, Stop> {
        budget.grow::<Config>(self.seen.len(), self.seen.capacity())?;
        if !self.seen.insert(config.clone()) {
            return Ok(None);
        }
        stats.explored += 1;
        let number = self.nodes.len() as u32;
        let covers = self.net.targets.iter().any(|target| target.leq(&config));
        if covers {
            self.nodes.push(Node { config, parent, via });
            return self.trace(number, budget).map(|run| Some(Finding::Unsafe(run)));
        }
        let estimate = self.relaxed.estimate(&config, budget)?;
        if estimate.cost == UNREACHABLE {
            return Ok(None);
        }
        if estimate.cost < self.best {
            self.best = estimate.cost;
            self.turns[1] -= BOOST;
        }
        for t in self.index.enabled(self.net, &config) {
            self.listed = self.listed.wrapping_add(1);
            let helpful = estimate.helpful.binary_search(&t).is_ok();
            let open = Reverse((estimate.cost, self.listed, number, t));
            self.queues[usize::from(helpful)].push(open);
        }
        self.nodes.push(Node { config, parent, via });
        Ok(None)
    }

    /// The run to a node. Places of any number start with as many tokens as it turns out to need.
    fn trace(&self, node: u32, budget: &Budget) -> Result<Run, Stop> {
        let mut steps = Vec::new();
        let mut at = node as usize;
        while self.nodes[at].parent != NONE {
            steps.push(self.nodes[at].via);
            at = self.nodes[at].parent as usize;
        }
        steps.reverse();
        let mut threads = 1;
        loop {
            let initial = start_with(self.net, threads);
            if self.net.has_fixed_start() || self.replays(&initial, &steps, budget)? {
                return Ok(Run { steps, ..Run::new(initial) });
            }
            threads *= 2;
            if threads > MOST_THREADS {
                return Err(Stop::Incomplete("the run needs too many threads".into()));
            }
        }
    }

    fn replays(&self, initial: &Config, steps: &[u32], budget: &Budget) -> Result<bool, Stop> {
        let mut marking = initial.clone();
        for &t in steps {
            let t = &self.net.transitions[t as usize];
            budget.steps(1 + marking.entries().len())?;
            if !crate::config::leq(&t.pre, marking.entries()) {
                return Ok(false);
            }
            marking = self.net.fire(&marking, t)?;
        }
        Ok(self.net.targets.iter().any(|target| target.leq(&marking)))
    }
}
