//! `completions`, `doctor`, `init` and `selftest`: what they print, and that every starter runs as it is.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder that goes away with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("pidlab-new-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    /// Runs the program here; words are separated by blanks.
    fn run(&self, words: &str) -> Output {
        self.command(words).output().unwrap()
    }

    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pidlab"));
        command.args(words.split(' ')).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    /// Its document; the exit code must be the expected one.
    fn json(&self, words: &str, code: i32) -> Value {
        let output = self.run(&format!("{words} --json"));
        expect(&output, code);
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn shell(&self, line: &str) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_pidlab")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).env("PATH", path).current_dir(&self.0).output().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn expect(output: &Output, code: i32) {
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{said}");
}

/// Whether Python is here; says so in one line if not.
fn has_python(what: &str) -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        eprintln!("SKIPPED: {what}: python3 is not installed");
    }
    found
}

#[test]
fn completions_for_every_shell() {
    let scratch = Scratch::new("completions");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = scratch.run(&format!("completions {shell}"));
        expect(&output, 0);
        let script = text(&output.stdout);
        for word in ["pidlab", "explore", "selftest", "relations", "json"] {
            assert!(script.contains(word), "{shell}: {word} is missing");
        }
        let hidden = |line: &str| line.split(|c: char| !c.is_alphanumeric()).any(|w| w == "worker");
        let shown: Vec<&str> = script.lines().filter(|line| hidden(line)).collect();
        assert!(shown.is_empty(), "{shell} shows the hidden command: {shown:?}");
    }
    expect(&scratch.run("completions tcsh"), 2);
    let refused = scratch.run("completions bash --json");
    expect(&refused, 2);
    assert!(refused.stdout.is_empty() && text(&refused.stderr).contains("no other form"));
}

#[test]
fn the_completions_of_bash_load_and_complete() {
    let scratch = Scratch::new("bash");
    let line = "pidlab completions bash > c.sh && bash -c '. ./c.sh; COMP_WORDS=(pidlab explo); COMP_CWORD=1; \
                _pidlab pidlab explo pidlab; echo ${COMPREPLY[*]}'";
    if !Command::new("bash").arg("--version").output().is_ok_and(|o| o.status.success()) {
        return eprintln!("SKIPPED: bash is not installed");
    }
    let completed = scratch.shell(line);
    expect(&completed, 0);
    assert_eq!(text(&completed.stdout).trim(), "explore");
}

#[test]
fn the_doctor_lists_what_there_is_and_what_to_do() {
    let scratch = Scratch::new("doctor");
    let document = scratch.json("doctor", 0);
    assert_eq!(document["format"], "pidlab-doctor/1");
    let findings = document["findings"].as_array().unwrap();
    let names: Vec<&str> = findings.iter().map(|f| f["name"].as_str().unwrap()).collect();
    for name in ["program", "C compiler", "Python", "valgrind", "cores", "load", "noise"] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    for finding in findings {
        let status = finding["status"].as_str().unwrap();
        assert!(["ok", "missing", "warning"].contains(&status), "{finding}");
        let advice = finding["advice"].as_str().unwrap();
        assert_eq!(advice.is_empty(), status == "ok", "{finding}");
    }
    let plain = text(&scratch.run("doctor").stdout);
    assert!(names.iter().all(|name| plain.lines().any(|line| line.starts_with(name))), "{plain}");
    let csv = text(&scratch.run("doctor --csv").stdout);
    assert_eq!(csv.lines().next(), Some("name,status,found,advice"));
    assert_eq!(csv::Reader::from_reader(csv.as_bytes()).records().count(), findings.len());
    assert_eq!(std::fs::read_dir(&scratch.0).unwrap().count(), 0, "it leaves nothing behind");
}

fn finding<'d>(document: &'d Value, name: &str) -> &'d Value {
    document["findings"].as_array().unwrap().iter().find(|f| f["name"] == name).unwrap()
}

#[test]
fn what_is_missing_is_not_a_failure_and_what_is_broken_is() {
    let scratch = Scratch::new("broken");
    let poor =
        scratch.command("doctor --json").env("PATH", "").env("PIDLAB_PYTHON", "no-python").output();
    let poor = poor.unwrap();
    expect(&poor, 0);
    let document: Value = serde_json::from_slice(&poor.stdout).unwrap();
    for name in ["cargo", "git", "Python", "Python: sage", "valgrind"] {
        assert_eq!(finding(&document, name)["status"], "missing", "{name}");
    }
    let nowhere =
        scratch.command("doctor --json").env("TMPDIR", scratch.0.join("nowhere")).output();
    let nowhere = nowhere.unwrap();
    expect(&nowhere, 1);
    let document: Value = serde_json::from_slice(&nowhere.stdout).unwrap();
    assert_eq!(finding(&document, "temporary files")["status"], "broken");
}

#[test]
fn a_file_that_is_there_is_left_alone() {
    let scratch = Scratch::new("there");
    for (kind, file) in [
        ("experiment", "experiment.toml"),
        ("backend", "backend.py"),
        ("generator", "generator.py"),
        ("model", "model.tnet"),
    ] {
        let path = scratch.0.join(file);
        std::fs::write(&path, "mine").unwrap();
        let refused = scratch.run(&format!("init {kind}"));
        expect(&refused, 2);
        assert!(text(&refused.stderr).contains("exists and is left as it is"), "{kind}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    }
    expect(&scratch.run("init model --out no/such/folder.tnet"), 2);
    expect(&scratch.run("init model --out model.txt"), 2);
    expect(&scratch.run("init model --out model.bir --language bp"), 2);
    expect(&scratch.run("init backend --language bp"), 2);
    assert!(!scratch.0.join("model.bir").exists());
}

/// Writes a starter and runs the commands that it comes with, where A.json and B.json are two states.
fn goes_on(scratch: &Scratch, words: &str) -> Vec<Output> {
    let made = scratch.json(&format!("init {words}"), 0);
    assert_eq!(made["format"], "pidlab-init/1");
    assert!(scratch.0.join(made["path"].as_str().unwrap()).is_file(), "{made}");
    let next = made["next"].as_array().unwrap().iter();
    next.map(|command| scratch.shell(command.as_str().unwrap())).collect()
}

#[test]
fn the_starters_without_python_run() {
    let scratch = Scratch::new("starters");
    for words in [
        "experiment",
        "model",
        "model --language bir",
        "model --out mine.bp",
        "model --out other.tnet --language tnet",
    ] {
        for output in goes_on(&scratch, words) {
            expect(&output, 0);
        }
    }
    let run = scratch.json("run experiment.toml", 0);
    assert_eq!((&run["complete"], &run["rows"]), (&Value::Bool(true), &80.into()));
    assert!(scratch.0.join("results/local/mine-small/report.html").is_file());
}

#[test]
fn the_starter_of_a_backend_decides_correctly() {
    let scratch = Scratch::new("backend");
    if !has_python("the starter of a backend") {
        return;
    }
    for (name, words) in [
        ("A.json", "generate random --pids 12 --seed 3 -o A.json"),
        ("B.json", "generate transform A.json --kind rename -o B.json"),
        ("C.json", "generate transform A.json --kind near-miss --kind rename -o C.json"),
    ] {
        expect(&scratch.run(words), 0);
        assert!(scratch.0.join(name).is_file());
    }
    for output in goes_on(&scratch, "backend --out my-backend.py") {
        expect(&output, 0);
    }
    let line = |other: &str| {
        format!("pidlab check A.json {other} --check --backend 'external:python3 my-backend.py'")
    };
    expect(&scratch.shell(&line("C.json")), 1);
    // a name that has to be quoted
    std::fs::rename(scratch.0.join("my-backend.py"), scratch.0.join("old.py")).unwrap();
    let made = scratch.command("init backend --json --out").arg("my own.py").output().unwrap();
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    expect(&scratch.shell(made["next"][0].as_str().unwrap()), 0);
}

/// Exact on the committed pairs, under whatever relations they have.
#[test]
fn the_starter_of_a_backend_agrees_with_the_committed_pairs() {
    let scratch = Scratch::new("pairs");
    if !has_python("the starter of a backend on the committed pairs") {
        return;
    }
    expect(&scratch.run("init backend"), 0);
    let all = std::fs::read_to_string("testdata/equivalence/pairs.jsonl").unwrap();
    let small: Vec<&str> = all.lines().filter(|line| line.len() < 2000).take(150).collect();
    std::fs::write(scratch.0.join("pairs.jsonl"), small.join("\n")).unwrap();
    let answers = |backend: &str| -> Vec<Value> {
        let mut command =
            scratch.command("check --pairs pairs.jsonl --json --allow-inconsistent --backend");
        let output = command.arg(backend).output().unwrap();
        let lines = text(&output.stdout);
        lines
            .lines()
            .map(|l| serde_json::from_str::<Value>(l).unwrap()["equivalent"].clone())
            .collect()
    };
    let ours = answers("external:python3 backend.py");
    assert_eq!(ours.len(), small.len());
    assert!(ours.contains(&Value::Bool(true)) && ours.contains(&Value::Bool(false)));
    assert_eq!(ours, answers("canon"));
}

#[test]
fn the_starter_of_a_generator_prints_pairs_and_serves_an_experiment() {
    let scratch = Scratch::new("generator");
    if !has_python("the starter of a generator") {
        return;
    }
    let outputs = goes_on(&scratch, "generator");
    expect(&outputs[0], 0);
    expect(&outputs[1], 0);
    let pairs = scratch.shell("cat pairs.jsonl");
    let known = text(&pairs.stdout);
    let answers = text(&outputs[1].stdout);
    assert_eq!(answers.lines().count(), 12);
    let parsed = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    for (pair, answer) in known.lines().map(parsed).zip(answers.lines().map(parsed)) {
        assert_eq!(answer["equivalent"], pair["expected"], "{pair}");
        assert!(answer["decide_seconds"].as_f64().unwrap() >= 0.0, "{answer}");
    }
    for verdict in [true, false] {
        assert!(answers.lines().map(parsed).any(|answer| answer["equivalent"] == verdict));
    }
    let experiment = r#"name = "g"
title = "t"
source = "s"
claim = "c"
backends = ["canon", "vf2"]
figures = ["cactus"]
[[states]]
label = "listeners"
generator = "python3 generator.py"
[scale]
smoke = { sizes = [6, 30], states = 4, seconds = 1 }
small = { sizes = [6], seconds = 1 }
paper = { sizes = [6], seconds = 1 }
"#;
    std::fs::write(scratch.0.join("g.toml"), experiment).unwrap();
    expect(&scratch.run("run g.toml --scale smoke --out run"), 0);
    let rows = text(&scratch.shell("cat run/rows.csv").stdout);
    assert_eq!(rows.lines().count(), 1 + 2 * 4 * 2);
    assert!(rows.lines().skip(1).all(|row| row.contains("accepted")), "{rows}");
}

#[test]
fn the_selftest_passes() {
    let scratch = Scratch::new("selftest");
    let document = scratch.json("selftest --seconds 0 --seed 5", 0);
    assert_eq!(document["format"], "pidlab-selftest/1");
    assert_eq!((&document["failed"], &document["seed"]), (&0.into(), &5.into()));
    let checks = document["checks"].as_array().unwrap();
    assert!(checks.len() >= 15, "{document}");
    for check in checks {
        let skipped = check["status"] == "skipped";
        assert!(check["status"] == "ok" || skipped, "{check}");
        if skipped {
            eprintln!("SKIPPED by the selftest: {check}");
        }
    }
    assert_eq!(std::fs::read_dir(&scratch.0).unwrap().count(), 0, "it leaves nothing behind");
    let csv = text(&scratch.run("selftest --seconds 0 --csv").stdout);
    assert_eq!(csv.lines().next(), Some("name,status,detail"));
    let plain = text(&scratch.run("selftest --seconds 0").stdout);
    let lines = plain.lines().filter(|line| line.starts_with("ok") || line.starts_with("skipped"));
    assert_eq!(lines.count(), checks.len(), "{plain}");
    expect(&scratch.run("selftest --seconds nan"), 2);
}

#[test]
fn fuzzing_finds_nothing_and_leaves_nothing() {
    let scratch = Scratch::new("fuzz");
    for kind in ["pairs", "nets", "heap", "cover"] {
        let document = scratch.json(&format!("fuzz {kind} --cases 20 --seconds 300"), 0);
        assert_eq!(document["format"], "pidlab-fuzz/1");
        assert_eq!((&document["kind"], &document["seed"]), (&kind.into(), &2010.into()));
        assert!(document["comparisons"].as_u64() > Some(0), "{document}");
        assert_eq!(document["findings"], serde_json::json!([]));
    }
    let plain = text(&scratch.run("fuzz pairs --cases 3").stdout);
    assert!(plain.starts_with("3 cases, "), "{plain}");
    let csv = text(&scratch.run("fuzz pairs --cases 1 --csv").stdout);
    assert_eq!(csv.trim_end(), "case,what,message,files");
    assert_eq!(std::fs::read_dir(&scratch.0).unwrap().count(), 0, "it leaves nothing behind");
    expect(&scratch.run("fuzz pairs --seconds -1"), 2);
    expect(&scratch.run("fuzz pairs --threads 0"), 2);
    expect(&scratch.run("fuzz everything"), 2);
}

/// With a shell that does nothing, no file is limited and the liar never lies: both checks must notice.
#[test]
fn a_check_that_fails_is_exit_code_four() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("failing");
    let shell = scratch.0.join("sh");
    std::fs::write(&shell, "#!/bin/sh\nexit 0\n").unwrap();
    std::fs::set_permissions(&shell, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = scratch.command("selftest --seconds 0 --json");
    let output = command.env("PATH", &scratch.0).output().unwrap();
    expect(&output, 4);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = document["checks"].as_array().unwrap().iter();
    let failed: Vec<&Value> = checks.filter(|check| check["status"] == "failed").collect();
    assert_eq!(document["failed"], failed.len());
    let names: Vec<&Value> = failed.iter().map(|check| &check["name"]).collect();
    let room = "a run that finds no room stops and resumes to the same table";
    assert_eq!(names, [room, "a lying backend is noticed"], "{failed:?}");
}

#[test]
fn ctrl_c_ends_a_selftest() {
    let scratch = Scratch::new("interrupted");
    let mut child =
        scratch.command("selftest --seconds 300").stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // it is at work once the first check is done
    lines.next().unwrap().unwrap();
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let rest: Vec<String> = lines.map(|line| line.unwrap()).collect();
    assert_eq!(child.wait().unwrap().code(), Some(3), "{rest:?}");
    assert!(rest.iter().any(|line| line.starts_with("skipped") && line.ends_with("interrupted")));
}

/// The levels of N(4,3) are held against their closed form by the command itself.
#[test]
fn searches_by_many_machines_are_predicted_from_a_few_processes() {
    let scratch = Scratch::new("scaling");
    let document = scratch.json("bench scaling --rounds 1 --machines 1,10", 0);
    let checked = document["checked"].as_array().unwrap();
    let processes: Vec<u64> = checked.iter().map(|c| c["processes"].as_u64().unwrap()).collect();
    assert_eq!(processes, [1, 2, 4]);
    assert!(checked.iter().all(|c| c["states"] == 455_127.0 && c["ratio"].as_f64() > Some(0.0)));
    let [one, ten] = &document["predicted"].as_array().unwrap()[..] else { panic!("{document}") };
    assert!(one["states"].as_f64() < ten["states"].as_f64(), "{document}");
    let refused = scratch.run("bench scaling --machines 0");
    expect(&refused, 2);
}
