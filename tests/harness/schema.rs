//! Experiment files: errors name the line, rows replay, the list of experiments is complete.

use crate::support::{BUDGET, Scratch, column, expect, program, run, text};

fn error_of(change: impl Fn(String) -> String) -> String {
    let scratch = Scratch::new();
    let path = scratch.experiment(r#"["canon"]"#, "[10]", BUDGET);
    let changed = change(std::fs::read_to_string(&path).unwrap());
    std::fs::write(&path, changed).unwrap();
    let refused = run(&path, &scratch.path("run"), &[]);
    expect(&refused, 2);
    text(&refused.stderr)
}

#[test]
fn errors_name_the_line_or_the_field() {
    let line = error_of(|text| text.replace("orders = 2", "ordres = 2"));
    assert!(line.contains("line 7") && line.contains("ordres"), "{line}");
    let nested = error_of(|text| text.replace("pid_share", "pidshare"));
    assert!(nested.contains("line") && nested.contains("pidshare"), "{nested}");
    let relation = error_of(|text| text.replace("\"all\"", "\"cousin\""));
    assert!(relation.contains("cousin") && relation.contains("line 6"), "{relation}");
    let empty = error_of(|text| text.replace("backends = [\"canon\"]", "backends = []"));
    assert!(empty.contains("`backends` is empty"), "{empty}");
    let unknown = error_of(|text| text.replace("\"canon\"", "\"magic\""));
    assert!(unknown.contains("magic") && unknown.contains("vf2"), "{unknown}");
    let format = error_of(|text| format!("format = \"pidlab-experiment/9\"\n{text}"));
    assert!(format.contains("pidlab-experiment/1"), "{format}");
}

#[test]
fn a_row_replays_alone_with_the_same_pair() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["canon", "vf2"]"#, "[10, 30]", BUDGET);
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &[]), 0);
    let (pairs, answers) = (column(&out, "pair"), column(&out, "answer"));
    for row in [0, 17, 63] {
        let again = run(&experiment, &out, &["--replay", &row.to_string()]);
        expect(&again, 0);
        let document: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
        let pair = format!("{:016x}", pairs[row].parse::<u64>().unwrap());
        assert_eq!(document["pair"], pair.as_str());
        assert_eq!(document["answer"], answers[row].as_str());
    }
    let beyond = run(&experiment, &out, &["--replay", "64"]);
    expect(&beyond, 2);
    assert!(text(&beyond.stderr).contains("rows 0 to 63"), "{}", text(&beyond.stderr));
}

#[test]
fn every_published_experiment_is_listed() {
    let listed = program().args(["experiments", "--json"]).output().unwrap();
    expect(&listed, 0);
    let document: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let names: Vec<&str> = document["experiments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["name"].as_str().unwrap())
        .collect();
    for name in [
        "sacs10",
        "iscis09",
        "ictac08",
        "vf2-against-nauty",
        "all-backends",
        "relations",
        "hard-families",
    ] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
}
