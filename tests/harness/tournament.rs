//! A tournament: its ranking follows from its rows, and a killed one continues.

use crate::support::{Scratch, expect, program, table, text, written};
use std::collections::BTreeMap;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

const FAMILIES: &str = "random,cubic,torus,multipede-tight";
const BACKENDS: &str = "canon,refine,vf2,wl";

fn tournament(out: &std::path::Path, more: &[&str]) -> std::process::Command {
    let mut command = program();
    command
        .args(["tournament", "--scale", "smoke", "--timeout", "100ms"])
        .args(["--backend", BACKENDS, "--family", FAMILIES, "--out"])
        .arg(out)
        .args(more);
    command
}

fn document(output: &Output) -> serde_json::Value {
    expect(output, 0);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// PAR-2 and decided instances of each backend, straight from `rows.csv`.
fn scores(out: &std::path::Path, limit: f64) -> BTreeMap<String, (f64, usize)> {
    let table = table(out);
    let at = |name: &str| table[0].iter().position(|n| n == name).unwrap();
    let (backend, status, cpu) = (at("backend"), at("status"), at("cpu_ns"));
    let mut sums: BTreeMap<String, (f64, usize, usize)> = BTreeMap::new();
    for row in table[1..].iter().filter(|row| row[status] != "skipped") {
        let time = match row[status].as_str() {
            "ok" => row[cpu].parse::<f64>().unwrap() / 1e9,
            _ => 2.0 * limit,
        };
        let sum = sums.entry(row[backend].clone()).or_default();
        sum.0 += if time <= limit { time } else { 2.0 * limit };
        sum.1 += usize::from(time <= limit);
        sum.2 += 1;
    }
    sums.into_iter().map(|(name, s)| (name, (s.0 / s.2 as f64, s.1))).collect()
}

#[test]
fn the_ranking_follows_from_the_rows() {
    let scratch = Scratch::new();
    let out = scratch.path("cup");
    let found = document(&tournament(&out, &["--json"]).output().unwrap());
    let scores = scores(&out, 0.1);
    // families and limit are in the file beside the page
    let page = std::fs::read_to_string(out.join("tournament.html")).unwrap();
    let again = "pidlab tournament experiment.toml --scale smoke --seed 2010 --backend canon --backend refine";
    assert!(page.contains(again) && page.contains("<h2>Ranking</h2>"), "{page}");
    assert!(!page.contains("find the row in the table"), "there is no table of rows");
    let backends = found["backends"].as_array().unwrap();
    assert_eq!(backends.len(), 4);
    let mut last = 0.0;
    for standing in backends {
        let (par2, decided) = scores[standing["backend"].as_str().unwrap()];
        let ours = standing["par2_seconds"]["value"].as_f64().unwrap();
        assert!((ours - par2).abs() < 1e-9 && ours >= last, "{standing}");
        assert_eq!(standing["decided"], decided, "{standing}");
        last = ours;
    }
    let best = found["virtual_best"]["par2_seconds"]["value"].as_f64().unwrap();
    assert!(best <= backends[0]["par2_seconds"]["value"].as_f64().unwrap());
    let won: u64 = backends.iter().map(|s| s["fastest_classes"].as_u64().unwrap()).sum();
    let classes = found["classes"].as_u64().unwrap();
    assert_eq!(won + found["open_classes"].as_u64().unwrap(), classes);
    assert_eq!(classes, 8, "four families, one size, two kinds of pairs");
    assert_eq!(found["pairs"].as_array().unwrap().len(), 6);
    for file in found["files"].as_array().unwrap() {
        assert!(std::fs::metadata(file.as_str().unwrap()).unwrap().len() > 0, "{file}");
    }
    for figure in ["cactus", "profile"] {
        for ending in ["svg", "tex", "csv", "txt"] {
            assert!(out.join(format!("figures/{figure}.{ending}")).exists());
        }
    }
    let tex = std::fs::read_to_string(out.join("tournament.tex")).unwrap();
    assert!(tex.contains("\\input{tables/ranking.tex}") && tex.contains("figures/profile.tex"));
}

#[test]
fn a_killed_tournament_continues() {
    let scratch = Scratch::new();
    let out = scratch.path("cup");
    let mut child =
        tournament(&out, &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let clock = Instant::now();
    while written(&out) < 500 {
        assert!(clock.elapsed() < Duration::from_secs(20), "no rows came");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let resumed = tournament(&out, &["--csv"]).output().unwrap();
    expect(&resumed, 0);
    assert!(text(&resumed.stderr).contains("resuming"), "{}", text(&resumed.stderr));
    assert!(text(&resumed.stdout).starts_with("rank,backend,decided,par2_seconds.value"));
}

#[test]
fn an_unknown_family_or_backend_is_named() {
    let scratch = Scratch::new();
    let out = scratch.path("cup");
    let family = program().args(["tournament", "--family", "cif", "--out"]).arg(&out).output();
    let family = family.unwrap();
    expect(&family, 2);
    assert!(text(&family.stderr).contains("the families are random"), "{}", text(&family.stderr));
    let backend = program().args(["tournament", "--backend", "magic", "--out"]).arg(&out).output();
    expect(&backend.unwrap(), 2);
}
