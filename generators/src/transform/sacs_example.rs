//! SACS'10, section 5: the worked example and every published result.
//!
//! Each result is shown to be within the range of its transformation: by a seed that gives it, or
//! where the range is too large to find it by chance, by the choices that lead to it. Each is then
//! decided by brute force for all 16 relation sets and compared with what we guarantee.

#[path = "../../tests/common/mod.rs"]
mod common;

use super::{Generated, TransformKind, Transformation, apply};
use crate::{Expected, Rng};
use common::equivalent_sets;
use pidlab_core::{Relation, Relations, State, json, text};

const BASE: &str = "L : <2:2, 2> <3, 2.1:0>  L' : <1:0, 3, 4:0> <2.2:0>";

fn parse(text: &str) -> State {
    text::parse_state(text).unwrap()
}

/// The state as JSON with the vectors of each location sorted.
fn normal(state: &State) -> String {
    let mut value: serde_json::Value = serde_json::from_str(&json::state_to_string(state)).unwrap();
    for vectors in value["sigma"].as_object_mut().unwrap().values_mut() {
        vectors.as_array_mut().unwrap().sort_by_key(ToString::to_string);
    }
    value.to_string()
}

fn by_seed(kind: TransformKind, strength: f64, published: &str) -> Generated {
    let (base, wanted) = (parse(BASE), normal(&parse(published)));
    (0..200_000)
        .map(|seed| {
            apply(&[Transformation { kind, strength }], &base, &mut Rng::new(seed, 0)).unwrap()
        })
        .find(|made| normal(&made.state) == wanted)
        .unwrap_or_else(|| panic!("{kind} never gives {published}"))
}

fn by_script(kind: TransformKind, choices: &[u64], published: &str) -> Generated {
    let mut rng = Rng::scripted(choices);
    let step = Transformation { kind, strength: 1.0 };
    let made = apply(&[step], &parse(BASE), &mut rng).unwrap();
    assert!(rng.is_done());
    assert_eq!(normal(&made.state), normal(&parse(published)));
    made
}

/// Compares brute force with what the paper's section says and with our guarantee.
fn check(made: &Generated, expected: impl Fn(Relations) -> bool) {
    let truth = equivalent_sets(&parse(BASE), &made.state);
    for relations in Relations::subsets() {
        assert_eq!(truth.contains(&relations), expected(relations), "{relations}");
        match made.guarantee.expected(relations) {
            Expected::Equivalent => assert!(expected(relations), "{relations}"),
            Expected::NotEquivalent => assert!(!expected(relations), "{relations}"),
            Expected::Unknown => {}
        }
    }
}

#[test]
fn equivalent_renaming() {
    let published =
        "L : <2.3.2.5:5, 2> <3, 2.3.2.5.4:3>  L' : <2.3.2.4:3, 3, 2.3.2.7:3> <2.3.2.5.5:3>";
    // roots from 4 on and 2 apart, counters 3, children from 4 on, prefix 2.3.2, vectors in order
    let choices = [3, 0, 3, 3, 3, 3, 3, 3, 1, 2, 1, 3, 2, 1];
    let made = by_script(TransformKind::Rename, &choices, published);
    check(&made, |_| true);
    assert_eq!(made.guarantee.expected(Relations::ALL), Expected::Equivalent);
}

#[test]
fn exchanged_vectors() {
    let published = "L : <3, 2.1:0> <1:0, 3, 4:0>  L' : <2.2:0> <2:2, 2>";
    let made = by_seed(TransformKind::ShuffleVectors, 1.0, published);
    check(&made, |_| false);
    assert_eq!(made.guarantee.expected(Relations::NONE), Expected::NotEquivalent);
}

#[test]
fn exchanged_components() {
    let published = "L : <2, 2:2> <2.1:0, 3>  L' : <4:0, 3, 1:0> <2.2:0>";
    let made = by_seed(TransformKind::ShuffleComponents, 1.0, published);
    check(&made, |_| false);
    assert_eq!(made.guarantee.expected(Relations::NONE), Expected::NotEquivalent);
}

#[test]
fn exchanged_data() {
    let published = "L : <2:2, 3> <2, 2.1:0>  L' : <1:0, 3, 4:0> <2.2:0>";
    let made = by_seed(TransformKind::ExchangeData, 1.0, published);
    check(&made, |_| false);
    assert_eq!(made.guarantee.expected(Relations::NONE), Expected::NotEquivalent);
}

/// Without relations pids are interchangeable here, since each occurs once and all are active.
#[test]
fn exchanged_pids() {
    let published = "L : <2.1:0, 2> <3, 2:2>  L' : <4:0, 3, 2.2:0> <1:0>";
    check(&by_seed(TransformKind::ExchangePids, 1.0, published), |relations| {
        relations == Relations::NONE
    });
}

#[test]
fn exchanged_data_and_pids() {
    let published = "L : <2.1:0, 3> <2, 2:2>  L' : <4:0, 3, 2.2:0> <1:0>";
    let made = by_seed(TransformKind::ExchangeBoth, 1.0, published);
    check(&made, |_| false);
    assert_eq!(made.guarantee.expected(Relations::NONE), Expected::NotEquivalent);
}

#[test]
fn replaced_pids() {
    let published = "L : <26.25.25:0, 2> <3, 32.32.33:1>
        L' : <35.35.34:0, 3, 32.32.33:1> <32.32.33.1:0>";
    // all five pids in order: three unrelated names, a child of the third, the third again
    #[rustfmt::skip]
    let choices = [
        0, 0, 0, 0,
        7, 2, 34, 34, 33,
        7, 2, 25, 24, 24,
        0, 7, 2, 31, 31, 32,
        2, 1, 0,
        2, 0,
        0, 0, 0, 0,
    ];
    let made = by_script(TransformKind::ReplacePids, &choices, published);
    check(&made, |_| false);
    assert_eq!(made.guarantee.expected(Relations::NONE), Expected::NotEquivalent);
}

/// The next-pid of 2 is no longer adjacent to 2.2; nothing else changes.
#[test]
fn incremented_counters() {
    let published = "L : <2:4, 2> <3, 2.1:0>  L' : <1:2, 3, 4:4> <2.2:3>";
    let made = by_seed(TransformKind::IncrementCounters, 0.8, published);
    check(&made, |relations| !relations.contains(Relation::AdjacentSibling));
    assert_eq!(made.guarantee.expected(Relations::ALL), Expected::NotEquivalent);
    assert_eq!(made.guarantee.expected(Relations::default()), Expected::Equivalent);
}
