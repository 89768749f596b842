//! The dining philosophers without symmetry on one thread, beside other explorers: Spin where it is
//! installed, Stateright where it is asked for and cargo can build it.
//!
//! They get the same program (`experiments/peers/`) and must find the same number of states. Spin's is
//! compiled with -O2 and without partial-order reduction. Each side runs several times in turn and its
//! best run counts; the time is that of the search, without start-up.

use super::{Args, model};
use crate::commands::explore::budget::{or_undecided, stopped};
use crate::heartbeat;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows};
use anyhow::{Context, bail};
use pidlab_backends::external::lifeline::Tied;
use pidlab_budget::Budget;
use pidlab_explore::heap::{HeapOptions, ThreadSymmetry, compile, explore};
use pidlab_explore::search::{Limits, Order};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

const FORMAT: &str = "pidlab-peers/1";
/// How often a program that runs is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(5);
const PROMELA: &str = include_str!("../../../experiments/peers/philosophers.pml");
const STATERIGHT: [(&str, &str); 2] = [
    ("Cargo.toml", include_str!("../../../experiments/peers/stateright/Cargo.toml")),
    ("src/main.rs", include_str!("../../../experiments/peers/stateright/src/main.rs")),
];
/// How many philosophers the program for Stateright has.
const OF_STATERIGHT: i64 = 10;

/// Our ways to search; the others must find as many states as the first.
const WAYS: [(&str, Order, ThreadSymmetry); 4] = [
    ("pidlab depth-first", Order::DepthFirst, ThreadSymmetry::None),
    ("pidlab breadth-first", Order::BreadthFirst, ThreadSymmetry::None),
    ("pidlab depth-first, exact", Order::DepthFirst, ThreadSymmetry::Exact),
    ("pidlab breadth-first, exact", Order::BreadthFirst, ThreadSymmetry::Exact),
];

/// The best of several runs of one explorer.
#[derive(Clone, Debug, Serialize)]
struct Best {
    explorer: String,
    /// Another program's search of the same states as ours without symmetry.
    #[serde(skip)]
    is_peer: bool,
    states: u64,
    seconds: f64,
    states_per_second: f64,
}

#[derive(Serialize)]
struct Peers {
    format: &'static str,
    philosophers: i64,
    rounds: usize,
    /// The best runs so far, in the order in which explorers first ran.
    rows: Vec<Best>,
    /// Peers that were left out, and why.
    skipped: BTreeMap<&'static str, String>,
}

impl Peers {
    fn note(&mut self, name: &str, is_peer: bool, states: u64, seconds: f64) {
        let states_per_second = states as f64 / seconds.max(1e-9);
        let explorer = name.to_string();
        let run = Best { explorer, is_peer, states, seconds, states_per_second };
        match self.rows.iter_mut().find(|best| best.explorer == name) {
            Some(best) if best.seconds <= seconds => {}
            Some(best) => *best = run,
            None => self.rows.push(run),
        }
    }

    /// A program that was built; one that cannot be is left out.
    fn keep(&mut self, name: &'static str, built: anyhow::Result<PathBuf>) -> Option<PathBuf> {
        built.map_err(|error| self.skipped.insert(name, format!("{error:#}"))).ok()
    }
}

pub fn run(args: &Args) -> anyhow::Result<Done> {
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
    let (n, rounds) = (args.philosophers, args.rounds);
    let nothing = json!({ "format": FORMAT, "philosophers": n, "rounds": rounds, "rows": [] });
    or_undecided(result.map(Done::from), nothing)
}

fn compare(folder: &Path, args: &Args) -> anyhow::Result<Peers> {
    let (philosophers, rounds) = (args.philosophers, args.rounds);
    let budget = &args.limits.budget();
    let (rows, skipped) = (Vec::new(), BTreeMap::new());
    let mut peers = Peers { format: FORMAT, philosophers, rounds, rows, skipped };
    heartbeat::say("building the other explorers".to_string());
    let spin = peers.keep("spin", build_spin(folder, philosophers, budget));
    let rival = match args.stateright {
        true => build_stateright(budget),
        false => Err(anyhow::anyhow!("not asked for; use --stateright")),
    };
    let rival = peers.keep("stateright", rival);
    for round in 1..=rounds {
        let begin = |name: &str| heartbeat::say(format!("round {round} of {rounds}, {name}"));
        for (name, order, symmetry) in WAYS {
            begin(name);
            let (states, seconds) = explore_philosophers(philosophers, order, symmetry, budget)?;
            peers.note(name, false, states, seconds);
        }
        if let Some(pan) = &spin {
            begin("spin");
            let (states, seconds) = run_spin(folder, pan, budget)?;
            peers.note("spin", true, states, seconds);
        }
        if let Some(program) = &rival {
            begin("stateright");
            run_stateright(folder, program, &mut peers, budget)?;
        }
    }
    Ok(peers)
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
    peers: &mut Peers,
    budget: &Budget,
) -> anyhow::Result<()> {
    let text = output(folder, &program.display().to_string(), &[], budget)?;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [order, states, seconds] = words[..] else { bail!("stateright says `{line}`") };
        peers.note(&format!("stateright {order}"), true, states.parse()?, seconds.parse()?);
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

impl Document for Peers {
    /// The peers explore the same program, so they must count the same states.
    fn outcome(&self) -> Outcome {
        let ours = self.rows.iter().find(|best| best.explorer == WAYS[0].0).map(|best| best.states);
        match self.rows.iter().any(|best| best.is_peer && Some(best.states) != ours) {
            true => Outcome::Disagreement,
            false => Outcome::Yes,
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{} philosophers, best of {} runs", self.philosophers, self.rounds)?;
        for Best { explorer, states, seconds, states_per_second: rate, .. } in &self.rows {
            let micros = 1e6 / rate;
            write!(out, "{explorer:<28} {states:>9} states {seconds:>8.3} s ")?;
            writeln!(out, "{rate:>10.0} states/s {micros:>7.2} µs/state")?;
        }
        let mut skipped = self.skipped.iter();
        skipped.try_for_each(|(name, why)| writeln!(out, "{name} left out: {why}"))
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("explorer seconds states states_per_second", &self.rows)
    }
}
