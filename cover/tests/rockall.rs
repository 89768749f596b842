//! The Rockall models, the machine that breaks the breadth-first schedule, and the small examples.

mod common;

use common::{ROCKALL, answer};
use pidlab_cover::parse::{bp, lgfsm, spec};
use pidlab_cover::{Budget, CoverVerdict, FINKEL_NET, Net, StressOptions, stress};

#[test]
fn every_variant_has_its_verdict() {
    for (name, expected, source) in ROCKALL {
        let net = bp::parse(source).unwrap();
        let document = answer(&net, "auto", 60.0, true);
        assert_eq!(document.verdict, expected, "{name}");
        if let Some(trace) = document.trace {
            assert_eq!(trace.threads, 2, "{name}");
        }
    }
}

#[test]
fn the_algorithms_agree_on_the_whole_machine() {
    let machine = bp::build(ROCKALL[0].2).unwrap();
    assert_eq!(machine.shared_declared, 2048);
    let sizes: Vec<u64> = ["beacon", "beacon:bfs", "mp"]
        .iter()
        .map(|name| {
            let document = answer(&machine.net, name, 60.0, false);
            assert_eq!(document.verdict, CoverVerdict::Safe, "{name}");
            document.kept
        })
        .collect();
    assert_eq!(sizes, [sizes[0]; 3], "the minimal coverability set is unique");
}

#[test]
fn bounded_search_never_claims_safety_for_all_numbers() {
    let net = bp::parse(ROCKALL[0].2).unwrap();
    let document = answer(&net, "bounded:3", 60.0, false);
    assert_eq!(document.verdict, CoverVerdict::Unknown);
    assert!(document.reason.unwrap().contains("exactly 3 threads"));
}

#[test]
fn breadth_first_misses_a_state_and_does_not_say_safe() {
    let net = lgfsm::parse(include_str!("../../models/beacon-bfs-incomplete.lgfsm")).unwrap();
    let document = answer(&net, "beacon:bfs", 10.0, false);
    assert_eq!(document.verdict, CoverVerdict::Unknown);
    assert!(document.reason.unwrap().contains("not closed"));
    for algorithm in ["beacon", "mp", "karp-miller", "backward", "auto"] {
        assert_eq!(
            answer(&net, algorithm, 10.0, false).verdict,
            CoverVerdict::Unsafe,
            "{algorithm}"
        );
    }
}

#[test]
fn no_schedule_is_incomplete_on_finkels_net() {
    let net = spec::parse(FINKEL_NET).unwrap();
    let file = spec::parse(include_str!("../../models/finkel.spec")).unwrap();
    let rules = |net: &Net| {
        net.transitions.iter().map(|t| (t.pre.clone(), t.post.clone())).collect::<Vec<_>>()
    };
    assert_eq!(
        (rules(&net), &net.initial, &net.targets),
        (rules(&file), &file.initial, &file.targets)
    );
    assert_eq!(answer(&net, "auto", 10.0, true).verdict, CoverVerdict::Unsafe);
    let options =
        StressOptions { first: 0, machines: 2000, seed: 2001, budget: Budget::unlimited() };
    let report = stress(&options).unwrap();
    assert_eq!((report.finkel_schedules, report.finkel_incomplete), (2182, 0));
    assert_eq!(report.schedules[0].incomplete, 0, "depth-first is complete");
}

#[test]
fn stress_finds_the_machine_that_breadth_first_gets_wrong() {
    let (first, machines) = (138_900, 50);
    let options = StressOptions { first, machines, seed: 2001, budget: Budget::unlimited() };
    let report = stress(&options).unwrap();
    assert_eq!(report.schedules[0].incomplete, 0);
    assert_eq!((report.schedules[1].incomplete, report.schedules[1].never_met), (1, 1));
    let found = lgfsm::parse(report.schedules[1].example.as_ref().unwrap()).unwrap();
    let stored = include_str!("../../models/beacon-bfs-incomplete.lgfsm");
    let stored = lgfsm::parse(stored).unwrap();
    assert_eq!(found.targets, stored.targets);
    assert_eq!(found.transitions.len(), stored.transitions.len());
}

#[test]
fn atomic_blocks_choices_and_returns_mean_what_they_say() {
    let program = |thread: &str| {
        let text = format!(
            "shared x, y, bad; error bad;\n\
             proc pick() {{ local r; choose {{ r := true; }} or {{ r := *; }} return r; }}\n\
             thread {{ {thread} }}"
        );
        answer(&bp::parse(&text).unwrap(), "auto", 10.0, true).verdict
    };
    // The two assignments cannot be seen apart inside an atomic block, and can outside.
    let look = "choose { if (x != y) { bad := true; } } or";
    let torn = format!("atomic {{ skip; }} {look} {{ x := true; y := true; }}");
    assert_eq!(program(&torn), CoverVerdict::Unsafe);
    let both = "choose { atomic { if (x != y) { bad := true; } } } \
                or { atomic { x := true; y := true; } }";
    assert_eq!(program(both), CoverVerdict::Safe);
    assert_eq!(program("local r; r := pick(); if (!r) { bad := true; }"), CoverVerdict::Unsafe);
    assert_eq!(
        program("lock(x); assert(!y); y := true; y := false; unlock(x);"),
        CoverVerdict::Safe
    );
    assert_eq!(program("assert(!y); y := true; y := false;"), CoverVerdict::Unsafe);
    assert_eq!(program("return; bad := true;"), CoverVerdict::Safe);
}
