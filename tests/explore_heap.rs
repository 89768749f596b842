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

/// A folder of its own that is gone at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("pidlab-heap-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn graphs_of_programs_in_every_format() {
    let folder = Folder::new("graphs");
    let formats = ["dot", "graphml", "json", "aut", "fsm", "pml", "svg"];
    let files = formats.map(|format| folder.file(&format!("graph.{format}")));
    let outputs: Vec<&str> = files.iter().flat_map(|file| ["--output", file]).collect();
    let set = ["--set", "N=2", "--thread-symmetry", "exact"];
    let (code, counts) = found("philosophers.bir", &[&set[..], &outputs].concat());
    assert_eq!(code, 1);
    let (states, edges) = (counts["states"].as_u64().unwrap(), counts["edges"].as_u64().unwrap());
    let [dot, graphml, json, aut, fsm, pml, svg] =
        files.map(|file| std::fs::read_to_string(file).unwrap());
    assert!(aut.starts_with(&format!("des (0, {edges}, {states})\n")), "{aut}");
    assert_eq!(
        dot.matches(" -> ").count() as u64,
        edges + dot.matches(" -> false").count() as u64 + dot.matches(" -> true").count() as u64,
        "{dot}"
    );
    assert_eq!(graphml.matches("<edge ").count() as u64, edges);
    assert!(graphml.contains("<data key=\"pid\">Philosopher 1</data>"), "{graphml}");
    assert_eq!(svg.matches("<rect ").count() as u64, states);
    let parts: Vec<Vec<&str>> = fsm.split("---\n").map(|part| part.lines().collect()).collect();
    let [variables, rows, transitions] = &parts[..] else { panic!("{fsm}") };
    assert_eq!((rows.len() as u64, transitions.len() as u64), (states, edges));
    assert!(rows.iter().all(|row| row.split(' ').count() == variables.len()), "{fsm}");
    assert!(pml.contains("#define t_Philosopher_"), "{pml}");
    assert_eq!(pml.matches("  :: fired = ").count() as u64, edges);
    let graph: Value = serde_json::from_str(&json).unwrap();
    let nodes = graph["nodes"].as_array().unwrap();
    assert_eq!(
        nodes.iter().filter(|node| node["deadlock"] == true).count() as u64,
        counts["deadlocks"].as_u64().unwrap()
    );
    let first = &graph["edges"][0];
    assert_eq!((&first["pid"], &first["transition"]), (&json!("MAIN 1"), &json!("MAIN.loc0")));
    let changes = first["binding"].as_array().unwrap();
    assert!(changes.iter().any(|change| change.as_str().unwrap().starts_with("new ")), "{first}");
    let after = nodes[first["to"].as_u64().unwrap() as usize]["tokens"].as_array().unwrap();
    assert!(after.contains(&json!("Philosopher 1 at loc0")), "{after:?}");
}

#[test]
fn what_cannot_be_written_keeps_nothing_else_from_being() {
    let folder = Folder::new("left");
    let [svg, aut, none] = ["a.svg", "b.aut", "missing/c.dot"].map(|name| folder.file(name));
    let set = ["--set", "N=6", "--output", &svg, "--output", &none, "--output", &aut];
    let output = explore("philosophers.bir", &set);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("a.svg: ") && message.contains("at most 400"), "{message}");
    assert!(message.contains("missing/c.dot: cannot write"), "{message}");
    assert!(message.contains("b.aut written"), "{message}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("states"));
    assert!(std::fs::read_to_string(aut).unwrap().starts_with("des (0, "));
    let lts = explore("philosophers.bir", &["--set", "N=2", "--output", &folder.file("x.jsonl")]);
    let message = String::from_utf8(lts.stderr).unwrap();
    assert!(lts.status.code() == Some(2) && message.contains(".fsm"), "{message}");
}

#[test]
fn a_violated_property_is_the_verdict() {
    let never = explore("work-queue.bir", &["--property", "never count(work) > 1"]);
    let text = String::from_utf8(never.stdout).unwrap();
    assert!(text.contains("verdict    never count(work) > 1 violated"), "{text}");
    assert!(text.contains("trace of "), "{text}");
    let always = explore("work-queue.bir", &["--property", "always count(work) < 3"]);
    let text = String::from_utf8(always.stdout).unwrap();
    assert!(text.contains("as asked by 1 of 1 properties"), "{text}");
}
