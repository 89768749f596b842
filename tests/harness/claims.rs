//! Claims in a user's own experiment: judged and shown, refused by name where they cannot be meant; one table of many runs.

use crate::support::{BUDGET, Scratch, expect, program, run, text};
use serde_json::Value;
use std::path::PathBuf;

fn with_claims(scratch: &Scratch, claims: &str) -> PathBuf {
    let sizes = "{ from = 10, to = 120, count = 12 }";
    let path = scratch.experiment(r#"["canon", "vf2"]"#, sizes, BUDGET);
    let experiment = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{experiment}\n{claims}")).unwrap();
    path
}

const MINE: &str = r#"
[[claims]]
id = "mine-agree"
claim = "everybody agrees"
decide = { by = "agreement" }

[[claims]]
id = "mine-cubic"
claim = "canon takes cubic time"
published = "cubic"
source = "Doe'12"
decide = { by = "exponent", backend = "canon", low = 2.9, high = 3.1 }
"#;

#[test]
fn claims_of_a_users_experiment_are_judged_and_shown() {
    let scratch = Scratch::new();
    let out = scratch.path("run");
    expect(&run(&with_claims(&scratch, MINE), &out, &[]), 0);
    let analysed = program().arg("analyse").arg(&out).arg("--json").output().unwrap();
    expect(&analysed, 0);
    let document: Value = serde_json::from_slice(&analysed.stdout).unwrap();
    let verdict = |at: usize| document["claims"][at]["verdict"].as_str().unwrap().to_string();
    assert_eq!(document["claims"][0]["id"], "mine-agree");
    assert_eq!(verdict(0), "holds", "no paper claims it");
    assert_ne!(verdict(1), "reproduced", "{document}");
    expect(&program().arg("report").arg(&out).output().unwrap(), 0);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("canon takes cubic time") && page.contains("Claims, published"));
    let table = program().arg("report").arg(&scratch.0).arg("--claims").output().unwrap();
    expect(&table, 0);
    assert!(text(&table.stdout).contains("| everybody agrees (ours; run run) |"));
}

#[test]
fn a_report_without_claims_has_no_table_of_them() {
    let scratch = Scratch::new();
    let out = scratch.path("run");
    expect(&run(&with_claims(&scratch, ""), &out, &[]), 0);
    expect(&program().arg("report").arg(&out).output().unwrap(), 0);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(!page.contains("Claims, published") && !page.contains("0 reproduced"));
}

#[test]
fn what_a_claim_names_must_be_there() {
    for (decide, said) in [
        (r#"{ by = "exponent", backend = "nauty", low = 1, high = 2 }"#, "nauty"),
        (r#"{ by = "exponent", backend = "canon", low = 2, high = 1 }"#, "in order"),
        (r#"{ by = "lower-share", backend = "canon", share = 0.7, tolerance = 0.1 }"#, "segments"),
        (
            r#"{ by = "factor", backend = "canon", factor = "depth", rises = true }"#,
            "analysis.factors",
        ),
        (
            r#"{ by = "relations", backend = "canon", more = "ancestor", fewer = "all", bound = 2 }"#,
            "ancestor",
        ),
        (
            r#"{ by = "fewer", set = "x", column = "states", backend = "a", than = "b", strictly = true }"#,
            "[[models]]",
        ),
        (r#"{ by = "guess" }"#, "guess"),
    ] {
        let scratch = Scratch::new();
        let claim = format!("[[claims]]\nid = \"mine\"\nclaim = \"x\"\ndecide = {decide}\n");
        let refused = run(&with_claims(&scratch, &claim), &scratch.path("run"), &[]);
        expect(&refused, 2);
        let message = text(&refused.stderr);
        assert!(message.contains(said) && message.contains("mini.toml"), "{decide}: {message}");
    }
}
