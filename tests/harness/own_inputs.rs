//! Runs on instances of the user's own: files of pairs, folders, manifests, generators, models.

use crate::support::{Scratch, column, expect, program, run, text, timeless};
use std::path::{Path, PathBuf};

/// An experiment with these entries of `[[states]]`, and whatever else.
fn experiment(scratch: &Scratch, states: &str, more: &str) -> PathBuf {
    let scale = "{ sizes = [8, 12], states = 2, seconds = 1 }";
    let text = format!(
        r#"name = "own"
title = "own instances"
source = "test"
claim = "none"
backends = ["canon", "vf2"]
relations = ["none", "parent"]
figures = ["density", "cactus"]
scale = {{ smoke = {scale}, small = {scale}, paper = {scale} }}
{more}
{states}
"#
    );
    let path = scratch.path("own.toml");
    std::fs::write(&path, text).unwrap();
    path
}

fn write(scratch: &Scratch, name: &str, text: &str) -> PathBuf {
    let path = scratch.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

fn state(pids: &[&str]) -> String {
    let vectors: Vec<String> = pids.iter().map(|pid| format!("[\"@{pid}\"]")).collect();
    format!(r#"{{"sigma": {{"A": [{}]}}, "eta": {{}}}}"#, vectors.join(", "))
}

fn line(id: &str, q: &[&str], r: &[&str], more: &str) -> String {
    format!(r#"{{"id": "{id}", "q": {}, "r": {}{more}}}"#, state(q), state(r)) + "\n"
}

const CYCLE: &str = "p edge 6 6\ne 1 2\ne 2 3\ne 3 4\ne 4 5\ne 5 6\ne 6 1\n";
const TRIANGLES: &str = "p edge 6 6\ne 1 2\ne 2 3\ne 3 1\ne 4 5\ne 5 6\ne 6 4\n";

#[test]
fn a_file_of_pairs_is_run_resumed_and_replayed() {
    let scratch = Scratch::new();
    let pairs = line("a", &["1", "2"], &["2", "5"], r#", "expected": true"#)
        + "\n"
        + &line(
            "b",
            &["1", "1.1", "3"],
            &["1", "2", "3"],
            r#", "relations": ["parent"], "expected": false"#,
        );
    write(&scratch, "data/pairs.jsonl", &pairs);
    let file =
        experiment(&scratch, "[[states]]\nlabel = \"mine\"\npairs = \"data/pairs.jsonl\"", "");
    let out = scratch.path("run");
    expect(&run(&file, &out, &[]), 0);
    // two pairs, two sets of relations, two backends
    assert_eq!(column(&out, "input").len(), 8);
    let rows: Vec<(String, String)> =
        column(&out, "input").into_iter().zip(column(&out, "p")).collect();
    assert!(rows.iter().all(|(input, p)| p == if input == "a" { "2" } else { "3" }), "{rows:?}");
    let known: Vec<String> = column(&out, "expected");
    assert_eq!(known.iter().filter(|e| *e == "equivalent").count(), 4);
    // no equivalence with `parent` says nothing about no relations
    assert_eq!(known.iter().filter(|e| *e == "not-equivalent").count(), 2);
    assert_eq!(column(&out, "transformation")[0], "given");
    let before = timeless(&out);
    let resumed = run(&file, &out, &[]);
    expect(&resumed, 0);
    assert_eq!(timeless(&out), before);

    let again =
        program().args(["run"]).arg(&file).args(["--replay", "5", "--json"]).output().unwrap();
    expect(&again, 0);
    let row: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!((row["input"].as_str(), row["status"].as_str()), (Some("b"), Some("ok")));

    for command in ["analyse", "plot", "report"] {
        expect(&program().arg(command).arg(&out).output().unwrap(), 0);
    }
    // what was run is not what is there now
    write(&scratch, "data/pairs.jsonl", &pairs.replace("\"@5\"", "\"@6\""));
    let changed = run(&file, &out, &[]);
    expect(&changed, 2);
    assert!(
        text(&changed.stderr).contains("one of its inputs has changed"),
        "{}",
        text(&changed.stderr)
    );
}

#[test]
fn a_wrong_expectation_stops_the_run() {
    let scratch = Scratch::new();
    write(&scratch, "pairs.jsonl", &line("a", &["1"], &["2"], r#", "expected": false"#));
    let file = experiment(&scratch, "[[states]]\nlabel = \"mine\"\npairs = \"pairs.jsonl\"", "");
    let stopped = run(&file, &scratch.path("run"), &[]);
    expect(&stopped, 4);
}

#[test]
fn folders_of_states_and_graphs() {
    let scratch = Scratch::new();
    write(&scratch, "states/one.json", &state(&["1", "1.2", "4"]));
    write(&scratch, "states/two.pst", "A : <1:1> <1.1:0>\n");
    write(&scratch, "graphs/cycle-1.col", CYCLE);
    write(&scratch, "graphs/cycle-2.col", "p edge 6 6\ne 1 3\ne 3 5\ne 5 2\ne 2 4\ne 4 6\ne 6 1\n");
    write(&scratch, "graphs/two-1.col", CYCLE);
    write(&scratch, "graphs/two-2.col", TRIANGLES);
    write(&scratch, "graphs/README.md", "what this is\n");
    write(&scratch, "many.g6/all.g6", "Bw\nDQc\n\n:Fa@x^\n");
    write(
        &scratch,
        "graphs/list.jsonl",
        "{\"id\": \"x\", \"q\": \"two-1.col\", \"r\": \"two-2.col\", \"expected\": \"not-equivalent\"}\n",
    );
    let states = r#"
[[states]]
label = "alone"
folder = "states"
[[states]]
label = "lines"
folder = "many.g6"
[[states]]
label = "shuffled"
folder = "graphs"
files = "*-1.col"
[[states]]
label = "named"
folder = "graphs"
names = ["*-1.col", "*-2.col"]
[[states]]
label = "listed"
manifest = "graphs/list.jsonl"
"#;
    let file = experiment(&scratch, states, "");
    let out = scratch.path("run");
    expect(&run(&file, &out, &[]), 0);
    let (sets, inputs) = (column(&out, "set"), column(&out, "input"));
    let (answers, known) = (column(&out, "answer"), column(&out, "expected"));
    let of = |set: &str| (0..sets.len()).filter(|&i| sets[i] == set).collect::<Vec<_>>();
    for set in ["alone", "lines", "shuffled"] {
        assert!(
            of(set).iter().all(|&i| answers[i] == "equivalent" && known[i] == "equivalent"),
            "{set}"
        );
    }
    assert_eq!(of("alone").len(), 2 * 4);
    assert_eq!(of("lines").len(), 3 * 4);
    assert!(of("lines").iter().any(|&i| inputs[i] == "all.g6:3"));
    assert_eq!(of("shuffled").len(), 2 * 4);
    for i in of("named") {
        let expected = if inputs[i] == "two-1.col" { "not-equivalent" } else { "equivalent" };
        assert_eq!(
            (answers[i].as_str(), known[i].as_str()),
            (expected, "unknown"),
            "{}",
            inputs[i]
        );
    }
    assert!(
        of("listed")
            .iter()
            .all(|&i| answers[i] == "not-equivalent" && known[i] == "not-equivalent")
    );
    // sizes are those of the states
    let sizes: Vec<String> =
        of("shuffled").iter().map(|&i| column(&out, "size")[i].clone()).collect();
    assert!(sizes.iter().all(|size| size == "6"), "{sizes:?}");
    // the same rows in a tournament
    let ranked = program()
        .arg("tournament")
        .arg(&file)
        .arg("--out")
        .arg(scratch.path("ranked"))
        .output()
        .unwrap();
    expect(&ranked, 0);
}

#[test]
fn shards_of_own_instances_make_the_run() {
    let scratch = Scratch::new();
    write(&scratch, "graphs/a.col", CYCLE);
    write(&scratch, "graphs/b", TRIANGLES);
    let file = experiment(&scratch, "[[states]]\nlabel = \"g\"\nfolder = \"graphs\"", "");
    let whole = scratch.path("whole");
    expect(&run(&file, &whole, &[]), 0);
    for shard in ["1", "2"] {
        expect(&run(&file, &scratch.path(shard), &["--shard", &format!("{shard}/2")]), 0);
    }
    let parts = ["1", "2"].map(|shard| scratch.path(shard));
    let merged = scratch.path("merged");
    let output = program().arg("merge").args(&parts).arg("--out").arg(&merged).output().unwrap();
    expect(&output, 0);
    assert_eq!(timeless(&merged), timeless(&whole));
}

#[test]
fn states_of_a_folder_are_transformed_as_random_ones_are() {
    let scratch = Scratch::new();
    write(&scratch, "states/one.json", &state(&["1", "1.2", "4"]));
    let more = "[[transformations]]\nlabel = \"rename\"\nsteps = [{ kind = \"rename\" }]";
    let file = experiment(&scratch, "[[states]]\nlabel = \"s\"\nfolder = \"states\"", more);
    let out = scratch.path("run");
    expect(&run(&file, &out, &[]), 0);
    assert!(column(&out, "transformation").iter().all(|label| label == "rename"));
}

const GENERATOR: &str = r#"echo '{"format":"pidlab-generator/1"}'
while read -r line; do
  id=${line#*\"id\":}; id=${id%%,*}; size=${line#*\"size\":}; size=${size%%,*}
  i=0; q=; while [ $i -lt $size ]; do i=$((i+1)); q="$q[\"@$i\"],"; done
  q="{\"sigma\":{\"A\":[${q%,}]},\"eta\":{}}"
  echo "{\"id\":$id,\"q\":$q,\"r\":$q,\"expected\":true}"
done"#;

#[test]
fn a_program_generates_pairs() {
    let scratch = Scratch::new();
    write(&scratch, "gen.sh", GENERATOR);
    let file = experiment(&scratch, "[[states]]\nlabel = \"g\"\ngenerator = \"sh gen.sh\"", "");
    let out = scratch.path("run");
    expect(&run(&file, &out, &[]), 0);
    assert_eq!(column(&out, "p").iter().filter(|p| *p == "8").count(), 2 * 2 * 2);
    assert!(column(&out, "expected").iter().all(|known| known == "equivalent"));
    // the first row of a pair has the program's time
    assert!(column(&out, "generate_ns").iter().any(|ns| ns.parse::<u64>().unwrap() > 0));
    // another program is another run
    write(&scratch, "gen.sh", &format!("{GENERATOR}\n# changed"));
    expect(&run(&file, &out, &[]), 2);
}

#[test]
fn a_generator_that_misbehaves_ends_the_run_with_its_words() {
    for (script, expected) in [
        ("echo nothing", "its first line must be"),
        ("echo '{\"format\":\"pidlab-generator/1\"}'; read x; echo oops >&2; exit 3", "oops"),
        (
            "echo '{\"format\":\"pidlab-generator/1\"}'; read x; echo '{\"id\":7}'; read x",
            "request 7",
        ),
        ("echo '{\"format\":\"pidlab-generator/1\"}'; read x; sleep 600", "time limit"),
    ] {
        let scratch = Scratch::new();
        write(&scratch, "gen.sh", script);
        let more = "budget = { seconds = 0.5 }";
        let file =
            experiment(&scratch, "[[states]]\nlabel = \"g\"\ngenerator = \"sh gen.sh\"", more);
        let stopped = run(&file, &scratch.path("run"), &[]);
        expect(&stopped, 2);
        assert!(text(&stopped.stderr).contains(expected), "{script}: {}", text(&stopped.stderr));
    }
}

#[test]
fn markings_of_a_net_of_the_user_are_compared() {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.path("nets")).unwrap();
    std::fs::copy("models/nkm.tnet", scratch.path("nets/mine.tnet")).unwrap();
    let set = "[[states]]\nlabel = \"net\"\nsizes = [1, 2]\n\
               explored = { model = \"nets/mine.tnet\", set = { m = 2 }, grows = \"k\", states = 40 }";
    let file = experiment(&scratch, set, "");
    // the program looks for the model where the experiment is, wherever it is called
    let out = scratch.path("run");
    let elsewhere = std::env::temp_dir();
    let called = program()
        .current_dir(&elsewhere)
        .arg("run")
        .arg(&file)
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    expect(&called, 0);
    assert!(column(&out, "answer").iter().any(|answer| answer == "equivalent"));
}

#[test]
fn what_is_wrong_with_inputs_is_said_before_the_first_row() {
    for (states, files, expected) in [
        ("pairs = \"no.jsonl\"", &[][..], "cannot read"),
        (
            "pairs = \"p.jsonl\"",
            &[("p.jsonl", "\n{\"q\": 1}\n")][..],
            "p.jsonl:2:7: expected a state, such as",
        ),
        (
            "folder = \"f\"",
            &[("f/a.json", "{\"sigma\": {}, \"eta\": []}")][..],
            "a.json:1:22: expected eta as an object",
        ),
        ("folder = \"f\"", &[("f/a.pst", "A : <2.1>\n")][..], "a.pst:1:6: `2.1` could be"),
        (
            "manifest = \"m\"",
            &[("m", "\n{\"q\": \"a.g6\", \"R\": \"b.g6\"}\n")][..],
            "m:2:15: unknown field `R`, expected one of",
        ),
        (
            "folder = \"f\"",
            &[("f/a.col", "p edge 2 1\ne 1 3\n")][..],
            "a.col:2:5: expected a vertex from 1 to 2",
        ),
        ("folder = \"f\"", &[("f/a.txt", "x y\n")][..], "not a single pair"),
        (
            "folder = \"f\"\nnames = [\"*-1.g6\", \"*-2.g6\"]",
            &[("f/a-1.g6", "Bw\n")][..],
            "there is no a-2.g6",
        ),
        ("folder = \"f\"\nnames = [\"x\", \"*\"]", &[][..], "not a pattern"),
        ("folder = \"f\"\nformat = \"dot\"", &[][..], "there is no format `dot`"),
        ("pairs = \"p.jsonl\"\nfolder = \"f\"", &[][..], "one of `random`"),
        (
            "manifest = \"m\"",
            &[
                ("m", "{\"q\": \"a.g6\", \"r\": \"b.json\"}\n"),
                ("a.g6", "Bw\n"),
                ("b.json", "{\"sigma\": {}, \"eta\": {}}"),
            ][..],
            "one is a graph and the other a state",
        ),
        ("generator = \"no-such-program\"", &[][..], "there is no program"),
    ] {
        let scratch = Scratch::new();
        for (name, text) in files {
            write(&scratch, name, text);
        }
        let file = experiment(&scratch, &format!("[[states]]\nlabel = \"x\"\n{states}"), "");
        let refused = run(&file, &scratch.path("run"), &[]);
        expect(&refused, 2);
        assert!(text(&refused.stderr).contains(expected), "{states}: {}", text(&refused.stderr));
        assert!(!Path::new(&scratch.path("run/log")).exists(), "{states}");
    }
}
