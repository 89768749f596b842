//! Brute force for tests: all bijections of pids, each put before the independent checker.

use pidlab_core::{Relations, State};
use std::collections::BTreeSet;

/// The relation sets for which two small states are equivalent.
pub fn equivalent_sets(q: &State, r: &State) -> BTreeSet<Relations> {
    let mut found = BTreeSet::new();
    if q.pid_count() != r.pid_count() {
        return found;
    }
    assert!(q.pid_count() <= 6, "too many pids for brute force");
    let mut witness: Vec<u32> = q.pids().collect();
    loop {
        let untried: Vec<_> = Relations::subsets().filter(|set| !found.contains(set)).collect();
        if untried.contains(&Relations::NONE)
            || pidlab_check::verify(q, r, Relations::NONE, &witness).is_ok()
        {
            found.extend(
                untried
                    .into_iter()
                    .filter(|&set| pidlab_check::verify(q, r, set, &witness).is_ok()),
            );
        }
        if !next_permutation(&mut witness) {
            return found;
        }
    }
}

fn next_permutation(items: &mut [u32]) -> bool {
    let Some(i) = (1..items.len()).rev().find(|&i| items[i - 1] < items[i]) else { return false };
    let j = (i..items.len()).rev().find(|&j| items[j] > items[i - 1]).unwrap_or(i);
    items.swap(i - 1, j);
    items[i..].reverse();
    true
}
