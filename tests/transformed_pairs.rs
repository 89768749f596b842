//! Generators, exact backends and the checker against each other: random states and what the papers'
//! transformations make of them, under random relation sets. Backends must agree with each other and
//! with the guarantee of the transformation, and every witness must pass the checker.

use pidlab_backends::{Backend, Budget, GraphKind, Problem, Verdict, registry};
use pidlab_core::{Relations, State, json};
use pidlab_generators::hard::{self, Variant};
use pidlab_generators::transform::{REGISTRY, TransformKind};
use pidlab_generators::{
    Expected, Generated, RandomParams, Rng, Transformation, apply, random_state,
};
use std::time::Duration;

/// VF2 alone takes very long on symmetric states; then its answer is not waited for.
fn limit(name: &str) -> Duration {
    if name == "vf2" { Duration::from_millis(1) } else { Duration::from_secs(20) }
}

type Backends = Vec<(&'static str, Box<dyn Backend>)>;

/// Exact backends that do not depend on luck.
const QUICK: [&str; 4] = ["canon", "refine", "nauty", "traces"];

/// Those of some backends that are compiled in.
fn backends(names: impl IntoIterator<Item = &'static str>) -> Backends {
    names
        .into_iter()
        .filter_map(|name| registry::find(name).ok().map(|backend| (name, backend)))
        .filter(|(_, backend)| backend.info().unavailable.is_none())
        .collect()
}

fn all_backends() -> Backends {
    backends(QUICK.into_iter().chain(["vf2"]))
}

fn params(rng: &mut Rng) -> RandomParams {
    RandomParams {
        pids: 1 + rng.index(25),
        locations: 1 + rng.index(3),
        width: [1, 1 + rng.index(4)],
        pid_share: 0.5 + rng.index(6) as f64 / 10.0,
        distinct_data: 1 + rng.index(4),
        roots: 1 + rng.index(4),
        depth: 1 + rng.index(5),
        fan_out: 1 + rng.index(4),
        inactive_share: rng.index(4) as f64 / 10.0,
        gap_share: rng.index(6) as f64 / 10.0,
        vanished_share: rng.index(6) as f64 / 10.0,
        ..RandomParams::default()
    }
}

/// What all backends say, after every witness was checked.
fn verdict(
    backends: &Backends,
    q: &State,
    r: &State,
    relations: Relations,
    about: impl Fn() -> String,
) -> bool {
    let problem = Problem { q, r, relations, graph: GraphKind::Corrected };
    let mut answers = Vec::new();
    for (name, backend) in backends {
        let (name, about) = (*name, &about);
        let budget = Budget::new(Some(limit(name)), None);
        let answer = match backend.decide(problem, &budget).verdict {
            Verdict::Equivalent(witness) => {
                if let Err(violation) = pidlab_check::verify(q, r, relations, &witness.0) {
                    let about = about();
                    panic!("{about}: {name} gives a wrong witness: {violation}\n{}", show(q, r));
                }
                true
            }
            Verdict::NotEquivalent => false,
            Verdict::Undecided(_) if name == "vf2" => continue,
            other => panic!("{}: {name} says {other:?}\n{}", about(), show(q, r)),
        };
        answers.push((name, answer));
    }
    let first = answers[0].1;
    let agree = answers.iter().all(|&(_, answer)| answer == first);
    assert!(agree, "{} {relations}: {answers:?}\n{}", about(), show(q, r));
    first
}

fn show(q: &State, r: &State) -> String {
    format!("{}\n{}", json::state_to_string(q), json::state_to_string(r))
}

/// A random state and what a transformation makes of it; `None` where it does not apply.
fn random_pair(seed: u64, row: u64) -> Option<(State, Generated, TransformKind, Rng)> {
    let mut rng = Rng::new(seed, row);
    let base = random_state(&params(&mut rng), &mut rng).unwrap();
    let kind = REGISTRY[(row as usize) % REGISTRY.len()].kind;
    let strength = [0.1, 0.5, 1.0][rng.index(3)];
    let made = apply(&[Transformation { kind, strength }], &base, &mut rng).ok()?;
    Some((base, made, kind, rng))
}

/// How many pairs were equivalent and how many not.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    equivalent: u64,
    different: u64,
}

impl Count {
    /// Compares a pair under one set of relations.
    fn compare(
        &mut self,
        backends: &Backends,
        (q, made): (&State, &Generated),
        relations: Relations,
        about: impl Fn() -> String,
    ) {
        let found = verdict(backends, q, &made.state, relations, &about);
        *if found { &mut self.equivalent } else { &mut self.different } += 1;
        match made.guarantee.expected(relations) {
            Expected::Equivalent => assert!(found, "{} {relations}", about()),
            Expected::NotEquivalent => assert!(!found, "{} {relations}", about()),
            Expected::Unknown => {}
        }
    }
}

/// Compares that many pairs, each under a random set of relations.
fn compare(seed: u64, rows: u64) -> (u64, u64) {
    let backends = all_backends();
    let mut count = Count::default();
    for row in 0..rows {
        let Some((base, made, kind, mut rng)) = random_pair(seed, row) else { continue };
        let relations = Relations::subsets().nth(rng.index(16)).unwrap();
        count.compare(&backends, (&base, &made), relations, || format!("row {row}, {kind}"));
    }
    (count.equivalent, count.different)
}

/// Compares pairs under all 16 sets of relations, on all cores; counts questions.
fn compare_under_all_relations(seed: u64, rows: u64) -> (u64, u64) {
    let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let part = |first: u64| {
        let backends = backends(QUICK);
        let mut count = Count::default();
        for row in (first..rows).step_by(threads as usize) {
            let Some((base, made, kind, _)) = random_pair(seed, row) else { continue };
            for relations in Relations::subsets() {
                let about = || format!("row {row}, {kind}");
                count.compare(&backends, (&base, &made), relations, about);
            }
        }
        count
    };
    let counts: Vec<Count> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|first| scope.spawn(move || part(first))).collect();
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let sum = |field: fn(&Count) -> u64| counts.iter().map(field).sum();
    (sum(|count| count.equivalent), sum(|count| count.different))
}

#[test]
fn transformed_states_are_decided_as_guaranteed() {
    let (equivalent, different) = compare(31, 6_000);
    assert!(equivalent > 1_000 && different > 1_000, "{equivalent} {different}");
}

#[test]
#[ignore = "a million pairs through all exact backends take about five minutes"]
fn a_million_pairs_are_decided_alike() {
    // a few transformations do not apply to a few states
    let (equivalent, different) = compare(32, 1_010_000);
    println!("{equivalent} equivalent pairs, {different} not equivalent, no disagreement");
    assert!(equivalent > 100_000 && different > 100_000 && equivalent + different >= 1_000_000);
}

#[test]
fn pairs_are_decided_alike_under_all_relations() {
    let (equivalent, different) = compare_under_all_relations(34, 1_000);
    assert!(equivalent > 3_000 && different > 3_000, "{equivalent} {different}");
}

/// Pairs of the long run; a few transformations do not apply to a few states.
const PAIRS: u64 = 10_000_000;
const DRAWN: u64 = PAIRS + PAIRS / 100;

#[test]
#[ignore = "ten million pairs through four backends under all 16 sets of relations take hours"]
fn ten_million_pairs_are_decided_alike_under_all_relations() {
    let (equivalent, different) = compare_under_all_relations(35, DRAWN);
    println!("{equivalent} times equivalent, {different} times not, no disagreement");
    assert!(equivalent + different >= 16 * PAIRS);
}

/// Large enough for a thread of its own for each side.
#[test]
fn large_states_are_decided_alike_on_one_thread_and_on_two() {
    let canon = registry::find("canon").unwrap();
    let mut rng = Rng::new(33, 0);
    let params = RandomParams { pids: 50_000, vectors: Some(100_000), ..RandomParams::default() };
    let q = random_state(&params, &mut rng).unwrap();
    for (kind, equivalent) in [(TransformKind::Rename, true), (TransformKind::NearMiss, false)] {
        let r = apply(&[Transformation { kind, strength: 1.0 }], &q, &mut rng).unwrap().state;
        let relations = Relations::default();
        let problem = Problem { q: &q, r: &r, relations, graph: GraphKind::Corrected };
        for budget in [Budget::unlimited(), Budget::unlimited().on_one_thread()] {
            match canon.decide(problem, &budget).verdict {
                Verdict::Equivalent(witness) => {
                    assert!(equivalent, "{kind}");
                    pidlab_check::verify(&q, &r, relations, &witness.0).unwrap();
                }
                verdict => assert!(verdict == Verdict::NotEquivalent && !equivalent, "{kind}"),
            }
        }
    }
}

#[test]
fn hard_families_are_decided_as_guaranteed() {
    let backends = all_backends();
    for entry in &hard::REGISTRY {
        let size = (entry.sizes.0 * 2).clamp(entry.sizes.0, 16);
        let make = |variant| hard::instance(entry.family, size, variant, 5);
        let base = make(Variant::Base).unwrap().state;
        let mut variants = vec![make(Variant::Equivalent).unwrap()];
        variants.extend(make(Variant::Twin).ok());
        for made in variants {
            for relations in Relations::subsets() {
                let about = || entry.name.to_string();
                let found = verdict(&backends, &base, &made.state, relations, about);
                let expected = made.guarantee.expected(relations);
                assert_ne!(expected, Expected::Unknown, "{} {relations}", entry.name);
                assert_eq!(found, expected == Expected::Equivalent, "{} {relations}", entry.name);
            }
        }
    }
}
