//! `canon`, `refine` and canonical forms with a hash of a few bits, in which everything collides: no
//! answer changes. Truth is every bijection of the pids put before the independent checker, or the way
//! a pair was made.

#[path = "../../generators/tests/common/mod.rs"]
mod brute_force;
#[path = "../tests/equivalence/universe.rs"]
#[allow(dead_code, reason = "not every file that shares this module needs all of it")]
mod universe;

use crate::backend::{Backend, GraphKind, Problem, Verdict};
use crate::canon::{Canon, canonical_form};
use crate::hash::weak::with_bits;
use crate::refine::Refine;
use crate::{Budget, wl::WeisfeilerLeman};
use brute_force::equivalent_sets;
use pidlab_core::{Relations, State, json};
use pidlab_generators::hard::{Family, Variant, instance};
use pidlab_generators::transform::TransformKind;
use pidlab_generators::{Expected, RandomParams, Rng, Transformation, apply, random_state};

/// Hashes of 0 bits are all equal.
const BITS: [u32; 6] = [0, 1, 2, 3, 5, 8];

/// What both backends and the forms say of a pair, which must be the truth.
fn expect(q: &State, r: &State, relations: Relations, truth: bool, about: &str) {
    let problem = Problem { q, r, relations, graph: GraphKind::Corrected };
    let show = || format!("{about}\n{}\n{}", json::state_to_string(q), json::state_to_string(r));
    for backend in [&Canon as &dyn Backend, &Refine] {
        match backend.decide(problem, &Budget::unlimited()).verdict {
            Verdict::Equivalent(witness) => {
                pidlab_check::verify(q, r, relations, &witness.0).unwrap();
                assert!(truth, "{}", show());
            }
            Verdict::NotEquivalent => assert!(!truth, "{} {}", backend.info().name, show()),
            other => panic!("{other:?} {}", show()),
        }
    }
    let heuristic = WeisfeilerLeman.decide(problem, &Budget::unlimited()).verdict;
    assert!(!truth || heuristic != Verdict::NotEquivalent, "{}", show());
}

fn form(state: &State, relations: Relations) -> String {
    let form = canonical_form(state, relations, &Budget::unlimited()).unwrap();
    pidlab_check::verify(state, &form.state, relations, &form.image).unwrap();
    json::state_to_string(&form.state)
}

fn expect_forms(q: &State, r: &State, relations: Relations, truth: bool, about: &str) {
    assert_eq!(form(q, relations) == form(r, relations), truth, "{about}");
}

fn params(round: u64) -> RandomParams {
    RandomParams {
        pids: 1 + (round % 5) as usize,
        locations: 1 + (round % 2) as usize,
        vectors: Some(6 + (round % 5) as usize),
        width: [1, 1 + (round % 3) as usize],
        pid_share: 0.8,
        distinct_data: 2,
        roots: 1 + (round % 3) as usize,
        depth: 2,
        fan_out: 3,
        inactive_share: 0.3 * (round % 2) as f64,
        gap_share: 0.3,
        vanished_share: 0.3,
    }
}

/// Thousands of small pairs under all 16 sets of relations.
#[test]
fn small_pairs_are_decided_right_by_a_hash_of_a_few_bits() {
    let kinds = [
        TransformKind::Rename,
        TransformKind::ExchangePids,
        TransformKind::IncrementCounters,
        TransformKind::ReplaceData,
    ];
    let mut answers = [0; 2];
    for round in 0..400 {
        let mut rng = Rng::new(41, round);
        let q = random_state(&params(round), &mut rng).unwrap();
        let kind = kinds[round as usize % kinds.len()];
        let r = apply(&[Transformation { kind, strength: 0.4 }], &q, &mut rng).unwrap().state;
        let truth = equivalent_sets(&q, &r);
        for relations in Relations::subsets() {
            let equivalent = truth.contains(&relations);
            answers[usize::from(equivalent)] += 1;
            for bits in BITS {
                let about = format!("round {round}, {bits} bits, {kind}, {relations}");
                with_bits(bits, || {
                    expect(&q, &r, relations, equivalent, &about);
                    expect_forms(&q, &r, relations, equivalent, &about);
                });
            }
        }
    }
    assert!(answers.iter().all(|&count| count > 1_000), "{answers:?}");
}

/// States that are not thread configurations have vertices for their next-pids.
#[test]
fn inconsistent_pairs_are_decided_right_by_a_hash_of_a_few_bits() {
    let states = universe::sample(universe::states(2, false), 40);
    let mut answers = [0; 2];
    for (q, r) in states.iter().flat_map(|q| states.iter().map(move |r| (q, r))) {
        let truth = equivalent_sets(q, r);
        for relations in Relations::subsets() {
            let equivalent = truth.contains(&relations);
            answers[usize::from(equivalent)] += 1;
            for bits in [0, 2] {
                let about = format!("{bits} bits, {relations}");
                with_bits(bits, || expect(q, r, relations, equivalent, &about));
            }
        }
    }
    assert!(answers.iter().all(|&count| count > 100), "{answers:?}");
}

/// Symmetric and rigid inputs, single and in parts, on which refinement alone decides nothing.
#[test]
fn hard_pairs_are_decided_right_by_a_hash_of_a_few_bits() {
    let families = [
        (Family::Cfi, 4),
        (Family::Multipede, 8),
        (Family::Cubic, 12),
        (Family::Rook, 4),
        (Family::Shrikhande, 2),
        (Family::LatinRandom, 5),
        (Family::ProjectivePlane, 3),
        (Family::Torus, 5),
        (Family::EqualComponents, 3),
        (Family::AllAlike, 12),
        (Family::LongChain, 8),
        (Family::WideForest, 3),
    ];
    for (family, size) in families {
        let base = instance(family, size, Variant::Base, 3).unwrap().state;
        for variant in [Variant::Equivalent, Variant::Twin] {
            let Ok(made) = instance(family, size, variant, 3) else { continue };
            for relations in Relations::subsets() {
                let truth = made.guarantee.expected(relations) == Expected::Equivalent;
                for bits in BITS {
                    let about = format!("{family} {variant:?}, {bits} bits, {relations}");
                    with_bits(bits, || {
                        expect(&base, &made.state, relations, truth, &about);
                        expect_forms(&base, &made.state, relations, truth, &about);
                    });
                }
            }
        }
    }
}
