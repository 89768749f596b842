//! Every exact backend against Definition 1 by brute force, for all 16 sets of relations.

use crate::universe::{sample, small_states, states};
use crate::{checked, decide, quick_backends};
use pidlab_backends::backend::Undecided;
use pidlab_backends::{GraphKind, Verdict};
use pidlab_check::enumeration::{Description, class};
use pidlab_core::{Relation, Relations, State};
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
    let backends = quick_backends();
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

/// The heuristic never says "equivalent", and "not equivalent" only of what differs.
#[test]
fn the_hash_alone_is_never_wrong() {
    let states = sample(states(3, true), 60);
    let wl = pidlab_backends::registry::find("wl").unwrap();
    for relations in Relations::subsets() {
        let class = classes(&states, relations);
        for (i, q) in states.iter().enumerate() {
            for (j, r) in states.iter().enumerate().skip(i) {
                match decide(&*wl, q, r, relations, GraphKind::Corrected) {
                    Verdict::NotEquivalent => assert_ne!(class[i], class[j]),
                    Verdict::Undecided(Undecided::NoDifferenceFound) => {}
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}

/// Theorem 1 of SACS'10 holds for its graph as printed iff Ω* has `parent` or `ancestor`; the
/// other four sets lose the link from a pid to its next-pid and merge states that differ.
#[test]
fn the_published_graph_has_too_few_classes_without_parenthood() {
    let states = sample(states(3, true), 150);
    let vf2 = pidlab_backends::registry::find("vf2").unwrap();
    for relations in Relations::subsets() {
        let truth = classes(&states, relations).into_iter().max().unwrap() + 1;
        let mut representatives: Vec<&State> = Vec::new();
        for q in &states {
            let known = |r: &&State| checked(&*vf2, q, r, relations, GraphKind::Published);
            if !representatives.iter().any(known) {
                representatives.push(q);
            }
        }
        let linked = relations.contains(Relation::Parent) || relations.contains(Relation::Ancestor);
        let published = representatives.len();
        assert_eq!(published == truth, linked, "{relations}: {published} classes, truly {truth}");
        assert!(published <= truth);
    }
}

/// Exhaustive: every pair of consistent states with at most two of the pids 1, 2, 1.1 and 1.2, each in
/// location A or B, inactive or with a counter of 0 or 1.
#[test]
fn all_pairs_of_small_states() {
    let states = small_states();
    assert_eq!(states.len(), 205);
    agree_on_all_pairs(&states);
}

#[test]
fn pairs_of_larger_states() {
    agree_on_all_pairs(&sample(states(3, true), 40));
}

#[test]
fn pairs_of_inconsistent_states() {
    agree_on_all_pairs(&sample(states(3, false), 40));
}
