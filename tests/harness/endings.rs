//! How runs end when nothing can be measured: no endless restarts, no row that a full disk made up, and
//! backends that fail are named.

use crate::support::{BUDGET, Scratch, column, expect, program, run, segments, text, timeless};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn a_memory_limit_below_what_a_worker_needs_is_an_error() {
    let scratch = Scratch::new();
    let sizes = "{ from = 10, to = 200, count = 50 }";
    let experiment = scratch.experiment(r#"["canon", "refine"]"#, sizes, BUDGET);
    let out = scratch.path("run");
    for limit in ["1", "10MB", "40MB"] {
        let clock = Instant::now();
        let output = run(&experiment, &out, &["--fresh", "--memory-limit", limit]);
        expect(&output, 2);
        let said = text(&output.stderr);
        assert!(said.contains("memory limit of") && said.contains("MiB or more"), "{said}");
        assert!(clock.elapsed() < Duration::from_secs(30));
        assert_eq!(segments(&out).len(), 0, "{limit}");
        let log = std::fs::read_dir(out.join("log")).unwrap().count();
        assert!(log < 20, "{limit}: {log} files");
    }
}

/// Mounts a small disk; nothing if this process may not.
fn small_disk(path: &Path, kib: u32) -> bool {
    std::fs::create_dir_all(path).unwrap();
    let size = format!("size={kib}k");
    let mut mount = Command::new("mount");
    mount
        .args(["-t", "tmpfs", "-o", &size, "pidlab-test"])
        .arg(path)
        .output()
        .is_ok_and(|output| output.status.success())
}

struct Mounted<'p>(&'p Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(self.0).status().ok();
    }
}

/// Rows that a backend crashes on need new workers, which a full disk does not let start. Whatever it is
/// that finds no room: the run stops with exit code 2, and with more room the same command makes the table
/// of an undisturbed run.
#[test]
fn a_full_disk_never_becomes_a_row() {
    let scratch = Scratch::new();
    let sizes = "{ from = 13, to = 36, count = 24 }";
    let experiment = scratch.experiment(r#"["double:abort", "canon"]"#, sizes, BUDGET);
    let calm = scratch.path("calm");
    expect(&run(&experiment, &calm, &[]), 0);
    for (kib, workers) in [(16, "1"), (40, "3"), (64, "1"), (100, "2"), (128, "3"), (200, "1")] {
        let disk = scratch.path(&format!("disk-{kib}"));
        if !small_disk(&disk, kib) {
            eprintln!("SKIPPED: no disk can be mounted here");
            return;
        }
        let mounted = Mounted(&disk);
        let out = disk.join("run");
        let first = run(&experiment, &out, &["--workers", workers]);
        expect(&first, 2);
        assert!(text(&first.stderr).contains("No space left"), "{}", text(&first.stderr));
        let more = ["-o", "remount,size=20m"];
        assert!(Command::new("mount").args(more).arg(&disk).status().unwrap().success());
        expect(&run(&experiment, &out, &[]), 0);
        assert_eq!(timeless(&out), timeless(&calm), "{kib} KiB");
        drop(mounted);
    }
}

#[test]
fn a_backend_that_fails_on_all_rows_is_named_with_its_message() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["canon", "double:fail"]"#, "[10, 16]", BUDGET);
    let out = scratch.path("run");
    let output = run(&experiment, &out, &[]);
    expect(&output, 3);
    let said = text(&output.stdout);
    let line = "double:fail failed on all of its 32 rows: no licence for this machine";
    assert!(said.contains(line) && !said.contains('\x1b'), "{said}");
    for (backend, (status, message)) in column(&out, "backend")
        .into_iter()
        .zip(column(&out, "status").into_iter().zip(column(&out, "message")))
    {
        match backend.as_str() {
            "canon" => assert_eq!((status.as_str(), message.as_str()), ("ok", "")),
            _ => {
                assert_eq!(status, "failed");
                assert!(message.starts_with("no licence for this machine"), "{message}");
            }
        }
    }
    // as long as the run is that, the same command says the same
    let again = run(&experiment, &out, &["--json"]);
    expect(&again, 3);
    let document: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(document["failures"][0]["backend"], "double:fail");
    assert_eq!(document["failures"][0]["failed"], 32);
    expect(&program().arg("report").arg(&out).output().unwrap(), 0);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("Failures") && page.contains("no licence for this machine"));
}

#[test]
fn a_crashed_row_keeps_the_workers_last_words() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["double:overflow"]"#, "[15, 16]", BUDGET);
    let out = scratch.path("run");
    let output = run(&experiment, &out, &[]);
    expect(&output, 0);
    assert!(text(&output.stdout).contains("double:overflow failed on 16 of 32 rows"));
    let rows = column(&out, "status").into_iter().zip(column(&out, "message"));
    for (status, message) in rows {
        assert_eq!(status == "crash", message.contains("overflowed its stack"), "{message}");
    }
}

/// Every death costs a process, but not a file for all time.
#[test]
fn a_backend_that_always_crashes_leaves_few_files() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["double:abort"]"#, "[16, 24]", BUDGET);
    let out = scratch.path("run");
    let output = run(&experiment, &out, &[]);
    expect(&output, 3);
    assert!(text(&output.stdout).contains("failed on all of its 32 rows"));
    let log = std::fs::read_dir(out.join("log")).unwrap().count();
    assert!(log < 20, "{log} files");
}

#[test]
fn odd_names_of_folders_work() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["canon"]"#, "[10]", BUDGET);
    let dash =
        program().current_dir(&scratch.0).arg("run").arg(&experiment).arg("--out=-dash").output();
    expect(&dash.unwrap(), 0);
    assert_eq!(column(&scratch.path("-dash"), "status").len(), 16);
    let strange = scratch.0.join(std::ffi::OsStr::from_bytes(b"run-\xff"));
    let output = run(&experiment, &strange, &["--json"]);
    expect(&output, 0);
    for command in ["analyse", "plot", "report"] {
        let output = program().arg(command).arg(&strange).arg("--json").output().unwrap();
        expect(&output, 0);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(document["run"].as_str().unwrap().contains("run-\u{fffd}"), "{command}");
    }
}
