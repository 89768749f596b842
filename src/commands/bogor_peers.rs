//! The dining philosophers without symmetry on one thread, beside other explorers: Spin where it is
//! installed, Stateright where it is asked for and cargo can build it.
//!
//! They get the same program (`experiments/peers/`) and must find the same number of states. Spin's is
//! compiled with -O2 and without partial-order reduction. Each side runs several times in turn and its
//! best run counts; the time is that of the search, without start-up.

use super::bogor::{Args, model};
use super::model_budget::{stopped, undecided_at_limit};
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, bail};
use pidlab_backends::external::lifeline::Tied;
use pidlab_budget::Budget;
use pidlab_explore::heap::{HeapOptions, ThreadSymmetry, compile, explore};
use pidlab_explore::search::{Limits, Order};
use serde_json::json;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

const PROMELA: &str = include_str!("../../experiments/peers/philosophers.pml");
const STATERIGHT: [(&str, &str); 2] = [
    ("Cargo.toml", include_str!("../../experiments/peers/stateright/Cargo.toml")),
    ("src/main.rs", include_str!("../../experiments/peers/stateright/src/main.rs")),
];
/// How many philosophers the program for Stateright has.
const OF_STATERIGHT: i64 = 10;

/// How often a program that runs is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Our ways to search; the others must find as many states as the first.
const WAYS: [(&str, Order, ThreadSymmetry); 4] = [
    ("pidlab depth-first", Order::DepthFirst, ThreadSymmetry::None),
    ("pidlab breadth-first", Order::BreadthFirst, ThreadSymmetry::None),
    ("pidlab depth-first, exact", Order::DepthFirst, ThreadSymmetry::Exact),
    ("pidlab breadth-first, exact", Order::BreadthFirst, ThreadSymmetry::Exact),
];

/// The best of several runs of one explorer.
#[derive(Clone, Debug)]
struct Best {
    name: String,
    /// Another program's search of the same states as ours without symmetry.
    is_peer: bool,
    states: u64,
    seconds: f64,
}

impl Best {
    fn rate(&self) -> f64 {
        self.states as f64 / self.seconds.max(1e-9)
    }
}

/// The best runs so far, in the order in which explorers first ran.
#[derive(Default)]
struct Table(Vec<Best>);

impl Table {
    fn note(&mut self, name: &str, is_peer: bool, states: u64, seconds: f64) {
        match self.0.iter_mut().find(|best| best.name == name) {
            Some(best) => best.seconds = best.seconds.min(seconds),
            None => self.0.push(Best { name: name.into(), is_peer, states, seconds }),
        }
    }
}

/// A peer that was left out, and why.
struct Skipped {
    name: &'static str,
    why: String,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.stateright && args.philosophers != OF_STATERIGHT {
        bail!(
            "--stateright: its program has {OF_STATERIGHT} philosophers; leave out --philosophers"
        );
    }
    let folder = std::env::temp_dir().join(format!("pidlab-peers-{}", std::process::id()));
    // one that is there already belongs to somebody else
    std::fs::create_dir(&folder)
        .with_context(|| format!("{}: cannot be made", folder.display()))?;
    let result = compare(&folder, args);
    _ = std::fs::remove_dir_all(&folder);
    let nothing = args.json.then(
        || json!({"format": "pidlab-peers/1", "philosophers": args.philosophers, "rounds": args.rounds, "rows": []}),
    );
    undecided_at_limit(result, nothing)
}

fn compare(folder: &Path, args: &Args) -> anyhow::Result<Outcome> {
    let budget = &args.limits.budget();
    let mut skipped = Vec::new();
    let mut keep = |name: &'static str, built: anyhow::Result<PathBuf>| match built {
        Ok(program) => Some(program),
        Err(error) => {
            skipped.push(Skipped { name, why: format!("{error:#}") });
            None
        }
    };
    let spin = keep("spin", build_spin(folder, args.philosophers, budget));
    let rival = match args.stateright {
        true => keep("stateright", build_stateright(budget)),
        false => keep("stateright", Err(anyhow::anyhow!("not asked for; use --stateright"))),
    };
    let mut table = Table::default();
    for _ in 0..args.rounds {
        for (name, order, symmetry) in WAYS {
            let (states, seconds) =
                explore_philosophers(args.philosophers, order, symmetry, budget)?;
            table.note(name, false, states, seconds);
        }
        if let Some(pan) = &spin {
            let (states, seconds) = run_spin(folder, pan, budget)?;
            table.note("spin", true, states, seconds);
        }
        if let Some(program) = &rival {
            run_stateright(folder, program, &mut table, budget)?;
        }
    }
    report(&table.0, &skipped, args)
}

fn explore_philosophers(
    n: i64,
    order: Order,
    symmetry: ThreadSymmetry,
    budget: &Budget,
) -> anyhow::Result<(u64, f64)> {
    let source = model("philosophers.bir")?.within(budget.clone());
    let program = compile(&source, &[("N".to_string(), n)])?;
    let limits = Limits { budget: budget.clone(), ..Limits::default() };
    let found =
        explore(program, &HeapOptions { order, symmetry, limits, ..HeapOptions::default() })?;
    if let Some(reason) = found.report.stopped.filter(|reason| reason.is_limit()) {
        return Err(stopped(reason));
    }
    Ok((found.report.counters.states, found.report.elapsed.as_secs_f64()))
}

fn build_spin(folder: &Path, n: i64, budget: &Budget) -> anyhow::Result<PathBuf> {
    std::fs::write(folder.join("philosophers.pml"), PROMELA)?;
    output(folder, "spin", &[&format!("-DN={n}"), "-a", "philosophers.pml"], budget)?;
    output(
        folder,
        "cc",
        &["-O2", "-DNOREDUCE", "-DSAFETY", "-DMEMLIM=4000", "-o", "pan", "pan.c"],
        budget,
    )?;
    Ok(folder.join("pan"))
}

fn run_spin(folder: &Path, pan: &Path, budget: &Budget) -> anyhow::Result<(u64, f64)> {
    let text = output(folder, &pan.display().to_string(), &["-m1000000", "-E", "-n"], budget)?;
    let number_before = |mark: &str| {
        let line = text.lines().find(|line| line.contains(mark))?;
        line[..line.find(mark)?].split_whitespace().next_back()?.parse::<f64>().ok()
    };
    let states =
        number_before(" states, stored").context("spin does not say how many states it stored")?;
    let seconds = number_before(" seconds").context("spin does not say how long it took")?;
    Ok((states as u64, seconds))
}

/// Builds in a folder that is kept, so that the next time takes seconds.
fn build_stateright(budget: &Budget) -> anyhow::Result<PathBuf> {
    let folder = std::env::temp_dir().join("pidlab-stateright");
    std::fs::create_dir_all(folder.join("src"))
        .with_context(|| format!("{}: cannot be made", folder.display()))?;
    for (name, text) in STATERIGHT {
        std::fs::write(folder.join(name), text)
            .with_context(|| format!("{name}: cannot be written to {}", folder.display()))?;
    }
    output(&folder, "cargo", &["build", "--release", "--quiet", "--target-dir", "target"], budget)?;
    Ok(folder.join("target/release/philosophers-stateright"))
}

/// One line for each order of search: name, states, seconds.
fn run_stateright(
    folder: &Path,
    program: &Path,
    table: &mut Table,
    budget: &Budget,
) -> anyhow::Result<()> {
    let text = output(folder, &program.display().to_string(), &[], budget)?;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [order, states, seconds] = words[..] else { bail!("stateright says `{line}`") };
        table.note(&format!("stateright {order}"), true, states.parse()?, seconds.parse()?);
    }
    Ok(())
}

/// What a program prints; it is ended when a limit is reached.
fn output(
    folder: &Path,
    program: &str,
    arguments: &[&str],
    budget: &Budget,
) -> anyhow::Result<String> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running =
        Tied::start(command).with_context(|| format!("{program} is not installed"))?;
    let printed = read_aside(running.child.stdout.take());
    let complaints = read_aside(running.child.stderr.take());
    let status = loop {
        if let Some(status) = running.child.try_wait()? {
            break status;
        }
        budget.poll().map_err(|what| stopped(what.into()))?;
        std::thread::sleep(LOOK_EVERY);
    };
    if !status.success() {
        bail!("{program} failed: {}", text_of(complaints));
    }
    Ok(text_of(printed))
}

/// Reads a pipe to its end, so that the program at its other end never waits.
fn read_aside(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // what could not be read is missed by who takes the text apart
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        bytes
    })
}

fn text_of(reader: JoinHandle<Vec<u8>>) -> String {
    String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
}

fn report(rows: &[Best], skipped: &[Skipped], args: &Args) -> anyhow::Result<Outcome> {
    let (n, rounds) = (args.philosophers, args.rounds);
    if args.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|best| {
                json!({"explorer": best.name, "states": best.states, "seconds": best.seconds, "states_per_second": best.rate()})
            })
            .collect();
        let skipped: serde_json::Map<String, serde_json::Value> =
            skipped.iter().map(|peer| (peer.name.to_string(), json!(peer.why))).collect();
        output::json(
            &json!({"format": "pidlab-peers/1", "philosophers": n, "rounds": rounds, "rows": rows, "skipped": skipped}),
        )?;
    } else {
        outln!("{n} philosophers, best of {rounds} runs");
        for best in rows {
            let micros = 1e6 / best.rate();
            outln!(
                "{:<28} {:>9} states {:>8.3} s {:>10.0} states/s {micros:>7.2} µs/state",
                best.name,
                best.states,
                best.seconds,
                best.rate()
            );
        }
        for Skipped { name, why } in skipped {
            outln!("{name} left out: {why}");
        }
    }
    Ok(agreement(rows))
}

/// The peers explore the same program, so they must count the same states.
fn agreement(rows: &[Best]) -> Outcome {
    let ours = rows.iter().find(|best| best.name == WAYS[0].0).map(|best| best.states);
    match rows.iter().any(|best| best.is_peer && Some(best.states) != ours) {
        true => Outcome::Disagreement,
        false => Outcome::Yes,
    }
}
