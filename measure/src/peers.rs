//! The dining philosophers without symmetry on one thread, beside other explorers: Spin where it is
//! installed, Stateright where it is asked for and cargo can build it.
//!
//! They get the same program and must find the same number of states. Spin's is compiled with -O2 and without
//! partial-order reduction. Each side runs several times in turn and its best run counts; the time is that of
//! the search, without start-up. Programs of others are ended when a limit is reached, and with this process.

use pidlab_backends::external::lifeline::Tied;
use pidlab_budget::{Budget, Exhausted};
use pidlab_explore::heap::{HeapOptions, ThreadSymmetry, compile, explore};
use pidlab_explore::search::{Failure, Limits, Order, StopReason};
use pidlab_explore::source::{Diagnostic, Source};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;
use thiserror::Error;

/// How often a program that runs is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How many philosophers the program for Stateright has.
pub const OF_STATERIGHT: i64 = 10;

/// Our ways to search; the others must find as many states as the first.
const WAYS: [(&str, Order, ThreadSymmetry); 4] = [
    ("pidlab depth-first", Order::DepthFirst, ThreadSymmetry::None),
    ("pidlab breadth-first", Order::BreadthFirst, ThreadSymmetry::None),
    ("pidlab depth-first, exact", Order::DepthFirst, ThreadSymmetry::Exact),
    ("pidlab breadth-first, exact", Order::BreadthFirst, ThreadSymmetry::Exact),
];

/// Why the explorers were not measured.
#[derive(Debug, Error)]
pub enum PeersError {
    /// A limit was reached.
    #[error("a limit was reached: {0}")]
    Limit(#[from] Exhausted),
    /// The model cannot be read.
    #[error(transparent)]
    Model(#[from] Diagnostic),
    /// Our search failed.
    #[error(transparent)]
    Search(#[from] Failure),
    /// A file or a process.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system says.
        source: io::Error,
    },
    /// A program of others failed, or says something else than expected.
    #[error("{0}")]
    Peer(String),
    /// An explorer was left out on purpose.
    #[error("not asked for")]
    NotAsked,
}

type Result<T> = std::result::Result<T, PeersError>;

/// The philosophers in the language of every explorer.
pub struct Programs<'p> {
    /// Ours, with a constant `N`.
    pub model: Source,
    /// That of Spin, with a macro `N`.
    pub promela: &'p str,
    /// Files of a crate that uses Stateright, by name; none if it is not asked for.
    pub stateright: &'p [(&'p str, &'p str)],
}

/// The best of several runs of one explorer.
#[derive(Clone, Debug, Serialize)]
pub struct Best {
    /// Which.
    pub explorer: String,
    /// Another program's search of the same states as ours without symmetry.
    #[serde(skip)]
    is_peer: bool,
    /// States that it found.
    pub states: u64,
    /// Seconds of its best run.
    pub seconds: f64,
    /// Both as a rate.
    pub states_per_second: f64,
}

/// What came of it.
#[derive(Debug, Default, Serialize)]
pub struct Peers {
    /// The best runs, in the order in which explorers first ran.
    pub rows: Vec<Best>,
    /// Peers that were left out, and why.
    pub skipped: BTreeMap<&'static str, String>,
}

impl Peers {
    /// Whether all explored the same states.
    pub fn agree(&self) -> bool {
        let ours = self.rows.iter().find(|best| best.explorer == WAYS[0].0).map(|best| best.states);
        !self.rows.iter().any(|best| best.is_peer && Some(best.states) != ours)
    }

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
    fn keep(&mut self, name: &'static str, built: Result<PathBuf>) -> Option<PathBuf> {
        built.map_err(|error| self.skipped.insert(name, error.to_string())).ok()
    }
}

/// Lets so many philosophers dine in every explorer, round by round, in a folder of its own; says what it is at.
pub fn measure(
    programs: &Programs<'_>,
    (philosophers, rounds): (i64, usize),
    budget: &Budget,
    say: &dyn Fn(String),
) -> Result<Peers> {
    let folder = std::env::temp_dir().join(format!("pidlab-peers-{}", std::process::id()));
    // one that is there already belongs to somebody else
    io_of(std::fs::create_dir(&folder), || format!("{} cannot be made", folder.display()))?;
    let result = measure_in(&folder, programs, (philosophers, rounds), budget, say);
    _ = std::fs::remove_dir_all(&folder);
    result
}

fn measure_in(
    folder: &Path,
    programs: &Programs<'_>,
    (philosophers, rounds): (i64, usize),
    budget: &Budget,
    say: &dyn Fn(String),
) -> Result<Peers> {
    let mut peers = Peers::default();
    say("building the other explorers".to_string());
    let spin = peers.keep("spin", build_spin(folder, programs.promela, philosophers, budget));
    let rival = peers.keep("stateright", build_stateright(programs.stateright, budget));
    for round in 1..=rounds {
        let begin = |name: &str| say(format!("round {round} of {rounds}, {name}"));
        for (name, order, symmetry) in WAYS {
            begin(name);
            let (states, seconds) = dine(&programs.model, philosophers, (order, symmetry), budget)?;
            peers.note(name, false, states, seconds);
        }
        if let Some(pan) = &spin {
            let (states, seconds) = run_spin(folder, pan, budget)?;
            peers.note("spin", true, states, seconds);
        }
        if let Some(program) = &rival {
            run_stateright(folder, program, &mut peers, budget)?;
        }
    }
    Ok(peers)
}

fn dine(
    model: &Source,
    n: i64,
    (order, symmetry): (Order, ThreadSymmetry),
    budget: &Budget,
) -> Result<(u64, f64)> {
    let source = model.clone().within(budget.clone());
    let program = compile(&source, &[("N".to_string(), n)])?;
    let limits = Limits { budget: budget.clone(), ..Limits::default() };
    let found =
        explore(program, &HeapOptions { order, symmetry, limits, ..HeapOptions::default() })?;
    match found.report.stopped {
        Some(StopReason::Memory) => Err(Exhausted::Memory.into()),
        Some(StopReason::Time) => Err(Exhausted::Time.into()),
        Some(reason) if reason.is_limit() => Err(Exhausted::Interrupted.into()),
        _ => Ok((found.report.counters.states, found.report.elapsed.as_secs_f64())),
    }
}

fn io_of<T>(result: io::Result<T>, what: impl FnOnce() -> String) -> Result<T> {
    result.map_err(|source| PeersError::Io { what: what(), source })
}

fn build_spin(folder: &Path, promela: &str, n: i64, budget: &Budget) -> Result<PathBuf> {
    let file = folder.join("philosophers.pml");
    io_of(std::fs::write(&file, promela), || format!("{} cannot be written", file.display()))?;
    output(folder, "spin", &[&format!("-DN={n}"), "-a", "philosophers.pml"], budget)?;
    output(
        folder,
        "cc",
        &["-O2", "-DNOREDUCE", "-DSAFETY", "-DMEMLIM=4000", "-o", "pan", "pan.c"],
        budget,
    )?;
    Ok(folder.join("pan"))
}

fn run_spin(folder: &Path, pan: &Path, budget: &Budget) -> Result<(u64, f64)> {
    let text = output(folder, &pan.display().to_string(), &["-m1000000", "-E", "-n"], budget)?;
    let number_before = |mark: &str| {
        let line = text.lines().find(|line| line.contains(mark))?;
        line[..line.find(mark)?].split_whitespace().next_back()?.parse::<f64>().ok()
    };
    match (number_before(" states, stored"), number_before(" seconds")) {
        (Some(states), Some(seconds)) => Ok((states as u64, seconds)),
        _ => {
            Err(PeersError::Peer("spin does not say how many states it stored in what time".into()))
        }
    }
}

/// Builds in a folder that is kept, so that the next time takes seconds.
fn build_stateright(files: &[(&str, &str)], budget: &Budget) -> Result<PathBuf> {
    if files.is_empty() {
        return Err(PeersError::NotAsked);
    }
    let folder = std::env::temp_dir().join("pidlab-stateright");
    let made = std::fs::create_dir_all(folder.join("src"));
    io_of(made, || format!("{} cannot be made", folder.display()))?;
    for (name, text) in files {
        let written = std::fs::write(folder.join(name), text);
        io_of(written, || format!("{name} cannot be written to {}", folder.display()))?;
    }
    output(&folder, "cargo", &["build", "--release", "--quiet", "--target-dir", "target"], budget)?;
    Ok(folder.join("target/release/philosophers-stateright"))
}

/// One line for each order of search: name, states, seconds.
fn run_stateright(folder: &Path, program: &Path, peers: &mut Peers, budget: &Budget) -> Result<()> {
    let text = output(folder, &program.display().to_string(), &[], budget)?;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let read =
            |states: &str, seconds: &str| Some((states.parse().ok()?, seconds.parse().ok()?));
        let found = match words[..] {
            [order, states, seconds] => read(states, seconds).map(|counts| (order, counts)),
            _ => None,
        };
        let (order, (states, seconds)) =
            found.ok_or_else(|| PeersError::Peer(format!("stateright says `{line}`")))?;
        peers.note(&format!("stateright {order}"), true, states, seconds);
    }
    Ok(())
}

/// What a program prints; it is ended when a limit is reached.
fn output(folder: &Path, program: &str, arguments: &[&str], budget: &Budget) -> Result<String> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = io_of(Tied::start(command), || format!("{program} is not installed"))?;
    let printed = read_aside(running.child.stdout.take());
    let complaints = read_aside(running.child.stderr.take());
    let status = loop {
        if let Some(status) = io_of(running.child.try_wait(), || program.to_string())? {
            break status;
        }
        budget.poll()?;
        std::thread::sleep(LOOK_EVERY);
    };
    if !status.success() {
        return Err(PeersError::Peer(format!("{program} failed: {}", text_of(complaints))));
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
