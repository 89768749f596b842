//! `pidlab explore` and `pidlab lint` on nets, as a user runs them.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name)
}

fn pidlab(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pidlab")).args(args).output().expect("pidlab runs")
}

fn explore(name: &str, args: &[&str]) -> (i32, Value) {
    let path = model(name);
    let mut all = vec!["explore", path.to_str().unwrap(), "--json"];
    all.extend(args);
    let output = pidlab(&all);
    let code = output.status.code().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let value = serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{code}: {text}{}", String::from_utf8_lossy(&output.stderr)));
    (code, value)
}

fn message(args: &[&str]) -> (i32, String) {
    let output = pidlab(args);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("pidlab-{}-{name}", std::process::id()))
}

#[test]
fn n11_has_7_states_and_no_end_without_merging() {
    let (code, found) = explore("nkm.tnet", &[]);
    assert_eq!((code, found["states"].as_u64()), (0, Some(7)));
    assert_eq!(found["format"], "pidlab-explore/1");
    assert_eq!((&found["complete"], &found["sound"]), (&Value::Bool(true), &Value::Bool(true)));
    let (code, plain) = explore("nkm.tnet", &["--canon", "off", "--max-states", "5000"]);
    assert_eq!((code, plain["states"].as_u64()), (3, Some(5000)));
    assert_eq!(
        (&plain["complete"], &plain["stopped"]),
        (&Value::Bool(false), &"max-states".into())
    );
}

#[test]
fn threads_change_no_count() {
    for relations in ["parent", "all"] {
        let counts = |threads: &str| {
            let args =
                ["--set", "k=2", "--set", "m=2", "--relations", relations, "--threads", threads];
            let (_, found) = explore("nkm.tnet", &args);
            ["states", "edges", "seen", "deadlocks"].map(|field| found[field].as_u64().unwrap())
        };
        assert_eq!(counts("1"), counts("2"));
    }
}

#[test]
fn a_relation_that_guards_use_must_be_in_omega() {
    let path = model("nkm.tnet");
    let path = path.to_str().unwrap();
    let (code, text) = message(&["explore", path, "--relations", "none"]);
    assert_eq!(code, 2);
    assert!(
        text.contains("`ret`") && text.contains("`parent`") && text.contains("--force"),
        "{text}"
    );
    let args = ["--set", "k=2", "--set", "m=2", "--relations", "none", "--force"];
    let (_, forced) = explore("nkm.tnet", &args);
    assert_eq!(forced["sound"], false);
    let sound = explore("nkm.tnet", &["--set", "k=2", "--set", "m=2"]).1;
    assert!(forced["states"].as_u64() < sound["states"].as_u64());
    let auto = explore("nkm.tnet", &["--relations", "auto"]).1;
    assert_eq!(auto["relations"], serde_json::json!(["parent"]));
}

#[test]
fn limits_end_with_what_was_found() {
    for limit in [["--max-states", "1000"], ["--timeout", "200ms"], ["--memory-limit", "200KiB"]] {
        let mut args = vec!["--set", "k=9", "--set", "m=9"];
        args.extend(limit);
        let (code, found) = explore("nkm.tnet", &args);
        assert_eq!((code, &found["complete"]), (3, &Value::Bool(false)), "{limit:?}");
        assert!(found["states"].as_u64() > Some(100), "{limit:?}");
    }
}

#[test]
fn properties_and_traces() {
    let (code, found) = explore("nkm.tnet", &["--property", "never count(h4(_)) > 0"]);
    assert_eq!(code, 1);
    let property = &found["properties"][0];
    assert_eq!(property["verdict"], "violated");
    let steps = property["trace"]["steps"].as_array().unwrap();
    let names: Vec<&str> = steps.iter().map(|s| s["transition"].as_str().unwrap()).collect();
    assert_eq!(names, ["init", "spawn", "comp", "call", "fun", "ret"]);
    assert_eq!(steps[5]["state"]["sigma"]["h4"], serde_json::json!([["@1.1.1"]]));
    assert_eq!(steps[5]["state"]["eta"], serde_json::json!({"1.1": 1, "1.1.1": 1}));
    let (code, _) = explore("nkm.tnet", &["--property", "reach count(f1(_)) == 1"]);
    assert_eq!(code, 0);
    let (code, found) = explore("nkm.tnet", &["--property", "reach count(f1(_)) == 2"]);
    assert_eq!((code, &found["properties"][0]["verdict"]), (1, &"unreachable".into()));
    let again = "thread x: after exists(h1(h) where h == x) never exists(h1(h) where h == x) until exists(h2(h) where h == x)";
    assert_eq!(explore("nkm.tnet", &["--property", again, "--set", "m=2"]).0, 1);
    let never = "thread x: after exists(h2(h) where h == x) never exists(h1(h) where h == x)";
    assert_eq!(explore("nkm.tnet", &["--property", never, "--set", "m=2"]).0, 0);
}

/// Every model explores completely, keeps its properties and passes the checker.
#[test]
fn all_models_hold_and_pass_the_check() {
    for name in
        ["nkm", "server", "fork-join", "work-stealing", "supervisor", "ring", "producer-consumer"]
    {
        let file = format!("{name}.tnet");
        let (code, found) = explore(&file, &["--relations", "auto", "--check"]);
        assert_eq!(code, 0, "{name}: {found}");
        assert_eq!(found["complete"], true, "{name}");
        let (code, text) = message(&["lint", model(&file).to_str().unwrap()]);
        assert_eq!(code, 0, "{name}: {text}");
    }
}

#[test]
fn graphs_in_every_format() {
    let path = model("nkm.tnet");
    for (extension, sign) in [
        ("dot", "digraph"),
        ("graphml", "<graphml"),
        ("json", "pidlab-graph/1"),
        ("aut", "des (0, 7, 7)"),
        ("fsm", "\n2 3 \"spawn\"\n"),
        ("pml", "  :: fired = t_spawn; goto s2\n"),
        ("svg", "<svg"),
    ] {
        let file = temporary(&format!("graph.{extension}"));
        let output =
            pidlab(&["explore", path.to_str().unwrap(), "--output", file.to_str().unwrap()]);
        assert!(output.status.success());
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert!(text.contains(sign) && text.contains("spawn"), "{extension}: {text}");
    }
    let (code, text) = message(&["explore", path.to_str().unwrap(), "--output", "graph.png"]);
    assert!(code == 2 && text.contains(".graphml"), "{text}");
}

#[test]
fn traces_in_every_format() {
    let path = model("nkm.tnet");
    for (format, sign) in
        [("text", "1.1.1"), ("json", "pidlab-trace/1"), ("html", "<!doctype html>")]
    {
        let file = temporary(&format!("trace.{format}"));
        let args = [
            "explore",
            path.to_str().unwrap(),
            "--property",
            "never exists(h2(_))",
            "--trace",
            format,
            "--trace-file",
            file.to_str().unwrap(),
        ];
        assert_eq!(pidlab(&args).status.code(), Some(1));
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert!(text.contains(sign) && text.contains("h2"), "{format}: {text}");
    }
}

#[test]
fn a_broken_net_is_refused_with_its_line() {
    let file = temporary("broken.tnet");
    std::fs::write(
        &file,
        "net x\nclass t-net\nflow A(pid)\ninit A(@1)\ntransition t {\n  take A(p)\n}\n",
    )
    .unwrap();
    let (code, text) = message(&["explore", file.to_str().unwrap()]);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(code, 2);
    assert!(text.contains(":5:12: class t-net, ICTAC'08 Assumption 3.1"), "{text}");
    assert!(text.contains("transition t {\n"), "{text}");
    let (code, text) = message(&["explore", "no-such.tnet"]);
    assert!(code == 2 && text.contains("no-such.tnet"), "{text}");
    let (code, text) = message(&["explore", "model.txt"]);
    assert!(code == 2 && text.contains(".tnet"), "{text}");
}

/// The points and lines of a Latin square of order `n`, every symmetry of which is a canonical form's
/// worst enemy; one step leads to a marking as hard as the first.
fn latin_net(n: usize) -> String {
    let pid = |number: usize| format!("@{}", number + 1);
    let mut tokens = vec!["G(@1)".to_string()];
    for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
        let point = pid(row * n + column);
        for line in [row, n + column, 2 * n + (row + column) % n] {
            tokens.push(format!("L({point}, {})", pid(n * n + line)));
        }
    }
    let step = "transition go {\n take G(p)\n create x of p\n put G(x)\n}";
    format!("net latin\nplace L(pid, pid)\nplace G(pid)\ninit {}\n{step}\n", tokens.join(", "))
}

#[test]
fn one_hard_marking_honours_the_limits() {
    let file = temporary("latin.tnet");
    std::fs::write(&file, latin_net(130)).unwrap();
    for (limit, value, reason) in
        [("--timeout", "100ms", "time"), ("--memory-limit", "64KiB", "memory")]
    {
        let args =
            ["explore", file.to_str().unwrap(), "--relations", "none", limit, value, "--json"];
        let output = pidlab(&args);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(3), "{found}");
        assert_eq!((&found["complete"], &found["stopped"]), (&Value::Bool(false), &reason.into()));
        // the first marking alone takes longer than the limit
        assert_eq!(found["states"].as_u64(), Some(0), "{limit}");
    }
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn an_unsound_search_counts_the_same_on_any_number_of_threads() {
    let counts = |threads: &str| {
        let net = ["--set", "k=2", "--set", "m=2", "--relations", "none", "--force"];
        let (_, found) = explore("nkm.tnet", &[&net[..], &["--threads", threads]].concat());
        assert_eq!(found["threads"].as_u64().unwrap().to_string(), threads);
        ["states", "edges", "seen"].map(|field| found[field].as_u64().unwrap())
    };
    assert_eq!(counts("1"), counts("2"));
}

#[test]
fn edges_of_the_json_graph_carry_their_bijections() {
    let file = temporary("bijections.json");
    let path = model("nkm.tnet");
    let args = ["explore", path.to_str().unwrap(), "--set", "k=2", "--output"];
    assert!(pidlab(&[&args[..], &[file.to_str().unwrap()]].concat()).status.success());
    let graph: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    std::fs::remove_file(&file).unwrap();
    let edges = graph["edges"].as_array().unwrap();
    assert!(edges.iter().all(|edge| edge["renamed"].is_object()));
    let swapped = |edge: &&Value| edge["renamed"]["@1.1"] == "@1.2";
    assert!(edges.iter().filter(swapped).count() > 0);
    assert_eq!(graph["nodes"][0]["state"]["sigma"]["s0"], serde_json::json!([["@1"]]));
}

/// A ring of three places that two tokens go round, and a lock.
const RING: &str = "net ring\nplace at(int in 0..2)\nplace free()\ninit at(0), at(1), free()\n\
    transition walk { take at(x), free() guard no(at((x + 1) % 3)) put at((x + 1) % 3), free() }\n";

#[test]
fn nets_leave_as_pnml_and_come_back() {
    let (net, pnml) = (temporary("ring.tnet"), temporary("ring.pnml"));
    let (from, to) = (net.to_str().unwrap(), pnml.to_str().unwrap());
    std::fs::write(&net, RING).unwrap();
    let (code, text) = message(&["explore", from, "--emit", "pnml"]);
    assert!(code == 2 && text.contains("counts tokens") && text.contains('^'), "{text}");
    std::fs::write(&net, RING.replace("guard no(at((x + 1) % 3)) ", "")).unwrap();
    let written = pidlab(&["explore", from, "--emit", "pnml", "--output", to]);
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let counts = |file: &str| {
        let found = pidlab(&["explore", file, "--json"]).stdout;
        let found: Value = serde_json::from_slice(&found).unwrap();
        ["states", "edges", "deadlocks"].map(|field| found[field].as_u64().unwrap())
    };
    assert_eq!(counts(from), counts(to));
    assert_eq!(counts(from)[0], 6);
    let shown = pidlab(&["explore", to, "--emit", "tnet"]).stdout;
    assert!(String::from_utf8(shown).unwrap().contains("place at(int in 0..2)"));
    for file in [net, pnml] {
        std::fs::remove_file(file).unwrap();
    }
    let nkm = model("nkm.tnet");
    let (code, text) = message(&["explore", nkm.to_str().unwrap(), "--emit", "pnml"]);
    assert!(code == 2 && text.contains("holds pids"), "{text}");
}
