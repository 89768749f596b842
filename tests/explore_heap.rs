//! `pidlab explore` on heap programs with functions, exceptions, extensions and properties, as a user
//! runs it.

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

fn explore(name: &str, args: &[&str]) -> Output {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name);
    let mut command = Command::new(env!("CARGO_BIN_EXE_pidlab"));
    command.arg("explore").arg(path).args(args).output().expect("pidlab runs")
}

fn found(name: &str, args: &[&str]) -> (i32, Value) {
    let output = explore(name, &[args, &["--json"]].concat());
    let text = String::from_utf8_lossy(&output.stdout).to_string();
    let code = output.status.code().unwrap();
    (code, serde_json::from_str(&text).unwrap_or_else(|_| panic!("{code}: {text}")))
}

#[test]
fn the_models_do_nothing_wrong() {
    for model in ["shared-stack.bir", "work-queue.bir"] {
        let mut counts = Vec::new();
        for symmetry in ["none", "pc", "kbots:inf", "exact"] {
            let (code, found) = found(model, &["--thread-symmetry", symmetry]);
            assert_eq!((code, &found["violation"]), (0, &Value::Null), "{model}, {symmetry}");
            counts.push(found["states"].as_u64().unwrap());
        }
        assert!(counts.iter().all(|&states| counts[3] <= states && states <= counts[0]));
        assert!(counts[3] < counts[0], "{model}: {counts:?}");
    }
}

#[test]
fn properties_and_runs() {
    let properties =
        ["--property", "never count(work) > 1", "--property", "always count(Worker) < 3"];
    let (code, both) = found("work-queue.bir", &properties);
    assert_eq!(code, 1);
    let [first, second] = &both["properties"].as_array().unwrap()[..] else { panic!("{both}") };
    assert_eq!((&first["verdict"], &first["kind"]), (&json!("violated"), &json!("never")));
    assert_eq!(first["trace"]["ending"][0], "never count(work) > 1");
    assert_eq!((&second["verdict"], &second["trace"]), (&json!("holds"), &Value::Null));
    let (code, _) = found("work-queue.bir", &["--property", "reach count(work) == 2"]);
    assert_eq!(code, 0);
    let (code, _) = found("work-queue.bir", &["--property", "reach count(work) == 3"]);
    assert_eq!(code, 1);
    let text = explore("work-queue.bir", &properties[..2]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("property   never count(work) > 1: violated"), "{text}");
    assert!(text.contains("goto work.loc0"), "{text}");
    let wrong = explore("work-queue.bir", &["--property", "never count(works) > 1"]);
    let message = String::from_utf8(wrong.stderr).unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(message.contains("property:1:13") && message.contains('^'), "{message}");
}
