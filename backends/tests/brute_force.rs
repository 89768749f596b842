//! `canon` and `refine` against a literal enumeration of all bijections (SACS'10, Definition 1), on
//! random small states under all 16 relation sets, and on the shared cases of `testdata/`.

use pidlab_backends::canon::{Canon, Confirmer, canonical_form};
use pidlab_backends::refine::Refine;
use pidlab_backends::{Backend, Budget, GraphKind, Problem, Verdict};
use pidlab_core::state::{Entry, Kind, StateBuilder};
use pidlab_core::{Datum, Pid, Relation, Relations, State, json};
use std::collections::BTreeMap;

/// xorshift: enough for small random states, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }
}

fn random_pid(dice: &mut Dice) -> Vec<u64> {
    let depth = 1 + dice.roll(3);
    (0..depth).map(|_| 1 + dice.roll(3)).collect()
}

/// A random state over few pids; consistent or not.
fn random_state(dice: &mut Dice) -> State {
    let pids: Vec<Vec<u64>> = (0..1 + dice.roll(4)).map(|_| random_pid(dice)).collect();
    let mut builder = StateBuilder::new();
    for _ in 0..1 + dice.roll(4) {
        let location = builder.location(if dice.roll(2) == 0 { "A" } else { "B" });
        let entries: Vec<Entry> = (0..1 + dice.roll(3))
            .map(|_| match dice.roll(4) {
                0 => Entry::Data(Datum::from(dice.roll(2) as i64)),
                _ => {
                    let pid = &pids[dice.roll(pids.len() as u64) as usize];
                    builder.pid(pid)
                }
            })
            .collect();
        builder.vector(location, entries);
    }
    let mut sorted = pids;
    sorted.sort();
    sorted.dedup();
    for pid in sorted {
        if dice.roll(3) > 0 {
            builder.active(&pid, dice.roll(5)).unwrap();
        }
    }
    builder.finish().unwrap()
}

/// Everything Definition 1 looks at, spelled out.
struct Plain {
    sigma: BTreeMap<String, Vec<Vec<String>>>,
    in_sigma: Vec<Pid>,
    next: Vec<(Pid, Pid)>,
    all: Vec<Pid>,
}

fn plain(state: &State) -> Plain {
    let mut sigma: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for v in 0..state.vector_count() {
        let location = state.locations()[state.location_of(v) as usize].to_string();
        let vector = state.vector(v).iter().map(|c| match c.kind() {
            Kind::Pid(p) => format!("@{}", state.forest().pid(p)),
            Kind::Data(d) => state.data()[d as usize].to_string(),
        });
        sigma.entry(location).or_default().push(vector.collect());
    }
    let in_sigma =
        state.pids().filter(|&p| state.is_in_sigma(p)).map(|p| state.forest().pid(p)).collect();
    let next: Vec<(Pid, Pid)> =
        state.pids().filter_map(|p| Some((state.forest().pid(p), state.next_pid(p)?))).collect();
    let mut all: Vec<Pid> = state.pids().map(|p| state.forest().pid(p)).collect();
    all.extend(next.iter().map(|(_, n)| n.clone()));
    all.sort();
    all.dedup();
    Plain { sigma, in_sigma, next, all }
}

fn is_equivalence(q: &Plain, r: &Plain, relations: Relations, h: &BTreeMap<Pid, Pid>) -> bool {
    let active = |s: &Plain, x: &Pid| s.next.iter().find(|(a, _)| a == x).map(|(_, n)| n.clone());
    for x in &q.all {
        if active(q, x).map(|n| h[&n].clone()) != active(r, &h[x]) {
            return false;
        }
        if q.in_sigma.contains(x) != r.in_sigma.contains(&h[x]) {
            return false;
        }
        for y in &q.all {
            for relation in relations.iter() {
                let lineage = matches!(relation, Relation::Parent | Relation::Ancestor);
                if lineage && !(q.in_sigma.contains(x) && q.in_sigma.contains(y)) {
                    continue;
                }
                let here = relation.holds(x.segments(), y.segments());
                if here != relation.holds(h[x].segments(), h[y].segments()) {
                    return false;
                }
            }
        }
    }
    let rename = |c: &String| match c.strip_prefix('@') {
        Some(pid) => format!("@{}", h[&Pid::parse(pid).unwrap()]),
        None => c.clone(),
    };
    let sorted = |s: &Plain, f: &dyn Fn(&String) -> String| {
        let mut sigma: BTreeMap<String, Vec<Vec<String>>> = s
            .sigma
            .iter()
            .map(|(l, vs)| (l.clone(), vs.iter().map(|v| v.iter().map(f).collect()).collect()))
            .collect();
        sigma.values_mut().for_each(|vs| vs.sort());
        sigma
    };
    sorted(q, &rename) == sorted(r, &|c| c.clone())
}

fn brute(q: &State, r: &State, relations: Relations) -> bool {
    let (q, r) = (plain(q), plain(r));
    if q.all.len() != r.all.len() {
        return false;
    }
    fn extend(
        q: &Plain,
        r: &Plain,
        relations: Relations,
        h: &mut BTreeMap<Pid, Pid>,
        used: &mut Vec<bool>,
    ) -> bool {
        if h.len() == q.all.len() {
            return is_equivalence(q, r, relations, h);
        }
        let x = q.all[h.len()].clone();
        for j in 0..r.all.len() {
            if !used[j] {
                used[j] = true;
                h.insert(x.clone(), r.all[j].clone());
                if extend(q, r, relations, h, used) {
                    return true;
                }
                h.remove(&x);
                used[j] = false;
            }
        }
        false
    }
    extend(&q, &r, relations, &mut BTreeMap::new(), &mut vec![false; r.all.len()])
}

fn verdict(backend: &dyn Backend, q: &State, r: &State, relations: Relations) -> bool {
    let problem = Problem { q, r, relations, graph: GraphKind::Corrected };
    match backend.decide(problem, &Budget::unlimited()).verdict {
        Verdict::Equivalent(_) => true,
        Verdict::NotEquivalent => false,
        Verdict::Undecided(why) => panic!("undecided: {why:?}"),
    }
}

/// Canonical forms are equal exactly for equivalent states, and equivalent to what they stand for.
fn check_forms(q: &State, r: &State, relations: Relations, equivalent: bool) {
    let form = |s: &State| canonical_form(s, relations, &Budget::unlimited());
    let (Ok(a), Ok(b)) = (form(q), form(r)) else {
        return assert!(!q.is_consistent() || !r.is_consistent());
    };
    let (text_a, text_b) = (json::state_to_string(&a.state), json::state_to_string(&b.state));
    let context = format!(
        "{relations}\n{}\n{text_a}\n{}\n{text_b}",
        json::state_to_string(q),
        json::state_to_string(r)
    );
    assert!(a.state.is_consistent(), "{context}");
    assert_eq!(text_a == text_b, equivalent, "{context}");
    assert_eq!(a.hash == b.hash, equivalent, "{context}");
    assert!(brute(q, &a.state, relations), "{context}");
    assert!(Confirmer::default().confirm(q, &a.state, relations, &a.image), "{context}");
}

/// Pairs of random states whose cheap invariants agree, so that the answer is often open.
#[test]
fn random_pairs_agree_with_all_bijections() {
    let mut dice = Dice(0x5eed_1234_5678_9abc);
    let mut shelf: BTreeMap<(usize, usize, usize, usize), Vec<State>> = BTreeMap::new();
    for _ in 0..4000 {
        let state = random_state(&mut dice);
        let plain = plain(&state);
        if plain.all.len() <= 6 {
            let key =
                (plain.all.len(), plain.next.len(), state.vector_count(), state.components().len());
            shelf.entry(key).or_default().push(state);
        }
    }
    let (mut yes, mut no, mut inconsistent) = (0, 0, 0);
    for states in shelf.values() {
        for i in 0..states.len() {
            for other in states[i..].iter().take(8) {
                let q = &states[i];
                let relations = Relations::subsets().nth(dice.roll(16) as usize).unwrap();
                let expected = brute(q, other, relations);
                for backend in [&Canon as &dyn Backend, &Refine] {
                    assert_eq!(
                        verdict(backend, q, other, relations),
                        expected,
                        "{} {relations}\n{}\n{}",
                        backend.info().name,
                        json::state_to_string(q),
                        json::state_to_string(other)
                    );
                }
                check_forms(q, other, relations, expected);
                yes += usize::from(expected);
                no += usize::from(!expected);
                inconsistent += usize::from(!q.is_consistent());
            }
        }
    }
    assert!(yes > 1000 && no > 1000 && inconsistent > 500, "{yes} {no} {inconsistent}");
}

#[test]
fn shared_pairs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/equivalence/pairs.jsonl");
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let pair: serde_json::Value = serde_json::from_str(line).unwrap();
        let q: State = serde_json::from_value(pair["q"].clone()).unwrap();
        let r: State = serde_json::from_value(pair["r"].clone()).unwrap();
        let names: Vec<String> = serde_json::from_value(pair["relations"].clone()).unwrap();
        let relations: Relations = names.iter().map(|n| n.parse::<Relation>().unwrap()).collect();
        match pair["expected"].as_bool() {
            None => assert!(!q.is_consistent() || !r.is_consistent(), "{line}"),
            Some(expected) => {
                assert!(q.is_consistent() && r.is_consistent());
                for backend in [&Canon as &dyn Backend, &Refine] {
                    assert_eq!(
                        verdict(backend, &q, &r, relations),
                        expected,
                        "{} {line}",
                        backend.info().name
                    );
                }
            }
        }
    }
}
