//! Random states: consistent, of exactly the size asked for, within their parameters, and the same
//! for the same seed on every run.

mod common;

use pidlab_core::state::ComponentKind;
use pidlab_core::{State, json};
use pidlab_generators::{ParamError, RandomParams, Rng, random_state};
use std::collections::BTreeMap;

/// Parameters drawn at random, so that all combinations occur.
fn draw_params(rng: &mut Rng) -> RandomParams {
    let pids = rng.index(60);
    let least = rng.index(3);
    RandomParams {
        pids,
        locations: 1 + rng.index(6),
        vectors: Some(pids + rng.index(40)),
        width: [least, least + 1 + rng.index(4)],
        pid_share: rng.index(11) as f64 / 10.0,
        distinct_data: 1 + rng.index(5),
        roots: 1 + rng.index(5),
        depth: 1 + rng.index(6),
        fan_out: 1 + rng.index(5),
        inactive_share: rng.index(11) as f64 / 10.0,
        gap_share: rng.index(10) as f64 / 10.0,
        vanished_share: rng.index(10) as f64 / 10.0,
    }
}

#[test]
fn states_are_consistent_and_within_their_parameters() {
    let mut made = 0;
    for row in 0..3_000 {
        let mut rng = Rng::new(21, row);
        let params = draw_params(&mut rng);
        let state = match random_state(&params, &mut rng) {
            Ok(state) => state,
            Err(ParamError::NoRoom { .. }) => continue,
            Err(error) => panic!("{params:?}: {error}"),
        };
        made += 1;
        state.check_consistent().unwrap();
        check(&params, &state);
    }
    assert!(made > 2_000, "{made}");
}

fn check(params: &RandomParams, state: &State) {
    assert_eq!(state.pid_count(), params.pids, "{params:?}");
    assert_eq!(Some(state.vector_count()), params.vectors);
    assert!(state.locations().len() <= params.locations);
    assert!(state.data().len() <= params.distinct_data);
    for vector in 0..state.vector_count() {
        assert!((params.width[0]..=params.width[1]).contains(&state.vector(vector).len()));
    }
    let inactive = state.pids().filter(|&pid| !state.is_active(pid)).count();
    assert_eq!(inactive, (params.inactive_share * params.pids as f64).round() as usize);
    let is_pid = |c: &&pidlab_core::Component| matches!(c.kind(), ComponentKind::Pid(_));
    let pid_components = state.components().iter().filter(is_pid).count();
    let wanted = (params.pid_share * state.components().len() as f64).round() as usize;
    let expected = if params.pids == 0 { 0 } else { wanted.max(params.pids) };
    assert_eq!(pid_components, expected);
    let mut children: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    for pid in state.pids() {
        let name = state.forest().pid(pid);
        assert!(name.segments().len() <= params.depth);
        if let Some(parent) = name.parent() {
            *children.entry(parent.segments().to_vec()).or_default() += 1;
        }
    }
    assert!(children.values().all(|&count| count <= params.fan_out));
}

#[test]
fn rows_are_golden_and_independent_of_each_other() {
    let params = RandomParams { pids: 200, ..RandomParams::default() };
    let row = |row| json::state_to_string(&random_state(&params, &mut Rng::new(1, row)).unwrap());
    let in_order: Vec<String> = (0..3).map(row).collect();
    assert_eq!(in_order[2], row(2));
    assert_ne!(in_order[0], in_order[1]);
    let digests: Vec<u64> = in_order.iter().map(|text| common::fnv(text)).collect();
    assert_eq!(digests, GOLDEN);
}

const GOLDEN: [u64; 3] =
    [6_719_977_288_044_488_607, 14_962_389_882_329_925_657, 1_940_878_586_541_910_373];

#[test]
fn bad_parameters_are_named() {
    let message =
        |params: RandomParams| random_state(&params, &mut Rng::new(1, 0)).unwrap_err().to_string();
    let base = RandomParams::default;
    assert!(message(RandomParams { pid_share: 1.5, ..base() }).contains("`pid_share` is 1.5"));
    assert!(message(RandomParams { pid_share: f64::NAN, ..base() }).contains("pid_share"));
    assert!(message(RandomParams { depth: 0, ..base() }).contains("`depth` is 0"));
    assert!(message(RandomParams { width: [3, 2], ..base() }).contains("`width` is [3, 2]"));
    assert!(message(RandomParams { vectors: Some(5), ..base() }).contains("do not fit"));
    assert!(message(RandomParams { distinct_data: 0, ..base() }).contains("distinct_data"));
    let unknown = serde_json::from_str::<RandomParams>(r#"{"pid": 5}"#).unwrap_err().to_string();
    assert!(unknown.contains("unknown field `pid`"));
}

#[test]
fn a_hundred_thousand_pids() {
    let params = RandomParams { pids: 100_000, depth: 12, ..RandomParams::default() };
    let state = random_state(&params, &mut Rng::new(3, 0)).unwrap();
    assert_eq!(state.pid_count(), 100_000);
    state.check_consistent().unwrap();
}
