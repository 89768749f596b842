//! Public instances: every file parses, every verdict is the known one, every answer checks.

mod common;

use common::{answer, model_of};
use pidlab_cover::check::Model;
use pidlab_cover::{Budget, CoverVerdict, Net, parse};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/cover")
}

fn verdicts() -> BTreeMap<String, CoverVerdict> {
    let text = std::fs::read_to_string(folder().join("verdicts.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let entries = file["verdicts"].as_object().unwrap();
    let verdict = |v: &serde_json::Value| serde_json::from_value(v["verdict"].clone()).unwrap();
    entries.iter().map(|(name, v)| (name.clone(), verdict(v))).collect()
}

/// Models with the name under which their verdict is known.
fn models() -> Vec<(String, Net)> {
    let unlimited = Budget::unlimited();
    let mut models = Vec::new();
    for suite in ["mist", "wahl-kroening"] {
        for entry in std::fs::read_dir(folder().join(suite)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let file = path.file_name().unwrap().to_str().unwrap();
            let name = file.trim_end_matches(".tts").trim_end_matches(".spec");
            let net = match path.extension().unwrap().to_str().unwrap() {
                "spec" => parse::spec::parse(&text),
                "tts" => parse::tts::parse(&text, &property(&path)),
                _ => continue,
            };
            let net = net.unwrap_or_else(|e| panic!("{file}: {e}"));
            let model = match path.extension().unwrap().to_str().unwrap() {
                "spec" => Model::read_spec(text.as_bytes(), &unlimited),
                _ => Model::read_tts(text.as_bytes(), property(&path).as_bytes(), None, &unlimited),
            };
            assert!(model == Ok(model_of(&net)), "{file}: the checker reads it differently");
            models.push((format!("{suite}/{name}"), net));
        }
    }
    assert!(models.len() > 40, "only {} models found", models.len());
    models
}

fn property(path: &Path) -> String {
    let appended = PathBuf::from(format!("{}.prop", path.display()));
    std::fs::read_to_string(&appended)
        .or_else(|_| std::fs::read_to_string(path.with_extension("prop")))
        .unwrap()
}

#[test]
fn the_default_decides_all_of_them() {
    let verdicts = verdicts();
    for (name, net) in models() {
        assert_eq!(answer(&net, "auto", 20.0, true).verdict, verdicts[&name], "{name}");
    }
}

#[test]
fn no_algorithm_contradicts_the_known_verdicts() {
    let verdicts = verdicts();
    let mut decided = BTreeMap::new();
    for (name, net) in models() {
        for algorithm in ["backward", "mp", "beacon", "beacon:bfs", "karp-miller", "bounded:2"] {
            for reduce in [true, false] {
                let found = answer(&net, algorithm, 0.1, reduce).verdict;
                if found != CoverVerdict::Unknown {
                    assert_eq!(found, verdicts[&name], "{name} by {algorithm}");
                    *decided.entry(algorithm).or_insert(0) += 1;
                }
            }
        }
    }
    for algorithm in ["backward", "mp", "beacon"] {
        assert!(decided[algorithm] > 30, "{algorithm} decided {}", decided[algorithm]);
    }
}
