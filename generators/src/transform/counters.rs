//! Changes of integers that can only separate neighbours: incremented counters (SACS'10, section 5,
//! sixth) and shifted integers (ISCIS'09, section 4).
//!
//! Both keep the pid tree and the order of siblings, so the states stay equivalent as long as
//! adjacent-sibling is not in Ω*. No pair of elements becomes adjacent; if one ceases to be, there
//! are fewer adjacent pairs than before and no bijection can preserve adjacency.

use super::touched;
use crate::draft::Draft;
use crate::guarantee::Guarantee;
use crate::tree::{NOTHING, NameTree};
use pidlab_core::Relation;
use pidlab_core::state::LARGEST_ETA;
use pidlab_random::Rng;

const LARGEST: u64 = 5;

fn guarantee(separated: bool) -> Guarantee {
    if separated {
        Guarantee::hinges_on(Relation::AdjacentSibling)
    } else {
        Guarantee::equivalent()
    }
}

/// Some active pids have created 1 to 5 more children, all gone.
pub fn increment(draft: &mut Draft, strength: f64, rng: &mut Rng) -> Guarantee {
    let (tree, nodes) = NameTree::of_pids(draft, |_| true);
    let active: Vec<usize> = (0..draft.pids.len()).filter(|&p| draft.eta[p].is_some()).collect();
    let mut separated = false;
    for chosen in rng.sample(active.len(), touched(strength, active.len())) {
        let pid = active[chosen];
        let created = draft.eta[pid].unwrap_or_default();
        let by = rng.between(1, LARGEST).min(LARGEST_ETA - created);
        let youngest = tree.find(nodes[pid], created);
        separated |= by > 0 && youngest.is_some_and(|node| tree.pid[node as usize] != NOTHING);
        draft.eta[pid] = Some(created + by);
    }
    guarantee(separated)
}

/// In some groups of siblings, those from a random one on move up by 1 to 5, with their descendants;
/// the parent's counter moves with them.
pub fn shift(draft: &mut Draft, strength: f64, rng: &mut Rng) -> Guarantee {
    let (mut tree, nodes, next) = NameTree::of_elements(draft);
    let groups = tree.sibling_groups();
    let mut separated = false;
    for chosen in rng.sample(groups.len(), touched(strength, groups.len())) {
        let group = &groups[chosen];
        let from = rng.index(group.len());
        let last = group.iter().map(|&node| tree.step[node as usize]).max();
        let by = rng.between(1, LARGEST).min(u64::MAX - last.unwrap_or(0));
        separated |= by > 0 && from > 0 && adjacent_elements(&tree, group[from - 1], group[from]);
        for &node in &group[from..] {
            tree.step[node as usize] += by;
        }
    }
    for (pid, &node) in nodes.iter().enumerate() {
        let mut at = node;
        for segment in draft.pids.get_mut(pid).iter_mut().rev() {
            *segment = tree.step[at as usize];
            at = tree.parent[at as usize];
        }
        if next[pid] != NOTHING {
            draft.eta[pid] = Some(tree.step[next[pid] as usize] - 1);
        }
    }
    guarantee(separated)
}

fn adjacent_elements(tree: &NameTree, elder: u32, younger: u32) -> bool {
    let (elder, younger) = (elder as usize, younger as usize);
    tree.element[elder]
        && tree.element[younger]
        && tree.step[elder].checked_add(1) == Some(tree.step[younger])
}
