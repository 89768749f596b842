//! The ten-line Python backend of docs/experiments.md takes part in a run.

use crate::support::{BUDGET, Scratch, column, expect, run};

/// The first Python block of the page.
fn script() -> String {
    let page = std::fs::read_to_string("docs/experiments.md").unwrap();
    let (_, rest) = page.split_once("```python\n").unwrap();
    rest.split_once("```").unwrap().0.to_string()
}

#[test]
fn a_python_script_is_a_backend() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        eprintln!("SKIPPED: python3 is not installed");
        return;
    }
    let scratch = Scratch::new();
    let path = scratch.path("shapes.py");
    std::fs::write(&path, script()).unwrap();
    let backends = format!(r#"["canon", "external:python3 {}"]"#, path.display());
    let experiment = scratch.experiment(&backends, "[10, 20]", BUDGET);
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &[]), 0);
    let rows = column(&out, "backend").into_iter().zip(column(&out, "status"));
    let theirs: Vec<String> =
        rows.filter(|(backend, _)| backend.starts_with("external:")).map(|(_, s)| s).collect();
    assert!(!theirs.is_empty() && theirs.iter().all(|s| s == "ok" || s == "open"), "{theirs:?}");
    assert!(theirs.iter().any(|s| s == "open"), "renamed states have the same shapes");
}
