//! Equivalent renaming (SACS'10, section 5, first example; ISCIS'09, section 4 (i)).
//!
//! New integers for every level of the pid tree, such that all four relations hold between the new
//! names exactly where they held between the old ones, next-pids included: siblings keep their
//! order, neighbours stay neighbours, others stay apart. Prefixes that no pid of the state bears
//! (and no next-pid) are free: they move among their siblings and grow longer, and all names get a
//! new common prefix, as in the paper, where 2.1 becomes 2.3.2.5.4. Cost: linear but for sorting.

use crate::draft::Draft;
use crate::guarantee::Guarantee;
use crate::names::PidNames;
use crate::tree::{NOTHING, NameTree, TOP};
use pidlab_random::Rng;
use rustc_hash::FxHashMap;

pub fn rename(draft: &mut Draft, strength: f64, rng: &mut Rng) -> Guarantee {
    let plan = Renaming::draw(draft, strength, rng);
    plan.apply(draft);
    let order = rng.permutation(draft.vector_count());
    draft.reorder(&order);
    Guarantee::equivalent()
}

/// New names and counters for all pids.
pub struct Renaming {
    pub names: PidNames,
    pub eta: Vec<Option<u64>>,
}

impl Renaming {
    pub fn apply(self, draft: &mut Draft) {
        draft.pids = self.names;
        draft.eta = self.eta;
    }

    fn draw(draft: &Draft, strength: f64, rng: &mut Rng) -> Renaming {
        let (tree, nodes, next) = NameTree::of_elements(draft);
        let spread = (5.0 * strength).ceil() as u64;
        let mut steps = vec![0; tree.parent.len()];
        for group in tree.sibling_groups() {
            lay_out(&tree, &group, spread, rng, &mut steps);
        }
        let longer = lengthen(&tree, strength, rng);
        let prefix: Vec<u64> = (0..rng.below(1 + (3.0 * strength).ceil() as u64))
            .map(|_| rng.between(1, 1 + spread))
            .collect();
        let eta =
            next.iter().map(|&node| (node != NOTHING).then(|| steps[node as usize] - 1)).collect();
        let mut names = PidNames::default();
        let mut name = Vec::new();
        for node in nodes {
            write_name(&tree, node, &steps, &longer, &prefix, &mut name);
            names.push(&name);
        }
        Renaming { names, eta }
    }
}

/// Gives the members of one group of siblings new integers.
fn lay_out(tree: &NameTree, group: &[u32], spread: u64, rng: &mut Rng, steps: &mut [u64]) {
    let (elements, free): (Vec<u32>, Vec<u32>) =
        group.iter().partition(|&&node| tree.element[node as usize]);
    let step = |place: usize| tree.step[elements[place] as usize];
    let tight = |place: usize| place > 0 && step(place - 1).checked_add(1) == Some(step(place));
    // free prefixes go before an element, or after the last one unless that is a next-pid
    let places: Vec<usize> = (0..elements.len())
        .filter(|&place| !tight(place))
        .chain((!parent_is_active(tree, group[0])).then_some(elements.len()))
        .collect();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); elements.len() + 1];
    for node in free {
        before[places[rng.index(places.len())]].push(node);
    }
    let mut last = 0;
    for (place, free) in before.iter().enumerate() {
        for &node in free {
            last += 1 + rng.below(spread + 1);
            steps[node as usize] = last;
        }
        let Some(&node) = elements.get(place) else { break };
        last += if tight(place) {
            1
        } else if place > 0 && free.is_empty() {
            2 + rng.below(spread + 1)
        } else {
            1 + rng.below(spread + 1)
        };
        steps[node as usize] = last;
    }
}

/// Whether the siblings' parent has a next-pid among them.
fn parent_is_active(tree: &NameTree, node: u32) -> bool {
    let parent = tree.parent[node as usize];
    parent != TOP && tree.active[parent as usize]
}

/// Integers appended to prefixes that are neither pids nor next-pids.
fn lengthen(tree: &NameTree, strength: f64, rng: &mut Rng) -> FxHashMap<u32, Vec<u64>> {
    let mut longer = FxHashMap::default();
    for node in 0..tree.parent.len() as u32 {
        if !tree.element[node as usize] {
            let extra = rng.run(0.3 * strength, 3);
            if extra > 0 {
                longer.insert(node, (0..extra).map(|_| rng.between(1, 5)).collect());
            }
        }
    }
    longer
}

fn write_name(
    tree: &NameTree,
    node: u32,
    steps: &[u64],
    longer: &FxHashMap<u32, Vec<u64>>,
    prefix: &[u64],
    name: &mut Vec<u64>,
) {
    name.clear();
    let mut at = node;
    while at != TOP {
        if let Some(extra) = longer.get(&at) {
            name.extend(extra.iter().rev());
        }
        name.push(steps[at as usize]);
        at = tree.parent[at as usize];
    }
    name.extend(prefix.iter().rev());
    name.reverse();
}
