//! Programs of other people as backends: what they say, how they fail, and that they are killed.
//! The programs are shell scripts; where there is no `sh` the tests say so and pass.

use std::process::{Command, Output};

const A: &str = r#"{"sigma":{"A":[["@1"],["@2"]]},"eta":{}}"#;
const B: &str = r#"{"sigma":{"A":[["@3"],["@4"]]},"eta":{}}"#;

/// Runs `pidlab check A B` with a shell script as the backend; `None` where there is no shell.
fn check(test: &str, script: &str, more: &[&str]) -> Option<Output> {
    let shell = Command::new("sh").args(["-c", "exit 0"]).status();
    if !shell.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED {test}: there is no `sh` here");
        return None;
    }
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("ext-{test}"));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let (a, b, script) = (write("a.json", A), write("b.json", B), write("program.sh", script));
    let backend = format!("external:sh '{script}'");
    let mut args = vec!["check", &a, &b, "--backend", &backend, "--json"];
    args.extend(more);
    Some(Command::new(env!("CARGO_BIN_EXE_pidlab")).args(args).output().unwrap())
}

fn document(output: &Output) -> serde_json::Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{output:?}"))
}

const HELLO: &str = r#"echo '{"format":"pidlab-external/1","wants":["states"]}'; read request; "#;

fn answering(answer: &str) -> String {
    format!("{HELLO} echo '{answer}'")
}

#[test]
fn a_witness_is_taken() {
    let script = answering(r#"{"equivalent":true,"witness":{"@1":"@4","@2":"@3"}}"#);
    let Some(output) = check("witness", &script, &["--check"]) else { return };
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(document(&output)["witness"]["@1"], "@4");
}

#[test]
fn a_missing_witness_is_found_by_us() {
    let Some(output) = check("completed", &answering(r#"{"equivalent":true}"#), &["--check"])
    else {
        return;
    };
    assert_eq!(output.status.code(), Some(0));
    assert!(document(&output)["witness"].is_object());
}

#[test]
fn not_equivalent_is_believed() {
    let Some(output) = check("no", &answering(r#"{"equivalent":false}"#), &[]) else { return };
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn malformed_answers_are_failures() {
    for (test, script, expected) in [
        ("junk", answering("certainly!"), "not as documented"),
        ("field", answering(r#"{"equivalent":true,"colour":1}"#), "not as documented"),
        (
            "pid",
            answering(r#"{"equivalent":true,"witness":{"@1":"@9","@2":"@3"}}"#),
            "no pid of the other",
        ),
        ("short", answering(r#"{"equivalent":true,"witness":{"@1":"@4"}}"#), "lacks @2"),
        ("image", answering(r#"{"equivalent":true,"image":[0,1]}"#), "no isomorphism"),
        ("error", answering(r#"{"error":"out of cheese"}"#), "out of cheese"),
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
