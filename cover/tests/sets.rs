//! Coverability sets: every algorithm computes the same one, it is what a plain Karp–Miller tree says,
//! and the checker accepts it and nothing else.

mod common;

use common::{Random, model_of};
use pidlab_cover::check::check_set;
use pidlab_cover::{
    Budget, Config, Counter, CoverVerdict, Net, OMEGA, SetDocument, coverability_set,
};
use pidlab_cover::{Transition, parse};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Counters of all places; ω is `u64::MAX`.
type Dense = Vec<u64>;

const ANY: u64 = u64::MAX;

/// The tree of Karp and Miller as in the paper, on dense vectors: `None` if it is too large.
fn karp_miller(net: &Net) -> Option<BTreeSet<Dense>> {
    let widen = |count: u32| if count == OMEGA { ANY } else { u64::from(count) };
    let start: Dense = (0..net.places.len() as u32).map(|p| widen(net.initial.get(p))).collect();
    let mut all = BTreeSet::new();
    let mut paths = vec![vec![start]];
    while let Some(path) = paths.pop() {
        let last = path.last()?.clone();
        let repeated = path[..path.len() - 1].contains(&last);
        all.insert(last.clone());
        if all.len() > 400 || paths.len() > 20_000 || path.len() > 200 {
            return None;
        }
        let next = net.transitions.iter().filter(|_| !repeated);
        paths.extend(next.filter_map(|t| {
            let mut path = path.clone();
            path.push(successor(&last, t, &path)?);
            Some(path)
        }));
    }
    let maximal = |c: &&Dense| !all.iter().any(|d| d != *c && below(c, d));
    Some(all.iter().filter(maximal).cloned().collect())
}

fn below(a: &Dense, b: &Dense) -> bool {
    a.iter().zip(b).all(|(x, y)| x <= y)
}

fn successor(from: &Dense, t: &Transition, path: &[Dense]) -> Option<Dense> {
    let mut next = from.clone();
    for &(p, n) in &t.pre {
        let count = &mut next[p as usize];
        if *count != ANY {
            *count = count.checked_sub(u64::from(n))?;
        }
    }
    for &(p, n) in &t.post {
        let count = &mut next[p as usize];
        *count = if *count == ANY { ANY } else { *count + u64::from(n) };
    }
    for earlier in path {
        if below(earlier, &next) {
            let grown = |(x, y): (&u64, &u64)| if y > x { ANY } else { *y };
            next = earlier.iter().zip(&next).map(grown).collect();
        }
    }
    Some(next)
}

fn random_net(random: &mut Random) -> Net {
    let places = 2 + random.below(4);
    let mut counts = |most: u32| -> Vec<(u32, u32)> {
        let list = (0..1 + random.below(most)).map(|_| (random.below(places), 1 + random.below(2)));
        let map: BTreeMap<u32, u32> = list.collect();
        map.into_iter().collect()
    };
    let mut arcs: Vec<_> = (0..3).map(|_| (counts(2), counts(2))).collect();
    arcs.push((counts(1), Vec::new()));
    let transition = |(pre, post)| Transition { pre, post, ..Transition::default() };
    let transitions = arcs.into_iter().map(transition).collect();
    let mut initial = counts(2);
    if initial[0].1 == 2 && initial.len() == 2 {
        initial[0].1 = OMEGA;
    }
    Net {
        places: (0..places).map(|p| format!("p{p}")).collect(),
        transitions,
        initial: Config::new(initial),
        ..Net::default()
    }
}

fn dense(net: &Net, document: &SetDocument) -> BTreeSet<Dense> {
    let count = |config: &BTreeMap<String, Counter>, p: usize| match config.get(&net.places[p]) {
        None => 0,
        Some(Counter::Number(n)) => u64::from(*n),
        Some(Counter::Omega(_)) => ANY,
    };
    let config = |c| (0..net.places.len()).map(|p| count(c, p)).collect();
    document.configurations.iter().map(config).collect()
}

fn set_of(net: &Net, algorithm: &str) -> SetDocument {
    let budget = Budget::new(Some(Duration::from_secs(5)), None);
    let found = coverability_set(net, None, algorithm, &budget).unwrap();
    let text = serde_json::to_string(&found).unwrap();
    let read: SetDocument = serde_json::from_str(&text).unwrap();
    assert_eq!(check_set(&model_of(net), &read, &Budget::unlimited()), Ok(found.complete));
    read
}

#[test]
fn every_algorithm_computes_the_set_of_karp_and_miller() {
    let (mut compared, mut unbounded) = (0, 0);
    for seed in 0..500 {
        let net = random_net(&mut Random(600_000 + seed));
        let Some(known) = karp_miller(&net) else {
            continue;
        };
        compared += 1;
        unbounded += u32::from(known.iter().any(|c| c.contains(&ANY)));
        for algorithm in ["auto", "mp", "karp-miller", "beacon"] {
            let found = set_of(&net, algorithm);
            assert!(found.complete, "{seed} {algorithm}: {:?}", found.reason);
            assert_eq!(found.configurations.len(), known.len(), "{seed} {algorithm}");
            assert_eq!(dense(&net, &found), known, "{seed} {algorithm}: {net:?}");
        }
        let breadth_first = set_of(&net, "beacon:bfs");
        assert!(!breadth_first.complete || dense(&net, &breadth_first) == known, "{seed}");
    }
    assert!(compared > 300 && unbounded > 100, "{compared} compared, {unbounded} unbounded");
}

/// Sets that are too small, too large, not minimal, or derived in another way are refused.
#[test]
fn the_checker_refuses_other_sets() {
    let (mut smaller, mut larger, mut doubled, mut moved) = (0, 0, 0, 0);
    for seed in 0..300 {
        let net = random_net(&mut Random(610_000 + seed));
        let found = set_of(&net, "mp");
        let refused = |document: &SetDocument| {
            check_set(&model_of(&net), document, &Budget::unlimited()).is_err()
        };
        let mut less = found.clone();
        less.configurations.pop();
        less.derived_at.pop();
        assert!(refused(&less), "{seed}");
        smaller += 1;
        for number in 0..found.configurations.len() {
            for place in net.places.iter() {
                let mut more = found.clone();
                let top = Counter::Omega("ω".into());
                if more.configurations[number].insert(place.into(), top.clone()) != Some(top) {
                    assert!(refused(&more), "{seed} {place}");
                    larger += 1;
                }
            }
        }
        let mut twice = found.clone();
        twice.configurations.push(found.configurations[0].clone());
        twice.derived_at.push(found.derived_at[0]);
        assert!(refused(&twice), "{seed}");
        doubled += 1;
        if found.configurations.len() > 1 {
            let mut other = found.clone();
            other.derived_at.swap(0, 1);
            assert!(refused(&other), "{seed}");
            moved += 1;
        }
    }
    let counts = [smaller, larger, doubled, moved];
    assert!(counts.iter().all(|&n| n > 20), "{counts:?}");
}

#[test]
fn targets_do_not_matter_and_broadcasts_have_no_set() {
    let text = "vars\na b\nrules\na >= 1 -> b' = b + 1;\ninit\na = 1\ntarget\nb >= 3\n";
    let net = parse::spec::parse(text).unwrap();
    assert_eq!(common::answer(&net, "auto", 5.0, true).verdict, CoverVerdict::Unsafe);
    assert_eq!(dense(&net, &set_of(&net, "auto")), BTreeSet::from([vec![1, ANY]]));
    let needs_target = set_of(&net, "backward");
    assert!(needs_target.reason.unwrap().contains("it needs a target"));
    let text = "vars\na b\nrules\na >= 1 -> b' = a + b, a' = 0;\ninit\na = 1\ntarget\nb >= 3\n";
    let net = parse::spec::parse(text).unwrap();
    assert!(set_of(&net, "auto").reason.unwrap().contains("broadcasts"));
}
