//! Programs of other people as backends: what they say, how they fail, and that they are killed.
//! The programs are shell scripts; where there is no `sh` the tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const A: &str = r#"{"sigma":{"A":[["@1"],["@2"]]},"eta":{}}"#;
const B: &str = r#"{"sigma":{"A":[["@3"],["@4"]]},"eta":{}}"#;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_pidlab"))
}

/// A folder with the two states and the script, and the backend that is the script; `None` where there
/// is no shell.
fn prepare(test: &str, script: &str) -> Option<(PathBuf, String)> {
    let shell = Command::new("sh").args(["-c", "exit 0"]).status();
    if !shell.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED {test}: there is no `sh` here");
        return None;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("ext-{test}"));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in [("a.json", A), ("b.json", B), ("program.sh", script)] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let backend = format!("external:sh '{}'", folder.join("program.sh").display());
    Some((folder, backend))
}

fn run(folder: &Path, backend: &str, more: &[&str]) -> Output {
    let mut command = program();
    command.args(["check", "a.json", "b.json", "--backend", backend]).args(more);
    command.current_dir(folder).output().unwrap()
}

/// Runs `pidlab check A B` with a shell script as the backend, in the form asked for.
fn check_in_form(test: &str, script: &str, more: &[&str]) -> Option<Output> {
    let (folder, backend) = prepare(test, script)?;
    Some(run(&folder, &backend, more))
}

fn check(test: &str, script: &str, more: &[&str]) -> Option<Output> {
    check_in_form(test, script, &[more, &["--json"]].concat())
}

fn document(output: &Output) -> serde_json::Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{output:?}"))
}

const HELLO: &str = r#"echo '{"format":"pidlab-external/2","wants":["states"]}'; read request; "#;

fn answering(answer: &str) -> String {
    format!("{HELLO} echo '{answer}'")
}

#[test]
fn a_witness_is_taken() {
    let script = answering(r#"{"id":1,"equivalent":true,"witness":{"@1":"@4","@2":"@3"}}"#);
    let Some(output) = check("witness", &script, &["--check"]) else { return };
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(document(&output)["witness"]["@1"], "@4");
}

#[test]
fn a_missing_witness_is_found_by_us() {
    let Some(output) =
        check("completed", &answering(r#"{"id":1,"equivalent":true}"#), &["--check"])
    else {
        return;
    };
    assert_eq!(output.status.code(), Some(0));
    assert!(document(&output)["witness"].is_object());
}

/// The states are equivalent, so this is a lie.
#[test]
fn not_equivalent_is_the_word_of_the_program() {
    let script = answering(r#"{"id":1,"equivalent":false}"#);
    let Some(output) = check("no", &script, &[]) else { return };
    assert_eq!(output.status.code(), Some(1));
    assert!(document(&output)["backend"].as_str().unwrap().starts_with("external:sh"));
    let output = check_in_form("no-text", &script, &[]).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("not equivalent, says external:sh"), "{text}");
    assert!(text.contains("--check has canon decide"), "nothing is stated as fact: {text}");
    assert!(!text.contains("no bijection"), "{text}");
}

#[test]
fn a_denial_is_held_against_canon_by_check() {
    let script = answering(r#"{"id":1,"equivalent":false}"#);
    let Some(output) = check("lie", &script, &["--check"]) else { return };
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let violation = document(&output)["violation"].as_str().unwrap().to_string();
    assert!(violation.contains("canon finds a witness"), "{violation}");
    let text = check_in_form("lie-text", &script, &["--check"]).unwrap();
    assert_eq!(text.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&text.stdout).contains("CONTRADICTION: canon"), "{text:?}");
}

#[test]
fn a_true_denial_is_confirmed_by_canon() {
    let script = answering(r#"{"id":1,"equivalent":false}"#);
    let Some((folder, backend)) = prepare("truth", &script) else { return };
    std::fs::write(folder.join("b.json"), r#"{"sigma":{"A":[["@1"]]},"eta":{}}"#).unwrap();
    let output = run(&folder, &backend, &["--check", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(document(&output)["confirmed_by"], "canon");
}

/// Lines for `--pairs`, all equivalent.
fn pairs(folder: &Path, count: usize) -> String {
    let path = folder.join("pairs.jsonl");
    let line = |id| format!("{{\"id\":{id},\"q\":{A},\"r\":{B}}}\n");
    std::fs::write(&path, (0..count).map(line).collect::<String>()).unwrap();
    path.to_str().unwrap().to_string()
}

/// The second line of the first answer used to be taken for the answer to the second question.
#[test]
fn a_line_too_many_is_not_taken_for_another_answer() {
    let extra = r#"echo '{"format":"pidlab-external/2","wants":["states"]}'
read request
echo '{"id":1,"equivalent":true}'
echo '{"id":1,"equivalent":false}'
while read request; do echo '{"id":2,"equivalent":true}'; done"#;
    let Some((folder, backend)) = prepare("extra", extra) else { return };
    let pairs = pairs(&folder, 3);
    let words = ["check", "--pairs", &pairs, "--backend", &backend, "--json"];
    let output = program().args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let answers: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0]["equivalent"], true);
    assert!(answers[1]["equivalent"].is_null(), "{lines}");
    assert_eq!(answers[2]["equivalent"], true, "the program is started anew");
}

#[test]
fn endless_output_is_refused() {
    for (test, script, expected) in [
        ("long-line", format!("{HELLO} exec tr '\\0' x < /dev/zero"), "a line of more than"),
        ("long-greeting", "exec tr '\\0' x < /dev/zero".to_string(), "a line of more than"),
        ("chatter", format!("{HELLO} exec yes '{{}}'"), "lacks \"id\": 1"),
        ("loud", format!("{HELLO} head -c 30000000 /dev/zero >&2; exit 1"), "ended without"),
    ] {
        // an address space that the old way of reading did not fit into
        let limited = "ulimit -v 1500000; exec \"$0\" \"$@\"";
        let Some((folder, backend)) = prepare(test, &script) else { return };
        let output = Command::new("sh")
            .args(["-c", limited, env!("CARGO_BIN_EXE_pidlab"), "check", "a.json", "b.json"])
            .args(["--json", "--timeout", "60s", "--memory-limit", "100MB", "--backend", &backend])
            .current_dir(&folder)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(3), "{test}: {output:?}");
        let why = document(&output)["undecided"].as_str().unwrap().to_string();
        assert!(why.contains(expected), "{test}: {why}");
    }
}

/// Processes whose command line holds the mark.
fn running(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let line = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        if line.contains(mark) {
            found.push(line.replace('\0', " "));
        }
    }
    found
}

fn wait_for(what: &str, happened: impl Fn() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whatever ends pidlab, the program and the `sleep` it has started end too.
#[test]
fn no_program_outlives_us() {
    if !Path::new("/proc/self/cmdline").exists() {
        eprintln!("SKIPPED: there is no /proc here");
        return;
    }
    let ends = [("INT", "--json"), ("TERM", "--json"), ("KILL", "--json"), ("KILL", "--csv")];
    for (number, (signal, form)) in ends.into_iter().enumerate() {
        // a number nobody else sleeps for marks our processes
        let mark = format!("7{}.{number}", std::process::id());
        let script = format!("{HELLO} sleep {mark}; echo");
        let Some((folder, backend)) = prepare(&format!("orphan-{signal}{form}"), &script) else {
            return;
        };
        let mut child = program()
            .args(["check", "a.json", "b.json", form, "--backend", &backend])
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let sleeping = format!("sleep\0{mark}");
        let script = folder.to_str().unwrap().to_string();
        wait_for("the program is asked", || !running(&sleeping).is_empty());
        let pid = child.id().to_string();
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &pid]).status().unwrap().success()
        );
        child.wait().unwrap();
        wait_for(&format!("{signal} {form} leaves {:?}", running(&sleeping)), || {
            running(&sleeping).is_empty() && running(&script).is_empty()
        });
    }
}

#[test]
fn malformed_answers_are_failures() {
    for (test, script, expected) in [
        ("junk", answering("certainly!"), "not as documented"),
        ("field", answering(r#"{"id":1,"equivalent":true,"colour":1}"#), "not as documented"),
        (
            "pid",
            answering(r#"{"id":1,"equivalent":true,"witness":{"@1":"@9","@2":"@3"}}"#),
            "not a pid of the other",
        ),
        ("short", answering(r#"{"id":1,"equivalent":true,"witness":{"@1":"@4"}}"#), "lacks @2"),
        ("image", answering(r#"{"id":1,"equivalent":true,"image":[0,1]}"#), "not an isomorphism"),
        (
            "slow-clock",
            answering(r#"{"id":1,"equivalent":true,"decide_seconds":1000}"#),
            "took 1000.000 s where",
        ),
        (
            "cpu-clock",
            answering(r#"{"id":1,"equivalent":true,"cpu_seconds":1000}"#),
            "CPU time took 1000.000 s where",
        ),
        (
            "back",
            answering(r#"{"id":1,"equivalent":true,"build_seconds":-1}"#),
            "\"build_seconds\" is not a number of seconds",
        ),
        ("error", answering(r#"{"id":1,"error":"out of cheese"}"#), "out of cheese"),
        ("unnumbered", answering(r#"{"equivalent":false}"#), "lacks \"id\": 1"),
        (
            "misnumbered",
            answering(r#"{"id":2,"equivalent":false}"#),
            "answers request 2 where request 1",
        ),
        (
            "old",
            r#"echo '{"format":"pidlab-external/1","wants":["states"]}'; read request"#.to_string(),
            "speaks pidlab-external/1, and pidlab-external/2 is needed",
        ),
        (
            "escape",
            answering(r#"{"id":1,"error":"red \\u001b[31m alert"}"#),
            r"red \u001b[31m alert",
        ),
        ("greeting", "echo hello; read request".to_string(), "its first line must be"),
        ("death", "echo 'no such luck' >&2; exit 7".to_string(), "no such luck"),
    ] {
        let Some(output) = check(test, &script, &[]) else { return };
        assert_eq!(output.status.code(), Some(3), "{test}: {output:?}");
        let why = document(&output)["undecided"].as_str().unwrap().to_string();
        assert!(why.contains(expected), "{test}: {why}");
    }
}

#[test]
fn a_program_that_takes_too_long_is_killed() {
    for (test, script) in [
        ("silent", "sleep 30".to_string()),
        ("slow", format!("{HELLO} sleep 30")),
        ("deaf", format!("{HELLO} exec sleep 30")),
    ] {
        let start = std::time::Instant::now();
        let Some(output) = check(test, &script, &["--timeout", "300ms"]) else { return };
        assert_eq!(output.status.code(), Some(3));
        assert!(document(&output)["undecided"].as_str().unwrap().contains("time limit"));
        assert!(start.elapsed().as_secs() < 15, "{test}: {:?}", start.elapsed());
    }
}
