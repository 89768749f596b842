//! `pidlab compare` as users meet it: programs, runs, formats, Ctrl-C.

use crate::support::{BUDGET, Scratch, expect, program, run, slowed, text};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const BACKENDS: &str = r#"["canon", "refine"]"#;
const SIZES: &str = "{ from = 16, to = 60, count = 8 }";
/// Quick rather than sharp: the slowdowns of these tests are gross.
const QUICK: [&str; 4] = ["--rounds", "5", "--instructions", "off"];

fn compare(scratch: &Scratch, base: &Path, new: &Path, more: &[&str]) -> Output {
    let experiment = scratch.path("mini.toml");
    program()
        .arg("compare")
        .args([base, new])
        .arg("--experiment")
        .arg(experiment)
        .arg("--out")
        .arg(scratch.path("out"))
        .args(QUICK)
        .args(more)
        .output()
        .unwrap()
}

fn plain() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_pidlab"))
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_slowed_backend_is_found_and_only_that_one() {
    let scratch = Scratch::new();
    scratch.experiment(BACKENDS, SIZES, BUDGET);
    let slow = slowed(&scratch, "canon=5");
    let output = compare(&scratch, plain(), &slow, &["--json"]);
    expect(&output, 1);
    let found = document(&output);
    assert_eq!(found["format"], "pidlab-compare/1");
    assert_eq!(found["verdict"], "regression");
    let regressions = found["regressions"].as_array().unwrap();
    assert_eq!(regressions.len(), 2, "one for each set of relations: {found}");
    for one in regressions {
        assert_eq!(one["backend"], "canon");
        assert_eq!(one["class"], "p<64");
        let (first, again) = (one["ratio"]["low"].as_f64(), one["rerun"]["low"].as_f64());
        assert!(first > Some(1.05) && again > Some(1.05), "{one}");
        assert!((2.5..10.0).contains(&one["ratio"]["value"].as_f64().unwrap()), "{one}");
    }
    assert!(found["confirmation"].as_str().unwrap().starts_with("measured again"), "{found}");
    // the other way round it is an improvement, and no failure
    let output = compare(&scratch, &slow, plain(), &["--format", "csv"]);
    expect(&output, 0);
    let csv = text(&output.stdout);
    assert_eq!(
        csv.lines().filter(|l| l.contains(",canon,") && l.contains("improvement")).count(),
        2
    );
    let kept = std::fs::read_to_string(scratch.path("out/comparison.csv")).unwrap();
    assert_eq!(kept, csv);
}

#[test]
fn a_program_is_not_slower_than_itself() {
    let scratch = Scratch::new();
    scratch.experiment(BACKENDS, SIZES, BUDGET);
    let output = program()
        .args(["compare", "--base-binary"])
        .arg(plain())
        .arg("--experiment")
        .arg(scratch.path("mini.toml"))
        .arg("--out")
        .arg(scratch.path("out"))
        .args(QUICK)
        .output()
        .unwrap();
    expect(&output, 0);
    let said = text(&output.stdout);
    assert!(!said.contains("REGRESSION") && said.contains("verdict:"), "{said}");
    assert!(said.contains("instructions: none: not asked for"), "{said}");
    assert!(text(&output.stderr).contains("round 5 of 5"), "{}", text(&output.stderr));
}

#[test]
fn two_runs_are_compared_and_a_rerun_has_the_last_word() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, SIZES, BUDGET);
    let (base, new) = (scratch.path("base"), scratch.path("new"));
    expect(&run(&experiment, &base, &[]), 0);
    let slow = Command::new(slowed(&scratch, "canon=5"))
        .arg("run")
        .arg(&experiment)
        .arg("--out")
        .arg(&new)
        .output()
        .unwrap();
    expect(&slow, 0);
    // five times slower is more than a busy machine does to runs at different times
    let compare =
        |more: &[&str]| compare(&scratch, &base, &new, &[&["--threshold", "90%"], more].concat());
    let halves = compare(&["--json", "--no-rerun"]);
    expect(&halves, 1);
    let found = document(&halves);
    assert!(found["confirmation"].as_str().unwrap().contains("no rerun was asked for"), "{found}");
    assert!(found["regressions"].as_array().unwrap().iter().all(|r| r["backend"] == "canon"));
    let lines = compare(&["--csv", "--no-rerun"]);
    expect(&lines, 1);
    assert_eq!(text(&lines.stdout).lines().count(), 5, "two backends, two sets of relations");
    // this program is not slow, so the new run cannot be made again as slow as it was
    let rerun = compare(&["--json"]);
    expect(&rerun, 0);
    let found = document(&rerun);
    assert_eq!(found["regressions"], serde_json::json!([]));
    assert_eq!(found["not_confirmed"].as_array().unwrap().len(), 2, "{found}");
}

#[test]
fn a_table_kept_as_csv_compares_too_and_contradictions_exit_four() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, SIZES, BUDGET);
    let (base, new) = (scratch.path("base"), scratch.path("new"));
    expect(&run(&experiment, &base, &[]), 0);
    expect(&run(&experiment, &new, &[]), 0);
    std::fs::remove_file(new.join("rows.parquet")).unwrap();
    let honest = compare(&scratch, &base, &new, &["--threshold", "90%"]);
    expect(&honest, 0);
    let csv = new.join("rows.csv");
    let lie =
        std::fs::read_to_string(&csv).unwrap().replacen(",not-equivalent,ok", ",equivalent,ok", 1);
    std::fs::write(&csv, lie).unwrap();
    let caught = compare(&scratch, &base, &new, &["--json"]);
    expect(&caught, 4);
    assert_eq!(document(&caught)["contradictions"].as_array().unwrap().len(), 1);
}

#[test]
fn ctrl_c_leaves_a_comparison_that_continues() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, SIZES, BUDGET);
    let command = || {
        let mut command = program();
        command.args(["compare", "--base-binary"]).arg(plain());
        command.arg("--experiment").arg(&experiment).arg("--out").arg(scratch.path("out"));
        command.args(["--rounds", "12", "--instructions", "off", "--threshold", "90%"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let child = command().spawn().unwrap();
    let second = scratch.path("out/mini/round-02/new/manifest.json");
    while !second.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let stopped = child.wait_with_output().unwrap();
    expect(&stopped, 3);
    assert!(text(&stopped.stderr).contains("the same command continues"));
    let first = scratch.path("out/mini/round-01/base/manifest.json");
    let before = std::fs::metadata(&first).unwrap().len();
    let finished = command().output().unwrap();
    expect(&finished, 0);
    assert!(text(&finished.stderr).contains("continuing the comparison"));
    // a complete round is read, not measured again: its manifest gained a session without rows only
    let manifest: Value = serde_json::from_slice(&std::fs::read(&first).unwrap()).unwrap();
    let sessions = manifest["sessions"].as_array().unwrap();
    assert!(sessions[1..].iter().all(|session| session["rows"] == 0), "{before}: {manifest}");
}

#[test]
fn instructions_are_counted_where_a_tool_can() {
    let scratch = Scratch::new();
    scratch.experiment(r#"["canon"]"#, "[16, 24, 40, 50, 60]", BUDGET);
    let more = ["--instructions", "auto", "--json", "--rounds", "3", "--threshold", "50%"];
    let output = program()
        .arg("compare")
        .args([plain(), plain()])
        .arg("--experiment")
        .arg(scratch.path("mini.toml"))
        .arg("--out")
        .arg(scratch.path("out"))
        .args(more)
        .output()
        .unwrap();
    expect(&output, 0);
    let found = document(&output);
    let which = found["instructions"].as_str().unwrap();
    if which.starts_with("none") {
        eprintln!("SKIPPED: no instruction counter here ({which})");
        return;
    }
    assert!(which.starts_with("perf") || which.starts_with("valgrind"), "{which}");
    let counted = &found["results"][0]["instructions"];
    let ratio = counted["ratio"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 0.01 && counted["base"].as_f64() > Some(1000.0), "{counted}");
}
