//! The checker against a literal transcription of Definition 1 (every pair of elements, every
//! relation, multisets by sorting), on random small states, consistent or not, with all 16 relation
//! sets and with right and wrong witnesses.

use pidlab_check::{Violation, verify, verify_named};
use pidlab_core::state::ComponentKind;
use pidlab_core::{Datum, Pid, Relation, Relations, State, json};
use std::collections::{BTreeMap, BTreeSet};

/// A small generator of its own: the test shall not depend on other crates' streams.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        ((self.0 >> 33) as usize) % bound
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut items: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            items.swap(i, self.below(i + 1));
        }
        items
    }
}

fn random_state(rng: &mut Lcg) -> State {
    const PIDS: [&str; 9] = ["1", "2", "4", "1.1", "1.2", "1.4", "1.1.1", "1.1.2", "2.1"];
    let mut sigma: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for _ in 0..rng.below(4) + 1 {
        let width = rng.below(3);
        let component = |rng: &mut Lcg| match rng.below(4) {
            0 => ["0", "\"a\"", "true"][rng.below(3)].to_string(),
            _ => format!("\"@{}\"", rng.pick(&PIDS[..])),
        };
        let parts: Vec<String> = (0..=width).map(|_| component(rng)).collect();
        sigma.entry(["A", "B"][rng.below(2)]).or_default().push(format!("[{}]", parts.join(",")));
    }
    let eta: Vec<String> = PIDS
        .iter()
        .filter_map(|pid| match rng.below(4) {
            0 => Some(format!("\"{pid}\":{}", rng.below(3))),
            _ => None,
        })
        .collect();
    let sigma: Vec<String> =
        sigma.iter().map(|(name, vectors)| format!("\"{name}\":[{}]", vectors.join(","))).collect();
    let text = format!("{{\"sigma\":{{{}}},\"eta\":{{{}}}}}", sigma.join(","), eta.join(","));
    json::parse_state(&text).unwrap()
}

/// The same state with the roots renamed and the vectors reversed; all relations but those between
/// roots survive.
fn renamed(state: &State, shift: u64) -> State {
    let text = json::state_to_string(state);
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rename = |name: &str| {
        let mut segments = Pid::parse(name).unwrap().segments().to_vec();
        segments[0] += shift;
        Pid::new(&segments).unwrap().to_string()
    };
    for vectors in value["sigma"].as_object_mut().unwrap().values_mut() {
        let vectors = vectors.as_array_mut().unwrap();
        vectors.reverse();
        for component in vectors.iter_mut().flat_map(|v| v.as_array_mut().unwrap()) {
            if let Some(pid) = component.as_str().and_then(|text| text.strip_prefix('@')) {
                *component = format!("@{}", rename(pid)).into();
            }
        }
    }
    let eta = value["eta"].as_object().unwrap().iter().map(|(k, v)| (rename(k), v.clone()));
    value["eta"] = serde_json::Value::Object(eta.collect());
    json::parse_state(&value.to_string()).unwrap()
}

fn sigma_pids(state: &State) -> BTreeSet<Pid> {
    let pids = state.pids().filter(|&p| state.is_in_sigma(p));
    pids.map(|p| state.forest().pid(p)).collect()
}

fn next_of(state: &State) -> BTreeMap<Pid, Pid> {
    let active = state.pids().filter(|&p| state.is_active(p));
    active.map(|p| (state.forest().pid(p), state.next_pid(p).unwrap())).collect()
}

fn elements(state: &State) -> BTreeSet<Pid> {
    let mut all = sigma_pids(state);
    for (pid, next) in next_of(state) {
        all.extend([pid, next]);
    }
    all
}

type Row = (String, Vec<(Option<Pid>, Option<Datum>)>);

fn sigma(state: &State, image: impl Fn(&Pid) -> Pid) -> Vec<Row> {
    let row = |vector: usize| {
        let parts = state.vector(vector).iter().map(|component| match component.kind() {
            ComponentKind::Pid(pid) => (Some(image(&state.forest().pid(pid))), None),
            ComponentKind::Data(datum) => (None, Some(state.data()[datum as usize].clone())),
        });
        let location = &state.locations()[state.location_of(vector) as usize];
        (location.to_string(), parts.collect())
    };
    let mut rows: Vec<Row> = (0..state.vector_count()).map(row).collect();
    rows.sort();
    rows
}

/// Definition 1, word by word; `h` is a list of pairs that may be anything.
fn literal(q: &State, r: &State, relations: Relations, h: &[(Pid, Pid)]) -> bool {
    let map: BTreeMap<Pid, Pid> = h.iter().cloned().collect();
    let domain: BTreeSet<Pid> = map.keys().cloned().collect();
    let image: BTreeSet<Pid> = map.values().cloned().collect();
    if map.len() != h.len() || image.len() != h.len() {
        return false;
    }
    if domain != elements(q) || image != elements(r) {
        return false;
    }
    let (next_q, next_r) = (next_of(q), next_of(r));
    let active: BTreeSet<&Pid> = next_q.keys().map(|pid| &map[pid]).collect();
    if active != next_r.keys().collect() {
        return false;
    }
    if next_q.iter().any(|(pid, next)| map[next] != next_r[&map[pid]]) {
        return false;
    }
    let preserved = |relation: Relation, over: &BTreeSet<Pid>| {
        over.iter().all(|x| {
            over.iter().all(|y| {
                relation.holds(x.segments(), y.segments())
                    == relation.holds(map[x].segments(), map[y].segments())
            })
        })
    };
    let all_preserved = relations.iter().all(|relation| match relation {
        Relation::Parent | Relation::Ancestor => preserved(relation, &sigma_pids(q)),
        _ => preserved(relation, &elements(q)),
    });
    all_preserved && sigma(q, |pid| map[pid].clone()) == sigma(r, Pid::clone)
}

/// The pairs that a mapping of pid numbers stands for; `None` where next-pids cannot follow.
fn extended(q: &State, r: &State, witness: &[u32]) -> Option<Vec<(Pid, Pid)>> {
    let mut pairs = BTreeMap::new();
    for (pid, &image) in witness.iter().enumerate() {
        pairs.insert(q.forest().pid(pid as u32), r.forest().pid(image));
    }
    for (pid, &image) in witness.iter().enumerate() {
        match (q.next_pid(pid as u32), r.next_pid(image)) {
            (Some(next), Some(next_image)) => drop(pairs.entry(next).or_insert(next_image)),
            (None, None) => {}
            _ => return None,
        }
    }
    Some(pairs.into_iter().collect())
}

fn names(pairs: &[(Pid, Pid)]) -> Vec<(String, String)> {
    pairs.iter().map(|(a, b)| (format!("@{a}"), format!("@{b}"))).collect()
}

#[test]
fn agrees_with_the_literal_definition_on_pid_numbers() {
    let mut rng = Lcg(1);
    let (mut valid, mut invalid) = (0, 0);
    for round in 0..4_000 {
        let q = random_state(&mut rng);
        let r = match round % 3 {
            0 => renamed(&q, 3),
            1 => renamed(&q, 0),
            _ => random_state(&mut rng),
        };
        if q.pid_count() != r.pid_count() {
            assert!(verify(&q, &r, Relations::NONE, &vec![0; q.pid_count()]).is_err());
            continue;
        }
        for attempt in 0..6 {
            let identity: Vec<usize> = (0..q.pid_count()).collect();
            let order = if attempt == 0 { identity } else { rng.permutation(q.pid_count()) };
            let witness: Vec<u32> = order.into_iter().map(|i| i as u32).collect();
            let pairs = extended(&q, &r, &witness);
            for relations in Relations::subsets() {
                let expected = pairs.as_ref().is_some_and(|h| literal(&q, &r, relations, h));
                let found = verify(&q, &r, relations, &witness);
                assert_eq!(
                    found.is_ok(),
                    expected,
                    "{q:?}\n{r:?}\n{relations} {witness:?} {found:?}"
                );
                *if expected { &mut valid } else { &mut invalid } += 1;
            }
        }
    }
    assert!(valid > 20_000 && invalid > 20_000, "{valid} valid, {invalid} invalid");
}

#[test]
fn agrees_with_the_literal_definition_on_names() {
    let mut rng = Lcg(2);
    let (mut valid, mut invalid) = (0, 0);
    for round in 0..4_000 {
        let q = random_state(&mut rng);
        let r = if round % 4 == 0 { random_state(&mut rng) } else { renamed(&q, 3 * (round % 2)) };
        let (from, to): (Vec<Pid>, Vec<Pid>) =
            (elements(&q).into_iter().collect(), elements(&r).into_iter().collect());
        for attempt in 0..5 {
            let mut pairs: Vec<(Pid, Pid)> = from.iter().cloned().zip(to.iter().cloned()).collect();
            corrupt(&mut pairs, attempt, &mut rng);
            for relations in Relations::subsets() {
                let expected = literal(&q, &r, relations, &pairs);
                let found = verify_named(&q, &r, relations, &names(&pairs));
                assert_eq!(
                    found.is_ok(),
                    expected,
                    "{q:?}\n{r:?}\n{relations} {pairs:?} {found:?}"
                );
                *if expected { &mut valid } else { &mut invalid } += 1;
            }
        }
    }
    assert!(valid > 20_000 && invalid > 20_000, "{valid} valid, {invalid} invalid");
}

/// Attempt 0 leaves the witness as it is.
fn corrupt(pairs: &mut Vec<(Pid, Pid)>, attempt: usize, rng: &mut Lcg) {
    if pairs.len() < 2 || attempt == 0 {
        return;
    }
    let (i, j) = (rng.below(pairs.len()), rng.below(pairs.len()));
    match attempt {
        1 => {
            let first = pairs[i].1.clone();
            pairs[i].1 = std::mem::replace(&mut pairs[j].1, first);
        }
        2 => pairs[i].1 = pairs[j].1.clone(),
        3 => drop(pairs.remove(i)),
        _ => pairs.push((pairs[i].0.clone(), pairs[j].1.clone())),
    }
}

#[test]
fn violations_are_named() {
    let parse = |text: &str| json::parse_state(text).unwrap();
    let q = parse(r#"{"sigma":{"A":[["@1"]],"B":[["@1.1"]]},"eta":{"1":1}}"#);
    let r = parse(r#"{"sigma":{"A":[["@5"]],"B":[["@5.1"]]},"eta":{"5":3}}"#);
    assert_eq!(verify(&q, &r, Relations::default(), &[0, 1]), Ok(()));
    let message = |relations: Relations, witness: &[(&str, &str)]| {
        let pairs: Vec<(String, String)> =
            witness.iter().map(|&(a, b)| (a.to_string(), b.to_string())).collect();
        verify_named(&q, &r, relations, &pairs).unwrap_err().to_string()
    };
    let good = [("@1", "@5"), ("@1.1", "@5.1"), ("@1.2", "@5.4")];
    let adjacent = Relations::NONE.with(Relation::AdjacentSibling);
    assert_eq!(
        message(adjacent, &good),
        "adjacent-sibling is not preserved: @1.1 ⋔₁ @1.2, but not @5.1 ⋔₁ @5.4 (point 3)"
    );
    let none = Relations::NONE;
    assert!(message(none, &good[..2]).contains("does not map @1.2"));
    assert!(message(none, &[good[0], good[0]]).contains("gives @1 of the first state twice"));
    assert!(message(none, &[("@7", "@5")]).contains("@7, which is neither"));
    assert!(message(none, &[("@1", "@0")]).contains("`@0` is not a pid"));
    let swapped = [("@1", "@5"), ("@1.1", "@5.4"), ("@1.2", "@5.1")];
    assert!(message(none, &swapped).contains("next-pid of @1 goes to @5.1"));
    let inactive = [("@1", "@5.1"), ("@1.1", "@5"), ("@1.2", "@5.4")];
    assert!(message(none, &inactive).contains("only the first is active"));
    let doubled = [("@1", "@5"), ("@1.1", "@5"), ("@1.2", "@5.4")];
    assert!(message(none, &doubled).contains("maps both @1 and @1.1 to @5"));
    let other = parse(r#"{"sigma":{"A":[["@1"]],"B":[["@1.1"],["@1.1"]]},"eta":{"1":1}}"#);
    assert_eq!(
        verify(&q, &other, none, &[0, 1]).unwrap_err().to_string(),
        "location `B`: after renaming, the vector ⟨@1.1⟩ occurs 1 times in the first state and 2 times in the second (point 4)"
    );
}

#[test]
fn a_pair_broken_by_the_order_of_two_ancestors_is_named() {
    let parse = |text: &str| json::parse_state(text).unwrap();
    let q = parse(r#"{"sigma":{"A":[["@1","@1.1","@1.1.1"]]},"eta":{}}"#);
    let r = parse(r#"{"sigma":{"A":[["@1.1","@1","@1.1.1"]]},"eta":{}}"#);
    let ancestor = Relations::NONE.with(Relation::Ancestor);
    let violation = verify(&q, &r, ancestor, &[1, 0, 2]).unwrap_err();
    assert!(matches!(violation, Violation::Relation { relation: Relation::Ancestor, .. }));
    assert!(violation.to_string().contains("@1 ◁ @1.1"), "{violation}");
}

#[test]
fn witness_files() {
    let read = |text: &str| pidlab_check::witness::read(text.as_bytes());
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    assert_eq!(read(r#"{"@1":"@2","@1":"@3"}"#).unwrap(), [pair("@1", "@2"), pair("@1", "@3")]);
    let report = r#"{"equivalent":true,"witness":{"@1":"@2"},"reason":null}"#;
    assert_eq!(read(report).unwrap(), [pair("@1", "@2")]);
    assert_eq!(read("{}").unwrap(), []);
    for (text, expected) in [
        (r#"{"witness":null}"#, "is null"),
        (r#"{"equivalent":true}"#, "no field `witness`"),
        (r#"{"@1":"@2","x":1}"#, "`x` is not a pid"),
        ("[]", "expected a witness"),
        ("", "EOF"),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
}
