//! `pidlab track`: a history that grows, merges, and names the commit that made things slower.

use crate::support::{BUDGET, Scratch, expect, fields, program, run, slowed, text};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const COMMITS: usize = 8;
const SLOWER_FROM: usize = 5;

/// Runs of commits c1 to c8, of which the last four are slower: by far, since single short runs beside
/// other tests differ by a half.
fn runs(scratch: &Scratch) -> Vec<PathBuf> {
    let experiment =
        scratch.experiment(r#"["canon", "refine"]"#, "{ from = 16, to = 60, count = 8 }", BUDGET);
    let slow = slowed(scratch, "canon=10");
    (1..=COMMITS)
        .map(|i| {
            let out = scratch.path(&format!("run-{i}"));
            let output = match i >= SLOWER_FROM {
                false => run(&experiment, &out, &[]),
                true => Command::new(&slow)
                    .arg("run")
                    .arg(&experiment)
                    .arg("--out")
                    .arg(&out)
                    .output()
                    .unwrap(),
            };
            expect(&output, 0);
            out
        })
        .collect()
}

fn track(scratch: &Scratch, history: &Path, more: &[&str]) -> Output {
    program()
        .args(["track", "--threshold", "90%", "--history"])
        .arg(history)
        .arg("--page")
        .arg(scratch.path("page.html"))
        .args(more)
        .output()
        .unwrap()
}

#[test]
fn the_commit_that_made_it_slower_is_named() {
    let scratch = Scratch::new();
    let history = scratch.path("history");
    for (i, run) in runs(&scratch).iter().enumerate() {
        let commit = format!("c{}", i + 1);
        expect(&track(&scratch, &history, &["--commit", &commit, run.to_str().unwrap()]), 0);
    }
    let output = track(&scratch, &history, &["--json"]);
    expect(&output, 0);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["format"], "pidlab-track/1");
    let changes = found["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 2, "one for each set of relations: {found:#}");
    for change in changes {
        assert_eq!(change["backend"], "canon");
        assert_eq!((&change["after_commit"], &change["commit"]), (&"c4".into(), &"c5".into()));
        assert!((3.0..30.0).contains(&change["step"].as_f64().unwrap()), "{change}");
    }
    let page = std::fs::read_to_string(scratch.path("page.html")).unwrap();
    assert_eq!(page.matches("<figure><svg").count(), 4, "a sparkline for each series");
    assert_eq!(page.matches("<circle").count(), 4 * COMMITS, "a dot for each commit");
    assert!(page.contains("<code>c4</code> → <code>c5</code>"));
    assert!(
        !page.contains("http://")
            || page.matches("http://").count() == page.matches("www.w3.org").count()
    );
    let csv = text(&track(&scratch, &history, &["--format", "csv"]).stdout);
    assert_eq!(csv.lines().count(), 1 + 4 * COMMITS);
    let lines = fields(&csv);
    let steps = lines[1..].iter().filter(|line| !line[12].is_empty());
    assert_eq!(steps.map(|line| line[8].as_str()).collect::<Vec<_>>(), ["c5", "c5"]);
    assert_eq!(text(&track(&scratch, &history, &["--csv"]).stdout), csv);
    let table = text(&track(&scratch, &history, &[]).stdout);
    assert!(table.contains("c4..c5") && table.contains("8 commits"), "{table}");
}

#[test]
fn a_run_counts_once_and_two_branches_merge() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["canon"]"#, "[16, 20, 24]", BUDGET);
    let (one, two) = (scratch.path("one"), scratch.path("two"));
    expect(&run(&experiment, &one, &[]), 0);
    expect(&run(&experiment, &two, &["--seed", "3"]), 0);
    let repo = scratch.path("repo");
    std::fs::create_dir(&repo).unwrap();
    let git = |script: &str| {
        let script = script.replace("git ", "git -c user.name=t -c user.email=t@example.org ");
        let output = Command::new("sh").current_dir(&repo).args(["-ec", &script]).output().unwrap();
        assert!(output.status.success(), "{script}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let history = repo.join("history");
    let add = |run: &Path, commit: &str| {
        let output = track(&scratch, &history, &["--commit", commit, run.to_str().unwrap()]);
        expect(&output, 0);
    };
    git("git init -q -b main . && git commit -q --allow-empty -m empty && git checkout -q -b left");
    // both branches measure the same commit, in different runs, and the same run
    add(&one, "c1");
    add(&one, "c1");
    git("git add . && git commit -qm left && git checkout -q main && git checkout -q -b right");
    assert!(!history.exists());
    add(&two, "c1");
    add(&one, "c1");
    git("git add . && git commit -qm right && git merge -q --no-edit left");
    let files = git("git ls-files history");
    assert_eq!(files.lines().count(), 2, "{files}");
    let merged = track(&scratch, &history, &["--json"]);
    expect(&merged, 0);
    let found: Value = serde_json::from_slice(&merged.stdout).unwrap();
    assert_eq!(found["machines"][0]["commits"], 1);
    assert_eq!(found["machines"][0]["series"].as_array().unwrap().len(), 4, "two seeds: {found:#}");
}
