//! `cover --emit` and `refines` as a user runs them.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn pidlab(args: &[&str]) -> (i32, String, String) {
    let program = Command::new(env!("CARGO_BIN_EXE_pidlab"))
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    let output = program.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_model_in_every_format_has_the_same_verdict() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cover-formats");
    std::fs::create_dir_all(&folder).unwrap();
    for (model, expected) in [("models/rockall.bp", 0), ("models/rockall-no-lock-B1_New.bp", 1)] {
        for format in ["lgfsm", "tts", "spec", "pnml"] {
            let file = folder.join(format!("model.{format}"));
            let name = file.to_str().unwrap();
            let (code, _, err) = pidlab(&["cover", model, "--emit", format, "--output", name]);
            assert_eq!(code, 0, "{err}");
            // the other formats of the same name keep theirs
            let property = folder.join(format!("model.{format}.prop"));
            assert_eq!(property.exists(), ["tts", "pnml"].contains(&format));
            assert_eq!(pidlab(&["cover", name]).0, expected, "{model} as {format}");
        }
        for format in ["tts", "pnml"] {
            let file = folder.join(format!("model.{format}"));
            assert_eq!(pidlab(&["cover", file.to_str().unwrap()]).0, expected, "{model}, {format}");
        }
    }
    let (code, out, _) = pidlab(&["cover", "models/mutex.lgfsm", "--emit", "tts"]);
    assert_eq!(code, 0);
    assert!(out.lines().any(|line| line.contains(" -> ")), "{out}");
    let (code, _, err) = pidlab(&["cover", "models/mutex.lgfsm", "--emit", "xml"]);
    assert_eq!(code, 2);
    assert!(err.contains("expected lgfsm, tts, spec or pnml"), "{err}");
}

/// A file for a test.
fn written(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cover-words");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_string()
}

#[test]
fn what_is_asked_of_a_program_must_be_there() {
    let file = written("label.bp", "decl g := 0; void main() begin MINE: g := 1; end");
    assert_eq!(pidlab(&["cover", &file, "--label", "MINE"]).0, 1);
    let (code, _, err) = pidlab(&["cover", &file, "--label", "NOPE"]);
    assert!(code == 2 && err.contains("there is no label `NOPE`"), "{err}");
    for model in [&file, "models/mutex.lgfsm"] {
        let (code, _, err) = pidlab(&["cover", model, "--prop", "none.prop"]);
        assert!(code == 2 && err.contains("only .tts and .pnml files"), "{err}");
    }
    let twice = written("twice.bp", "decl g := 0; void main() begin g, g := 1, 0; end");
    let (code, _, err) = pidlab(&["cover", &twice]);
    assert!(code == 2 && err.contains("`g` is assigned twice"), "{err}");
}

#[test]
fn any_number_of_threads_is_said_of_any_number() {
    let program = |threads: &str| {
        format!("decl g := 0; thread w[{threads}]; void w() begin g := 1; assert(g); end")
    };
    let fixed = pidlab(&["cover", &written("fixed.bp", &program("2"))]);
    assert!(fixed.0 == 0 && fixed.1.starts_with("safe, answered"), "{}{}", fixed.1, fixed.2);
    let any = pidlab(&["cover", &written("any.bp", &program("*"))]);
    assert!(
        any.0 == 0 && any.1.starts_with("safe for any number of threads,"),
        "{}{}",
        any.1,
        any.2
    );
}

#[test]
fn refinement_has_exit_codes_and_a_counterexample() {
    let (program, machine) =
        ("examples/refinement/section.bp", "examples/refinement/section.lgfsm");
    let (code, out, _) = pidlab(&["refines", program, machine, "--environment", "threads"]);
    assert_eq!((code, out.starts_with("refines: ")), (0, true), "{out}");
    let (code, out, _) = pidlab(&["refines", program, machine, "--json"]);
    assert_eq!(code, 1);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["format"], "pidlab-refines/1");
    assert_eq!(found["refines"], false);
    let steps = found["counterexample"].as_array().unwrap();
    assert!(steps.last().unwrap()["machine_after"].is_null(), "{out}");
    assert_eq!(pidlab(&["refines", machine, program]).0, 2);
    assert_eq!(pidlab(&["refines", program, machine, "--timeout", "0s"]).0, 3);
    assert_eq!(pidlab(&["cover", machine]).0, 0);
}

#[test]
fn traces_name_threads_and_states() {
    let (code, out, _) = pidlab(&["cover", "models/rockall-no-lock-B1_New.bp"]);
    assert_eq!(code, 1);
    assert!(out.contains("thread 1, ") && out.contains("thread 2, "), "{out}");
    assert!(out.contains("B1_New:") && out.contains("shared: shared{"), "{out}");
}
