//! A backend that lies is caught: exit 4, and the shrunk pair can be replayed.

use crate::support::{BUDGET, Scratch, expect, program, run, text};
use std::path::PathBuf;

fn caught(double: &str) -> (Scratch, PathBuf, serde_json::Value) {
    let scratch = Scratch::new();
    let backends = format!(r#"["canon", "{double}"]"#);
    let experiment = scratch.experiment(&backends, "[12, 20]", BUDGET);
    let out = scratch.path("run");
    let stopped = run(&experiment, &out, &["--json"]);
    expect(&stopped, 4);
    let document: serde_json::Value = serde_json::from_slice(&stopped.stdout).unwrap();
    let folder = PathBuf::from(document["reproducers"][0].as_str().unwrap());
    (scratch, folder, document)
}

#[test]
fn a_liar_is_caught_and_its_pair_shrunk() {
    let (_scratch, folder, document) = caught("double:liar");
    assert_eq!(document["findings"][0]["backend"], "double:liar");
    let about: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("about.json")).unwrap()).unwrap();
    // the liar denies any pair with an even number of vectors, so nothing at all remains
    assert_eq!(about["vectors"], serde_json::json!([0, 0]), "{about}");
    assert_eq!(about["says"]["double:liar"], "not equivalent");
    // the command can be pasted where the run was started
    let replay = about["replay"].as_str().unwrap();
    let pair = ["q.json", "r.json"].map(|name| folder.join(name).display().to_string());
    assert!(replay.contains(&pair.join(" ")) && replay.ends_with(" --check"), "{replay}");
    let honest = program()
        .args(["check", "q.json", "r.json", "--backend", "canon"])
        .current_dir(&folder)
        .output()
        .unwrap();
    expect(&honest, 0);
}

#[test]
fn a_forged_witness_is_rejected_by_the_checker() {
    let (_scratch, folder, document) = caught("double:forger");
    let against = document["findings"][0]["against"].as_str().unwrap();
    assert!(against.contains("checker rejects") || against.contains("not-equivalent"), "{against}");
    let about = std::fs::read_to_string(folder.join("about.json")).unwrap();
    assert!(about.contains("equivalent, but"), "{about}");
}

#[test]
fn the_row_of_a_lie_replays_with_exit_four() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["double:liar"]"#, "[12]", BUDGET);
    let out = scratch.path("run");
    let stopped = run(&experiment, &out, &["--json"]);
    expect(&stopped, 4);
    let document: serde_json::Value = serde_json::from_slice(&stopped.stdout).unwrap();
    let row = document["findings"][0]["row"].as_u64().unwrap().to_string();
    let again = run(&experiment, &out, &["--replay", &row]);
    expect(&again, 4);
    assert!(text(&again.stdout).contains("by construction"), "{}", text(&again.stdout));
}

/// The pids of a hard family are roots that sibling relations put in order: what is equivalent without
/// them is not so with them, and no backend may be blamed for saying so.
#[test]
fn honest_backends_are_not_blamed_for_hard_families_under_any_relations() {
    let scratch = Scratch::new();
    let scale = "{ sizes = [4], states = 1, seconds = 1 }";
    let families: String = ["cfi", "torus", "all-alike", "wide-forest"]
        .map(|family| {
            format!("[[states]]\nlabel = \"{family}\"\nfamily = \"{family}\"\nsizes = [6]\n")
        })
        .concat();
    let experiment = scratch.path("families.toml");
    let text = format!(
        r#"name = "families"
title = "hard families under all relations"
source = "test"
claim = "none"
backends = ["canon", "refine"]
relations = ["none", "parent", "adjacent-sibling", "elder-sibling", "all"]
figures = []
scale = {{ smoke = {scale}, small = {scale}, paper = {scale} }}
budget = {BUDGET}
{families}
[[transformations]]
label = "equivalent"
variant = "equivalent"

[[transformations]]
label = "twin"
variant = "twin"
"#
    );
    std::fs::write(&experiment, text).unwrap();
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &[]), 0);
    let table = std::fs::read_to_string(out.join("rows.csv")).unwrap();
    assert!(table.lines().count() > 4 * 2 * 5, "{table}");
}

/// Of a pair of which nothing is guaranteed a denial would be nobody else's word.
#[test]
fn a_lone_denial_is_held_against_canon() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["double:liar"]"#, "[10, 12, 14, 16, 18, 20]", BUDGET);
    let text = std::fs::read_to_string(&experiment).unwrap();
    // without relations the states are equivalent whatever their pids are called, and nothing says so
    let shifted = text
        .replace(r#"["parent", "all"]"#, r#"["none"]"#)
        .replace(r#"kind = "exchange-pids", strength = 0.2"#, r#"kind = "shift-pids""#)
        .replace(r#"kind = "rename""#, r#"kind = "shift-pids""#);
    std::fs::write(&experiment, shifted).unwrap();
    let stopped = run(&experiment, &scratch.path("run"), &["--json"]);
    expect(&stopped, 4);
    let document: serde_json::Value = serde_json::from_slice(&stopped.stdout).unwrap();
    let against = document["findings"][0]["against"].as_str().unwrap();
    assert!(against.contains("canon finds a witness"), "{against}");
}
