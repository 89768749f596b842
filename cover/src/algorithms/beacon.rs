//! `beacon`: figure 1 of Ball, Chaki, Rajamani 2001, line by line.
//!
//! A worklist, a reachability tree (section 4.2 keeps a tree, not a graph) and three cases for a
//! successor d of c: covered by a vertex — dropped [2, 3]; above an ancestor a — everything below a
//! is deleted and a becomes Closure(a, d) [4–8]; else new [9–11]. Depth-first as in the tool (the
//! worklist is a stack) or breadth-first as its authors were trying (a queue). Where the figure
//! leaves a choice: the ancestor of [4] is the topmost one, transitions are tried in file order, and
//! the loop over the transitions of c ends when c itself has been deleted or replaced. Known
//! weakness: with a queue it can end with a set that is not closed (see `docs/coverability.md`), so
//! its result counts as "safe" only after the set has been checked.

use super::forward::Forward;
use super::index::DownSet;
use super::tree::{NONE, Tree};
use crate::answer::{Finding, Stats};
use crate::budget::Budget;
use crate::config::Config;
use crate::error::Stop;
use crate::invariants::pairs::PairInvariant;
use crate::net::Net;
use pidlab_random::xor_shift;
use std::collections::VecDeque;

/// Which end of the worklist `Remove` takes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorklistOrder {
    DepthFirst,
    BreadthFirst,
    /// Any element, drawn with the given seed.
    Random(u64),
}

/// Which element of the worklist to take next.
trait Schedule {
    /// A number below `length`, which is not zero.
    fn choose(&mut self, length: usize) -> usize;
}

impl Schedule for WorklistOrder {
    fn choose(&mut self, length: usize) -> usize {
        match self {
            WorklistOrder::DepthFirst => length - 1,
            WorklistOrder::BreadthFirst => 0,
            WorklistOrder::Random(state) => {
                // a schedule replays from its seed, which may be 0
                *state = xor_shift(*state | 1);
                (*state % length as u64) as usize
            }
        }
    }
}

/// A schedule written out: what was chosen among how many, and first choices beyond the script.
struct Script {
    choices: Vec<(usize, usize)>,
    at: usize,
}

impl Schedule for Script {
    fn choose(&mut self, length: usize) -> usize {
        if self.at == self.choices.len() {
            self.choices.push((0, length));
        }
        self.at += 1;
        self.choices[self.at - 1].0
    }
}

impl Script {
    /// The next schedule in lexicographic order; `false` after the last.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((choice, length)) = self.choices.pop() {
            if choice + 1 < length {
                self.choices.push((choice + 1, length));
                return true;
            }
        }
        false
    }
}

pub fn run(
    net: &Net,
    pairs: &PairInvariant,
    order: WorklistOrder,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Finding, Stop> {
    let forward = Forward::new(net, pairs, budget)?;
    let mut search = BeaconSearch::new(&forward, order);
    let result = search.run(budget, stats);
    stats.kept = search.alive.iter().filter(|a| **a).count() as u64;
    if let Some(found) = result? {
        return Ok(found);
    }
    if closed(&forward, search.vertices(), budget)? {
        return forward.closed_set(search.vertices(), budget);
    }
    Err(not_closed())
}

/// Everything derived, and the vertices at the end, which must be closed under steps.
pub fn derive(
    forward: &Forward,
    order: WorklistOrder,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<(Tree, Vec<u32>), Stop> {
    let mut search = BeaconSearch::new(forward, order);
    search.run(budget, stats)?;
    if !closed(forward, search.vertices(), budget)? {
        return Err(not_closed());
    }
    let nodes = 0..search.derived.nodes.len() as u32;
    let alive = nodes.filter(|&node| search.alive[node as usize]).collect();
    Ok((search.derived, alive))
}

fn not_closed() -> Stop {
    Stop::Incomplete("the worklist is empty but the set is not closed under steps".into())
}

/// The vertices when the worklist has run empty, and whether they are closed under steps.
pub struct FinalSet {
    pub vertices: Vec<Config>,
    /// Every configuration that was a vertex at some time.
    pub reached: Vec<Config>,
    pub closed: bool,
}

/// Runs one schedule to its end, whatever is reached.
pub fn final_set(
    net: &Net,
    pairs: &PairInvariant,
    order: WorklistOrder,
    budget: &Budget,
) -> Result<FinalSet, Stop> {
    finish(&Forward::new(net, pairs, budget)?, order, budget)
}

/// Runs every schedule of the worklist, up to `limit`; how many there were, and how many of them
/// ended with a set that is not closed.
pub fn all_schedules(
    net: &Net,
    pairs: &PairInvariant,
    limit: u64,
    budget: &Budget,
) -> Result<(u64, u64), Stop> {
    let forward = Forward::new(net, pairs, budget)?;
    let mut script = Script { choices: Vec::new(), at: 0 };
    let (mut schedules, mut incomplete) = (0, 0);
    loop {
        schedules += 1;
        incomplete += u64::from(!finish(&forward, &mut script, budget)?.closed);
        if schedules == limit || !script.advance() {
            return Ok((schedules, incomplete));
        }
    }
}

impl Schedule for &mut Script {
    fn choose(&mut self, length: usize) -> usize {
        (**self).choose(length)
    }
}

fn finish(forward: &Forward, schedule: impl Schedule, budget: &Budget) -> Result<FinalSet, Stop> {
    let mut search = BeaconSearch::new(forward, schedule);
    search.stop_at_target = false;
    search.run(budget, &mut Stats::default())?;
    Ok(FinalSet {
        vertices: search.vertices().cloned().collect(),
        reached: search.derived.nodes.iter().map(|n| n.config.clone()).collect(),
        closed: closed(forward, search.vertices(), budget)?,
    })
}

/// Whether every successor of every configuration is covered.
fn closed<'c>(
    forward: &Forward,
    vertices: impl Iterator<Item = &'c Config> + Clone,
    budget: &Budget,
) -> Result<bool, Stop> {
    let all: Vec<&Config> = vertices.collect();
    let mut set = DownSet::new(&forward.control);
    all.iter().enumerate().for_each(|(i, c)| set.insert(c, i as u32));
    for config in &all {
        for t in forward.enabled(config) {
            budget.poll()?;
            let next = forward.fire(config, t)?;
            if set.find_above(&next, |id| all[id as usize], budget)?.is_none() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

struct BeaconSearch<'a, S> {
    forward: &'a Forward<'a>,
    schedule: S,
    /// Derivations: `parent` is where a configuration came from, which survives deletion.
    derived: Tree,
    /// The tree of the figure: parent and children among the vertices that are alive.
    parent: Vec<u32>,
    children: Vec<Vec<u32>>,
    alive: Vec<bool>,
    reach: DownSet<'a>,
    worklist: VecDeque<u32>,
    stop_at_target: bool,
}

impl<'a, S: Schedule> BeaconSearch<'a, S> {
    fn new(forward: &'a Forward<'a>, schedule: S) -> BeaconSearch<'a, S> {
        BeaconSearch {
            forward,
            schedule,
            derived: Tree::default(),
            parent: Vec::new(),
            children: Vec::new(),
            alive: Vec::new(),
            reach: DownSet::new(&forward.control),
            worklist: VecDeque::new(),
            stop_at_target: true,
        }
    }

    fn vertices(&self) -> impl Iterator<Item = &Config> + Clone {
        self.derived.nodes.iter().zip(&self.alive).filter(|(_, a)| **a).map(|(n, _)| &n.config)
    }

    fn run(&mut self, budget: &Budget, stats: &mut Stats) -> Result<Option<Finding>, Stop> {
        let start = self.forward.net.initial.clone();
        let root = self.derived.push_root(start, &self.forward.control);
        self.add_vertex(root, NONE);
        while let Some(c) = self.remove() {
            if self.stop_at_target
                && let Some(found) = self.forward.violation(&self.derived, c, budget)?
            {
                return Ok(Some(found));
            }
            for t in self.forward.enabled(self.derived.config(c)) {
                budget.poll()?;
                stats.explored += 1;
                self.step(c, t, budget)?;
                if !self.alive[c as usize] {
                    break;
                }
            }
        }
        Ok(None)
    }

    fn remove(&mut self) -> Option<u32> {
        let length = self.worklist.len();
        let choice = (length > 0).then(|| self.schedule.choose(length))?;
        self.worklist.remove(choice)
    }

    /// Lines [1]–[11] for one transition.
    fn step(&mut self, c: u32, t: u32, budget: &Budget) -> Result<(), Stop> {
        let d = self.forward.fire(self.derived.config(c), t)?;
        let derived = &self.derived;
        if self.reach.find_above(&d, |id| derived.config(id), budget)?.is_some() {
            return Ok(());
        }
        match self.dominated_ancestor(c, &d) {
            Some(a) => self.compress(a, c, t, d, budget)?,
            None => {
                let new = self.derived.push(d, c, t, None, Box::default(), &self.forward.control);
                self.add_vertex(new, c);
            }
        }
        Ok(())
    }

    /// Line [4]: the topmost vertex on the path to c that d dominates.
    fn dominated_ancestor(&self, c: u32, d: &Config) -> Option<u32> {
        let path = std::iter::successors(Some(c), |&v| {
            let up = self.parent[v as usize];
            (up != NONE).then_some(up)
        });
        path.filter(|&a| self.derived.config(a).leq(d)).last()
    }

    /// Lines [5]–[8].
    fn compress(&mut self, a: u32, c: u32, t: u32, d: Config, budget: &Budget) -> Result<(), Stop> {
        let closure: Vec<_> = d
            .entries()
            .iter()
            .map(|&(p, n)| match self.derived.config(a).get(p) == n {
                true => (p, n),
                false => (p, crate::config::OMEGA),
            })
            .collect();
        let up = self.parent[a as usize];
        self.delete_from(a, budget)?;
        let alive = &self.alive;
        self.worklist.retain(|&v| alive[v as usize]);
        let control = &self.forward.control;
        let e = Config::from_sorted(closure);
        let e = self.derived.push(e, c, t, Some(d), Box::new([a]), control);
        self.add_vertex(e, up);
        Ok(())
    }

    /// Deletes a vertex and all vertices below it.
    fn delete_from(&mut self, top: u32, budget: &Budget) -> Result<(), Stop> {
        let mut stack = vec![top];
        while let Some(v) = stack.pop() {
            budget.steps(1)?;
            if std::mem::replace(&mut self.alive[v as usize], false) {
                self.reach.remove(self.derived.config(v), v, budget)?;
            }
            stack.append(&mut self.children[v as usize]);
        }
        Ok(())
    }

    fn add_vertex(&mut self, v: u32, parent: u32) {
        self.reach.insert(self.derived.config(v), v);
        self.alive.push(true);
        self.parent.push(parent);
        self.children.push(Vec::new());
        if parent != NONE {
            self.children[parent as usize].push(v);
        }
        self.worklist.push_back(v);
    }
}
