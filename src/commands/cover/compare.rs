//! `pidlab cover --compare DIR`: all algorithms on all models of a folder.
//!
//! Every run is checked as usual; two algorithms that contradict each other, or a verdict that
//! contradicts `verdicts.json` beside the models, end with exit code 4.

use super::input::{ENDINGS, read, read_model};
use super::{CoverArgs, budget, cactus, say};
use crate::outcome::Outcome;
use anyhow::Context;
use pidlab_cover::answer::Verdict;
use pidlab_cover::solve::{Options, SolveError, solve};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// One run.
#[derive(Serialize)]
pub struct Row {
    pub instance: String,
    pub algorithm: String,
    pub verdict: Verdict,
    pub answered_by: String,
    pub seconds: f64,
    pub explored: u64,
    pub kept: u64,
    pub threads: Option<u64>,
    pub steps: Option<usize>,
}

#[derive(Serialize)]
struct Summary {
    format: &'static str,
    instances: usize,
    solved: BTreeMap<String, usize>,
    /// Largest time of `auto` over the fastest single algorithm, and where.
    worst_ratio: Option<(f64, String)>,
    contradictions: Vec<String>,
    rows: Vec<Row>,
    files: Vec<String>,
}

const TIMEOUT: f64 = 30.0;

pub fn run(folder: &Path, args: &CoverArgs) -> anyhow::Result<Outcome> {
    let models = models_below(folder)?;
    let expected = expected_verdicts(folder)?;
    let mut rows = Vec::new();
    let mut contradictions = Vec::new();
    let mut interrupted = false;
    for (number, model) in models.iter().enumerate() {
        interrupted = crate::interrupt::pressed();
        if interrupted {
            eprintln!("interrupted: {number} of {} models are in the files", models.len());
            break;
        }
        eprintln!("{}/{} {}", number + 1, models.len(), model.display());
        rows.extend(run_model(folder, model, args, &mut contradictions)?);
    }
    contradictions.extend(disagreements(&rows, &expected));
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot create {}", args.out.display()))?;
    let files = write_files(&rows, &args.out, args.timeout.unwrap_or(TIMEOUT))?;
    let summary = Summary {
        format: "pidlab-cover-compare/1",
        instances: models.len(),
        solved: solved(&rows, &args.algorithms),
        worst_ratio: worst_ratio(&rows),
        contradictions,
        rows,
        files,
    };
    if args.json {
        say(&serde_json::to_string(&summary)?);
    } else {
        say(&summary_text(&summary));
    }
    Ok(match (summary.contradictions.is_empty(), interrupted) {
        (false, _) => Outcome::Disagreement,
        (true, true) => Outcome::Undecided,
        (true, false) => Outcome::Yes,
    })
}

/// All model files below a folder, sorted.
fn models_below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        let entries = std::fs::read_dir(&next)
            .with_context(|| format!("cannot read folder {}", next.display()))?;
        for entry in entries {
            let path = entry?.path();
            let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if path.is_dir() {
                open.push(path);
            } else if ENDINGS.contains(&ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// `verdicts.json` in the folder, if there is one: name without ending → verdict.
fn expected_verdicts(folder: &Path) -> anyhow::Result<BTreeMap<String, Verdict>> {
    #[derive(serde::Deserialize)]
    struct Entry {
        verdict: Verdict,
    }
    #[derive(serde::Deserialize)]
    struct File {
        verdicts: BTreeMap<String, Entry>,
    }
    let path = folder.join("verdicts.json");
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let file: File = serde_json::from_str(&read(&path)?)
        .with_context(|| format!("{}: expected {{\"verdicts\": …}}", path.display()))?;
    Ok(file.verdicts.into_iter().map(|(name, entry)| (name, entry.verdict)).collect())
}

fn run_model(
    folder: &Path,
    model: &Path,
    args: &CoverArgs,
    contradictions: &mut Vec<String>,
) -> anyhow::Result<Vec<Row>> {
    let net = read_model(model, None)?;
    let instance = model.strip_prefix(folder).unwrap_or(model).display().to_string();
    let mut rows = Vec::new();
    for algorithm in &args.algorithms {
        let options = Options {
            algorithm: algorithm.clone(),
            budget: budget(Some(args.timeout.unwrap_or(TIMEOUT)), args.memory_limit)?,
            reduce: !args.no_reduce,
        };
        match solve(&net, &options) {
            Ok(document) => rows.push(Row {
                instance: instance.clone(),
                algorithm: algorithm.clone(),
                verdict: document.verdict,
                answered_by: document.algorithm,
                seconds: document.seconds,
                explored: document.explored,
                kept: document.kept,
                threads: document.trace.as_ref().map(|t| t.threads),
                steps: document.trace.as_ref().map(|t| t.steps.len()),
            }),
            Err(error @ SolveError::Rejected { .. }) => {
                contradictions.push(format!("{instance}: {error}"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(rows)
}

/// Verdicts that contradict each other or the expected ones.
fn disagreements(rows: &[Row], expected: &BTreeMap<String, Verdict>) -> Vec<String> {
    let mut first: BTreeMap<&str, (Verdict, &str)> = BTreeMap::new();
    let mut found = Vec::new();
    for row in rows.iter().filter(|row| row.verdict != Verdict::Unknown) {
        let (verdict, by) = *first.entry(&row.instance).or_insert((row.verdict, &row.algorithm));
        if verdict != row.verdict {
            found.push(format!("{}: {by} and {} differ", row.instance, row.algorithm));
        }
        let name = base_name(&row.instance);
        if expected.get(name).is_some_and(|known| *known != row.verdict) {
            found.push(format!("{}: {} contradicts verdicts.json", row.instance, row.algorithm));
        }
    }
    found
}

/// The name without the endings a file may have.
fn base_name(instance: &str) -> &str {
    let name = instance.strip_suffix(".tts").unwrap_or(instance);
    let name = name.strip_suffix(".spec").unwrap_or(name);
    let name = name.strip_suffix(".lgfsm").unwrap_or(name);
    name.strip_suffix(".bp").unwrap_or(name)
}

fn solved(rows: &[Row], algorithms: &[String]) -> BTreeMap<String, usize> {
    let count = |name: &String| {
        rows.iter().filter(|r| r.algorithm == *name && r.verdict != Verdict::Unknown).count()
    };
    algorithms.iter().map(|name| (name.clone(), count(name))).collect()
}

/// The instance on which `auto` is slowest relative to the fastest algorithm that solves it alone;
/// times below ten milliseconds count as ten.
fn worst_ratio(rows: &[Row]) -> Option<(f64, String)> {
    let time = |row: &Row| row.seconds.max(0.01);
    let mut worst: Option<(f64, String)> = None;
    for auto in rows.iter().filter(|r| r.algorithm == "auto") {
        let alone = rows.iter().filter(|r| {
            r.instance == auto.instance && r.algorithm != "auto" && r.verdict != Verdict::Unknown
        });
        let fastest = alone.map(time).fold(f64::INFINITY, f64::min);
        let ratio = time(auto) / fastest;
        if fastest.is_finite() && worst.as_ref().is_none_or(|w| ratio > w.0) {
            worst = Some((ratio, auto.instance.clone()));
        }
    }
    worst
}

fn write_files(rows: &[Row], out: &Path, timeout: f64) -> anyhow::Result<Vec<String>> {
    let csv = out.join("compare.csv");
    std::fs::write(&csv, to_csv(rows)?)
        .with_context(|| format!("cannot write {}", csv.display()))?;
    let figure = cactus::draw(rows, timeout, out)?;
    Ok([csv].into_iter().chain(figure).map(|path| path.display().to_string()).collect())
}

fn to_csv(rows: &[Row]) -> anyhow::Result<String> {
    let mut text =
        "instance,algorithm,verdict,answered_by,seconds,explored,kept,threads,steps\n".to_string();
    for row in rows {
        let number = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
        writeln!(
            text,
            "\"{}\",{},{},{},{:.6},{},{},{},{}",
            row.instance.replace('"', "\"\""),
            row.algorithm,
            format!("{:?}", row.verdict).to_lowercase(),
            row.answered_by,
            row.seconds,
            row.explored,
            row.kept,
            number(row.threads),
            number(row.steps.map(|n| n as u64))
        )?;
    }
    Ok(text)
}

fn summary_text(summary: &Summary) -> String {
    let mut text = format!("{} instances\n", summary.instances);
    for (algorithm, solved) in &summary.solved {
        let _ = writeln!(text, "{algorithm:12} solved {solved}");
    }
    if let Some((ratio, instance)) = &summary.worst_ratio {
        let _ = writeln!(text, "auto against the fastest alone: at most {ratio:.1} ({instance})");
    }
    for line in &summary.contradictions {
        let _ = writeln!(text, "CONTRADICTION {line}");
    }
    let _ = writeln!(text, "written: {}", summary.files.join(", "));
    text
}
