//! The committed reference runs can be analysed, drawn and reported again, and say what they said before.

use crate::support::{Scratch, expect, program, text};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn committed() -> Vec<PathBuf> {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    let entries = std::fs::read_dir(results).unwrap().map(|entry| entry.unwrap().path());
    let mut runs: Vec<PathBuf> = entries.filter(|run| run.join("manifest.json").exists()).collect();
    runs.sort();
    runs
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(std::fs::copy(&path, target).unwrap()),
        }
    }
}

fn claims(run: &Path) -> Option<Value> {
    let analysis = std::fs::read_to_string(run.join("analysis.json")).ok()?;
    serde_json::from_str::<Value>(&analysis).unwrap().get("claims").cloned()
}

#[test]
fn every_committed_run_says_the_same_when_analysed_and_drawn_again() {
    let scratch = Scratch::new();
    let runs = committed();
    assert!(runs.len() > 10, "{runs:?}");
    for run in runs {
        let name = run.file_name().unwrap().to_str().unwrap();
        let again = scratch.path(name);
        copy(&run, &again);
        if !["rows.csv", "rows.parquet"].iter().any(|rows| run.join(rows).exists()) {
            let refused = program().arg("report").arg(&again).output().unwrap();
            expect(&refused, 2);
            let said = text(&refused.stderr);
            let named =
                name.rsplit_once('-').map(|(name, scale)| format!("`{name}` at scale {scale}"));
            assert!(said.contains(&named.unwrap()), "{name}: {said}");
            continue;
        }
        for command in ["analyse", "plot", "report"] {
            expect(&program().arg(command).arg(&again).output().unwrap(), 0);
        }
        if let Some(claims_before) = claims(&run) {
            assert_eq!(claims(&again), Some(claims_before), "{name}");
        }
        let figures = std::fs::read_dir(again.join("figures")).unwrap().count();
        assert!(figures > 0 && again.join("report.html").exists(), "{name}");
    }
}

#[test]
fn what_is_not_reproduced_has_a_measured_reason() {
    for run in committed() {
        let claims = claims(&run).unwrap_or_default();
        for claim in claims.as_array().into_iter().flatten() {
            let refuted =
                ["not-reproduced", "does-not-hold"].iter().any(|v| claim["verdict"] == *v);
            let reason = claim["explanation"].as_str().unwrap_or_default();
            assert!(!refuted || reason.contains("measured: "), "{}: {claim}", run.display());
        }
    }
}
