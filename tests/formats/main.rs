//! Every command shows its result as text, as one JSON document and as CSV, with the same exit code;
//! Ctrl-C ends what runs long with a message and the exit code of the convention. What becomes of output
//! that nobody takes is in `streams`.

mod streams;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_pidlab"))
}

fn run(words: &[&str]) -> Output {
    program().args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path =
            std::env::temp_dir().join(format!("pidlab-formats-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// A command in its three forms.
struct Forms {
    text: String,
    json: Value,
    columns: Vec<String>,
    records: Vec<Vec<String>>,
}

impl Forms {
    fn of(command: &str) -> Forms {
        let words: Vec<&str> = command.split(' ').collect();
        let plain = run(&words);
        let json = run(&[&words[..], &["--json"]].concat());
        let csv = run(&[&words[..], &["--csv"]].concat());
        let code = plain.status.code();
        assert!(code.is_some_and(|code| code < 2), "{command}: {}", text(&plain.stderr));
        assert!(!plain.stdout.is_empty(), "{command} prints nothing");
        assert_eq!(json.status.code(), code, "{command} --json: {}", text(&json.stderr));
        assert_eq!(csv.status.code(), code, "{command} --csv: {}", text(&csv.stderr));
        let json: Value = serde_json::from_slice(&json.stdout)
            .unwrap_or_else(|error| panic!("{command} --json is not one document: {error}"));
        let format = json.get("format").or_else(|| json[0].get("format"));
        assert!(format.is_some_and(|f| f.as_str().unwrap().starts_with("pidlab-")), "{command}");
        // the reader refuses records of different lengths
        let mut reader = csv::Reader::from_reader(csv.stdout.as_slice());
        let columns = reader.headers().unwrap().iter().map(String::from).collect();
        let record = |record: csv::Result<csv::StringRecord>| {
            record.unwrap().iter().map(String::from).collect()
        };
        let records: Vec<_> = reader.records().map(record).collect();
        assert!(!records.is_empty(), "{command} --csv has no line");
        Forms { text: text(&plain.stdout), json, columns, records }
    }

    /// The records are the entries, and the text names the fact of each.
    fn agree(&self, command: &str, entries: &[Value], fact: &str) {
        assert_eq!(self.records.len(), entries.len(), "{command}: records and entries");
        for (record, entry) in self.records.iter().zip(entries) {
            for (column, field) in self.columns.iter().zip(record) {
                let value = find(entry, column);
                // times differ from run to run
                if !value.is_f64() && !column.contains("_ns") {
                    assert_eq!(*field, as_field(value), "{command}: {column}");
                }
            }
            let value = as_field(find(entry, fact));
            let shown = fact.is_empty() || self.text.contains(&value);
            assert!(shown, "{command}: {fact} {value} is not in the text\n{}", self.text);
        }
    }
}

/// The value at a dotted path; null if there is none.
fn find<'v>(entry: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(entry, |value, name| &value[name])
}

fn as_field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What the records of a document are: the document, the entries of a list in it, or a state's parts.
fn entries(document: &Value, list: &str) -> Vec<Value> {
    match (document, list) {
        (Value::Array(entries), _) => entries.clone(),
        (_, "") => vec![document.clone()],
        (_, "state") => parts_of_state(document),
        (_, "tables") => {
            let tables = document["tables"].as_array().unwrap().iter();
            let rows = |table: &Value| table["rows"].as_array().unwrap().clone();
            let with = |mut row: Value, after: &Value| {
                row["after"] = after.clone();
                row
            };
            tables.flat_map(|t| rows(t).into_iter().map(move |r| with(r, &t["after"]))).collect()
        }
        _ => find(document, list).as_array().unwrap().clone(),
    }
}

fn parts_of_state(state: &Value) -> Vec<Value> {
    let part = |name: &'static str| state[name].as_object().unwrap().iter();
    let entry =
        |part: &str, key: &str, value: &Value| json!({"part": part, "key": key, "value": value});
    let vectors = |(location, vectors): (&String, &Value)| -> Vec<Value> {
        vectors.as_array().unwrap().iter().map(|v| entry("sigma", location, v)).collect()
    };
    let eta = part("eta").map(|(pid, created)| entry("eta", pid, created));
    part("sigma").flat_map(vectors).chain(eta).collect()
}

/// Text, JSON and CSV of one command show the same.
fn three_forms(command: &str, list: &str, fact: &str) {
    let forms = Forms::of(command);
    forms.agree(command, &entries(&forms.json, list), fact);
}

/// For each command: where in its document the records are, and a field of them that the text names.
const COMMANDS: [(&str, &str, &str); 24] = [
    ("check examples/q3.json examples/q3-prime.json", "", ""),
    ("check examples/q3.json examples/q3-prime.json --relations all", "", "reason.text"),
    ("backends", "", "name"),
    ("bogor peers --philosophers 4 --rounds 1", "rows", "explorer"),
    ("canon examples/q3.json", "", "hash"),
    ("convert examples/q3.json", "state", "key"),
    ("explain models/philosophers.bir --set N=2", "tables", "structure"),
    ("explore models/nkm.tnet --set k=2 --set m=1", "", "states"),
    ("explore models/philosophers.bir --set N=3", "", "edges"),
    ("bench engine --sizes 30 --pairs 1 --backend canon,refine", "rows", "backend"),
    ("bench hard --family cubic --most-pids 30 --backend canon,refine", "rows", "pids"),
    ("bench verdicts relations --runs 3 --scale smoke", "worlds", "claim"),
    ("report results --claims", "claims", "claim"),
    ("generate random --pids 5", "state", "key"),
    ("generate hard --list", "families", "about"),
    ("generate transform --list", "transformations", "source"),
    ("graph examples/q3.json", "arcs", "label"),
    ("lint models/server.tnet", "", "report.classes"),
    ("quotient examples/listeners.jsonl", "", "states"),
    ("cover models/mutex.lgfsm", "", "algorithm"),
    ("cover models/mutex.lgfsm --emit spec", "", ""),
    (
        "refines examples/refinement/section.bp examples/refinement/section.lgfsm --environment threads",
        "",
        "pairs",
    ),
    ("experiments", "experiments", "claim"),
    ("reproduce bogor-table1 --scale smoke", "claims", "id"),
];

#[test]
fn every_command_in_three_forms() {
    for (command, list, fact) in COMMANDS {
        three_forms(command, list, fact);
    }
}

#[test]
fn runs_and_tournaments_in_three_forms() {
    let scratch = Scratch::new("runs");
    let run = scratch.path("run");
    three_forms(&format!("run relations --scale smoke --out {run}"), "", "rows");
    three_forms(&format!("run relations --scale smoke --out {run} --replay 3"), "", "backend");
    three_forms(&format!("analyse {run}"), "analysis.series", "backend");
    three_forms(&format!("plot {run}"), "figures", "path");
    three_forms(&format!("report {run}"), "claims", "");
    three_forms(&format!("export {run}"), "columns", "name");
    let cup = scratch.path("cup");
    let tournament = "tournament --scale smoke --backend canon,refine --family cubic,random";
    three_forms(&format!("{tournament} --out {cup}"), "backends", "backend");
}

#[test]
fn shards_and_merged_runs_in_three_forms() {
    let scratch = Scratch::new("shards");
    let (one, two, whole) = (scratch.path("one"), scratch.path("two"), scratch.path("whole"));
    three_forms(&format!("run relations --scale smoke --shard 1/2 --out {one}"), "", "rows");
    three_forms(&format!("run relations --scale smoke --shard 2/2 --out {two}"), "", "rows");
    three_forms(&format!("merge {one} {two} --out {whole} --fresh"), "", "rows");
}

#[test]
fn comparisons_in_three_forms() {
    let scratch = Scratch::new("compare");
    let (one, two) = (scratch.path("one"), scratch.path("two"));
    for folder in [&one, &two] {
        assert!(run(&["run", "relations", "--scale", "smoke", "--out", folder]).status.success());
    }
    // two short runs may differ in anything but the forms
    let command = format!("compare {one} {two} --threshold 95%");
    let forms = Forms::of(&command);
    let results = forms.json["results"].as_array().unwrap();
    assert_eq!(forms.records.len(), results.len());
    for (record, result) in forms.records.iter().zip(results) {
        assert_eq!(record[..2], ["experiment", "backend"].map(|name| as_field(&result[name])));
        assert!(forms.text.contains(&record[1]), "{}", forms.text);
    }
}

#[test]
fn verify_in_three_forms() {
    let scratch = Scratch::new("verify");
    let answer = scratch.path("answer.json");
    let found = run(&["check", "examples/q3.json", "examples/q3-prime.json", "--json"]);
    std::fs::write(&answer, found.stdout).unwrap();
    let command = format!("verify examples/q3.json examples/q3-prime.json --witness {answer}");
    three_forms(&command, "", "");
}

/// Commands that need a run are shown above; `track`, `setup`, and what is in `tests/new_commands.rs` and
/// `tests/command_line.rs` in tests of their own.
#[test]
fn no_command_is_forgotten() {
    let elsewhere = [
        "run",
        "merge",
        "export",
        "analyse",
        "plot",
        "report",
        "tournament",
        "verify",
        "compare",
        "track",
        "setup",
        "completions",
        "doctor",
        "init",
        "man",
        "selftest",
        "fuzz",
        // a protocol, which docs/lts.md uses
        "serve",
    ];
    let help = text(&run(&["--help"]).stdout);
    let (_, list) = help.split_once("Commands:\n").unwrap();
    for line in list.lines().take_while(|line| !line.is_empty()) {
        let Some(name) = line.strip_prefix("  ").and_then(|l| l.split(' ').next()) else {
            continue;
        };
        let known = COMMANDS.iter().any(|(command, ..)| command.split(' ').next() == Some(name))
            || elsewhere.contains(&name)
            || ["help", ""].contains(&name);
        assert!(known, "{name} has no test of its forms");
    }
}

#[test]
fn one_form_at_a_time() {
    let state = "examples/q3.json";
    for words in [
        &["canon", state, "--csv", "--json"][..],
        &["--json", "canon", state, "--csv"],
        &["graph", state, "--format", "dot", "--csv"],
        &["track", "--format", "csv", "--json"],
    ] {
        let asked = run(words);
        assert_eq!(asked.status.code(), Some(2), "{words:?}");
        assert!(asked.stdout.is_empty(), "{words:?}");
        let said = text(&asked.stderr);
        assert!(said.contains("ask for different output; give one of them"), "{said}");
    }
}

/// What programs read does not depend on what was found.
#[test]
fn columns_are_the_same_for_every_answer() {
    let columns = |words: &str| {
        let csv = run(&words.split(' ').chain(["--csv"]).collect::<Vec<_>>());
        text(&csv.stdout).lines().next().unwrap().to_string()
    };
    for [one, other] in [
        [
            "check examples/q3.json examples/q3-prime.json",
            "check examples/q3.json examples/q3-prime.json --relations all",
        ],
        [
            "explore models/philosophers.bir --set N=2",
            "explore models/philosophers.bir --set N=2 --max-states 3",
        ],
        ["cover models/mutex.lgfsm", "cover models/rockall.bp --timeout 0s"],
    ] {
        assert_eq!(columns(one), columns(other), "{one}");
    }
}

/// A limit that is reached before there is anything to show still gives one document.
#[test]
fn a_limit_at_the_start_gives_a_document() {
    for command in [
        "explore models/nkm.tnet",
        "explain models/philosophers.bir",
        "lint models/server.tnet",
        "quotient examples/listeners.jsonl",
        "cover models/rockall.bp",
        "cover models/rockall.bp --set",
        "cover --stress",
    ] {
        let words = command.split(' ').chain(["--timeout", "0s", "--json"]);
        let ended = run(&words.collect::<Vec<_>>());
        assert_eq!(ended.status.code(), Some(3), "{command}: {}", text(&ended.stderr));
        let document: Value = serde_json::from_slice(&ended.stdout).unwrap();
        assert!(document["reason"].as_str().unwrap().contains("time"), "{command}: {document}");
    }
}

/// Whoever asks one question after the other gets each answer at once, in every form.
#[test]
fn pairs_are_answered_as_they_come() {
    let state = r#"{"sigma":{"A":[["@1"]]},"eta":{}}"#;
    for (form, expected) in [
        (&[][..], ["7: equivalent", "8: equivalent"]),
        (&["--json"], [r#"{"id":7,"equivalent":true"#, r#"{"id":8,"equivalent":true"#]),
        (&["--csv"], ["7,true,", "8,true,"]),
    ] {
        let mut child = program()
            .args(["check", "--pairs", "-"])
            .args(form)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut questions = child.stdin.take().unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
        for (id, expected) in [7, 8].into_iter().zip(expected) {
            writeln!(questions, r#"{{"id":{id},"q":{state},"r":{state}}}"#).unwrap();
            if id == 7 && form == ["--csv"] {
                let columns = answers.next().unwrap().unwrap();
                assert!(columns.starts_with("id,equivalent,witness,error"), "{columns}");
            }
            let answer = answers.next().unwrap().unwrap();
            assert!(answer.starts_with(expected), "{answer}");
        }
        drop(questions);
        assert!(answers.next().is_none() && child.wait().unwrap().success());
    }
}

/// Files that were asked for are named by the document.
#[test]
fn a_state_in_a_file_leaves_a_document() {
    let scratch = Scratch::new("written");
    let path = scratch.path("state.json");
    let words = ["generate", "random", "--pids", "5", "-o", &path];
    assert!(run(&words).stdout.is_empty());
    let made: Value =
        serde_json::from_slice(&run(&[&words[..], &["--json"]].concat()).stdout).unwrap();
    assert_eq!((&made["path"], &made["pids"]), (&json!(path), &json!(5)));
}

fn start(words: &[&str]) -> Child {
    program().args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Sends Ctrl-C after a while and returns how the program ended.
fn interrupted(words: &[&str]) -> Output {
    let child = start(words);
    std::thread::sleep(Duration::from_millis(700));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    child.wait_with_output().unwrap()
}

#[test]
fn ctrl_c_is_answered() {
    // beyond reach, so that the signal meets it at work
    let endless = ["explore", "models/nkm.tnet", "--set", "k=9", "--set", "m=9"];
    for more in [&[][..], &["--csv"][..]] {
        let stopped = interrupted(&[&endless[..], more].concat());
        assert_eq!(stopped.status.code(), Some(3), "{}", text(&stopped.stderr));
        assert!(!stopped.stdout.is_empty(), "what was found so far is shown");
    }
    let bogor = interrupted(&["bogor", "peers", "--philosophers", "12"]);
    assert_eq!(bogor.status.code(), Some(130), "{}", text(&bogor.stderr));
    assert!(text(&bogor.stderr).contains("interrupted: nothing was written; fewer --philosophers"));
}

/// In the middle of making a large pair or of a long decision, not only between two of them.
#[test]
fn ctrl_c_on_bench_is_answered_at_once() {
    for (command, kept) in [
        ("bench engine --backend vf2 --sizes 300000 --timeout 100s", "the sizes so far are shown"),
        ("bench hard --family cfi --backend vf2 --timeout 100s", "the rows so far are shown"),
    ] {
        for form in ["--seed=1", "--json", "--csv"] {
            let words: Vec<&str> = command.split(' ').chain([form]).collect();
            let begun = Instant::now();
            let bench = interrupted(&words);
            assert_eq!(bench.status.code(), Some(3), "{}", text(&bench.stderr));
            assert!(text(&bench.stderr).contains(&format!("interrupted: {kept}")), "{command}");
            // a decision goes on for a hundred seconds
            assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        }
    }
}
