//! Counts of the papers' nets, by row of `testdata/explore/*.json`, with one and two threads.

use pidlab_core::{Relation, Relations};
use pidlab_explore::net::{NetCanonizer, NetModel, compile, search_classes};
use pidlab_explore::search::{ArenaStore, Limits, Options, Order, SearchReport, search};
use pidlab_explore::source::Source;
use serde_json::Value;

fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn explore(
    model: &str,
    settings: &[(String, String)],
    relations: Relations,
    options: &Options<'_>,
) -> SearchReport {
    let path = root().join("models").join(format!("{model}.tnet"));
    let text = std::fs::read_to_string(&path).unwrap();
    let net = compile(Source::new(model, text), settings, &[]).unwrap_or_else(|e| panic!("{e}"));
    let net_model = NetModel::new(&net, relations);
    let canonizer = NetCanonizer::new(&net, relations);
    // more than any row has: a canonical form that is none must not run for ever
    let limits = Limits { states: Some(20_000), ..Limits::default() };
    let options = &Options { limits, ..options.clone() };
    let forest = search(&net_model, &canonizer, &mut ArenaStore::new(), options).unwrap();
    let fast = search_classes(&net, relations, options).unwrap().0;
    assert_eq!(fast.counters, forest.counters, "{model} {settings:?}: two ways to one form");
    let general = NetCanonizer::general(&net, relations);
    let net_model = NetModel::without_symmetry(&net, relations);
    let engine = search(&net_model, &general, &mut ArenaStore::new(), options).unwrap();
    assert_eq!(fast.counters, engine.counters, "{model} {settings:?}: two ways to one form");
    fast
}

fn set(name: &str, value: &Value) -> (String, String) {
    (name.to_string(), value.to_string())
}

fn nkm(k: u64, m: u64) -> [(String, String); 2] {
    [("k".into(), k.to_string()), ("m".into(), m.to_string())]
}

#[test]
fn every_row_of_the_oracle() {
    assert!(check_rows("nkm.json") >= 27);
}

/// Found by a program of its own, `testdata/explore/nkm_by_force.py`.
#[test]
fn every_row_found_by_force() {
    assert!(check_rows("nkm-by-force.json") >= 13);
}

fn check_rows(file: &str) -> usize {
    let text = std::fs::read_to_string(root().join("testdata/explore").join(file)).unwrap();
    let oracle: Value = serde_json::from_str(&text).unwrap();
    let rows = oracle["rows"].as_array().unwrap();
    for row in rows {
        let model = row["model"].as_str().unwrap();
        let names: &[&str] =
            if model == "nkm" { &["k", "m"] } else { &["listeners", "handlers", "years"] };
        let params = row["params"].as_array().unwrap();
        let settings: Vec<_> = names.iter().zip(params).map(|(n, v)| set(n, v)).collect();
        let names = row["relations"].as_array().unwrap();
        let relations: Relations =
            names.iter().map(|r| r.as_str().unwrap().parse::<Relation>().unwrap()).collect();
        for threads in [1, 2] {
            let options = Options { threads, ..Options::default() };
            let counters = explore(model, &settings, relations, &options).counters;
            assert_eq!(
                (counters.states, counters.edges, counters.deadlocks),
                (
                    row["states"].as_u64().unwrap(),
                    row["edges"].as_u64().unwrap(),
                    row["deadlocks"].as_u64().unwrap()
                ),
                "{row} with {threads} threads"
            );
        }
    }
    rows.len()
}

/// With {parent} a state of N(k,m) is a multiset of k multisets of at most m of 5 stages, and the
/// start.
#[test]
fn counts_follow_the_formula() {
    let choose = |n: u64, k: u64| (0..k).fold(1, |c, i| c * (n - i) / (i + 1));
    for (k, m) in [(1, 4), (1, 5), (2, 3), (3, 2), (4, 1), (5, 1), (4, 2)] {
        let report = explore("nkm", &nkm(k, m), Relations::default(), &Options::default());
        let listener = choose(m + 5, 5);
        assert_eq!(report.counters.states, choose(listener + k - 1, k) + 1, "N({k},{m})");
    }
}

/// ICTAC'08, section 5.1: the diamond of N(2,1) merges when `adjacent-sibling` is not in Ω*.
#[test]
fn the_diamond_merges_without_adjacent_sibling() {
    for relations in Relations::subsets().filter(|r| r.contains(Relation::Parent)) {
        let siblings = relations.contains(Relation::AdjacentSibling)
            || relations.contains(Relation::ElderSibling);
        let expected = if siblings { 37 } else { 22 };
        let report = explore("nkm", &nkm(2, 1), relations, &Options::default());
        assert_eq!(report.counters.states, expected, "{relations}");
    }
}

#[test]
fn depth_first_counts_the_same() {
    let options = Options { order: Order::DepthFirst, ..Options::default() };
    for relations in [Relations::default(), Relations::ALL] {
        let breadth = explore("nkm", &nkm(2, 2), relations, &Options::default());
        let depth = explore("nkm", &nkm(2, 2), relations, &options);
        assert_eq!(breadth.counters, depth.counters);
    }
}
