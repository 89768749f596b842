//! Rows that explore models and rows that ask coverability algorithms: measured, killed, resumed, replayed,
//! judged, reported, compared and tracked like pairs of states.

use crate::resume::{start, wait_for_rows};
use crate::support::{Scratch, column, expect, program, run, text, timeless};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

const SCALES: &str = "scale = { smoke = { states = 400, seconds = 1 }, small = { states = 4000, seconds = 1 }, paper = { seconds = 1 } }";
const HEAD: &str =
    "format = \"pidlab-experiment/2\"\ntitle = \"a test\"\nsource = \"test\"\nclaim = \"none\"\n";

pub fn models(scratch: &Scratch) -> PathBuf {
    let text = format!(
        r#"{HEAD}name = "models"
repetitions = 6
figures = ["bytes-per-state"]
{SCALES}
[explorer]
symmetries = ["none", "kbots:inf", "exact"]
compressions = ["none", "collapse", "tree"]
searches = ["dfs", "bfs"]
[[models]]
label = "N = 5"
model = "philosophers.bir"
set = {{ N = 5 }}
[[models]]
label = "N = 6"
model = "philosophers.bir"
set = {{ N = 6 }}
"#
    );
    written_to(scratch.path("models.toml"), &text)
}

pub fn instances(scratch: &Scratch) -> PathBuf {
    let text = format!(
        r#"{HEAD}name = "instances"
seed = 2001
backends = ["beacon", "mp"]
budget = {{ seconds = 60.0 }}
figures = ["cactus"]
{SCALES}
[[instances]]
label = "rockall"
file = "rockall.bp"
expect = "safe"
[[instances]]
label = "broken"
file = "rockall-no-lock-B0_New.bp"
expect = "unsafe"
backends = ["karp-miller"]
[[instances]]
label = "machines"
random_machines = true
reduce = false
"#
    );
    written_to(scratch.path("instances.toml"), &text)
}

fn written_to(path: PathBuf, text: &str) -> PathBuf {
    std::fs::write(&path, text).unwrap();
    path
}

fn json(arguments: &[&str], folder: &Path) -> Value {
    let output = program().args(arguments).arg(folder).arg("--json").output().unwrap();
    expect(&output, 0);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn kill_nine_and_resume_gives_the_same_table_for_every_kind() {
    let scratch = Scratch::new();
    for (name, experiment) in [("m", models(&scratch)), ("i", instances(&scratch))] {
        let (calm, killed) =
            (scratch.path(&format!("{name}-calm")), scratch.path(&format!("{name}-killed")));
        expect(&run(&experiment, &calm, &[]), 0);
        let mut child = start(&experiment, &killed);
        wait_for_rows(&killed, 3_000);
        child.kill().unwrap();
        child.wait().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let resumed = run(&experiment, &killed, &[]);
        expect(&resumed, 0);
        assert_eq!(timeless(&calm), timeless(&killed), "{name}");
    }
}

#[test]
fn a_model_is_counted_in_every_configuration_and_reported() {
    let scratch = Scratch::new();
    let out = scratch.path("run");
    let experiment = models(&scratch);
    expect(&run(&experiment, &out, &["--scale", "smoke"]), 0);
    let (set, backend, states) =
        (column(&out, "set"), column(&out, "backend"), column(&out, "states"));
    assert_eq!(set.len(), 2 * 18 * 6);
    for i in 0..set.len() {
        // counts of Bogor'03, table 1; sorting depends on the order of the search
        if set[i] == "N = 5" && backend[i].starts_with("none") {
            assert_eq!(states[i], "393", "{}", backend[i]);
        }
        if set[i] == "N = 5" && backend[i].starts_with("kbots:inf") && backend[i].ends_with("dfs") {
            assert_eq!(states[i], "160", "{}", backend[i]);
        }
    }
    let analysis = json(&["analyse"], &out);
    assert_eq!(analysis["analysis"]["cells"].as_array().unwrap().len(), 36);
    json(&["plot"], &out);
    json(&["report"], &out);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("∞-BOTS") && page.contains("id=\"bytes-per-state\""));
    let replayed = run(&experiment, &out, &["--scale", "smoke", "--replay", "0"]);
    expect(&replayed, 0);
    let row: Value = serde_json::from_slice(&replayed.stdout).unwrap();
    assert_eq!(row["states"].to_string(), states[0]);
}

#[test]
fn instances_are_asked_by_their_own_algorithms_and_checked() {
    let scratch = Scratch::new();
    let out = scratch.path("run");
    let experiment = instances(&scratch);
    expect(&run(&experiment, &out, &["--scale", "smoke"]), 0);
    let (set, backend, answer) =
        (column(&out, "set"), column(&out, "backend"), column(&out, "answer"));
    assert_eq!(set.len(), 2 + 1 + 2 * 400);
    for i in 0..3 {
        let (who, said) =
            if set[i] == "broken" { ("karp-miller", "unsafe") } else { (&*backend[i], "safe") };
        assert_eq!((backend[i].as_str(), answer[i].as_str()), (who, said), "{}", set[i]);
    }
    let wrong = std::fs::read_to_string(&experiment).unwrap().replace("\"unsafe\"", "\"safe\"");
    std::fs::write(&experiment, wrong).unwrap();
    let stopped = run(&experiment, &scratch.path("wrong"), &["--scale", "smoke"]);
    expect(&stopped, 4);
    assert!(text(&stopped.stdout).contains("known to be safe"), "{}", text(&stopped.stdout));
}

/// Another analysis or title needs no new rows; another model does.
#[test]
fn what_is_measured_and_what_is_analysed_are_told_apart() {
    let scratch = Scratch::new();
    let out = scratch.path("run");
    let experiment = models(&scratch);
    expect(&run(&experiment, &out, &["--scale", "smoke"]), 0);
    let measured = std::fs::read(out.join("rows.parquet")).unwrap();
    let text = std::fs::read_to_string(&experiment).unwrap();
    let retold = text.replace("a test", "another title") + "[analysis]\ntime = \"decide\"\n";
    std::fs::write(&experiment, &retold).unwrap();
    expect(&run(&experiment, &out, &["--scale", "smoke"]), 0);
    assert_eq!(std::fs::read(out.join("rows.parquet")).unwrap().len(), measured.len());
    json(&["report"], &out);
    assert!(std::fs::read_to_string(out.join("report.html")).unwrap().contains("another title"));
    std::fs::write(&experiment, retold.replace("N = 6 }", "N = 4 }")).unwrap();
    let refused = run(&experiment, &out, &["--scale", "smoke"]);
    expect(&refused, 2);
}

#[test]
fn runs_of_every_kind_are_compared_and_tracked() {
    let scratch = Scratch::new();
    let experiment = models(&scratch);
    let (one, two) = (scratch.path("one"), scratch.path("two"));
    for out in [&one, &two] {
        expect(&run(&experiment, out, &["--scale", "smoke"]), 0);
    }
    let compared = program()
        .arg("compare")
        .args([&one, &two])
        .args(["--json", "--threshold", "90%"])
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&compared.stdout).unwrap();
    assert!(document["verdict"].is_string(), "{document}");
    let page = scratch.path("page.html");
    for (commit, out) in [("abc", &one), ("abd", &two)] {
        let tracked = program()
            .args(["track", "--json", "--commit", commit, "--history"])
            .arg(scratch.path("history"))
            .arg("--page")
            .arg(&page)
            .arg(out)
            .output()
            .unwrap();
        expect(&tracked, 0);
        let document: Value = serde_json::from_slice(&tracked.stdout).unwrap();
        assert_eq!(document["added"].as_array().unwrap().len(), 1, "{document}");
    }
    let shown = std::fs::read_to_string(&page).unwrap();
    assert!(shown.contains("N = 5") && shown.contains("exact+tree+bfs"));
}

/// Rows of models or instances ranked like those of states, straight from the rows.
#[test]
fn configurations_and_algorithms_compete_like_backends() {
    let scratch = Scratch::new();
    let asked = [
        (models(&scratch), vec!["--family", "N = 5"], "none+none+dfs,exact+tree+bfs", "states", 1),
        (instances(&scratch), vec![], "beacon,mp", "places", 1 + 400),
    ];
    for (number, (experiment, more, backends, measure, instances)) in asked.into_iter().enumerate()
    {
        let out = scratch.path(&format!("cup-{number}"));
        let found = program()
            .arg("tournament")
            .arg(&experiment)
            .args(["--scale", "smoke", "--json", "--backend", backends])
            .args(more)
            .arg("--out")
            .arg(&out)
            .output()
            .unwrap();
        expect(&found, 0);
        let found: Value = serde_json::from_slice(&found.stdout).unwrap();
        assert_eq!(found["instances"], instances, "{found:#}");
        assert!(found["by_class"][0][measure].as_f64() > Some(1.0), "{}", found["by_class"][0]);
        let ranked = found["backends"].as_array().unwrap();
        let rows = column(&out, "backend").into_iter().zip(column(&out, "status"));
        let rows: Vec<(String, String)> = rows.collect();
        let mut last = 0.0;
        for one in ranked {
            let name = one["backend"].as_str().unwrap();
            assert!(backends.split(',').any(|asked| asked == name), "{name}");
            let undecided =
                rows.iter().filter(|(who, status)| who == name && status != "ok").count();
            let told: u64 =
                one["undecided"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
            assert_eq!(told, undecided as u64, "{one}");
            let score = one["par2_seconds"]["value"].as_f64().unwrap();
            assert!(score >= last, "{ranked:?}");
            last = score;
        }
        let page = std::fs::read_to_string(out.join("tournament.html")).unwrap();
        let title = ["Tournament of configurations", "Tournament of algorithms"][number];
        assert!(page.contains(title) && out.join("figures/cactus.svg").exists());
    }
}

/// What not everybody was asked about is not held against those who were not.
#[test]
fn a_tournament_leaves_out_what_not_everybody_was_asked() {
    let scratch = Scratch::new();
    let experiment = instances(&scratch);
    let cup = |backends: &str| {
        let output = program()
            .arg("tournament")
            .arg(&experiment)
            .args(["--scale", "smoke", "--json", "--backend", backends])
            .args(["--family", "rockall,broken", "--out"])
            .arg(scratch.path(&backends.replace(',', "-")))
            .output()
            .unwrap();
        expect(&output, 0);
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    // `broken` names an algorithm of its own, which takes part in the second
    for (backends, instances, left_out) in [("mp,auto", 2, 0), ("beacon,karp-miller", 1, 1)] {
        let found = cup(backends);
        assert_eq!(found["instances"], instances, "{found:#}");
        assert_eq!(found["left_out"], left_out, "{found:#}");
    }
}

#[test]
fn programs_are_compared_on_rows_of_every_kind() {
    let scratch = Scratch::new();
    for experiment in [models(&scratch), instances(&scratch)] {
        let compared = program()
            .args(["compare", "--base-binary", env!("CARGO_BIN_EXE_pidlab"), "--json"])
            .args(["--scale", "smoke", "--rounds", "1", "--threshold", "95%", "--fresh"])
            .arg("--experiment")
            .arg(&experiment)
            .arg("--out")
            .arg(scratch.path("compared"))
            .output()
            .unwrap();
        expect(&compared, 0);
        let document: Value = serde_json::from_slice(&compared.stdout).unwrap();
        assert!(!document["results"].as_array().unwrap().is_empty(), "{document:#}");
        let notes = document["notes"].to_string();
        assert!(!notes.contains("left out: ") && !notes.contains("was not counted"), "{notes}");
    }
}
