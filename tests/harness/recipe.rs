//! The CI recipe: fails when a backend is slower, passes when nothing changed.

use crate::support::{BUDGET, Scratch, expect, slowed, text, unslowed};
use std::path::Path;
use std::process::{Command, Output};

/// Runs a shell command as a CI job would: in the repository, everything else in the environment.
fn job(scratch: &Scratch, command: &str, base: &Path, new: &Path) -> Output {
    let experiment =
        scratch.experiment(r#"["canon", "refine"]"#, "{ from = 16, to = 60, count = 8 }", BUDGET);
    let options = format!(
        "--experiment {} --rounds 5 --instructions off --out {}",
        experiment.display(),
        scratch.path("out").display()
    );
    Command::new("sh")
        .args(["-c", command])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("BASE", base)
        .env("PIDLAB", new)
        .env("PIDLAB_COMPARE_OPTIONS", options)
        .output()
        .unwrap()
}

fn fails_and_passes(command: &str) {
    let scratch = Scratch::new();
    let (plain, slow) = (unslowed(&scratch), slowed(&scratch, "canon=5"));
    let failed = job(&scratch, command, &plain, &slow);
    expect(&failed, 1);
    let said = text(&failed.stdout);
    assert!(said.contains("REGRESSION") && said.contains("verdict:      regression"), "{said}");
    expect(&job(&scratch, command, &plain, &plain), 0);
}

#[test]
fn the_shell_recipe_fails_on_a_slower_backend_and_passes_otherwise() {
    fails_and_passes("ci/regression.sh \"$BASE\"");
}

/// The very line of the workflow, with the options that make it quick.
#[test]
fn the_workflow_runs_a_line_that_does_so_too() {
    let workflow = include_str!("../../ci/github-regression.yml");
    let line = workflow
        .lines()
        .find_map(|line| line.trim().strip_prefix("run: ci/regression.sh"))
        .expect("the workflow calls the script");
    // its own --out would write into the repository
    fails_and_passes(&format!("ci/regression.sh{}", line.replace("--out regression", "")));
}

#[test]
fn the_script_says_how_it_is_called() {
    let output = Command::new("sh")
        .arg("ci/regression.sh")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("usage: ci/regression.sh BASE"));
}

#[test]
fn the_documentation_shows_the_files_as_they_are() {
    let docs = include_str!("../../docs/regressions.md");
    assert!(docs.contains(include_str!("../../ci/github-regression.yml")), "the workflow");
    assert!(docs.contains(include_str!("../../ci/regression.sh")), "the script");
}
