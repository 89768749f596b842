//! Input that `compare` and `track` cannot use: exit 2 and a message that says what to do.

use crate::support::{BUDGET, Scratch, expect, program, run, text};
use std::path::{Path, PathBuf};

/// A finished run in a folder of its own.
fn finished(scratch: &Scratch, name: &str, more: &[&str]) -> PathBuf {
    let experiment = scratch.experiment(r#"["canon"]"#, "[16, 20, 24, 28]", BUDGET);
    let out = scratch.path(name);
    expect(&run(&experiment, &out, more), 0);
    out
}

/// Runs pidlab and returns its complaint.
fn refused(arguments: &[&Path]) -> String {
    let output = program().args(arguments).output().unwrap();
    expect(&output, 2);
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
    text(&output.stderr)
}

fn compare(base: &Path, new: &Path) -> String {
    refused(&[Path::new("compare"), base, new])
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    std::fs::write(path, text.replace(from, to)).unwrap();
}

fn cpu_line(folder: &Path) -> String {
    let text = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
    text.lines().find(|line| line.contains("\"cpu\"")).unwrap().to_string()
}

#[test]
fn what_is_no_run() {
    let scratch = Scratch::new();
    let good = finished(&scratch, "good", &[]);
    let said = compare(&good, &scratch.path("nothing"));
    assert!(said.contains("not a run folder, a program or a commit"), "{said}");
    let said = compare(&good, &scratch.0);
    assert!(said.contains("is not a run folder"), "{said}");
    let said = compare(&good, Path::new(env!("CARGO_BIN_EXE_pidlab")));
    assert!(said.contains("only be compared with another run folder"), "{said}");
    let file = scratch.path("mini.toml");
    let said = compare(&file, &file);
    assert!(said.contains("not executable"), "{said}");
}

#[test]
fn other_versions_and_other_experiments() {
    let scratch = Scratch::new();
    let (a, b) = (finished(&scratch, "a", &[]), finished(&scratch, "b", &[]));
    edit(&b.join("manifest.json"), "\"experiment\": \"mini\"", "\"experiment\": \"maxi\"");
    let said = compare(&a, &b);
    assert!(said.contains("a run of mini") && said.contains("one of maxi"), "{said}");
    edit(&b.join("manifest.json"), "pidlab-run/1", "pidlab-run/9");
    let said = compare(&a, &b);
    assert!(said.contains("pidlab-run/9"), "{said}");
}

#[test]
fn nothing_in_common() {
    let scratch = Scratch::new();
    let (a, b) = (finished(&scratch, "a", &[]), finished(&scratch, "b", &["--seed", "7"]));
    let said = compare(&a, &b);
    assert!(said.contains("no common rows (the states differ"), "{said}");
    let c = finished(&scratch, "c", &["--backend", "refine"]);
    let said = compare(&a, &c);
    assert!(said.contains("no common rows (other sizes"), "{said}");
}

#[test]
fn broken_and_missing_tables() {
    let scratch = Scratch::new();
    let (a, b) = (finished(&scratch, "a", &[]), finished(&scratch, "b", &[]));
    let table = b.join("rows.parquet");
    let bytes = std::fs::read(&table).unwrap();
    std::fs::write(&table, &bytes[..bytes.len() / 2]).unwrap();
    for said in [compare(&a, &b), refused(&[Path::new("track"), &b])] {
        assert!(said.contains("rows.parquet") && said.contains("cannot be read"), "{said}");
    }
    std::fs::remove_file(&table).unwrap();
    std::fs::remove_file(b.join("rows.csv")).unwrap();
    let said = compare(&a, &b);
    assert!(said.contains("is the run complete?"), "{said}");
}

#[test]
fn another_machine_is_refused_until_asked_for() {
    let scratch = Scratch::new();
    let (a, b) = (finished(&scratch, "a", &[]), finished(&scratch, "b", &[]));
    edit(&b.join("manifest.json"), &cpu_line(&b), "        \"cpu\": \"Z80\",");
    let said = compare(&a, &b);
    assert!(said.contains("Z80") && said.contains("--across-machines"), "{said}");
    let forced = program()
        .arg("compare")
        .args([&a, &b])
        .args(["--across-machines", "--threshold", "95%"])
        .output()
        .unwrap();
    expect(&forced, 0);
    assert!(text(&forced.stdout).contains("then Z80"), "{}", text(&forced.stdout));
    let track = |run: &Path, more: &[&str]| {
        let mut command = program();
        command.args(["track", "--commit", "c1", "--json", "--history"]);
        command.arg(scratch.path("history")).arg("--page").arg(scratch.path("page.html"));
        command.arg(run).args(more).output().unwrap()
    };
    expect(&track(&a, &[]), 0);
    let other = track(&b, &[]);
    expect(&other, 2);
    assert!(text(&other.stderr).contains("--mix-machines"), "{}", text(&other.stderr));
    let mixed = track(&b, &["--mix-machines"]);
    expect(&mixed, 0);
    let found: serde_json::Value = serde_json::from_slice(&mixed.stdout).unwrap();
    let machines = found["machines"].as_array().unwrap();
    assert_eq!(machines.len(), 2, "{found}");
    assert!(machines.iter().all(|machine| machine["commits"] == 1), "shown apart: {found}");
    let page = std::fs::read_to_string(scratch.path("page.html")).unwrap();
    assert!(page.contains("<h2>Z80, "), "a section of its own");
}

#[test]
fn programs_that_are_none() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["canon"]"#, "[16]", BUDGET);
    let output = program()
        .args(["compare", "--base-binary", "/bin/true", "--instructions", "off"])
        .arg("--experiment")
        .arg(&experiment)
        .arg("--out")
        .arg(scratch.path("out"))
        .output()
        .unwrap();
    expect(&output, 2);
    let said = text(&output.stderr);
    assert!(said.contains("/true") && said.contains("workers cannot start"), "{said}");
    let output = program().args(["compare", "a", "b", "--threshold", "5"]).output().unwrap();
    expect(&output, 2);
    assert!(text(&output.stderr).contains("write 5% or 0.05"));
}

#[test]
fn a_folder_with_something_else_in_it_is_left_alone() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["canon"]"#, "[16]", BUDGET);
    let precious = scratch.path("precious");
    std::fs::create_dir(&precious).unwrap();
    std::fs::write(precious.join("thesis.tex"), "…").unwrap();
    let said = refused(&[
        Path::new("compare"),
        Path::new("--base-binary"),
        Path::new(env!("CARGO_BIN_EXE_pidlab")),
        Path::new("--experiment"),
        &experiment,
        Path::new("--out"),
        &precious,
    ]);
    assert!(said.contains("not made by pidlab"), "{said}");
    assert!(precious.join("thesis.tex").exists());
}

#[test]
fn histories_that_cannot_be_read() {
    let scratch = Scratch::new();
    let good = finished(&scratch, "good", &[]);
    let history = scratch.path("history");
    let track = |more: &[&Path]| {
        let page = scratch.path("page.html");
        let mut all = vec![Path::new("track"), Path::new("--history"), &history];
        all.extend([Path::new("--page"), page.as_path()]);
        all.extend(more);
        program().args(all).output().unwrap()
    };
    let empty = track(&[]);
    expect(&empty, 2);
    assert!(text(&empty.stderr).contains("has no runs"), "{}", text(&empty.stderr));
    let nameless = track(&[Path::new("--commit"), Path::new("a/b"), &good]);
    expect(&nameless, 2);
    assert!(text(&nameless.stderr).contains("--commit"), "{}", text(&nameless.stderr));
    expect(&track(&[&good]), 0);
    let machine = std::fs::read_dir(&history).unwrap().next().unwrap().unwrap().path();
    let broken = machine.join("broken.parquet");
    std::fs::write(&broken, "PAR1 nonsense PAR1").unwrap();
    let output = track(&[]);
    expect(&output, 2);
    assert!(text(&output.stderr).contains("broken.parquet"), "{}", text(&output.stderr));
    // a Parquet file, but none of ours
    std::fs::copy(good.join("rows.parquet"), &broken).unwrap();
    let output = track(&[]);
    expect(&output, 2);
    let said = text(&output.stderr);
    assert!(said.contains("broken.parquet") && said.contains("pidlab-history/1"), "{said}");
}
