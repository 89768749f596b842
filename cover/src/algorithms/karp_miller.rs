//! `karp-miller`: the coverability tree of Karp and Miller 1969.
//!
//! Every path is followed until a configuration repeats; a configuration that exceeds an ancestor
//! gets ω where it does. The one economy is that a label seen anywhere before is a leaf: its
//! successors are in the tree already. Complete; the tree can be astronomically larger than the
//! minimal coverability set, which is why it is here as the yardstick.

use super::forward::Forward;
use super::tree::Tree;
use crate::answer::{Finding, Stats};
use crate::budget::Budget;
use crate::config::Config;
use crate::error::Stop;
use crate::invariants::pairs::PairInvariant;
use crate::net::Net;
use rustc_hash::FxHashSet;

pub fn run(
    net: &Net,
    pairs: &PairInvariant,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Finding, Stop> {
    let forward = Forward::new(net, pairs, budget)?;
    let mut tree = Tree::default();
    match grow(&forward, &mut tree, budget, stats)? {
        Some(found) => Ok(found),
        None => forward.closed_set(tree.nodes.iter().map(|n| &n.config), budget),
    }
}

/// The whole tree.
pub fn derive(
    forward: &Forward,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<(Tree, Vec<u32>), Stop> {
    let mut tree = Tree::default();
    grow(forward, &mut tree, budget, stats)?;
    let all = (0..tree.nodes.len() as u32).collect();
    Ok((tree, all))
}

/// Grows the tree until it is complete or covers a target.
fn grow(
    forward: &Forward,
    tree: &mut Tree,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Option<Finding>, Stop> {
    let (net, control) = (forward.net, &forward.control);
    let root = tree.push_root(net.initial.clone(), control);
    let mut seen = FxHashSet::from_iter([net.initial.clone()]);
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        if let Some(found) = forward.violation(tree, node, budget)? {
            return Ok(Some(found));
        }
        for t in forward.enabled(tree.config(node)) {
            budget.poll()?;
            stats.explored += 1;
            let raw = forward.fire(tree.config(node), t)?;
            let next = tree.accelerated(node, raw, control, budget)?;
            budget.grow::<Config>(seen.len(), seen.capacity())?;
            if seen.insert(next.config.clone()) {
                stack.push(tree.push(next.config, node, t, next.raw, next.pumps, control));
                stats.kept = tree.nodes.len() as u64;
            }
        }
    }
    Ok(None)
}
