//! `pidlab quotient` and `pidlab serve`, as a user runs them.

use serde_json::Value;
use std::process::{Command, Output};

fn run(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pidlab")).args(words).output().unwrap()
}

fn document(words: &[&str], code: i32) -> Value {
    let found = run(&[words, &["--json"]].concat());
    let said = String::from_utf8_lossy(&found.stderr);
    assert_eq!(found.status.code(), Some(code), "{words:?}: {said}");
    serde_json::from_slice(&found.stdout).unwrap()
}

/// Equal tokens give one binding, and a marking is one state, in whatever order steps have put its tokens.
#[test]
fn a_written_net_has_the_counts_of_its_exploration() {
    let folder = std::env::temp_dir().join(format!("pidlab-written-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    let (net, lts) = (path("r.tnet"), path("r.jsonl"));
    let text = "net r
place p0(pid, pid)
place p1(pid)
place p2(pid)
place p3(pid)
init p0(@1, @1), p1(@1), p2(@2), p3(@2), active @1, active @2
transition t0 { take p2(v0) put p2(v0) }
transition t1 { take p1(v0) put p2(v0), p0(v0, v0) }
transition t2 { take p0(v0, v1), p1(v2) create w of v0 put p1(w), p3(v2) }
transition t3 { take p1(v0), p3(v1) put p1(v1), p2(v1) }
";
    std::fs::write(&net, text).unwrap();
    let explored = document(&["explore", &net, "--output", &lts], 0);
    let reduced = document(&["quotient", &lts], 0);
    for count in ["states", "edges", "seen", "deadlocks"] {
        assert_eq!(explored[count], reduced[count], "{count}");
    }
    std::fs::remove_dir_all(&folder).ok();
}

#[test]
fn a_file_and_what_is_written_of_it() {
    let folder = std::env::temp_dir().join(format!("pidlab-quotient-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    let (aut, dot, json) = (path("x.aut"), path("x.dot"), path("x.json"));
    let found = document(
        &[
            "quotient",
            "examples/listeners.jsonl",
            "--output",
            &aut,
            "--output",
            &dot,
            "--output",
            &json,
        ],
        0,
    );
    assert_eq!(
        (&found["states"], &found["edges"], &found["labelled_edges"]),
        (&2.into(), &2.into(), &3.into())
    );
    let ids: Vec<u64> = found["assumptions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids, [1, 2, 3]);
    let text = std::fs::read_to_string(&aut).unwrap();
    assert!(
        text.starts_with("des (0, 3, 2)\n(0, \"create(@1, handler = @1.1, year = 2009)\", 1)"),
        "{text}"
    );
    let graph: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(graph["edges"][0]["pid"], "@1");
    assert_eq!(graph["edges"][0]["binding"]["year"], 2009);
    assert!(std::fs::read_to_string(&dot).unwrap().starts_with("digraph"));
    // siblings are told apart by their order: the listeners cannot be swapped
    let all = document(&["quotient", "examples/listeners.jsonl", "--relations", "all"], 0);
    assert_eq!((&all["states"], &all["open"]), (&3.into(), &0.into()));
    std::fs::remove_dir_all(&folder).ok();
}

#[test]
fn a_net_through_the_protocol_has_the_counts_of_explore() {
    let program =
        format!("{} serve models/nkm.tnet --set k=2 --set m=2", env!("CARGO_BIN_EXE_pidlab"));
    let ours = document(&["quotient", "--program", &program], 0);
    let theirs = document(&["explore", "models/nkm.tnet", "--set", "k=2", "--set", "m=2"], 0);
    for count in ["states", "edges", "deadlocks", "complete"] {
        assert_eq!(ours[count], theirs[count], "{count}");
    }
    let none = document(&["quotient", "--program", &program, "--relations", "none"], 1);
    assert!(none["assumptions"][2]["counterexample"]["q"].is_object());
}

#[test]
fn what_is_wrong_is_said() {
    let program = format!("{} serve models/nkm.tnet", env!("CARGO_BIN_EXE_pidlab"));
    let program = format!("{program} --set k=2 --set m=2");
    let unwritable = ["quotient", "--program", &program, "--output", "no/such/folder.aut"];
    let unsound = [&unwritable[..], &["--relations", "none"]].concat();
    for (words, code, message) in [
        (&unwritable[..], 2, "no/such/folder.aut"),
        // the answer is no all the same
        (&unsound[..], 1, "no/such/folder.aut"),
        (&["quotient", "examples/listeners.jsonl", "--members", "3"], 2, "--members"),
        (&["quotient"], 2, "--program"),
        (&["quotient", "examples/q3.json"], 2, "examples/q3.json:1:"),
        (&["quotient", "no-such-file.jsonl"], 2, "cannot open"),
        (&["quotient", "--program", "no-such-program"], 2, "cannot be started"),
        (&["quotient", "examples/listeners.jsonl", "--output", "x.txt"], 2, ".aut"),
        (&["quotient", "--program", "sleep 100", "--timeout", "300ms"], 3, "time limit"),
    ] {
        let ended = run(words);
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(code), "{words:?}: {said}");
        assert!(said.contains(message), "{words:?}: {said}");
    }
}
