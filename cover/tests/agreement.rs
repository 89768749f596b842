//! Thousands of small random nets: all algorithms agree with each other and with brute force.

mod common;

use common::{Random, answer, product};
use pidlab_cover::{Config, CoverVerdict, Net, OMEGA, Transition, collect_entries};
use std::collections::BTreeSet;

struct Shape {
    places: u32,
    transitions: u32,
    weight: u32,
    transfers: bool,
    omega: bool,
}

fn random_net(random: &mut Random, shape: &Shape) -> Net {
    let places = shape.places;
    let entries = |random: &mut Random, most: u32| {
        let count = random.below(most + 1);
        let draw = (0..count).map(|_| (random.below(places), 1 + random.below(shape.weight)));
        collect_entries(draw.collect::<Vec<_>>()).unwrap()
    };
    let mut transitions = Vec::new();
    for _ in 0..shape.transitions {
        let pre = entries(random, 2);
        let post = entries(random, 2);
        let mut transfers = Vec::new();
        if shape.transfers && random.below(3) == 0 {
            let arcs =
                (0..1 + random.below(3)).map(|_| (random.below(places), random.below(places)));
            transfers = arcs.collect::<BTreeSet<_>>().into_iter().collect();
        }
        transitions.push(Transition { pre, post, transfers, line: 0 });
    }
    let first = if shape.omega { OMEGA } else { 1 + random.below(3) };
    let initial = Config::new(vec![(0, first), (1, random.below(2))]);
    let wanted = (0..1 + random.below(2)).map(|_| (random.below(places), 1 + random.below(3)));
    Net {
        places: (0..places).map(|p| format!("p{p}")).collect(),
        transitions,
        initial,
        at_least: if shape.omega { vec![(0, 1)] } else { Vec::new() },
        targets: vec![Config::new(collect_entries(wanted.collect::<Vec<_>>()).unwrap())],
        ..Net::default()
    }
}

/// Explicit search on plain vectors, markings cut off above `cap` tokens per place: whether a target
/// is met, and whether the search was exhaustive.
fn brute_force(net: &Net, threads: u64, cap: u64) -> (bool, bool) {
    let places = net.places.len() as u32;
    let start: Vec<u64> = (0..places)
        .map(|p| match net.initial.get(p) {
            OMEGA => threads,
            n => u64::from(n),
        })
        .collect();
    let mut seen = BTreeSet::from([start.clone()]);
    let mut stack = vec![start];
    let mut exhaustive = true;
    while let Some(marking) = stack.pop() {
        let above = |target: &Config| {
            target.entries().iter().all(|e| marking[e.0 as usize] >= u64::from(e.1))
        };
        if net.targets.iter().any(above) {
            return (true, exhaustive);
        }
        for next in net.transitions.iter().flat_map(|t| steps(&marking, t)) {
            if next.iter().any(|n| *n > cap) || seen.len() > 400 {
                exhaustive = false;
            } else if seen.insert(next.clone()) {
                stack.push(next);
            }
        }
    }
    (false, exhaustive)
}

/// All successors: token by token, each takes one of the moves of its place.
fn steps(marking: &[u64], t: &Transition) -> BTreeSet<Vec<u64>> {
    let mut rest = marking.to_vec();
    for &(p, n) in &t.pre {
        match rest[p as usize].checked_sub(u64::from(n)) {
            Some(left) => rest[p as usize] = left,
            None => return BTreeSet::new(),
        }
    }
    let tokens = rest.iter().enumerate().flat_map(|(p, n)| vec![p as u32; *n as usize]);
    let options = tokens.map(|p| {
        let moves: BTreeSet<u32> =
            t.transfers.iter().filter(|arc| arc.0 == p).map(|arc| arc.1).collect();
        if moves.is_empty() { BTreeSet::from([p]) } else { moves }
    });
    let put = |p: usize| t.post.iter().find(|e| e.0 as usize == p).map_or(0, |e| u64::from(e.1));
    let after =
        |counts: Vec<u32>| counts.iter().enumerate().map(|(p, n)| u64::from(*n) + put(p)).collect();
    product(rest.len(), options).into_iter().map(after).collect()
}

/// All complete algorithms on one net; returns the common verdict.
fn agree(net: &Net, algorithms: &[&str], number: u32) -> CoverVerdict {
    let mut verdict = CoverVerdict::Unknown;
    for algorithm in algorithms {
        for reduce in [true, false] {
            let found = answer(net, algorithm, 1.0, reduce).verdict;
            if found == CoverVerdict::Unknown {
                continue;
            }
            if verdict == CoverVerdict::Unknown {
                verdict = found;
            }
            assert_eq!(found, verdict, "net {number}, {algorithm}: {net:?}");
        }
    }
    verdict
}

fn campaign(seed: u64, nets: u32, shape: &Shape, algorithms: &[&str]) -> [u32; 2] {
    let mut tally = [0, 0];
    for number in 0..nets {
        let net = random_net(&mut Random(seed + u64::from(number)), shape);
        let verdict = agree(&net, algorithms, number);
        assert_ne!(verdict, CoverVerdict::Unknown, "net {number}: {net:?}");
        let numbers = if shape.omega { 1..=4 } else { 1..=1 };
        let outcomes: Vec<(bool, bool)> = numbers.map(|n| brute_force(&net, n, 8)).collect();
        if outcomes.iter().any(|o| o.0) {
            assert_eq!(verdict, CoverVerdict::Unsafe, "net {number}: {net:?}");
        }
        if !shape.omega && outcomes[0] == (false, true) {
            assert_eq!(verdict, CoverVerdict::Safe, "net {number}: {net:?}");
        }
        tally[usize::from(verdict == CoverVerdict::Unsafe)] += 1;
    }
    assert!(tally.iter().all(|t| *t > nets / 20), "one-sided campaign: {tally:?}");
    tally
}

const FORWARD_AND_BACKWARD: [&str; 5] = ["auto", "backward", "mp", "beacon", "karp-miller"];

#[test]
fn nets_with_any_number_of_threads() {
    let shape = Shape { places: 5, transitions: 5, weight: 1, transfers: false, omega: true };
    campaign(1000, 700, &shape, &FORWARD_AND_BACKWARD);
}

#[test]
fn nets_with_weights_and_a_fixed_start() {
    let shape = Shape { places: 4, transitions: 4, weight: 2, transfers: false, omega: false };
    campaign(90_000, 700, &shape, &FORWARD_AND_BACKWARD);
}

#[test]
fn nets_with_broadcasts() {
    let shape = Shape { places: 4, transitions: 4, weight: 1, transfers: true, omega: true };
    campaign(50_000, 500, &shape, &["auto", "backward"]);
}

#[test]
fn nets_with_broadcasts_and_a_fixed_start() {
    let shape = Shape { places: 4, transitions: 4, weight: 1, transfers: true, omega: false };
    campaign(60_000, 300, &shape, &["auto", "backward"]);
}

/// A machine with many shared states, so that some are only passed through and some local states
/// behave alike: what the reductions are for.
fn random_machine(random: &mut Random) -> Net {
    let (shared, local) = (5 + random.below(5), 3 + random.below(3));
    let entries = |s: u32, l: &[u32]| {
        let locals = l.iter().map(|l| (shared + l, 1));
        collect_entries([(s, 1)].into_iter().chain(locals).collect::<Vec<_>>()).unwrap()
    };
    let mut transitions = Vec::new();
    let mut seen = vec![0];
    for _ in 0..7 + random.below(8) {
        let from = seen[random.below(seen.len() as u32) as usize];
        let (to, l, l2) = (random.below(shared), random.below(local), random.below(local));
        seen.push(to);
        let spawn = random.below(6) == 0;
        let post = if spawn { entries(to, &[l, l2]) } else { entries(to, &[l2]) };
        transitions.push(Transition { pre: entries(from, &[l]), post, ..Transition::default() });
    }
    let target = entries(random.below(shared), &[random.below(local), random.below(local)]);
    let names = (0..shared).map(|s| format!("s{s}")).chain((0..local).map(|l| format!("l{l}")));
    Net {
        places: names.collect(),
        transitions,
        initial: Config::new(vec![(0, 1), (shared, OMEGA)]),
        at_least: vec![(shared, 1)],
        targets: vec![Config::from_sorted(target)],
        ..Net::default()
    }
}

#[test]
fn machines_with_many_shared_states() {
    let mut tally = [0, 0];
    for number in 0..1500 {
        let net = random_machine(&mut Random(300_000 + u64::from(number)));
        let verdict = agree(&net, &FORWARD_AND_BACKWARD[1..], number);
        assert_ne!(verdict, CoverVerdict::Unknown, "machine {number}: {net:?}");
        if (1..=4).any(|n| brute_force(&net, n, 8).0) {
            assert_eq!(verdict, CoverVerdict::Unsafe, "machine {number}: {net:?}");
        }
        tally[usize::from(verdict == CoverVerdict::Unsafe)] += 1;
    }
    assert!(tally.iter().all(|t| *t > 150), "one-sided campaign: {tally:?}");
}
