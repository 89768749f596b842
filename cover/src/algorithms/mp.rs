//! `mp`: the Karp–Miller algorithm with monotone pruning (Reynier and Servais 2013, "Minimal
//! coverability set for Petri nets: Karp and Miller algorithm with pruning", their Algorithm 2).
//!
//! A node covered by an active one is not added; a node that covers others deactivates their
//! subtrees, except where they are its own inactive ancestors. Pumping looks at all ancestors, active
//! or not, which is what makes the pruning complete (Finkel's 1993 algorithm lacked it). The active
//! nodes at the end are the minimal coverability set. Cost: as Karp–Miller in the worst case,
//! usually close to the size of the set. Weak where counters pump in very many combinations.

use super::forward::Forward;
use super::index::DownSet;
use super::tree::{NONE, Tree};
use crate::answer::{Finding, Stats};
use crate::budget::Budget;
use crate::error::Stop;
use crate::invariants::pairs::PairInvariant;
use crate::net::Net;

pub fn run(
    net: &Net,
    pairs: &PairInvariant,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Finding, Stop> {
    let forward = Forward::new(net, pairs, budget)?;
    let mut search = MpSearch::new(&forward);
    let result = search.run(budget, stats);
    stats.kept = search.active.iter().filter(|a| **a).count() as u64;
    result
}

/// Everything derived, and what is active at the end.
pub fn derive(
    forward: &Forward,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<(Tree, Vec<u32>), Stop> {
    let mut search = MpSearch::new(forward);
    search.run(budget, stats)?;
    let nodes = 0..search.tree.nodes.len() as u32;
    let active = nodes.filter(|&node| search.active[node as usize]).collect();
    Ok((search.tree, active))
}

struct MpSearch<'a> {
    forward: &'a Forward<'a>,
    tree: Tree,
    active: Vec<bool>,
    children: Vec<Vec<u32>>,
    active_set: DownSet<'a>,
    all: DownSet<'a>,
}

impl<'a> MpSearch<'a> {
    fn new(forward: &'a Forward<'a>) -> MpSearch<'a> {
        MpSearch {
            active_set: DownSet::new(&forward.control),
            all: DownSet::new(&forward.control),
            forward,
            tree: Tree::default(),
            active: Vec::new(),
            children: Vec::new(),
        }
    }

    fn run(&mut self, budget: &Budget, stats: &mut Stats) -> Result<Finding, Stop> {
        let root = self.forward.net.initial.clone();
        let root = self.tree.push_root(root, &self.forward.control);
        self.register(root);
        if let Some(found) = self.forward.violation(&self.tree, root, budget)? {
            return Ok(found);
        }
        let mut waiting = self.pairs_of(root);
        while let Some((node, t)) = waiting.pop() {
            budget.poll()?;
            if !self.active[node as usize] {
                continue;
            }
            stats.explored += 1;
            if let Some(new) = self.expand(node, t, budget)? {
                if let Some(found) = self.forward.violation(&self.tree, new, budget)? {
                    return Ok(found);
                }
                waiting.extend(self.pairs_of(new));
            }
        }
        let nodes = self.tree.nodes.iter().zip(&self.active);
        self.forward.closed_set(nodes.filter(|(_, a)| **a).map(|(n, _)| &n.config), budget)
    }

    fn pairs_of(&self, node: u32) -> Vec<(u32, u32)> {
        let enabled = self.forward.enabled(self.tree.config(node));
        enabled.into_iter().rev().map(|t| (node, t)).collect()
    }

    fn register(&mut self, node: u32) {
        let config = self.tree.config(node);
        self.active_set.insert(config, node);
        self.all.insert(config, node);
        self.active.push(true);
        self.children.push(Vec::new());
        let parent = self.tree.nodes[node as usize].parent;
        if parent != NONE {
            self.children[parent as usize].push(node);
        }
    }

    /// The new node for `t` fired at `node`, unless an active node covers it.
    fn expand(&mut self, node: u32, t: u32, budget: &Budget) -> Result<Option<u32>, Stop> {
        let raw = self.forward.fire(self.tree.config(node), t)?;
        let tree = &self.tree;
        if self.active_set.find_above(&raw, |id| tree.config(id), budget)?.is_some() {
            return Ok(None);
        }
        let next = tree.accelerated(node, raw, &self.forward.control, budget)?;
        if next.raw.is_some()
            && self.active_set.find_above(&next.config, |id| tree.config(id), budget)?.is_some()
        {
            return Ok(None);
        }
        let below = self.all.below(&next.config, |id| tree.config(id), budget)?;
        for other in below {
            if self.active[other as usize] || !self.tree.is_ancestor(other, node, budget)? {
                self.deactivate(other, budget)?;
            }
        }
        let control = &self.forward.control;
        let new = self.tree.push(next.config, node, t, next.raw, next.pumps, control);
        self.register(new);
        Ok(Some(new))
    }

    /// Takes a node and everything below it in the tree out of play.
    fn deactivate(&mut self, top: u32, budget: &Budget) -> Result<(), Stop> {
        let mut stack = vec![top];
        while let Some(node) = stack.pop() {
            budget.steps(1)?;
            if std::mem::replace(&mut self.active[node as usize], false) {
                self.active_set.remove(self.tree.config(node), node, budget)?;
            }
            stack.extend(&self.children[node as usize]);
        }
        Ok(())
    }
}
