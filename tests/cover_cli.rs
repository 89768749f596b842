//! `pidlab cover` from outside: exit codes, JSON, errors, verification.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn pidlab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pidlab"))
        .arg("cover")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

fn scratch(name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cover");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn safe_unsafe_and_unknown_have_their_exit_codes() {
    let safe = pidlab(&["models/rockall.bp", "--json"]);
    assert_eq!(safe.status.code(), Some(0));
    let document = json(&safe);
    assert_eq!(document["format"], "pidlab-cover/1");
    assert_eq!(document["verdict"], "safe");
    assert!(document["certificate"].is_object() && document["trace"].is_null());

    let broken = pidlab(&["models/rockall-no-lock-B1_New.bp", "--json"]);
    assert_eq!(broken.status.code(), Some(1));
    let document = json(&broken);
    assert_eq!(document["verdict"], "unsafe");
    assert_eq!(document["trace"]["threads"], 2);
    assert!(document["certificate"].is_null());

    let bounded = pidlab(&["models/rockall.bp", "--algorithm", "bounded:2", "--json"]);
    assert_eq!(bounded.status.code(), Some(3));
    assert_eq!(json(&bounded)["verdict"], "unknown");
}

#[test]
fn threads_of_a_fixed_number_count_in_a_run() {
    let program = "decl done := 0;\nvoid first() begin assert(!done); done := 1; end\n\
                   void second() begin skip; end\nthread first[2];\nthread second[*];\n";
    let path = scratch("fixed.bp", program);
    let found = pidlab(&[path.to_str().unwrap(), "--json"]);
    assert_eq!(found.status.code(), Some(1));
    assert_eq!(json(&found)["trace"]["threads"], 2);
    let shown = pidlab(&[path.to_str().unwrap()]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("\n2 threads, ") && shown.contains("thread 1, "), "{shown}");
}

#[test]
fn budgets_end_with_three_and_what_was_explored() {
    let arguments = ["models/rockall.bp", "--no-reduce", "--algorithm", "karp-miller", "--json"];
    let output = pidlab(&[&arguments[..], &["--timeout", "0.3"]].concat());
    assert_eq!(output.status.code(), Some(3));
    let document = json(&output);
    assert!(document["explored"].as_u64().unwrap() > 0);
    assert!(document["reason"].as_str().unwrap().contains("time limit"));
    let output = pidlab(&[&arguments[..], &["--memory-limit", "1MiB"]].concat());
    assert_eq!(output.status.code(), Some(3));
    assert!(json(&output)["reason"].as_str().unwrap().contains("memory limit"));
}

/// A thread in local state 1 may stay; the comment is not UTF-8.
const STAY_OR_MOVE: &[u8] = b"2 3 # l\xe4uft\n0 0 -> 0 1\n0 0 -> 1 0 1 ~> 1 1 ~> 2\n";

#[test]
fn threads_choose_and_the_trace_says_what() {
    let file = scratch("choice.tts", STAY_OR_MOVE);
    scratch("choice.prop", b"1|1,2 # \xff\n");
    let file = file.to_str().unwrap();
    let output = pidlab(&[file, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let moves =
        json(&output)["trace"]["steps"].as_array().unwrap().last().unwrap()["moves"].clone();
    assert_eq!(moves, serde_json::json!({"l1": {"l1": 1, "l2": 1}}));
    let answer = scratch("choice.json", &output.stdout);
    let verified = pidlab(&[file, "--verify", answer.to_str().unwrap()]);
    assert_eq!(verified.status.code(), Some(0));
    let text = String::from_utf8(pidlab(&[file]).stdout).unwrap();
    assert!(text.contains("(l1: 1 to l1, 1 to l2)"), "{text}");
}

#[test]
fn a_start_is_part_of_the_question() {
    let file = scratch("start.tts", STAY_OR_MOVE);
    scratch("start.prop", "1|1,2");
    let file = file.to_str().unwrap();
    let single = pidlab(&[file, "--init", "0|0,0", "--json"]);
    assert_eq!(single.status.code(), Some(0));
    let answer = scratch("start.json", &single.stdout);
    let verify = |more: &[&str]| {
        pidlab(&[&[file, "--verify", answer.to_str().unwrap()], more].concat()).status.code()
    };
    assert_eq!(verify(&["--init", "0|0,0"]), Some(0));
    assert_eq!(verify(&[]), Some(1), "three threads can do what two cannot");
    for (model, start) in [(file, "0"), (file, "0|9"), ("models/mutex.lgfsm", "0|0")] {
        let output = pidlab(&[model, "--init", start]);
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("--init"), "{message}");
    }
}

#[test]
fn errors_name_file_and_line_and_exit_with_two() {
    let file = scratch("broken.tts", "2 2\n0 0 1 1\n");
    scratch("broken.prop", "1|0\n");
    let output = pidlab(&[file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("broken.tts:2:1: expected `s l -> s' l'`"), "{message}");
    assert!(message.ends_with(" 2 | 0 0 1 1\n   | ^^^^^^^\n"), "{message}");

    let lonely = scratch("lonely.tts", "2 2\n0 0 -> 1 1\n");
    let message = String::from_utf8(pidlab(&[lonely.to_str().unwrap()]).stderr).unwrap();
    assert!(message.contains("--prop"), "{message}");
    for arguments in
        [&["nowhere.spec"][..], &["README"], &[], &["models/mutex.lgfsm", "--algorithm", "x"]]
    {
        assert_eq!(pidlab(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn counters_overflow_into_an_error() {
    let text =
        "vars\nx y\nrules\nx >= 1 -> y' = y + 4294967294;\ninit\nx = 1\ntarget\ny >= 5, x >= 2\n";
    let file = scratch("overflow.spec", text);
    let arguments = [file.to_str().unwrap(), "--algorithm", "bounded:1", "--no-reduce", "--json"];
    let output = pidlab(&arguments);
    assert_eq!(output.status.code(), Some(3));
    assert!(json(&output)["reason"].as_str().unwrap().contains("overflow: place y"));
    let text = text.replace("4294967294", "4294967295");
    let file = scratch("too-large.spec", &text);
    let output = pidlab(&[file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("too-large.spec:4:20: this number is too large"), "{message}");
}

#[test]
fn answers_verify_and_damaged_ones_do_not() {
    for model in ["models/rockall.bp", "models/rockall-no-lock-B0_New.bp"] {
        let text = String::from_utf8(pidlab(&[model, "--json"]).stdout).unwrap();
        let answer = scratch("answer.json", &text);
        let verify = ["--verify", answer.to_str().unwrap(), "--json"];
        let good = pidlab(&[&[model][..], &verify].concat());
        assert_eq!((good.status.code(), json(&good)["valid"].as_bool()), (Some(0), Some(true)));
        let bad = pidlab(&[&["models/finkel.spec"][..], &verify].concat());
        assert_eq!((bad.status.code(), json(&bad)["valid"].as_bool()), (Some(1), Some(false)));
    }
    let odd = scratch("odd.json", "{\"verdict\": \"safe\", \"strange\": 1}");
    let output = pidlab(&["models/rockall.bp", "--verify", odd.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("strange"));
}

#[test]
fn a_folder_is_compared_and_plotted() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare");
    let output = pidlab(&[
        "--compare",
        "testdata/cover/wahl-kroening",
        "--algorithms",
        "auto,mp",
        "--timeout",
        "5",
        "--out",
        out.to_str().unwrap(),
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(0));
    let summary = json(&output);
    let solved = summary["solved"]["auto"].as_array().unwrap();
    assert_eq!(solved[0], solved[1]);
    let csv = std::fs::read_to_string(out.join("rows.csv")).unwrap();
    assert!(csv.starts_with("row,state,set") && csv.contains("instance"), "{csv}");
    let figures = out.join("figures");
    let figure = std::fs::read_to_string(figures.join("cactus.svg")).unwrap();
    assert!(figure.contains(">auto ("), "{figure}");
    assert!(std::fs::read(figures.join("cactus-84mm.pdf")).unwrap().starts_with(b"%PDF"));
}

#[test]
fn spawns_and_broadcasts_of_thread_transition_systems() {
    // A token starter spawns workers; a broadcast sends all of them home; then nobody is at work.
    let system = "3 3\n0 0 -> 1 1\n1 1 +> 1 2\n1 2 ~> 2 0\n";
    let file = scratch("spawn.tts", system);
    let ask = |target: &str| {
        scratch("spawn.prop", target);
        pidlab(&[file.to_str().unwrap()]).status.code()
    };
    assert_eq!(ask("1|2,2,2"), Some(1));
    assert_eq!(ask("2|0,1"), Some(1));
    assert_eq!(ask("2|2"), Some(0));
    assert_eq!(ask("1|1,1"), Some(0));
}

/// A coverability set needs no target, whatever the language.
#[test]
fn sets_need_no_property() {
    let model = scratch("set.tts", "1 2\n0 0 -> 0 1\n");
    let written = scratch("set.pnml", "");
    let property = scratch("set.tts.prop", "0|1");
    let emit = [model.to_str().unwrap(), "--emit", "pnml", "--output", written.to_str().unwrap()];
    assert_eq!(pidlab(&emit).status.code(), Some(0));
    std::fs::remove_file(property).unwrap();
    std::fs::remove_file(written.with_extension("pnml.prop")).unwrap();
    for file in [&model, &written] {
        let found = pidlab(&[file.to_str().unwrap(), "--set", "--json"]);
        assert_eq!(found.status.code(), Some(0), "{}", String::from_utf8_lossy(&found.stderr));
        assert_eq!(json(&found)["complete"], true);
    }
    let both = pidlab(&[model.to_str().unwrap(), "--set", "--emit", "spec"]);
    assert_eq!(both.status.code(), Some(2), "one of them would be ignored");
}
