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
    assert!(line.contains(".toml:7:1:") && line.contains("ordres"), "{line}");
    let nested = error_of(|text| text.replace("pid_share", "pidshare"));
    assert!(nested.contains(".toml:") && nested.contains("pidshare"), "{nested}");
    let relation = error_of(|text| text.replace("\"all\"", "\"cousin\""));
    assert!(relation.contains("cousin") && relation.contains(".toml:6:"), "{relation}");
    let empty = error_of(|text| text.replace("backends = [\"canon\"]", "backends = []"));
    assert!(empty.contains("`backends` is empty"), "{empty}");
    let unknown = error_of(|text| text.replace("\"canon\"", "\"magic\""));
    assert!(unknown.contains("magic") && unknown.contains("vf2"), "{unknown}");
    let format = error_of(|text| format!("format = \"pidlab-experiment/9\"\n{text}"));
    assert!(format.contains("pidlab-experiment/2"), "{format}");
    let heap = error_of(|text| format!("format = \"pidlab-heap-experiment/1\"\n{text}"));
    assert!(heap.contains("[[models]]") && heap.contains("pidlab-experiment/2"), "{heap}");
    let mixed =
        error_of(|text| format!("{text}\n[[models]]\nlabel = \"x\"\nmodel = \"nkm.tnet\"\n"));
    assert!(mixed.contains("a file for each"), "{mixed}");
}

#[test]
fn what_has_no_label_is_named_after_what_it_is() {
    let scratch = Scratch::new();
    let experiment = scratch.path("plain.toml");
    let sets = "[[states]]\nrandom = {}\n[[states]]\nrandom = { pid_share = 0.9 }\n[[states]]\nlabel = \"random 2\"\nrandom = {}\n";
    let steps = "[[transformations]]\nsteps = [{ kind = \"rename\" }, { kind = \"near-miss\" }]\n";
    let text = format!("name = \"plain\"\nbackends = [\"canon\"]\nsizes = [12]\n{sets}{steps}");
    std::fs::write(&experiment, text).unwrap();
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &["--scale", "smoke"]), 0);
    let rows = std::fs::read_to_string(out.join("rows.csv")).unwrap();
    for label in [",random,", ",random 2,", ",random 3,", "rename, near-miss"] {
        assert!(rows.contains(label), "{label}: {rows}");
    }
}

#[test]
fn sets_with_sizes_of_their_own_need_no_others() {
    let scratch = Scratch::new();
    let experiment = scratch.path("own.toml");
    let sets = "[[states]]\nfamily = \"cubic\"\nsizes = [8, 10, 12]\n[[states]]\nfamily = \"grid\"\nsizes = [4, 5]\n";
    let text = |more: &str| {
        format!(
            "name = \"own\"\nbackends = [\"canon\"]\nrelations = [\"none\"]\n{sets}[[transformations]]\nlabel = \"equivalent\"\nvariant = \"equivalent\"\n[scale.smoke]\nstates = 1\n{more}"
        )
    };
    // all of them, or as many as the scale has sizes
    for (more, rows) in [("", 5), ("sizes = [1, 2]\n", 4)] {
        std::fs::write(&experiment, text(more)).unwrap();
        let out = scratch.path(&format!("run-{rows}"));
        expect(&run(&experiment, &out, &["--scale", "smoke"]), 0);
        assert_eq!(column(&out, "p").len(), rows);
    }
}

#[test]
fn every_experiment_of_the_repository_is_one() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
    let scratch = Scratch::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_experiment = path.extension().is_some_and(|ending| ending == "toml")
            && path.file_stem().is_some_and(|name| name != "claims");
        // of those that need Python the deviations say so
        let is_runnable =
            is_experiment && !std::fs::read_to_string(&path).unwrap().contains("setup python");
        if is_runnable {
            let out = scratch.path(path.file_stem().unwrap().to_str().unwrap());
            let replayed = run(&path, &out, &["--scale", "smoke", "--replay", "0"]);
            let row: serde_json::Value = serde_json::from_slice(&replayed.stdout).unwrap();
            expect(&replayed, if row["status"] == "ok" { 0 } else { 3 });
        }
    }
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
        assert_eq!(document["pair"], pairs[row].as_str());
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

/// Numbers that cannot be meant are refused with their field, before there is a folder.
#[test]
fn out_of_range_parameters_are_refused() {
    let changes = [
        ("seconds = 2.0", "seconds = nan", "`budget.seconds` is NaN"),
        ("seconds = 2.0", "seconds = inf", "`budget.seconds` is inf"),
        ("seconds = 2.0", "seconds = -1.0", "`budget.seconds` is -1"),
        ("seconds = 2.0", "seconds = 1e300", "`budget.seconds`"),
        ("seconds = 2.0", "seconds = 1.0, grace_seconds = nan", "`budget.grace_seconds`"),
        ("seconds = 2.0", "seconds = 1.0, memory_mib = 9223372036854775807", "`budget.memory_mib`"),
        ("orders = 2", "orders = 2\nrepetitions = 4294967295", "`repetitions` is 4294967295"),
        ("orders = 2", "orders = 4294967295", "`orders` is 4294967295"),
        ("states = 2, seconds", "states = 4294967295, seconds", "`scale.states` is 4294967295"),
        ("states = 2, seconds", "states = 2, variants = 4294967295, seconds", "`variants`"),
        ("[10]", "{ from = 1, to = 9, count = 4294967295 }", "`scale.smoke.sizes.count`"),
        ("[10]", "[4294967295]", "`pids` is 4294967295"),
        ("pid_share = 0.6", "pid_share = nan", "`pid_share` is NaN"),
        ("locations = 3", "locations = 9223372036854775807", "`locations`"),
        ("locations = 3", "locations = 0", "`locations` is 0"),
        ("label = \"mixed\"", "label = \"mixed\"\nvectors_per_pid = inf", "`vectors_per_pid`"),
        ("strength = 0.2", "strength = nan", "`strength` of the transformation `exchange` is NaN"),
    ];
    for (from, to, field) in changes {
        let said = error_of(|text| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        });
        assert!(said.contains(field) && said.contains("mini.toml"), "{to}: {said}");
    }
    let family = error_of(|text| {
        let random = "random = { locations = 3, pid_share = 0.6, distinct_data = 5 }";
        text.replace(random, "family = \"paley\"\nsizes = [4000000000]")
    });
    assert!(family.contains("size 4000000000 of family paley"), "{family}");
    let scratch = Scratch::new();
    let path = scratch.experiment(r#"["canon"]"#, "[10]", BUDGET);
    for workers in ["0", "18446744073709551615"] {
        let refused = run(&path, &scratch.path("run"), &["--workers", workers]);
        expect(&refused, 2);
        assert!(text(&refused.stderr).contains("--workers"), "{}", text(&refused.stderr));
    }
    assert!(!scratch.path("run").exists());
}

#[test]
fn wrong_sizes_say_what_was_expected() {
    for wrong in ["\"many\"", "7", "[1, \"two\"]", "{ from = 1, until = 3 }", "{ from = 1 }"] {
        let said = error_of(|text| text.replace("sizes = [10]", &format!("sizes = {wrong}")));
        assert!(!said.contains("untagged") && said.contains(".toml:"), "{wrong}: {said}");
        let expected = match wrong {
            "\"many\"" | "7" => "a list such as [10, 20, 50], or a range such as",
            "[1, \"two\"]" => "two",
            "{ from = 1 }" => "missing field `to`",
            _ => "until",
        };
        assert!(said.contains(expected), "{wrong}: {said}");
    }
}
