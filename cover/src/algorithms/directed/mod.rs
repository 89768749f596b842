//! `directed`: forward search that goes where a target seems near (Blondin, Haase, Offtermatt 2021,
//! "Directed reachability for infinite-state systems").
//!
//! Two searches over markings take turns, each with as much time as the other: [`greedy`] by the
//! additive heuristic of planning, which sees what enables what and counts badly, and [`nearest`] by the
//! state equation, which counts well and does not see what enables what. Both find long runs that blind
//! searches do not. Safety they prove only where no marking is left; with infinitely many they do not end.

mod equation;
mod greedy;
mod nearest;
mod relaxed;

use super::bounded::start_with;
use crate::answer::{Finding, Proof, Run, Stats};
use crate::budget::Budget;
use crate::config::Config;
use crate::error::Stop;
use crate::invariants::pairs::PairInvariant;
use crate::net::{EnabledIndex, Net, Transition};
use greedy::Greedy;
use nearest::Nearest;
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};

const NONE: u32 = u32::MAX;

/// Markings looked at before the other search has its turn.
const TURN: usize = 16;

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
    let mut greedy = Some(Greedy::new(net, pairs, budget)?);
    let mut nearest = Nearest::new(net, pairs, budget)?;
    let mut spent = [Duration::ZERO; 2];
    let mut incomplete = false;
    loop {
        let start = Instant::now();
        let second = match (&greedy, &nearest) {
            (None, None) => break,
            (greedy, nearest) => nearest.is_some() && (greedy.is_none() || spent[1] < spent[0]),
        };
        let turn = match (&mut greedy, &mut nearest) {
            (_, Some(search)) if second => search.turn(budget, stats)?,
            (Some(search), _) => search.turn(budget, stats)?,
            _ => break,
        };
        match turn {
            Turn::Going => {}
            Turn::Found(found) => return Ok(found),
            Turn::Ended => {
                incomplete = true;
                if second { nearest = None } else { greedy = None }
            }
        }
        spent[usize::from(second)] += start.elapsed();
    }
    debug_assert!(incomplete);
    Err(Stop::Incomplete("no marking is left that seems to lead to a target".into()))
}

/// How a turn of a search ended.
enum Turn {
    Going,
    Found(Finding),
    /// Nothing is left, and what was thrown away on the way is not accounted for.
    Ended,
}

/// Markings that were taken up, and how each was reached.
struct Graph<'a> {
    net: &'a Net,
    index: EnabledIndex,
    nodes: Vec<Node>,
    seen: FxHashSet<Config>,
    /// Markings given up because no target seems reachable from them.
    given_up: u64,
}

struct Node {
    config: Config,
    parent: u32,
    via: u32,
    steps: u32,
}

impl<'a> Graph<'a> {
    fn new(net: &'a Net, pairs: &PairInvariant, budget: &Budget) -> Result<Graph<'a>, Stop> {
        let index = EnabledIndex::new(net, |t| pairs.is_live(t), budget)?;
        Ok(Graph { net, index, nodes: Vec::new(), seen: FxHashSet::default(), given_up: 0 })
    }

    /// The marking after a step, or the start; `None` if it was seen before.
    fn reach(
        &mut self,
        parent: u32,
        via: u32,
        budget: &Budget,
        stats: &mut Stats,
    ) -> Result<Option<u32>, Stop> {
        budget.poll()?;
        let (config, steps) = match self.nodes.get(parent as usize) {
            None => (self.net.initial.clone(), 0),
            Some(node) => {
                let t = &self.net.transitions[via as usize];
                (self.net.fire(&node.config, t)?, node.steps + 1)
            }
        };
        budget.grow::<Config>(self.seen.len(), self.seen.capacity())?;
        if !self.seen.insert(config.clone()) {
            return Ok(None);
        }
        stats.explored += 1;
        stats.kept += 1;
        self.nodes.push(Node { config, parent, via, steps });
        Ok(Some(self.nodes.len() as u32 - 1))
    }

    fn config(&self, node: u32) -> &Config {
        &self.nodes[node as usize].config
    }

    fn enabled(&self, node: u32) -> Vec<u32> {
        self.index.enabled(self.net, self.config(node))
    }

    /// The run to a node, if it covers a target.
    fn hit(&self, node: u32, budget: &Budget) -> Result<Option<Turn>, Stop> {
        let config = self.config(node);
        if !self.net.targets.iter().any(|target| target.leq(config)) {
            return Ok(None);
        }
        let run = self.trace(node, budget)?;
        Ok(Some(Turn::Found(Finding::Unsafe(run))))
    }

    /// Nothing is left to look at: all markings, if none was given up.
    fn end(&mut self) -> Turn {
        if self.given_up > 0 || !self.net.has_fixed_start() {
            return Turn::Ended;
        }
        let all = self.nodes.drain(..).map(|node| node.config).collect();
        Turn::Found(Finding::Safe(Proof::Forward(all)))
    }

    /// The run to a node. Places of any number start with as many tokens as it turns out to need.
    fn trace(&self, node: u32, budget: &Budget) -> Result<Run, Stop> {
        let mut steps = Vec::new();
        let mut at = &self.nodes[node as usize];
        while at.parent != NONE {
            steps.push(at.via);
            at = &self.nodes[at.parent as usize];
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
