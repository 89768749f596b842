//! Every transformation on random small states: consistent, deterministic, and with a guarantee that
//! brute force over all bijections confirms for all 16 relation sets.

mod common;

use common::equivalent_sets;
use pidlab_core::{Relations, json};
use pidlab_generators::transform::{REGISTRY, TransformError};
use pidlab_generators::{
    Expected, RandomParams, Rng, TransformKind, Transformation, apply, random_state,
};

fn small(round: u64) -> RandomParams {
    RandomParams {
        pids: 2 + (round % 4) as usize,
        locations: 1 + (round % 2) as usize,
        vectors: Some(5),
        width: [1, 3],
        distinct_data: 3,
        roots: 1 + (round % 3) as usize,
        depth: 3,
        fan_out: 3,
        inactive_share: 0.3 * (round % 2) as f64,
        gap_share: 0.3,
        vanished_share: 0.3,
        ..RandomParams::default()
    }
}

#[test]
fn guarantees_hold() {
    let mut known = 0;
    for round in 0..60 {
        for (number, entry) in REGISTRY.iter().enumerate() {
            let mut rng = Rng::new(11, round * 100 + number as u64);
            let base = match random_state(&small(round), &mut rng) {
                Ok(base) => base,
                Err(error) => panic!("{error}"),
            };
            let strength = [0.3, 1.0][(round % 2) as usize];
            let step = Transformation { kind: entry.kind, strength };
            let result = match apply(&[step], &base, &mut rng) {
                Ok(result) => result,
                Err(TransformError::Impossible { kind: TransformKind::NearMiss, .. }) => continue,
                Err(error) => panic!("{error}"),
            };
            result.state.check_consistent().unwrap();
            let truth = equivalent_sets(&base, &result.state);
            for relations in Relations::subsets() {
                let found = truth.contains(&relations);
                let expected = result.guarantee.expected(relations);
                let wrong = match expected {
                    Expected::Equivalent => !found,
                    Expected::NotEquivalent => found,
                    Expected::Unknown => false,
                };
                known += u32::from(expected != Expected::Unknown);
                assert!(
                    !wrong,
                    "{} {relations}: {}\n{}\n{}",
                    entry.name,
                    result.guarantee,
                    json::state_to_string(&base),
                    json::state_to_string(&result.state)
                );
            }
        }
    }
    assert!(known > 5_000, "{known}");
}

#[test]
fn compositions_keep_their_word() {
    for round in 0..150 {
        let mut rng = Rng::new(12, round);
        let base = random_state(&small(round), &mut rng).unwrap();
        let kinds = [
            TransformKind::Rename,
            TransformKind::IncrementCounters,
            TransformKind::ShiftIntegers,
            TransformKind::ExchangePids,
        ];
        let steps: Vec<Transformation> =
            (0..3).map(|_| Transformation { kind: kinds[rng.index(4)], strength: 0.5 }).collect();
        let result = apply(&steps, &base, &mut rng).unwrap();
        let truth = equivalent_sets(&base, &result.state);
        for relations in Relations::subsets() {
            match result.guarantee.expected(relations) {
                Expected::Equivalent => assert!(truth.contains(&relations), "{steps:?}"),
                Expected::NotEquivalent => assert!(!truth.contains(&relations), "{steps:?}"),
                Expected::Unknown => {}
            }
        }
    }
}

/// Larger states: the renaming is checked with the identity on pid numbers, since it keeps the order.
#[test]
fn large_results_are_consistent_and_deterministic() {
    let params = RandomParams { pids: 2_000, ..RandomParams::default() };
    for entry in &REGISTRY {
        for strength in [0.01, 0.5, 1.0] {
            let make = || {
                let mut rng = Rng::new(13, 5);
                let base = random_state(&params, &mut rng).unwrap();
                let step = Transformation { kind: entry.kind, strength };
                apply(&[step], &base, &mut rng).unwrap().state
            };
            let (one, two) = (make(), make());
            one.check_consistent().unwrap();
            assert_eq!(json::state_to_string(&one), json::state_to_string(&two), "{}", entry.name);
        }
    }
}

#[test]
fn strength_zero_changes_nothing_that_counts() {
    for entry in REGISTRY.iter().filter(|entry| entry.kind != TransformKind::NearMiss) {
        let mut rng = Rng::new(14, 0);
        let base = random_state(&small(3), &mut rng).unwrap();
        let step = Transformation { kind: entry.kind, strength: 0.0 };
        let result = apply(&[step], &base, &mut rng).unwrap();
        assert!(equivalent_sets(&base, &result.state).contains(&Relations::ALL), "{}", entry.name);
        assert_eq!(
            result.guarantee.expected(Relations::ALL),
            Expected::Equivalent,
            "{}",
            entry.name
        );
    }
}

#[test]
fn bad_requests_are_refused() {
    let mut rng = Rng::new(15, 0);
    let base = random_state(&small(1), &mut rng).unwrap();
    for strength in [-0.1, 1.5, f64::NAN] {
        let step = Transformation { kind: TransformKind::Rename, strength };
        assert!(matches!(apply(&[step], &base, &mut rng), Err(TransformError::Strength(_))));
    }
    let broken = json::parse_state(r#"{"sigma":{"A":[["@1","@1.4"]]},"eta":{"1":1}}"#).unwrap();
    assert!(matches!(apply(&[], &broken, &mut rng), Err(TransformError::Base(_))));
    let lonely = json::parse_state(r#"{"sigma":{"A":[["@1"]]},"eta":{}}"#).unwrap();
    let step = "near-miss".parse().unwrap();
    assert!(matches!(apply(&[step], &lonely, &mut rng), Err(TransformError::Impossible { .. })));
    assert!("rename:x".parse::<Transformation>().is_err());
    assert!("renam".parse::<Transformation>().unwrap_err().to_string().contains("near-miss"));
}

#[test]
fn transformations_read_from_json_and_text() {
    let step: Transformation = serde_json::from_str(r#"{"kind":"exchange-pids"}"#).unwrap();
    assert_eq!(step, "exchange-pids:1".parse().unwrap());
    let unknown = serde_json::from_str::<Transformation>(r#"{"kind":"rename","power":1}"#);
    assert!(unknown.unwrap_err().to_string().contains("power"));
    for entry in &REGISTRY {
        let text = format!("{{\"kind\":\"{}\"}}", entry.name);
        assert_eq!(serde_json::from_str::<Transformation>(&text).unwrap().kind, entry.kind);
    }
}

#[test]
fn transformations_are_golden() {
    let params = RandomParams { pids: 100, ..RandomParams::default() };
    let base = random_state(&params, &mut Rng::new(1, 0)).unwrap();
    let digests: Vec<String> = REGISTRY
        .iter()
        .map(|entry| {
            let step = Transformation { kind: entry.kind, strength: 0.5 };
            let made = apply(&[step], &base, &mut Rng::new(1, 1)).unwrap();
            format!("{} {:016x}", entry.name, common::fnv(&json::state_to_string(&made.state)))
        })
        .collect();
    assert_eq!(digests.join("\n"), GOLDEN.trim());
}

const GOLDEN: &str = "
rename 261a0922845973bb
shuffle-vectors 9b46d7936597d8b8
shuffle-components 72ac2e9a6fe769f4
exchange-data 6a65f68d32dece9e
exchange-pids 01fdf9d63aead31a
exchange-both 623d9941205827da
replace-data 1b5d4a7ad61c7ff0
replace-pids f86a2c452249429e
increment-counters c0b2240342c31cd8
shift-integers 38471e6c87ff9fa8
shift-pids 0316939c1930d3e4
near-miss 2c75e61413a8f444
";
