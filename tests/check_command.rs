//! `pidlab check`, `backends` and `graph` as a user runs them: output, exit codes, bad input.

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder of its own for each test, with the files it needs.
struct Files(PathBuf);

impl Files {
    fn new(test: &str) -> Files {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("check-{test}"));
        std::fs::create_dir_all(&folder).unwrap();
        Files(folder)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    }
}

fn pidlab(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pidlab")).args(args).output().unwrap()
}

fn pidlab_with_input(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pidlab"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn document(output: &Output) -> Value {
    serde_json::from_str(&stdout(output)).unwrap()
}

/// q3 and q3' of the server example (SACS'10, figure 2).
const Q3: &str = r#"{"sigma":{"L":[["@1"],["@2"]],"H":[["@1.1","addr",2009]],"F":[["@1.1.1",2009]]},"eta":{"1":1,"2":0,"1.1":1,"1.1.1":0}}"#;
const Q3_PRIME: &str = r#"{"sigma":{"L":[["@1"],["@2"]],"H":[["@2.1","addr",2009]],"F":[["@2.1.1",2009]]},"eta":{"1":0,"2":1,"2.1":1,"2.1.1":0}}"#;

#[test]
fn equivalent_states_with_a_witness_over_pids_and_next_pids() {
    let files = Files::new("equivalent");
    let (a, b) = (files.write("a.json", Q3), files.write("b.json", Q3_PRIME));
    for backend in ["canon", "refine", "vf2", "petgraph"] {
        let output = pidlab(&["check", &a, &b, "--backend", backend, "--check", "--json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let document = document(&output);
        assert_eq!(document["format"], "pidlab-check/1");
        assert_eq!(document["equivalent"], true);
        assert_eq!(document["backend"], backend);
        assert_eq!(document["reason"], Value::Null);
        let witness = document["witness"].as_object().unwrap();
        assert_eq!(witness.len(), 8);
        assert_eq!((&witness["@1"], &witness["@1.1"]), (&"@2".into(), &"@2.1".into()));
        assert_eq!((&witness["@1.2"], &witness["@2.1"]), (&"@2.2".into(), &"@1.1".into()));
    }
}

#[test]
fn different_states_with_a_reason() {
    let files = Files::new("different");
    let (a, b) = (files.write("a.json", Q3), files.write("b.json", Q3_PRIME));
    let relations = "parent,elder-sibling";
    let output = pidlab(&["check", &a, &b, "--relations", relations, "--json"]);
    assert_eq!(code(&output), 1);
    let document = document(&output);
    assert_eq!(document["equivalent"], false);
    assert_eq!(document["witness"], Value::Null);
    let reason = &document["reason"];
    assert_eq!(reason["equivalent_without"], serde_json::json!(["elder-sibling"]));
    assert!(reason["text"].as_str().unwrap().contains("elder sibling"), "{reason}");
    let output = pidlab(&["check", &a, &b, "--relations", relations]);
    let text = stdout(&output);
    assert!(text.starts_with("not equivalent\n"), "{text}");
    assert!(text.contains("they would be equivalent without elder-sibling"), "{text}");
}

/// One pair for each invariant, from the plainest on.
#[test]
fn reasons_name_what_differs() {
    let files = Files::new("reasons");
    let cases = [
        (
            r#"{"sigma":{"A":[["@1"],["@2"]]},"eta":{}}"#,
            r#"{"sigma":{"A":[["@1"],["@1"]]},"eta":{}}"#,
            "pid-count",
            "2 pids occur in sigma in the first state, 1 in the second",
        ),
        (
            r#"{"sigma":{"A":[["@1"]]},"eta":{"1":0}}"#,
            r#"{"sigma":{"A":[["@1"]]},"eta":{}}"#,
            "active-pids",
            "1 pids are active in the first state, 0 in the second",
        ),
        (
            r#"{"sigma":{"A":[["@1"]]},"eta":{}}"#,
            r#"{"sigma":{"B":[["@1"]]},"eta":{}}"#,
            "location",
            "location A has 1 vector in the first state, 0 in the second",
        ),
        (
            r#"{"sigma":{"A":[["@1",7]]},"eta":{}}"#,
            r#"{"sigma":{"A":[["@1",8]]},"eta":{}}"#,
            "vector-shape",
            "of the form A⟨ε,7⟩ there are 1 vector in the first state, 0 in the second",
        ),
        (
            r#"{"sigma":{"A":[["@1","@1","@2"]]},"eta":{}}"#,
            r#"{"sigma":{"A":[["@1","@2","@1"]]},"eta":{}}"#,
            "vector-shape",
            "A⟨ε1,ε1,ε2⟩",
        ),
        (
            r#"{"sigma":{"A":[["@1"],["@2"]],"B":[["@1"],["@2"]]},"eta":{}}"#,
            r#"{"sigma":{"A":[["@1"],["@1"]],"B":[["@2"],["@2"]]},"eta":{}}"#,
            "pid-occurrences",
            "inactive pids that occur in A⟨ε⟩ at place 1, in B⟨ε⟩ at place 1",
        ),
        (
            r#"{"sigma":{"A":[["@1"],["@1.1"]]},"eta":{}}"#,
            r#"{"sigma":{"A":[["@1"],["@2"]]},"eta":{}}"#,
            "pid-family",
            "pids with no parent, 1 children: 1 pid in the first state, 0 in the second; for example 1",
        ),
    ];
    for (q, r, kind, text) in cases {
        let (a, b) = (files.write("a.json", q), files.write("b.json", r));
        let reason = document(&pidlab(&["check", &a, &b, "--json"]))["reason"].clone();
        assert_eq!(reason["kind"], kind, "{reason}");
        assert!(reason["text"].as_str().unwrap().contains(text), "{reason}");
    }
}

#[test]
fn bad_input_has_its_own_message_and_exit_code_2() {
    let files = Files::new("bad");
    let good = files.write("good.json", Q3);
    let brackets = "[".repeat(1 << 20);
    let deep = format!("{{\"sigma\":{{\"A\":[[{brackets}");
    let cases = [
        ("broken", "{\"sigma\": ", ":1:10: expected the rest of a value, found the end"),
        ("empty", "", "is empty"),
        ("unknown", r#"{"sigma":{},"eta":{},"zeta":{}}"#, "unknown field `zeta`"),
        ("zero", r#"{"sigma":{"A":[["@1.0"]]},"eta":{}}"#, "is 0"),
        ("leading", r#"{"sigma":{"A":[["@1.01"]]},"eta":{}}"#, "leading zero"),
        ("large", r#"{"sigma":{"A":[["@18446744073709551616"]]},"eta":{}}"#, "2^64"),
        (
            "eta",
            r#"{"sigma":{"A":[["@1"]]},"eta":{"2":0}}"#,
            "pid 2 is active (in eta) but does not occur in sigma",
        ),
        (
            "counter",
            r#"{"sigma":{"A":[["@1"],["@1.3"]]},"eta":{"1":1}}"#,
            "1.3 descends from child 3 of 1",
        ),
        ("key", r#"{"sigma":{"A":[["@1"]],"A":[]},"eta":{}}"#, "`A` occurs twice"),
        ("counter-key", r#"{"sigma":{"A":[["@1"]]},"eta":{"1":0,"1":0}}"#, "twice"),
        ("at", r#"{"sigma":{"A":[["@home"]]},"eta":{}}"#, "@@"),
        (
            "nan",
            r#"{"sigma":{"A":[[NaN]]},"eta":{}}"#,
            ":1:17: expected a value\n 1 | {\"sigma\":{\"A\":[[NaN]]},\"eta\":{}}\n   |                 ^^^",
        ),
        ("float", r#"{"sigma":{"A":[[0.5]]},"eta":{}}"#, "not an integer"),
        ("trailing", r#"{"sigma":{},"eta":{}} x"#, ":1:23: expected the end of the text"),
        ("nested", &deep, "expected a pid"),
        ("brackets", &brackets, "expected a state"),
        ("binary", "\u{0}\u{1}", ":1:1: expected a value"),
    ];
    for (name, text, expected) in cases {
        let bad = files.write(&format!("{name}.json"), text);
        for arguments in [[&*good, &*bad], [&*bad, &*good]] {
            let output = pidlab(&["check", arguments[0], arguments[1], "--json"]);
            assert_eq!(code(&output), 2, "{name}");
            assert_eq!(stdout(&output), "", "{name}");
            let message = stderr(&output);
            assert!(message.contains(expected), "{name}: {message}");
            assert!(message.contains(&format!("{name}.json")), "{name}: {message}");
        }
    }
}

#[test]
fn files_that_cannot_be_read() {
    let files = Files::new("unreadable");
    let good = files.write("good.json", Q3);
    let folder = files.0.to_str().unwrap();
    let output = pidlab(&["check", &good, folder]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("is a directory"));
    let output = pidlab(&["check", &good, "no-such-file.json"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("cannot open no-such-file.json"));
    let output = pidlab(&["check", "-", "-"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("standard input"));
    assert_eq!(code(&pidlab_with_input(&["check", "-", &good], Q3)), 0);
}

#[test]
fn wrong_usage() {
    let files = Files::new("usage");
    let good = files.write("good.json", Q3);
    for (arguments, expected) in [
        (vec!["check", &good], "2"),
        (vec!["check", &good, &good, "--relations", "cousin"], "`cousin` is not a pid relation"),
        (vec!["check", &good, &good, "--backend", "magic"], "there is no backend `magic`"),
        (vec!["check", &good, &good, "--timeout", "soon"], "does not start with a number"),
        (vec!["check", &good, &good, "--backend", "external:"], "needs a command"),
        (vec!["check", &good, &good, "--backend", "external:/no/such/program"], "no program"),
    ] {
        let output = pidlab(&arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn inconsistent_states_where_allowed() {
    let files = Files::new("inconsistent");
    let a = files.write("a.json", r#"{"sigma":{"A":[["@1"],["@1.3"]]},"eta":{"1":1}}"#);
    let b = files.write("b.json", r#"{"sigma":{"A":[["@7"],["@7.9"]]},"eta":{"7":4}}"#);
    let output = pidlab(&["check", &a, &b]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("or use --allow-inconsistent"), "{}", stderr(&output));
    let output = pidlab(&["check", &a, &b, "--allow-inconsistent", "--json", "--check"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(document(&output)["witness"]["@1.2"], "@7.5");
}

#[test]
fn many_pairs_answered_in_order() {
    let files = Files::new("pairs");
    let lines = [
        format!("{{\"id\":\"a\",\"relations\":[\"parent\"],\"q\":{Q3},\"r\":{Q3_PRIME}}}"),
        "not json".to_string(),
        String::new(),
        format!("{{\"id\":2,\"relations\":[\"uncle\"],\"q\":{Q3},\"r\":{Q3}}}"),
        format!("{{\"id\":3,\"q\":{Q3},\"r\":{{\"sigma\":{{}},\"eta\":{{}}}}}}"),
        format!("{{\"id\":4,\"q\":{Q3},\"r\":{Q3},\"extra\":1}}"),
        "{\"id\":5,\"q\":{\"sigma\":{\"A\":[[\"@1\"],[\"@1.3\"]]},\"eta\":{\"1\":1}},\"r\":{\"sigma\":{},\"eta\":{}}}".to_string(),
    ];
    let file = files.write("pairs.jsonl", &lines.join("\n"));
    let output = pidlab(&["check", "--pairs", &file, "--json"]);
    assert_eq!(code(&output), 2);
    let text = stdout(&output);
    let answers: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 6);
    assert_eq!((&answers[0]["id"], &answers[0]["equivalent"]), (&"a".into(), &true.into()));
    assert_eq!(answers[0]["witness"]["@1"], "@2");
    assert_eq!(answers[1]["id"], Value::Null);
    let broken = answers[1]["error"].as_str().unwrap();
    assert!(broken.contains("pairs.jsonl:2:") && broken.contains("\n   | ^"), "{broken}");
    assert!(answers[2]["error"].as_str().unwrap().contains("`uncle`"));
    assert_eq!((&answers[3]["id"], &answers[3]["equivalent"]), (&3.into(), &false.into()));
    let extra = answers[4]["error"].as_str().unwrap();
    assert!(extra.contains("`extra`, expected one of") && extra.ends_with("^^^^^^^"), "{extra}");
    assert_eq!(answers[5]["id"], 5);
    assert!(answers[5]["error"].as_str().unwrap().contains("child 3"));
}

#[test]
fn any_number_of_threads_gives_the_same_lines_in_the_same_order() {
    let files = Files::new("threads");
    let line = |id: u32| match id % 7 {
        0 => format!("{{\"id\":{id},\"q\":{Q3},\"r\":{{\"sigma\":{{}},\"eta\":{{}}}}}}"),
        1 => "not json".to_string(),
        2 => String::new(),
        3 => format!("{{\"id\":{id},\"relations\":[\"all\"],\"q\":{Q3},\"r\":{Q3_PRIME}}}"),
        _ => format!("{{\"id\":{id},\"q\":{Q3},\"r\":{Q3_PRIME}}}"),
    };
    let lines: Vec<String> = (0..1_000).map(line).collect();
    let file = files.write("pairs.jsonl", &lines.join("\n"));
    for form in ["--json", "--csv"] {
        let answers = |threads: &str| {
            let output = pidlab(&["check", "--pairs", &file, form, "--threads", threads]);
            assert_eq!(code(&output), 2);
            without_times(&stdout(&output))
        };
        let alone = answers("1");
        // the lines with a state, or without JSON, and the names of the columns
        assert!(alone.len() >= 857, "{}", alone.len());
        assert_eq!(alone, answers("4"));
    }
}

/// Lines without what differs from run to run: numbers below one.
fn without_times(text: &str) -> Vec<String> {
    let is_time = |word: &&str| !word.parse::<f64>().is_ok_and(|number| number.fract() != 0.0);
    let words = |line: &str| -> Vec<String> {
        line.split([',', ':', '}']).filter(is_time).map(String::from).collect()
    };
    text.lines().map(|line| words(line).join(",")).collect()
}

#[test]
fn a_program_that_waits_for_an_answer_gets_it() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pidlab"))
        .args(["check", "--pairs", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut asks = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for id in 0..3 {
        writeln!(asks, "{{\"id\":{id},\"q\":{Q3},\"r\":{Q3_PRIME}}}").unwrap();
        let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        assert_eq!((&answer["id"], &answer["equivalent"]), (&id.into(), &true.into()));
    }
    drop(asks);
    assert!(child.wait().unwrap().success() && answers.next().is_none());
}

#[test]
fn the_committed_pairs_through_the_command() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/equivalence/pairs.jsonl");
    let output = pidlab(&["check", "--pairs", path, "--json", "--check"]);
    let expected = std::fs::read_to_string(path).unwrap();
    let text = stdout(&output);
    assert_eq!(text.lines().count(), 132);
    for (answer, line) in text.lines().zip(expected.lines()) {
        let (answer, line): (Value, Value) =
            (serde_json::from_str(answer).unwrap(), serde_json::from_str(line).unwrap());
        assert_eq!(answer["id"], line["id"]);
        match &line["expected"] {
            Value::Null => assert!(answer["error"].is_string(), "{answer}"),
            expected => assert_eq!(answer["equivalent"], *expected, "{answer}"),
        }
    }
}

#[test]
fn the_published_graph_merges_what_differs() {
    let files = Files::new("published");
    let a = files.write("a.json", r#"{"sigma":{"A":[["@1.1.1"]],"B":[["@1.1"]]},"eta":{"1.1":1}}"#);
    let b =
        files.write("b.json", r#"{"sigma":{"A":[["@1.1.1"]],"B":[["@1.1"]]},"eta":{"1.1.1":0}}"#);
    let check = |graph: &str, more: &[&str]| {
        let mut args =
            vec!["check", &a, &b, "--relations", "none", "--backend", "vf2", "--graph", graph];
        args.extend(more);
        code(&pidlab(&args))
    };
    assert_eq!(check("corrected", &[]), 1);
    assert_eq!(check("published", &[]), 0);
    assert_eq!(check("published", &["--check"]), 4, "the checker sees through it");
}

#[test]
fn plain_graphs_are_compared_as_graphs() {
    let files = Files::new("dimacs");
    let path = files.write("path.col", "p edge 4 3\ne 1 2\ne 2 3\ne 3 4\n");
    let other = files.write("other.col", "c same\np edge 4 3\ne 3 1\ne 1 4\ne 4 2\n");
    let star = files.write("star.col", "p edge 4 3\ne 1 2\ne 1 3\ne 1 4\n");
    let bad = files.write("bad.col", "p edge 2 1\ne 1 5\n");
    assert_eq!(code(&pidlab(&["check", &path, &other])), 0);
    assert_eq!(code(&pidlab(&["check", &path, &star])), 1);
    let output = pidlab(&["check", &path, &bad]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("bad.col:2:5: expected a vertex from 1 to 2"),
        "{}",
        stderr(&output)
    );
    let state = files.write("a.json", Q3);
    assert_eq!(code(&pidlab(&["check", &path, &state])), 2);
}

#[test]
fn graphs_in_every_format() {
    let files = Files::new("graph");
    let state = files.write("a.json", Q3);
    let graph = |format: &str, kind: &str| {
        let output = pidlab(&["graph", &state, "--format", format, "--kind", kind]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output)
    };
    for kind in ["corrected", "published", "iscis", "ictac"] {
        assert!(graph("dot", kind).starts_with("digraph"));
        assert!(graph("graphml", kind).contains("<graphml"));
        assert!(graph("svg", kind).trim_end().ends_with("</svg>"));
        let json: Value = serde_json::from_str(&graph("json", kind)).unwrap();
        let layers: Vec<u64> = json["vertices"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v["layer"].as_u64().unwrap())
            .collect();
        let of_layer = |layer| layers.iter().filter(|&&l| l == layer).count();
        let expected = match kind {
            "iscis" => [3, 4, 8, 0],
            // two of the vectors are a pid and nothing else
            "ictac" => [3, 2, 8, 0],
            _ => [3, 4, 4, 4],
        };
        assert_eq!([1, 2, 3, 4].map(of_layer), expected, "{kind}");
        let arcs = json["arcs"].as_array().unwrap();
        let nexts = arcs.iter().filter(|arc| arc["label"] == "next").count();
        assert_eq!(nexts, if kind == "corrected" { 4 } else { 0 });
    }
    let dimacs = files.write("a.col", &graph("dimacs", "corrected"));
    let prime = files.write("b.json", Q3_PRIME);
    let output = pidlab(&["graph", &prime, "--format", "dimacs"]);
    let other = files.write("b.col", &stdout(&output));
    assert_eq!(code(&pidlab(&["check", &dimacs, &other])), 0);
}

#[test]
fn backends_are_listed() {
    let output = pidlab(&["backends", "--json"]);
    assert_eq!(code(&output), 0);
    let list = document(&output);
    let list = list.as_array().unwrap();
    for name in ["canon", "refine", "vf2", "petgraph", "wl", "nauty", "traces", "networkx"] {
        let entry = list.iter().find(|entry| entry["name"] == name).unwrap();
        let exactness = if name == "wl" { "heuristic" } else { "exact" };
        assert_eq!(entry["exactness"], exactness);
        assert_eq!(entry["available"].as_bool().unwrap(), entry["why_not"].is_null());
    }
}

#[test]
fn the_heuristic_never_says_equivalent() {
    let files = Files::new("wl");
    let (a, b) = (files.write("a.json", Q3), files.write("b.json", Q3_PRIME));
    assert_eq!(code(&pidlab(&["check", &a, &b, "--backend", "wl"])), 3);
    assert_eq!(code(&pidlab(&["check", &a, &b, "--backend", "wl", "--relations", "all"])), 1);
}

/// What a line says of itself is heard: a format that is another one, and an answer that is not ours.
#[test]
fn lines_of_pairs_are_held_to_what_they_say() {
    let files = Files::new("said");
    let state = r#"{"sigma":{"L":[["@1"]]},"eta":{"1":0}}"#;
    let line = |more: &str| format!(r#"{{{more}"q":{state},"r":{state}}}"#);
    let code = |more: &str, arguments: &[&str]| {
        let file = files.write("line.jsonl", &line(more));
        let output = pidlab(&[&["check", "--pairs", &file, "--json"], arguments].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(code(r#""format":"pidlab-pair/1","#, &[]).0, Some(0));
    let (refused, why) = code(r#""format":"pidlab-foo/9","#, &[]);
    assert!(refused == Some(2) && why.contains("pidlab-pair/1"), "{why}");
    assert_eq!(code(r#""expected":true,"#, &["--check"]).0, Some(0));
    assert_eq!(code(r#""expected":false,"#, &["--check"]).0, Some(4));
}

#[test]
fn a_state_is_not_written_as_a_graph() {
    let files = Files::new("endings");
    let state = files.write("q.json", r#"{"sigma":{"L":[["@1"]]},"eta":{"1":0}}"#);
    let graph = files.0.join("q.g6");
    let output = pidlab(&["convert", &state, "-o", graph.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!graph.exists(), "nothing is written");
}
