//! Hard families: the equivalent state is equivalent and the twin is not, decided by a small exact
//! search of the test's own whose "yes" goes through the independent checker.

mod common;

use common::{equivalent_sets, isomorphic};
use pidlab_core::{Relations, State, json};
use pidlab_generators::hard::{Family, HardError, REGISTRY, Variant, all_variants, instance};
use pidlab_generators::{Expected, Guarantee};

/// A size that the test's search can do, per family.
fn small_size(family: Family) -> usize {
    match family {
        Family::Cfi => 4,
        Family::Multipede | Family::MultipedeTight => 14,
        Family::Cubic => 20,
        Family::Paley => 29,
        Family::LatinGraph | Family::LatinCyclic | Family::LatinRandom => 6,
        Family::Triangular => 8,
        Family::Rook => 4,
        Family::Shrikhande => 1,
        Family::ProjectivePlane => 5,
        Family::Grid | Family::Torus => 6,
        Family::EqualComponents => 3,
        Family::AllAlike => 12,
        Family::LongChain => 6,
        Family::WideForest => 2,
    }
}

/// For every family and variant, and for all 16 sets of relations; no guarantee is left open.
#[test]
fn variants_are_what_they_say() {
    for entry in &REGISTRY {
        for seed in 0..2 {
            let size = small_size(entry.family);
            let (base, equivalent, twin) = all_variants(entry.family, size, seed).unwrap();
            base.check_consistent().unwrap();
            let text = json::state_to_string(&base);
            assert_ne!(text, json::state_to_string(&equivalent.state), "{}", entry.name);
            let again = instance(entry.family, size, Variant::Base, seed).unwrap();
            assert_eq!(again.guarantee, Guarantee::equivalent(), "{}", entry.name);
            for made in [equivalent].into_iter().chain(twin) {
                assert_eq!(counts(&base), counts(&made.state), "{}", entry.name);
                for relations in Relations::subsets() {
                    let expected = match isomorphic(&base, &made.state, relations) {
                        true => Expected::Equivalent,
                        false => Expected::NotEquivalent,
                    };
                    let about = format!("{} {seed} {{{relations}}}", entry.name);
                    assert_eq!(made.guarantee.expected(relations), expected, "{about}");
                }
            }
        }
    }
}

/// The experiment's default sets do not see names: there the equivalent state is what its name says.
#[test]
fn equivalent_states_are_equivalent_without_siblings() {
    for entry in &REGISTRY {
        let made = instance(entry.family, small_size(entry.family), Variant::Equivalent, 1);
        let guarantee = made.unwrap().guarantee;
        for relations in ["none", "parent", "ancestor", "parent,ancestor"] {
            let expected = guarantee.expected(relations.parse().unwrap());
            assert_eq!(expected, Expected::Equivalent, "{} {relations}", entry.name);
        }
    }
}

fn counts(state: &State) -> (usize, usize, usize) {
    (state.pid_count(), state.vector_count(), state.components().len())
}

#[test]
fn forests_differ_by_every_relation_and_only_by_relations() {
    for family in [Family::LongChain, Family::WideForest] {
        let (base, equivalent, twin) = all_variants(family, small_size(family), 3).unwrap();
        assert_eq!(equivalent_sets(&base, &equivalent.state).len(), 16);
        let twin = twin.unwrap();
        let truth = equivalent_sets(&base, &twin.state);
        for relations in Relations::subsets() {
            let expected = twin.guarantee.expected(relations);
            assert_eq!(expected == Expected::Equivalent, truth.contains(&relations), "{family}");
            assert_ne!(expected, Expected::Unknown);
        }
    }
}

#[test]
fn twins_exist_where_the_registry_says() {
    for entry in &REGISTRY {
        let twin =
            instance(entry.family, entry.sizes.0.max(small_size(entry.family)), Variant::Twin, 1);
        match (entry.twin, twin) {
            (Some(_), Ok(_)) => {}
            (None, Err(HardError::NoTwin { .. })) => {}
            (Some(text), Err(HardError::NoTwin { .. })) if text.contains("9, 16") => {}
            (_, other) => panic!("{}: {:?}", entry.name, other.err()),
        }
    }
    assert!(instance(Family::ProjectivePlane, 9, Variant::Twin, 1).is_ok());
}

#[test]
fn sizes_out_of_range_are_refused() {
    let message = |family, size| instance(family, size, Variant::Base, 1).unwrap_err().to_string();
    assert!(message(Family::Cubic, 9).contains("must be even"));
    assert!(message(Family::Cubic, 2).contains("outside 8..=1000000"));
    assert!(message(Family::Rook, 5_000).contains("side n"));
    assert!("cfx".parse::<Family>().is_err());
}

#[test]
fn larger_instances_are_made_quickly_and_again_the_same() {
    let sizes = [
        (Family::Cfi, 400),
        (Family::Multipede, 160),
        (Family::Cubic, 5_000),
        (Family::LatinRandom, 40),
        (Family::ProjectivePlane, 25),
        (Family::Torus, 100),
        (Family::LongChain, 2_000),
        (Family::WideForest, 100),
    ];
    for (family, size) in sizes {
        for variant in [Variant::Base, Variant::Equivalent, Variant::Twin] {
            let make = || json::state_to_string(&instance(family, size, variant, 9).unwrap().state);
            assert_eq!(make(), make(), "{family}");
        }
    }
}

#[test]
fn families_are_golden() {
    let digests: Vec<String> = REGISTRY
        .iter()
        .map(|entry| {
            let state =
                instance(entry.family, small_size(entry.family), Variant::Base, 1).unwrap().state;
            format!("{} {:016x}", entry.name, common::fnv(&json::state_to_string(&state)))
        })
        .collect();
    assert_eq!(digests.join("\n"), GOLDEN.trim());
}

const GOLDEN: &str = "
cfi 3bd9d3ef750b4445
multipede 9c71391f3cc15094
multipede-tight 43b53b195ef277bf
cubic 82d7d134b2334a84
paley 0c4469107a50a89e
latin-graph cb47b9e70cd8c680
triangular 02f38ecbc981430c
rook a4f840aa92b5acd6
shrikhande a4f840aa92b5acd6
latin-cyclic b4c1dc3ff7d61638
latin-random a2002334d75c986e
projective-plane 0b937aebddb2d934
grid 8f1cf366cdf8215c
torus 975d3dd894cb1aae
equal-components 1241124b5d46edb6
all-alike 0740b4714966a79b
long-chain 3154269b467b278d
wide-forest 257d79eecd6ada4b
";
