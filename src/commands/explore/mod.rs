//! `pidlab explore`: state space of a model; the file name says in which language it is.

pub mod budget;
mod check;
mod emit;
pub mod graphs;
pub mod heap;
pub mod net;
mod runs;

use super::cluster::{self, ClusterArgs, Joined, write_statistics};
use crate::arguments::LimitArgs;
use crate::outcome::Outcome;
use crate::output::{Done, Open, Painted};
use crate::{input, interrupt};
use anyhow::bail;
use pidlab_cluster::Statistics;
use pidlab_explore::search::{Counters, Limits, Order, SearchReport, StopReason};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Explore the state space of a model: a net (.tnet, .pnml) or a heap program (.bir)
///
/// Exit code 0: everything was seen and nothing is wrong. 1: a deadlock or a violation was found.
/// 3: a limit was reached first.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab explore models/nkm.tnet --set k=3 --set m=2
  pidlab explore models/server.tnet --output graph.svg --output graph.aut
  pidlab explore models/philosophers.bir --set N=10 --thread-symmetry exact
  pidlab explore models/philosophers.bir --set N=3 --output graph.dot --output graph.aut
  pidlab explore models/nkm.tnet --set k=4 --set m=3 --cluster 2 --timeout 5m")]
pub struct Args {
    /// Model file: .tnet, .pnml or .bir
    model: PathBuf,
    /// Value of a constant of the model, such as k=2 or years=2008,2009
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Stop after so many states
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Order of the search; nets: bfs unless told, heap programs: dfs
    #[arg(long, value_enum)]
    search: Option<SearchOrder>,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Write the net in another format instead of exploring it, to the file of --output if there is one: pnml, if it
    /// has no threads and finite domains, or tnet
    #[arg(long, value_name = "FORMAT")]
    emit: Option<net::Language>,
    /// Leave out the way to the first deadlock or violation
    #[arg(long)]
    no_trace: bool,
    #[command(flatten)]
    net: net::NetArgs,
    #[command(flatten)]
    heap: heap::HeapArgs,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchOrder {
    Dfs,
    Bfs,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Switch {
    On,
    Off,
}

const FORMAT: &str = "pidlab-explore/1";

/// What the documents of all kinds of models have.
#[derive(Serialize)]
struct Explored {
    format: &'static str,
    model: String,
    constants: BTreeMap<String, Value>,
    search: &'static str,
    states: u64,
    edges: u64,
    seen: u64,
    deadlocks: u64,
    complete: bool,
    stopped: Option<StopReason>,
    /// What a search by several processes took.
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<Statistics>,
}

impl Explored {
    fn new(
        model: &Path,
        constants: BTreeMap<String, Value>,
        order: Order,
        report: &SearchReport,
    ) -> Explored {
        let Counters { states, edges, seen, deadlocks, .. } = report.counters;
        Explored {
            format: FORMAT,
            model: model.display().to_string(),
            constants,
            search: if order == Order::DepthFirst { "dfs" } else { "bfs" },
            states,
            edges,
            seen,
            deadlocks,
            complete: report.complete(),
            stopped: report.stopped,
            cluster: None,
        }
    }

    fn write_counts(
        &self,
        (ends, what): (u64, &str),
        verdict: Painted<String>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Explored { states, edges, seen, deadlocks, complete, .. } = self;
        writeln!(out, "states     {states}\nedges      {edges}\nseen       {seen}")?;
        match ends {
            0 => writeln!(out, "deadlocks  {deadlocks}")?,
            ends => writeln!(out, "deadlocks  {deadlocks} ({ends} of them{what})")?,
        }
        writeln!(out, "complete   {complete}\nverdict    {verdict}")?;
        self.cluster.as_ref().map_or(Ok(()), |took| write_statistics(took, out))
    }
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let limits = budget::limits(&args.limits, args.max_states);
    let budget = limits.budget.interrupted_by(interrupt::flag());
    let limits = Limits { budget, ..limits };
    let nothing = json!({ "format": FORMAT, "states": 0, "edges": 0, "seen": 0, "deadlocks": 0 });
    let done = match explore(&args, limits) {
        Err(error) if cluster::lost(&error).is_some() => {
            let mut known = nothing;
            known["complete"] = false.into();
            known["stopped"] = "lost".into();
            Ok(Open::new(Outcome::Undecided, format!("{error:#}"), known).into())
        }
        done => budget::or_undecided(done, nothing),
    };
    match done? {
        Done::Document(document) if !args.cluster.is_first() => Ok(Done::Shown(document.outcome())),
        done => Ok(done),
    }
}

impl Args {
    /// Takes part in a search by several processes, if that is asked for; `own` are the options of the kind of
    /// model that the result depends on.
    fn join(&self, own: String, threads: usize, limits: &Limits) -> anyhow::Result<Option<Joined>> {
        if !self.cluster.is_given() {
            return Ok(None);
        }
        let mut words: Vec<String> =
            self.settings.iter().map(|set| format!("--set {set}")).collect();
        words.extend(self.max_states.map(|most| format!("--max-states {most}")));
        words.extend((!own.is_empty()).then_some(own));
        self.cluster.join(&self.model, &words.join(" "), threads, limits).map(Some)
    }

    /// Only the process that presents the result shows how far the search is.
    fn progress(&self) -> Option<&'static (dyn Fn(&Counters) + Sync)> {
        self.cluster.is_first().then_some(&show_progress)
    }
}

fn explore(args: &Args, limits: Limits) -> anyhow::Result<Done> {
    match args.model.extension().and_then(|e| e.to_str()) {
        Some("tnet" | "pnml") => {
            args.heap.refuse_for_nets()?;
            match args.emit {
                Some(language) => emit::run(args, language, &limits),
                None => net::run(args, limits),
            }
        }
        Some("bir") => {
            args.net.refuse_for_heap_programs(args.cluster.is_given())?;
            refuse(&[("--emit", args.emit.is_some())], "nets (.tnet, .pnml)")?;
            heap::run(args, limits)
        }
        Some("bp" | "lgfsm" | "tts" | "spec") => {
            let model = input::display(&args.model);
            bail!("{model}: a model for any number of threads; use `pidlab cover {model}`")
        }
        _ => bail!(
            "{}: models are nets (.tnet, .pnml) and heap programs (.bir); the extension must be one of them",
            input::display(&args.model)
        ),
    }
}

/// The values of constants, each given once as NAME=VALUE.
fn settings(given: &[String]) -> anyhow::Result<Vec<(String, String)>> {
    let mut settings: Vec<(String, String)> = Vec::new();
    for text in given {
        let Some((name, value)) = text.split_once('=') else {
            bail!("--set {text}: expected NAME=VALUE, such as k=2");
        };
        let name = name.trim().to_string();
        if let Some((_, before)) = settings.iter().find(|(known, _)| *known == name) {
            bail!("--set {text}: {name} is set to {before} already");
        }
        settings.push((name, value.trim().to_string()));
    }
    Ok(settings)
}

/// Options of one kind of model are not silently ignored for the other.
fn refuse(given: &[(&str, bool)], are_for: &str) -> anyhow::Result<()> {
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => bail!("{flag} is for {are_for}"),
        None => Ok(()),
    }
}

/// A line on standard error every few seconds.
fn show_progress(counters: &Counters) {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Instant;
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    static SHOWN: AtomicU64 = AtomicU64::new(0);
    const EVERY: u64 = 5;
    let seconds = START.get_or_init(Instant::now).elapsed().as_secs();
    let shown = SHOWN.load(Ordering::Relaxed);
    if seconds >= shown + EVERY && SHOWN.swap(seconds, Ordering::Relaxed) == shown {
        let waiting = counters.states - counters.expanded;
        note!("{seconds} s: {} states, {waiting} to expand", counters.states);
    }
}

pub fn stop_text(reason: StopReason) -> &'static str {
    match reason {
        StopReason::MaxStates => "--max-states was reached",
        StopReason::Memory => "--memory-limit was reached",
        StopReason::Time => "--timeout was reached",
        StopReason::Interrupted => "interrupted",
        StopReason::Found | StopReason::Deadlock => "found what was looked for",
    }
}
