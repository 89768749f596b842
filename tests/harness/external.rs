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

/// A program that works for every answer; `times` is what it says of that.
fn worker(scratch: &Scratch, name: &str, times: &str) -> String {
    let path = scratch.path(name);
    let script = format!(
        r#"echo '{{"format":"pidlab-external/2","wants":["plain"]}}'
while read -r line; do
  id=${{line#*\"id\":}}; id=${{id%%,*}}
  i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done
  echo "{{\"id\":$id,\"equivalent\":null{times}}}"
done"#
    );
    std::fs::write(&path, script).unwrap();
    format!("external:sh {}", path.display())
}

#[test]
fn programs_are_timed_by_their_own_clock() {
    let scratch = Scratch::new();
    let silent = worker(&scratch, "silent.sh", "");
    let telling = r#",\"build_seconds\":0.001,\"decide_seconds\":0.002,\"cpu_seconds\":0.0025"#;
    let telling = worker(&scratch, "telling.sh", telling);
    let backends = format!(r#"["canon", "{silent}", "{telling}"]"#);
    let experiment = scratch.experiment(&backends, "[10, 20]", BUDGET);
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &[]), 0);
    let rows: Vec<Vec<String>> =
        ["backend", "decided_by", "clock", "build_ns", "decide_ns", "cpu_ns"]
            .iter()
            .map(|name| column(&out, name))
            .collect();
    let row = |i: usize| rows.iter().map(|column| column[i].as_str()).collect::<Vec<_>>();
    let mut asked = [0, 0];
    for row in (0..rows[0].len()).map(row) {
        let [backend, by, clock] = [row[0], row[1], row[2]];
        let [build, decide, cpu]: [u64; 3] = [3, 4, 5].map(|c| row[c].parse().unwrap());
        if by == "encoder" || backend == "canon" {
            assert_eq!(clock, "worker-cpu", "the program was not asked");
        } else if backend == telling {
            assert_eq!(
                (by, clock, build, decide, cpu),
                ("none", "program-cpu", 1_000_000, 2_000_000, 2_500_000)
            );
            asked[0] += 1;
        } else if cfg!(target_os = "linux") {
            assert_eq!((by, clock, build), ("none", "process-cpu", 0));
            // 20,000 rounds of a shell take milliseconds, waiting for them hardly any time
            assert!(cpu > 2_000_000 && decide > 2_000_000, "{cpu} {decide}");
            asked[1] += 1;
        }
    }
    assert!(asked[0] > 0 && (asked[1] > 0 || !cfg!(target_os = "linux")), "{asked:?}");
}

#[test]
fn pre_checks_can_be_switched_off() {
    let scratch = Scratch::new();
    let backends = r#"["canon", "vf2", "petgraph", "nauty", "traces-faithful"]"#;
    let experiment = scratch.experiment(backends, "[10, 30]", BUDGET);
    let deciders = |name: &str| {
        let out = scratch.path(name);
        expect(&run(&experiment, &out, &[]), 0);
        (column(&out, "decided_by"), column(&out, "answer"))
    };
    let (with, answers) = deciders("with");
    assert!(
        with.iter().any(|by| by == "encoder") && with.iter().any(|by| by == "solver"),
        "{with:?}"
    );
    let text = std::fs::read_to_string(&experiment).unwrap();
    std::fs::write(
        &experiment,
        text.replace("budget =", "measure = { pre_checks = false }\nbudget ="),
    )
    .unwrap();
    let (without, same) = deciders("without");
    assert!(without.iter().all(|by| by == "solver"), "{without:?}");
    assert_eq!(answers, same);
    let report = scratch.path("with");
    for command in ["analyse", "report"] {
        expect(&program().arg(command).arg(&report).output().unwrap(), 0);
    }
    let page = std::fs::read_to_string(report.join("report.html")).unwrap();
    assert!(page.contains("Who decided, by whose clock"));
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

/// One that never greets has failed, and does not count as one that ran out of time.
#[test]
fn a_program_that_never_greets_fails() {
    let scratch = Scratch::new();
    let backends = r#"["canon", "external:sleep 100"]"#;
    let budget = "{ seconds = 0.2, grace_seconds = 0.3 }";
    let experiment = scratch.experiment(backends, "[10, 20]", budget);
    let out = scratch.path("run");
    run(&experiment, &out, &[]);
    let (backend, status) = (column(&out, "backend"), column(&out, "status"));
    let message = column(&out, "message");
    let mute = (0..backend.len()).filter(|&row| backend[row] == "external:sleep 100");
    let mute: Vec<(&str, &str)> =
        mute.map(|row| (status[row].as_str(), message[row].as_str())).collect();
    assert!(mute.len() > 1, "{backend:?}");
    for (status, message) in mute {
        assert_eq!(status, "failed", "{message}");
        assert!(message.contains("it has said nothing for 0.5 s; its first line"), "{message}");
    }
}
