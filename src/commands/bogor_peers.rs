//! The dining philosophers without symmetry on one thread, beside Spin where it is installed.
//!
//! Spin gets `experiments/peers/philosophers.pml`, the same program: it must find the same number of
//! states. It is compiled with -O2 and without partial-order reduction. Each side runs several
//! times in turn and its best run counts; the time is that of the search, without start-up.

use super::bogor::model;
use crate::outcome::Outcome;
use anyhow::{Context, bail};
use pidlab_explore::heap::compile::compile;
use pidlab_explore::heap::run::{HeapOptions, explore};
use pidlab_explore::heap::symmetry::ThreadSymmetry;
use pidlab_explore::search::Order;
use serde_json::json;
use std::path::Path;
use std::process::Command;

const PROMELA: &str = include_str!("../../experiments/peers/philosophers.pml");
const N: i64 = 10;
const ROUNDS: usize = 5;

/// The best of several runs.
#[derive(Clone, Copy, Debug)]
struct Best {
    states: u64,
    seconds: f64,
}

impl Best {
    fn better(best: Option<Best>, states: u64, seconds: f64) -> Option<Best> {
        let seconds = best.map_or(seconds, |best| best.seconds.min(seconds));
        Some(Best { states, seconds })
    }

    fn rate(self) -> f64 {
        self.states as f64 / self.seconds.max(1e-9)
    }
}

pub fn run(as_json: bool) -> anyhow::Result<Outcome> {
    let folder = std::env::temp_dir().join(format!("pidlab-peers-{}", std::process::id()));
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("{}: cannot be made", folder.display()))?;
    let result = compare(&folder, as_json);
    _ = std::fs::remove_dir_all(&folder);
    result
}

fn compare(folder: &Path, as_json: bool) -> anyhow::Result<Outcome> {
    let spin = build_spin(folder);
    let ways = [
        ("depth-first", Order::DepthFirst, ThreadSymmetry::None),
        ("breadth-first", Order::BreadthFirst, ThreadSymmetry::None),
        ("depth-first, exact", Order::DepthFirst, ThreadSymmetry::Exact),
        ("breadth-first, exact", Order::BreadthFirst, ThreadSymmetry::Exact),
    ];
    let mut ours = [None; 4];
    let mut theirs = None;
    for _ in 0..ROUNDS {
        for (best, &(_, order, symmetry)) in ours.iter_mut().zip(&ways) {
            let (states, seconds) = explore_philosophers(order, symmetry)?;
            *best = Best::better(*best, states, seconds);
        }
        if spin.is_ok() {
            let (states, seconds) = run_spin(folder)?;
            theirs = Best::better(theirs, states, seconds);
        }
    }
    let names = ways.iter().map(|way| format!("pidlab {}", way.0));
    let mut rows: Vec<(String, Best)> =
        names.zip(ours).filter_map(|(name, best)| Some((name, best?))).collect();
    rows.extend(theirs.map(|best| ("spin".to_string(), best)));
    report(&rows, spin.err().map(|error| format!("{error:#}")), as_json)
}

fn explore_philosophers(order: Order, symmetry: ThreadSymmetry) -> anyhow::Result<(u64, f64)> {
    let program = compile(&model("philosophers.bir")?, &[("N".to_string(), N)])?;
    let found = explore(program, &HeapOptions { order, symmetry, ..HeapOptions::default() })?;
    Ok((found.report.counters.states, found.report.elapsed.as_secs_f64()))
}

fn build_spin(folder: &Path) -> anyhow::Result<()> {
    std::fs::write(folder.join("philosophers.pml"), PROMELA)?;
    output(folder, "spin", &[&format!("-DN={N}"), "-a", "philosophers.pml"])?;
    output(
        folder,
        "cc",
        &["-O2", "-DNOREDUCE", "-DSAFETY", "-DMEMLIM=4000", "-o", "pan", "pan.c"],
    )?;
    Ok(())
}

fn run_spin(folder: &Path) -> anyhow::Result<(u64, f64)> {
    let pan = folder.join("pan").display().to_string();
    let text = output(folder, &pan, &["-m1000000", "-E", "-n"])?;
    let number_before = |mark: &str| {
        let line = text.lines().find(|line| line.contains(mark))?;
        line[..line.find(mark)?].split_whitespace().next_back()?.parse::<f64>().ok()
    };
    let states =
        number_before(" states, stored").context("spin does not say how many states it stored")?;
    let seconds = number_before(" seconds").context("spin does not say how long it took")?;
    Ok((states as u64, seconds))
}

fn output(folder: &Path, program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let ran = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .with_context(|| format!("{program} is not installed"))?;
    if !ran.status.success() {
        bail!("{program} failed: {}", String::from_utf8_lossy(&ran.stderr));
    }
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}

fn report(
    rows: &[(String, Best)],
    skipped: Option<String>,
    as_json: bool,
) -> anyhow::Result<Outcome> {
    if as_json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(name, best)| {
                json!({"explorer": name, "states": best.states, "seconds": best.seconds, "states_per_second": best.rate()})
            })
            .collect();
        println!(
            "{}",
            json!({"format": "pidlab-peers/1", "philosophers": N, "rounds": ROUNDS, "rows": rows, "spin_skipped": skipped})
        );
    } else {
        println!("{N} philosophers, best of {ROUNDS} runs");
        for (name, best) in rows {
            let micros = 1e6 / best.rate();
            println!(
                "{name:<28} {:>9} states {:>8.3} s {:>10.0} states/s {micros:>7.2} µs/state",
                best.states,
                best.seconds,
                best.rate()
            );
        }
        if let Some(why) = &skipped {
            println!("spin left out: {why}");
        }
    }
    Ok(agreement(rows))
}

/// Spin explores the same program, so it must count the same states.
fn agreement(rows: &[(String, Best)]) -> Outcome {
    let states =
        |name: &str| rows.iter().find(|(known, _)| known == name).map(|(_, best)| best.states);
    match (states("spin"), states("pidlab depth-first")) {
        (Some(theirs), Some(ours)) if theirs != ours => Outcome::Disagreement,
        _ => Outcome::Yes,
    }
}
