//! `pidlab cover` and `pidlab verify --answer` keep to `--timeout` and `--memory-limit`, whatever part
//! of the work the time goes to.
//!
//! Inputs cost minutes or more than the machine has; the bar for time is generous, so that a busy
//! machine does not matter. Memory is the peak of the process.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const BAR: Duration = Duration::from_secs(30);

struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
    /// Peak of resident memory in bytes, as far as it was seen.
    peak: u64,
}

impl Ended {
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}{}", self.stdout, self.stderr))
    }
}

/// Runs the program and watches it; it must end within the bar.
fn pidlab(arguments: &[&str]) -> Ended {
    let start = Instant::now();
    let folder = scratch("");
    let name = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "-");
    let (out, err) = (folder.join(format!("{name}.out")), folder.join(format!("{name}.err")));
    let mut child = Command::new(env!("CARGO_BIN_EXE_pidlab"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdout(Stdio::from(std::fs::File::create(&out).unwrap()))
        .stderr(Stdio::from(std::fs::File::create(&err).unwrap()))
        .spawn()
        .unwrap();
    let mut peak = 0;
    let status = loop {
        peak = peak_of(child.id()).unwrap_or(0).max(peak);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > BAR {
            child.kill().unwrap();
            panic!("{arguments:?} did not end within {BAR:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    Ended { code: status.code(), stdout: read(&out), stderr: read(&err), peak }
}

fn peak_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cover-limits");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn file(name: &str, text: &str) -> String {
    let path = scratch(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().into()
}

/// Asserts "undecided" with a reason that has these words.
fn undecided(ended: &Ended, words: &[&str]) {
    assert_eq!(ended.code, Some(3), "{}{}", ended.stdout, ended.stderr);
    let document = ended.json();
    assert_eq!(document["verdict"], "unknown");
    let reason = document["reason"].as_str().unwrap();
    assert!(words.iter().all(|word| reason.contains(word)), "{reason}");
}

/// A fifth above the limit and 50 MB.
fn keeps_to(ended: &Ended, limit: u64) {
    let bar = limit + limit / 5 + 50_000_000;
    assert!(ended.peak <= bar, "peak {} MB, bar {} MB", ended.peak / 1_000_000, bar / 1_000_000);
}

/// Every step sets all of n shared variables to anything: 2^n steps in each of 2^n states. The error reads all of
/// them, so that none is sliced away, and cannot be.
fn any_values(n: usize) -> String {
    let names: Vec<String> = (1..=n).map(|i| format!("x{i}")).collect();
    let others = names[3..].join(" && ");
    let (names, any) = (names.join(", "), vec!["*"; n].join(", "));
    format!(
        "shared {names};\nerror (x1 != x2) && (x2 != x3) && (x3 != x1) && {others};\n\
         thread {{ while (true) {{ {names} := {any}; }} }}\n"
    )
}

/// Two choices of n shares each: n² markings that are quickly found and slowly compared.
fn shares(n: u32) -> String {
    let one = |from: u32, a: &str, b: &str, i: u32| {
        format!(
            "s{from} >= 1 -> s{from}' = s{from} - 1, s{to}' = s{to} + 1, \
             {a}' = {a} + {}, {b}' = {b} + {};\n",
            i + 1,
            n - i,
            to = from + 1
        )
    };
    let rules: String = (0..n).map(|i| one(0, "x", "y", i) + &one(1, "z", "w", i)).collect();
    format!(
        "vars\ns0 s1 s2 x y z w bad\nrules\n{rules}init\ns0 = 1\ntarget\nbad >= 1, x >= 1, y >= 1\n"
    )
}

/// The proof that [`shares`] is safe.
fn shares_answer(n: u32) -> String {
    let mut configurations = vec![json!({"s0": 1})];
    for i in 0..n {
        let (x, y) = (i + 1, n - i);
        configurations.push(json!({"s1": 1, "x": x, "y": y}));
        let last = |j: u32| json!({"s2": 1, "x": x, "y": y, "z": j + 1, "w": n - j});
        configurations.extend((0..n).map(last));
    }
    let certificate = json!({"kind": "forward", "configurations": configurations});
    json!({
        "format": "pidlab-cover/1", "verdict": "safe", "algorithm": "by hand", "trace": null,
        "certificate": certificate, "explored": 0
    })
    .to_string()
}

#[test]
fn the_front_end_obeys_both_limits() {
    let model = file("any.bp", &any_values(12));
    let slow = pidlab(&["cover", &model, "--timeout", "500ms", "--json"]);
    undecided(&slow, &["reading", "time limit of 500ms"]);
    let model = file("any-of-more.bp", &any_values(40));
    let large = pidlab(&["cover", &model, "--memory-limit", "200MiB", "--json"]);
    undecided(&large, &["reading", "memory limit of 200 MiB"]);
    keeps_to(&large, 200 << 20);
}

#[test]
fn a_header_that_declares_millions_of_states_obeys_the_memory_limit() {
    let model = file("wide.tts", "4000000 100000\n0 0 -> 1 1\n");
    file("wide.prop", "2|0\n");
    let ended = pidlab(&["cover", &model, "--memory-limit", "100MB", "--json"]);
    undecided(&ended, &["reading", "memory limit of 100 MB"]);
    keeps_to(&ended, 100_000_000);
}

#[test]
fn making_and_checking_a_certificate_obeys_the_limit() {
    let model = file("shares.spec", &shares(200));
    let arguments = ["cover", &model, "--no-reduce", "--algorithm", "karp-miller", "--json"];
    let ended = pidlab(&[&arguments[..], &["--timeout", "0.5"]].concat());
    undecided(&ended, &["karp-miller", "time limit of 500ms"]);
}

/// Tokens that wander between pairs of places: a search that grows as long as it is let.
fn wanderers() -> String {
    let rules: String =
        (0..12).map(|i| format!("a{i} >= 1 -> a{i}' = a{i} - 1, b{i}' = b{i} + 1;\n")).collect();
    let places: Vec<String> = (0..12).map(|i| format!("a{i} b{i}")).collect();
    let init: Vec<String> = (0..12).map(|i| format!("a{i} = 9")).collect();
    format!(
        "vars\n{} bad\nrules\n{rules}init\n{}\ntarget\nbad >= 1, a0 >= 1\n",
        places.join(" "),
        init.join(", ")
    )
}

#[test]
fn searches_obey_the_memory_limit() {
    let model = file("wanderers.spec", &wanderers());
    for algorithm in ["bounded:1", "karp-miller"] {
        let arguments = ["cover", &model, "--no-reduce", "--algorithm", algorithm, "--json"];
        let limits = ["--memory-limit", "64MiB", "--timeout", "10s"];
        let ended = pidlab(&[&arguments[..], &limits].concat());
        undecided(&ended, &[algorithm, "limit of"]);
        keeps_to(&ended, 64 << 20);
    }
}

#[test]
fn verify_obeys_both_limits() {
    let model = file("verified.spec", &shares(250));
    let answer = file("verified.json", &shares_answer(250));
    for (limit, value, words) in [
        ("--timeout", "500ms", "time limit of 500ms"),
        ("--memory-limit", "20MB", "memory limit of 20 MB"),
    ] {
        for command in
            [&["verify", &model, "--answer", &answer][..], &["cover", &model, "--verify", &answer]]
        {
            let ended = pidlab(&[command, &["--json", limit, value]].concat());
            assert_eq!(ended.code, Some(3), "{}{}", ended.stdout, ended.stderr);
            let report = ended.json();
            assert_eq!(report["valid"], false);
            assert!(report["violation"].as_str().unwrap().contains(words), "{report}");
        }
    }
    let small = [file("small.spec", &shares(5)), file("small.json", &shares_answer(5))];
    let valid = pidlab(&["verify", &small[0], "--answer", &small[1], "--timeout", "60s"]);
    assert_eq!(valid.code, Some(0), "{}{}", valid.stdout, valid.stderr);
}

/// Reading and every algorithm have the limit each.
#[test]
fn comparisons_obey_the_limit() {
    file("folder/any.bp", &any_values(12));
    file("folder/shares.spec", &shares(200));
    let (folder, out) = (scratch("folder"), scratch("compared"));
    let mut arguments = vec!["cover", "--compare", folder.to_str().unwrap()];
    arguments.extend(["--out", out.to_str().unwrap(), "--json", "--no-reduce"]);
    arguments.extend(["--timeout", "500ms", "--algorithms", "karp-miller,mp"]);
    let ended = pidlab(&arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let cells = ended.json()["cells"].as_array().unwrap().clone();
    assert_eq!(cells.len(), 4);
    assert!(cells.iter().all(|cell| cell["status"] == "timeout"), "{cells:?}");
}

/// What one model has used up is there again for the next.
#[test]
fn a_comparison_goes_on_after_a_model_that_met_the_memory_limit() {
    file("memory/a.spec", &wanderers());
    file("memory/b.spec", &wanderers());
    let (folder, out) = (scratch("memory"), scratch("compared-memory"));
    let mut arguments = vec!["cover", "--compare", folder.to_str().unwrap()];
    arguments.extend(["--out", out.to_str().unwrap(), "--json", "--no-reduce"]);
    arguments.extend(["--memory-limit", "400MB", "--algorithms", "bounded:1,backward"]);
    let ended = pidlab(&arguments);
    let cells = ended.json()["cells"].as_array().unwrap().clone();
    let statuses: Vec<&str> = cells.iter().map(|cell| cell["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["memory", "ok", "memory", "ok"], "{}", ended.stderr);
}

#[test]
fn the_search_for_machines_obeys_the_limit() {
    let ended = pidlab(&["cover", "--stress", "--machines", "100000000", "--timeout", "300ms"]);
    assert_eq!(ended.code, Some(3), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("time limit of 300ms"), "{}", ended.stderr);
}

/// A thread with n variables of its own, all of them read: 2^n local states.
fn own_values(n: usize) -> String {
    let names: Vec<String> = (1..=n).map(|i| format!("l{i}")).collect();
    let (all, any) = (names.join(" && "), vec!["*"; n].join(", "));
    let names = names.join(", ");
    format!(
        "shared x;\nthread {{ local {names}; while (true) {{ {names} := {any}; x := {all}; }} }}\n"
    )
}

#[test]
fn refinement_obeys_both_limits() {
    let program = file("own.bp", &own_values(26));
    let steps = "0 0 -> 1 0\n1 0 -> 0 0\n0 0 -> 0 0\n1 0 -> 1 0\n";
    let machine = format!("lgfsm 1\nshared 3\nlocal 1\ninit 0 0\n{steps}error 2\n");
    let machine = file("own.lgfsm", &machine);
    let refines = |limit: [&str; 2], reason: &str| {
        let ended = pidlab(&["refines", &program, &machine, limit[0], limit[1]]);
        assert_eq!(ended.code, Some(3), "{}{}", ended.stdout, ended.stderr);
        assert!(ended.stderr.contains(reason), "{}", ended.stderr);
        ended
    };
    refines(["--timeout", "500ms"], "time limit of 500ms");
    keeps_to(&refines(["--memory-limit", "100MB"], "memory limit of 100 MB"), 100_000_000);
}

#[test]
fn limits_have_the_units_of_every_other_command() {
    let run = |limits: &[&str]| pidlab(&[&["cover", "models/mutex.lgfsm"], limits].concat());
    for limits in [
        ["--timeout", "20", "--memory-limit", "2GiB"],
        ["--timeout", "20s", "--memory-limit", "2000000000"],
        ["--timeout", "20000ms", "--memory-limit", "2000MB"],
    ] {
        assert_eq!(run(&limits).code, Some(0), "{limits:?}");
    }
    let tiny = run(&["--memory-limit", "200", "--json"]);
    undecided(&tiny, &["memory limit of 200 bytes"]);
    for wrong in [["--timeout", "2 hares"], ["--memory-limit", "2 hares"]] {
        let ended = run(&wrong);
        assert_eq!(ended.code, Some(2));
        assert!(ended.stderr.contains("hares"), "{}", ended.stderr);
    }
}
