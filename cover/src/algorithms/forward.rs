//! What the forward searches share: targets, successors, the closed set at the end.

use super::index::DownSet;
use super::tree::Tree;
use crate::answer::{Finding, Proof};
use crate::budget::Budget;
use crate::config::Config;
use crate::error::Stop;
use crate::invariants::control::Control;
use crate::invariants::pairs::PairInvariant;
use crate::net::{EnabledIndex, Net};
use std::collections::{BTreeMap, BTreeSet};

/// A net prepared for forward search.
pub struct Forward<'a> {
    pub net: &'a Net,
    pub control: Control,
    index: EnabledIndex,
    targets: Vec<(u64, Config)>,
}

impl<'a> Forward<'a> {
    /// Refuses nets with transfers: pumping a loop that moves whole places is not exact.
    pub fn new(net: &'a Net, pairs: &PairInvariant, budget: &Budget) -> Result<Forward<'a>, Stop> {
        if net.has_transfers() {
            let message = "broadcasts; use backward, which is complete for them";
            return Err(Stop::Inapplicable(message.into()));
        }
        Ok(Forward {
            net,
            control: Control::detect(net, pairs, budget)?,
            index: EnabledIndex::new(net, |t| pairs.is_live(t), budget)?,
            targets: net.targets.iter().map(|t| (t.mask(), t.clone())).collect(),
        })
    }

    pub fn enabled(&self, config: &Config) -> Vec<u32> {
        self.index.enabled(self.net, config)
    }

    pub fn fire(&self, config: &Config, t: u32) -> Result<Config, Stop> {
        self.net.fire(config, &self.net.transitions[t as usize])
    }

    /// A target below `config`.
    pub fn hit(&self, config: &Config) -> Option<&Config> {
        let mask = config.mask();
        self.targets.iter().find(|(m, t)| m & !mask == 0 && t.leq(config)).map(|(_, t)| t)
    }

    /// The run to `node` if it covers a target.
    pub fn violation(
        &self,
        tree: &Tree,
        node: u32,
        budget: &Budget,
    ) -> Result<Option<Finding>, Stop> {
        budget.steps(self.targets.len())?;
        match self.hit(tree.config(node)) {
            Some(target) => {
                tree.unroll(self.net, node, target, budget).map(|run| Some(Finding::Unsafe(run)))
            }
            None => Ok(None),
        }
    }

    /// The nodes with a maximal configuration among the given ones, one for each configuration.
    pub fn maximal(&self, tree: &Tree, nodes: &[u32], budget: &Budget) -> Result<Vec<u32>, Stop> {
        let mut numbers = BTreeMap::new();
        for &node in nodes {
            budget.steps(1 + tree.config(node).entries().len())?;
            numbers.entry(tree.config(node)).or_insert(node);
        }
        let sorted: Vec<&Config> = numbers.keys().copied().collect();
        let maximal = self.maximal_of(&sorted, budget)?;
        Ok(maximal.into_iter().map(|number| numbers[sorted[number]]).collect())
    }

    /// The numbers of those that are below no other; all are different.
    fn maximal_of(&self, configs: &[&Config], budget: &Budget) -> Result<Vec<usize>, Stop> {
        let mut all = DownSet::new(&self.control);
        configs.iter().enumerate().for_each(|(i, c)| all.insert(c, i as u32));
        let mut maximal = Vec::new();
        for (i, config) in configs.iter().enumerate() {
            if !all.below_strictly(config, i as u32, |id| configs[id as usize], budget)? {
                maximal.push(i);
            }
        }
        Ok(maximal)
    }

    /// The maximal ones among the given configurations, as a proof of safety.
    pub fn closed_set<'c>(
        &self,
        configs: impl Iterator<Item = &'c Config>,
        budget: &Budget,
    ) -> Result<Finding, Stop> {
        // A sort cannot be interrupted, insertion can.
        let mut distinct = BTreeSet::new();
        for config in configs {
            budget.steps(1 + config.entries().len())?;
            distinct.insert(config);
        }
        let sorted: Vec<&Config> = distinct.into_iter().collect();
        let maximal = self.maximal_of(&sorted, budget)?;
        let maximal = maximal.into_iter().map(|number| sorted[number].clone()).collect();
        Ok(Finding::Safe(Proof::Forward(maximal)))
    }
}
