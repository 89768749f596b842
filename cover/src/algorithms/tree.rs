//! The tree of a forward search with ω, and concrete runs read off it.
//!
//! A node remembers the transition that led to it and the ancestors whose loops were pumped there.
//! [`Tree::unroll`] turns the path to a node into a run without ω: walking backwards it computes how
//! many tokens are needed before each step (weakest precondition) and repeats a pumped loop as long
//! as what is needed exceeds what the configuration before the pump had.

use super::backward::predecessors;
use super::needs::concretize;
use crate::answer::Run;
use crate::budget::Budget;
use crate::config::{Config, Entry, OMEGA};
use crate::error::Stop;
use crate::invariants::control::Control;
use crate::net::Net;

pub const NONE: u32 = u32::MAX;

/// Longest run that is written out.
const MAX_STEPS: usize = 20_000_000;

pub struct TreeNode {
    pub config: Config,
    /// The node this one was derived from, and by which transition.
    pub parent: u32,
    pub via: u32,
    /// What the transition gave, where pumping added ω; `None` if it added none.
    pub raw: Option<Config>,
    /// Ancestors (along `parent`) whose loops were pumped.
    pub pumps: Box<[u32]>,
    /// Nearest ancestor in the same control state.
    pub twin: u32,
    key: u64,
}

#[derive(Default)]
pub struct Tree {
    pub nodes: Vec<TreeNode>,
}

impl Tree {
    pub fn config(&self, id: u32) -> &Config {
        &self.nodes[id as usize].config
    }

    pub fn push_root(&mut self, config: Config, control: &Control) -> u32 {
        self.push(config, NONE, NONE, None, Box::default(), control)
    }

    pub fn push(
        &mut self,
        config: Config,
        parent: u32,
        via: u32,
        raw: Option<Config>,
        pumps: Box<[u32]>,
        control: &Control,
    ) -> u32 {
        let key = control.key(&config);
        let twin = self.twin_from(parent, key);
        self.nodes.push(TreeNode { config, parent, via, raw, pumps, twin, key });
        self.nodes.len() as u32 - 1
    }

    /// The nearest node with control state `key` from `start` upwards.
    fn twin_from(&self, start: u32, key: u64) -> u32 {
        let mut at = start;
        while at != NONE && self.nodes[at as usize].key != key {
            at = self.nodes[at as usize].parent;
        }
        at
    }

    /// Ancestors of a child of `parent` in the control state of `config`, nearest first.
    pub fn twins(&self, parent: u32, config: &Config, control: &Control) -> Twins<'_> {
        Twins { tree: self, at: self.twin_from(parent, control.key(config)) }
    }

    /// Whether `ancestor` is `node` or above it.
    pub fn is_ancestor(&self, ancestor: u32, node: u32, budget: &Budget) -> Result<bool, Stop> {
        let mut at = node;
        // Children have larger numbers than their parents.
        while at != NONE && at > ancestor {
            budget.steps(1)?;
            at = self.nodes[at as usize].parent;
        }
        Ok(at == ancestor)
    }

    /// Adds the child of `parent` reached by `via`: ω where an ancestor below it is exceeded.
    pub fn accelerated(
        &self,
        parent: u32,
        raw: Config,
        control: &Control,
        budget: &Budget,
    ) -> Result<Accelerated, Stop> {
        let mask = raw.mask();
        let mut pumps = Vec::new();
        let mut pumped = raw.entries().to_vec();
        for ancestor in self.twins(parent, &raw, control) {
            budget.steps(1)?;
            let below = self.config(ancestor);
            if below.mask() & !mask == 0 && below.leq(&raw) && raise(&mut pumped, &raw, below) {
                pumps.push(ancestor);
            }
        }
        let grown = !pumps.is_empty();
        Ok(Accelerated {
            config: Config::from_sorted(pumped),
            raw: grown.then_some(raw),
            pumps: pumps.into_boxed_slice(),
        })
    }

    /// A concrete run to a marking above `target`, which must be below the node's configuration.
    pub fn unroll(
        &self,
        net: &Net,
        node: u32,
        target: &Config,
        budget: &Budget,
    ) -> Result<Run, Stop> {
        let mut unroller = Unroller { tree: self, net, budget, steps: Vec::new() };
        let need = unroller.path(node, NONE, target.clone())?;
        unroller.steps.reverse();
        Ok(Run { steps: unroller.steps, ..Run::new(concretize(net, &need)) })
    }
}

/// A successor after pumping.
pub struct Accelerated {
    pub config: Config,
    pub raw: Option<Config>,
    pub pumps: Box<[u32]>,
}

/// Sets ω where `raw` exceeds `below`; whether anything new was set.
fn raise(pumped: &mut [Entry], raw: &Config, below: &Config) -> bool {
    let mut new = false;
    for (entry, &(place, count)) in pumped.iter_mut().zip(raw.entries()) {
        if entry.1 != OMEGA && count > below.get(place) {
            entry.1 = OMEGA;
            new = true;
        }
    }
    new
}

/// Ancestors in one control state.
pub struct Twins<'a> {
    tree: &'a Tree,
    at: u32,
}

impl Iterator for Twins<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let found = (self.at != NONE).then_some(self.at)?;
        self.at = self.tree.nodes[found as usize].twin;
        Some(found)
    }
}

struct Unroller<'a> {
    tree: &'a Tree,
    net: &'a Net,
    budget: &'a Budget,
    /// Transitions in reverse order.
    steps: Vec<u32>,
}

/// Work left while walking backwards: an explicit stack, since loops nest as deep as the input says.
enum Task {
    /// Undo the pumps of a node (from the given one on), then its transition, then go on to `until`.
    TreeNode { node: u32, until: u32, pump: usize },
    /// Undo only the transition of a node, then go on to `until`: one round of a loop.
    Loop { node: u32, until: u32 },
}

impl Unroller<'_> {
    /// What is needed at `until` (exclusive; `NONE` for the start) to reach `need` at `node`.
    fn path(&mut self, node: u32, until: u32, need: Config) -> Result<Config, Stop> {
        let mut need = need;
        let mut tasks = vec![Task::TreeNode { node, until, pump: 0 }];
        while let Some(task) = tasks.pop() {
            self.budget.poll()?;
            match task {
                Task::TreeNode { node, until, .. } if node == until || node == NONE => {}
                Task::TreeNode { node, until, pump } => {
                    let n = &self.tree.nodes[node as usize];
                    match (&n.raw, n.pumps.get(pump)) {
                        (Some(raw), Some(&ancestor)) => {
                            let again = self.exceeds(&need, raw, self.tree.config(ancestor));
                            let pump = if again { pump } else { pump + 1 };
                            tasks.push(Task::TreeNode { node, until, pump });
                            if again {
                                tasks.push(Task::Loop { node, until: ancestor });
                            }
                        }
                        _ => tasks.push(Task::Loop { node, until }),
                    }
                }
                Task::Loop { node, until } => {
                    let n = &self.tree.nodes[node as usize];
                    if n.via != NONE {
                        need = self.undo(n.via, &need)?;
                    }
                    tasks.push(Task::TreeNode { node: n.parent, until, pump: 0 });
                }
            }
        }
        Ok(need)
    }

    /// Whether more is needed on a place this loop pumps than was there before pumping.
    fn exceeds(&self, need: &Config, raw: &Config, below: &Config) -> bool {
        need.entries().iter().any(|&(place, count)| {
            let had = raw.get(place);
            had != OMEGA && count > had && had > below.get(place)
        })
    }

    fn undo(&mut self, via: u32, need: &Config) -> Result<Config, Stop> {
        if self.steps.len() >= MAX_STEPS {
            return Err(Stop::Incomplete(format!("the run exceeds {MAX_STEPS} steps")));
        }
        let mut before = predecessors(self.net, via, need, self.budget)?;
        let before =
            before.pop().ok_or_else(|| Stop::Incomplete("a step cannot be undone".into()))?;
        // A step that gives nothing of what is needed is left out.
        if need.leq(&before) {
            return Ok(need.clone());
        }
        self.steps.push(via);
        Ok(before)
    }
}
