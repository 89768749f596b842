//! Every exact backend against Definition 1 by brute force, for all 16 sets of relations.

use crate::brute_force::{Description, class};
use crate::universe::{sample, states};
use crate::{checked, exact_backends};
use pidlab_backends::GraphKind;
use pidlab_core::{Relations, State};
use rustc_hash::FxHashMap;

/// Numbers of the classes of the states.
fn classes(states: &[State], relations: Relations) -> Vec<usize> {
    let mut numbers: FxHashMap<Description, usize> = FxHashMap::default();
    states
        .iter()
        .map(|state| {
            let fresh = numbers.len();
            *numbers.entry(class(state, relations)).or_insert(fresh)
        })
        .collect()
}

/// All pairs of the states, in all backends.
fn agree_on_all_pairs(states: &[State]) {
    let backends = exact_backends();
    for relations in Relations::subsets() {
        let class = classes(states, relations);
        for (i, q) in states.iter().enumerate() {
            for (j, r) in states.iter().enumerate().skip(i) {
                for backend in &backends {
                    let found = checked(&**backend, q, r, relations, GraphKind::Corrected);
                    let name = backend.info().name;
                    assert_eq!(
                        found,
                        class[i] == class[j],
                        "{name} {relations}\n{}\n{}",
                        pidlab_core::json::state_to_string(q),
                        pidlab_core::json::state_to_string(r)
                    );
                }
            }
        }
    }
}

/// Exhaustive: every pair of consistent states over at most two pids of the pool.
#[test]
fn all_pairs_of_small_states() {
    let states = states(2, true);
    assert!(states.len() > 200, "{}", states.len());
    agree_on_all_pairs(&sample(states, 150));
}

#[test]
fn pairs_of_larger_states() {
    agree_on_all_pairs(&sample(states(3, true), 60));
}

#[test]
fn pairs_of_inconsistent_states() {
    agree_on_all_pairs(&sample(states(3, false), 60));
}
