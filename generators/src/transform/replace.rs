//! Replacements (SACS'10, section 5, fifth; ISCIS'09, section 4): data get other values, pids get
//! names that have nothing to do with the old ones, or one integer of theirs changes.

use super::touched;
use crate::draft::{Draft, DraftComponent};
use crate::guarantee::Guarantee;
use crate::tree::{NOTHING, NameTree, TOP};
use pidlab_core::Datum;
use pidlab_random::Rng;
use rustc_hash::FxHashMap;

/// Some data components get another value of the state, or now and then a new one.
pub fn replace_data(draft: &mut Draft, strength: f64, rng: &mut Rng) -> Guarantee {
    let slots = draft.data_slots();
    if slots.is_empty() {
        return Guarantee::unknown();
    }
    let fresh = fresh_datum(draft);
    let values = draft.data.len();
    for chosen in rng.sample(slots.len(), touched(strength, slots.len())) {
        let slot = slots[chosen];
        let DraftComponent::Data(old) = draft.cells[slot] else { continue };
        let new = if values < 3 || rng.chance(0.1) {
            fresh
        } else {
            // one of the other values: skip the old one
            let other = rng.index(values - 1) as u32;
            if other >= old { other + 1 } else { other }
        };
        draft.cells[slot] = DraftComponent::Data(new);
    }
    Guarantee::unknown()
}

/// A value that the state does not hold.
fn fresh_datum(draft: &mut Draft) -> u32 {
    let largest = draft.data.iter().filter_map(|datum| match datum {
        Datum::Int(value) if *value < i128::from(i64::MAX) => Some(*value),
        _ => None,
    });
    let value = largest.max().unwrap_or(0) + 1;
    draft.datum(Datum::Int(value))
}

/// Tries to find a name for one pid before its old name is kept.
const TRIES: usize = 30;

/// Some pids get new names and counters. A new name is unrelated to all others, or that of another
/// replaced pid (the two become one), or a child of another replaced pid.
pub fn replace_pids(draft: &mut Draft, strength: f64, rng: &mut Rng) -> Guarantee {
    let count = draft.pids.len();
    let chosen = rng.sample(count, touched(strength, count));
    let mut replaced = vec![false; count];
    chosen.iter().for_each(|&pid| replaced[pid] = true);
    let (kept, _) = NameTree::of_pids(draft, |pid| !replaced[pid]);
    // unrelated names shall seldom be equal
    let largest = (2 * chosen.len() as u64).max(40);
    let mut names: Vec<Vec<u64>> = Vec::new();
    for &pid in &chosen {
        let name = (0..TRIES)
            .map(|_| draw_name(&names, largest, rng))
            .find(|name| may_exist(&kept, draft, name))
            .unwrap_or_else(|| draft.pids.get(pid).to_vec());
        names.push(name);
    }
    let fresh = rebuild(draft, &chosen, &names, &replaced);
    settle_counters(draft, &fresh, rng);
    Guarantee::unknown()
}

fn draw_name(names: &[Vec<u64>], largest: u64, rng: &mut Rng) -> Vec<u64> {
    let model = (!names.is_empty()).then(|| rng.index(names.len()));
    match (model, rng.below(8)) {
        (Some(model), 0) => names[model].clone(),
        (Some(model), 1 | 2) => {
            let mut name = names[model].clone();
            name.push(rng.between(1, 3));
            name
        }
        _ => (0..rng.between(1, 4)).map(|_| rng.between(1, largest)).collect(),
    }
}

/// Whether no active pid that keeps its name would have to create this one later.
fn may_exist(kept: &NameTree, draft: &Draft, name: &[u64]) -> bool {
    kept.path(name).zip(name.iter().skip(1)).all(|(node, &step)| {
        let pid = kept.pid[node as usize];
        pid == NOTHING || draft.eta[pid as usize].is_none_or(|created| step <= created)
    })
}

/// Gives the chosen pids their new names; pids of one name become one. Returns the new pids, whose
/// counters are still to be settled.
fn rebuild(
    draft: &mut Draft,
    chosen: &[usize],
    names: &[Vec<u64>],
    replaced: &[bool],
) -> Vec<usize> {
    let old = std::mem::take(&mut draft.pids);
    let old_eta = std::mem::take(&mut draft.eta);
    let mut number: Vec<u32> = vec![NOTHING; old.len()];
    let mut by_name: FxHashMap<&[u64], u32> = FxHashMap::default();
    let mut fresh = Vec::new();
    let kept = (0..old.len()).filter(|&pid| !replaced[pid]).map(|pid| (pid, old.get(pid)));
    let renamed = chosen.iter().copied().zip(names.iter().map(Vec::as_slice));
    for (pid, name) in kept.chain(renamed) {
        number[pid] = match by_name.get(name) {
            Some(&known) => known,
            None => {
                let number = draft.add_pid(name, old_eta[pid]);
                by_name.insert(name, number);
                fresh.extend(replaced[pid].then_some(number as usize));
                number
            }
        };
    }
    for cell in &mut draft.cells {
        if let DraftComponent::Pid(pid) = cell {
            *pid = number[*pid as usize];
        }
    }
    fresh
}

/// Gives the new pids that are active counters from their youngest child up.
fn settle_counters(draft: &mut Draft, fresh: &[usize], rng: &mut Rng) {
    let (tree, nodes) = NameTree::of_pids(draft, |_| true);
    let mut youngest = vec![0; tree.parent.len()];
    for (&parent, &step) in tree.parent.iter().zip(&tree.step) {
        if parent != TOP {
            youngest[parent as usize] = step.max(youngest[parent as usize]);
        }
    }
    for &pid in fresh {
        let least = youngest[nodes[pid] as usize];
        draft.eta[pid] = draft.eta[pid].map(|_| least.saturating_add(rng.run(0.2, 3)));
    }
}

/// In some pids one integer goes up or down by 1 to 3; descendants keep their names.
pub fn shift_pids(draft: &mut Draft, strength: f64, rng: &mut Rng) -> Guarantee {
    // old names stay in the tree and so stay taken: two moves never depend on their order
    let (mut tree, _) = NameTree::of_pids(draft, |_| true);
    let count = draft.pids.len();
    for pid in rng.sample(count, touched(strength, count)) {
        let free =
            |name: &Vec<u64>| tree.path(name).count() < name.len() && may_exist(&tree, draft, name);
        let name = (0..TRIES).map(|_| shifted(draft.pids.get(pid), rng)).find(free);
        if let Some(name) = name {
            tree.list(pid, &name);
            draft.pids.get_mut(pid).copy_from_slice(&name);
        }
    }
    Guarantee::unknown()
}

fn shifted(name: &[u64], rng: &mut Rng) -> Vec<u64> {
    let mut name = name.to_vec();
    let place = rng.index(name.len());
    let by = rng.between(1, 3);
    name[place] = if rng.chance(0.5) && name[place] > by {
        name[place] - by
    } else {
        name[place].saturating_add(by)
    };
    name
}
