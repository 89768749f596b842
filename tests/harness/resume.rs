//! Killed, interrupted and resumed runs give the table of an undisturbed one.

use crate::support::{BUDGET, Scratch, expect, program, run, segments, text, timeless, written};
use std::io::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const BACKENDS: &str = r#"["canon", "refine"]"#;
const SIZES: &str = "{ from = 10, to = 200, count = 60 }";

pub fn start(experiment: &std::path::Path, out: &std::path::Path) -> Child {
    program()
        .arg("run")
        .arg(experiment)
        .arg("--out")
        .arg(out)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until some rows are there.
pub fn wait_for_rows(out: &std::path::Path, bytes: u64) {
    let clock = Instant::now();
    while written(out) < bytes {
        assert!(clock.elapsed() < Duration::from_secs(20), "no rows came");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn the_number_of_workers_does_not_change_the_table() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, "[10, 20, 40]", BUDGET);
    let (one, three) = (scratch.path("one"), scratch.path("three"));
    expect(&run(&experiment, &one, &["--workers", "1"]), 0);
    expect(&run(&experiment, &three, &["--workers", "3"]), 0);
    let table = timeless(&one);
    assert_eq!(table.len(), 1 + 3 * 2 * 2 * 2 * 2 * 2);
    assert_eq!(table, timeless(&three));
}

#[test]
fn kill_nine_and_resume_gives_the_same_table() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, SIZES, BUDGET);
    let (calm, killed) = (scratch.path("calm"), scratch.path("killed"));
    expect(&run(&experiment, &calm, &[]), 0);
    for round in 1..=2 {
        let mut child = start(&experiment, &killed);
        wait_for_rows(&killed, round * 20_000);
        child.kill().unwrap();
        child.wait().unwrap();
        // the workers end with their scheduler; what they wrote stays
        std::thread::sleep(Duration::from_millis(100));
        assert!(written(&killed) >= round * 20_000);
    }
    let resumed = run(&experiment, &killed, &[]);
    expect(&resumed, 0);
    assert!(text(&resumed.stderr).contains("resuming"), "{}", text(&resumed.stderr));
    assert_eq!(timeless(&calm), timeless(&killed));
}

#[test]
fn a_half_written_row_and_a_damaged_one_run_again() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, "[10, 20]", BUDGET);
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &["--workers", "1"]), 0);
    let before = timeless(&out);
    let segment = segments(&out).remove(0);
    let mut bytes = std::fs::read(&segment).unwrap();
    bytes[24 + 88 * 3 + 40] ^= 0xFF;
    bytes.truncate(bytes.len() - 30);
    std::fs::write(&segment, &bytes).unwrap();
    let repaired = run(&experiment, &out, &[]);
    expect(&repaired, 0);
    let said = text(&repaired.stderr);
    assert!(said.contains("incomplete last row") && said.contains("1 damaged rows"), "{said}");
    assert_eq!(timeless(&out), before);
}

fn interrupt(child: &Child) {
    let pid = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap();
}

#[test]
fn ctrl_c_leaves_a_resumable_run() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, SIZES, BUDGET);
    let out = scratch.path("run");
    let child = start(&experiment, &out);
    wait_for_rows(&out, 10_000);
    interrupt(&child);
    let stopped = child.wait_with_output().unwrap();
    expect(&stopped, 3);
    assert!(text(&stopped.stdout).contains("continues"), "{}", text(&stopped.stdout));
    expect(&run(&experiment, &out, &[]), 0);
}

#[test]
fn ctrl_c_does_not_wait_for_a_row_that_takes_long() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(
        r#"["double:hang", "canon"]"#,
        "[16, 24]",
        "{ seconds = 60.0, grace_seconds = 60.0 }",
    );
    let out = scratch.path("run");
    let child = start(&experiment, &out);
    wait_for_rows(&out, 1);
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    let clock = Instant::now();
    let stopped = child.wait_with_output().unwrap();
    assert!(clock.elapsed() < Duration::from_secs(5));
    expect(&stopped, 3);
    std::io::stderr().flush().ok();
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    assert!(manifest.contains("interrupted"), "{manifest}");
}
