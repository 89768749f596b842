//! Run folders that cannot or must not be used: clear messages, nothing lost.

use crate::support::{BUDGET, Scratch, expect, program, run, text, timeless};
use std::process::Command;
use std::time::Duration;

const BACKENDS: &str = r#"["canon"]"#;

#[test]
fn two_runs_in_one_folder_are_refused() {
    let scratch = Scratch::new();
    let slow = "{ seconds = 60.0, grace_seconds = 60.0 }";
    let experiment = scratch.experiment(r#"["double:hang"]"#, "[16]", slow);
    let out = scratch.path("run");
    let mut first = program().arg("run").arg(&experiment).arg("--out").arg(&out).spawn().unwrap();
    while !out.join("manifest.json").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = run(&experiment, &out, &[]);
    first.kill().unwrap();
    first.wait().unwrap();
    expect(&second, 2);
    assert!(text(&second.stderr).contains("another pidlab process"), "{}", text(&second.stderr));
}

#[test]
fn a_folder_of_another_version_or_plan_is_refused() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, "[10, 20]", BUDGET);
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &[]), 0);
    let before = timeless(&out);
    let other = run(&experiment, &out, &["--seed", "7"]);
    expect(&other, 2);
    assert!(text(&other.stderr).contains("seed 2010, now 7"), "{}", text(&other.stderr));
    let manifest = out.join("manifest.json");
    let newer = std::fs::read_to_string(&manifest).unwrap().replace("pidlab-run/1", "pidlab-run/9");
    std::fs::write(&manifest, newer).unwrap();
    let refused = run(&experiment, &out, &[]);
    expect(&refused, 2);
    assert!(text(&refused.stderr).contains("pidlab-run/9"), "{}", text(&refused.stderr));
    assert_eq!(timeless(&out), before);
    expect(&run(&experiment, &out, &["--fresh", "--seed", "7"]), 0);
    assert_ne!(timeless(&out), before);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, "[10]", BUDGET);
    let file = scratch.path("file");
    std::fs::write(&file, "in the way").unwrap();
    for folder in [file.join("run"), "/proc/pidlab-run".into()] {
        let refused = run(&experiment, &folder, &[]);
        expect(&refused, 2);
        let said = text(&refused.stderr);
        assert!(said.contains("--out") && said.contains(folder.to_str().unwrap()), "{said}");
    }
}

/// A limit on the size of files stands in for a full disk: writes fail in the middle of a row.
#[test]
fn a_full_disk_stops_cleanly_and_resumes() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, "{ from = 10, to = 60, count = 30 }", BUDGET);
    let (out, calm) = (scratch.path("run"), scratch.path("calm"));
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec {} run {} --out {} --workers 1",
        env!("CARGO_BIN_EXE_pidlab"),
        experiment.display(),
        out.display()
    );
    let full = Command::new("bash").args(["-c", &script]).output().unwrap();
    expect(&full, 2);
    let said = text(&full.stderr);
    assert!(said.contains("disk full") && said.contains("continues"), "{said}");
    expect(&run(&experiment, &out, &[]), 0);
    expect(&run(&experiment, &calm, &[]), 0);
    assert_eq!(timeless(&out), timeless(&calm));
}
