//! External programs in runs: the ten-line Python backend of docs/experiments.md takes part, and none
//! outlives a run that is ended by force.

use crate::support::{BUDGET, Scratch, column, expect, program, run};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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

/// Whether a process with this word in its command line runs.
fn runs(word: &str) -> bool {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        std::fs::read_to_string(entry.path().join("cmdline")).is_ok_and(|line| line.contains(word))
    })
}

fn wait_for(what: &str, happened: impl Fn() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn programs_end_with_the_run() {
    if !runs("harness") {
        eprintln!("SKIPPED: there is no /proc here");
        return;
    }
    for signals in [&["-INT", "-INT"][..], &["-KILL"]] {
        let scratch = Scratch::new();
        // a number nobody else sleeps for
        let sleeping = format!("8{}.{}", std::process::id(), signals.len());
        let script = scratch.path("sleeper.sh");
        let greeting = r#"echo '{"format":"pidlab-external/2","wants":["states"]}'"#;
        std::fs::write(&script, format!("{greeting}\nread request\nsleep {sleeping}\necho"))
            .unwrap();
        let backends = format!(r#"["external:sh {}"]"#, script.display());
        let experiment = scratch.experiment(&backends, "[10]", "{ seconds = 600.0 }");
        let mut session = program()
            .arg("run")
            .arg(&experiment)
            .arg("--out")
            .arg(scratch.path("run"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for("a program is asked", || runs(&sleeping));
        let pid = session.id().to_string();
        for signal in signals {
            assert!(Command::new("kill").args([signal, &*pid]).status().unwrap().success());
            std::thread::sleep(Duration::from_millis(300));
        }
        session.wait().unwrap();
        wait_for("the programs end", || !runs(&sleeping) && !runs(&script.display().to_string()));
    }
}
