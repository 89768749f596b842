//! A backend's crash, stack overflow, memory hunger or endless loop is a row, and the run goes on.

use crate::support::{Scratch, column, expect, run, text};
use std::process::Command;

/// Runs a misbehaving double beside canon; returns how its rows and canon's ended.
fn statuses(double: &str, budget: &str) -> (Vec<String>, Vec<String>) {
    let scratch = Scratch::new();
    let backends = format!(r#"["{double}", "canon"]"#);
    let experiment = scratch.experiment(&backends, "[15, 16, 17]", budget);
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &[]), 0);
    let rows = column(&out, "backend").into_iter().zip(column(&out, "status"));
    let (theirs, ours): (Vec<_>, Vec<_>) = rows.partition(|(backend, _)| backend == double);
    let status = |rows: Vec<(String, String)>| rows.into_iter().map(|(_, s)| s).collect();
    (status(theirs), status(ours))
}

const QUICK: &str = "{ seconds = 0.3, grace_seconds = 0.3, memory_mib = 512 }";
const PATIENT: &str = "{ seconds = 20.0, grace_seconds = 5.0, memory_mib = 512 }";

fn check(double: &str, budget: &str, expected: &str) {
    let (theirs, ours) = statuses(double, budget);
    assert_eq!(theirs.len(), 3 * 2 * 2 * 2 * 2);
    assert_eq!(theirs.iter().filter(|s| *s == expected).count(), theirs.len() / 3, "{theirs:?}");
    assert_eq!(theirs.iter().filter(|s| *s == "ok").count(), 2 * theirs.len() / 3);
    assert!(ours.iter().all(|s| s == "ok"), "{ours:?}");
}

#[test]
fn a_crash_is_a_row() {
    check("double:abort", PATIENT, "crash");
}

#[test]
fn a_stack_overflow_is_a_row() {
    check("double:overflow", PATIENT, "crash");
}

#[test]
fn running_out_of_memory_is_a_row() {
    check("double:hog", PATIENT, "memory");
}

#[test]
fn an_endless_loop_is_a_row() {
    check("double:hang", QUICK, "timeout");
}

/// Time is what the process used: a backend that works in a thread of its own is no faster for it.
#[test]
fn cpu_time_of_a_backends_own_threads_counts() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["double:delegate", "canon"]"#, "[15]", PATIENT);
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &[]), 0);
    for (backend, time) in column(&out, "backend").into_iter().zip(column(&out, "cpu_ns")) {
        let slow = time.parse::<u64>().unwrap() >= 5_000_000;
        assert_eq!(slow, backend == "double:delegate", "{backend}: {time} ns");
    }
}

/// The doubles of these tests are in the program that `cargo test` builds, and in no other.
#[test]
fn a_released_program_has_no_doubles() {
    let features = |dev: &str| {
        let output = Command::new(env!("CARGO"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(["tree", "--offline", "--package", "pidlab", "--invert", "pidlab-harness"])
            .args(["--edges", dev])
            .output()
            .unwrap();
        expect(&output, 0);
        text(&output.stdout)
    };
    assert!(features("features").contains("\"doubles\""), "the tests have them");
    let released = features("features,no-dev");
    assert!(released.contains("pidlab v") && !released.contains("\"doubles\""), "{released}");
}
