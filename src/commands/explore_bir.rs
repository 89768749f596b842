//! `pidlab explore PROGRAM.bir`: state space of a program with heap and threads.

use super::cluster::ClusterArgs;
use super::model_budget;
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, bail};
use pidlab_explore::heap::compile::compile;
use pidlab_explore::heap::numbering::HeapOrder;
use pidlab_explore::heap::program::Program;
use pidlab_explore::heap::run::{Compression, Exploration, HeapOptions, explore, explore_by};
use pidlab_explore::heap::symmetry::ThreadSymmetry;
use pidlab_explore::heap::trace::Trace;
use pidlab_explore::search::{Limits, Order};
use serde_json::{Value, json};
use std::path::Path;

/// Options of heap programs only.
#[derive(clap::Args, Clone, Debug)]
pub struct HeapArgs {
    /// Threads that are alike: none, pc, kbots:<k>, kbots:inf or exact
    #[arg(long, default_value = "none", value_parser = parse::<ThreadSymmetry>)]
    pub thread_symmetry: ThreadSymmetry,
    /// Whether the places of objects matter
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub heap_symmetry: Switch,
    /// How visited states are kept: none, bytes, packed, gzip, collapse or tree
    #[arg(long, default_value = "bytes", value_parser = parse::<Compression>)]
    pub compress: Compression,
    /// Leave out the way to the first deadlock or violation
    #[arg(long)]
    pub no_trace: bool,
}

fn parse<T: std::str::FromStr<Err = String>>(text: &str) -> Result<T, String> {
    text.parse()
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchOrder {
    Dfs,
    Bfs,
}

/// What heap programs share with other models.
pub struct Common<'a> {
    pub model: &'a Path,
    pub settings: &'a [(String, i64)],
    pub limits: Limits<'a>,
    pub json: bool,
    pub search: SearchOrder,
    /// Several processes search, for a question, with so many threads each.
    pub cluster: Option<(&'a ClusterArgs, &'a str, usize)>,
}

impl Common<'_> {
    /// Whether this process presents the result.
    fn is_first(&self) -> bool {
        self.cluster.is_none_or(|(args, ..)| args.is_first())
    }
}

impl HeapArgs {
    /// What the counts depend on, as several processes must have it in common.
    pub fn question(&self) -> String {
        let heap = if self.heap_symmetry == Switch::Off { " --heap-symmetry off" } else { "" };
        let (threads, compress) = (self.thread_symmetry, self.compress);
        format!("--thread-symmetry {threads}{heap} --compress {compress}")
    }

    /// Nets take none of these.
    pub fn refuse_for_nets(&self) -> anyhow::Result<()> {
        let given = [
            ("--thread-symmetry", self.thread_symmetry != ThreadSymmetry::None),
            ("--heap-symmetry", self.heap_symmetry == Switch::Off),
            ("--compress", self.compress != Compression::default()),
            ("--no-trace", self.no_trace),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((flag, _)) => bail!("{flag} is for heap programs (.bir), not for nets (.tnet)"),
            None => Ok(()),
        }
    }
}

/// Reads and compiles a program.
pub fn load(
    path: &Path,
    settings: &[(String, i64)],
    limits: &Limits<'_>,
) -> anyhow::Result<Program> {
    Ok(compile(&model_budget::read(path, limits)?, settings)?)
}

/// `N=5` as a name and a value.
pub fn setting(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, for example N=5")?;
    let value = value.parse().map_err(|_| format!("{value:?} is not an integer"))?;
    Ok((name.trim().to_string(), value))
}

pub fn run(common: &Common<'_>, args: &HeapArgs) -> anyhow::Result<Outcome> {
    let program = load(common.model, common.settings, &common.limits)?;
    let constants = program.constants.clone();
    let options = options(common, args);
    let name = common.model.display().to_string();
    let (found, joined) = match common.cluster {
        None => (explore(program, &options).context(name)?, None),
        Some((cluster, question, threads)) => {
            let joined = cluster.join(common.model, question, threads, &common.limits)?;
            (explore_by(program, &options, &joined.cluster).context(name)?, Some(joined))
        }
    };
    if !common.is_first() {
        return Ok(outcome(&found));
    }
    let mut document = document(common, args, &constants, &found);
    if let Some(joined) = &joined {
        document["cluster"] = joined.document();
    }
    match common.json {
        true => output::json(&document)?,
        false => print_text(&found),
    }
    if let Some(joined) = joined.filter(|_| !common.json) {
        joined.print();
    }
    Ok(outcome(&found))
}

fn options<'a>(common: &Common<'a>, args: &HeapArgs) -> HeapOptions<'a> {
    HeapOptions {
        symmetry: args.thread_symmetry,
        heap: match args.heap_symmetry {
            Switch::On => HeapOrder::DepthFirst,
            Switch::Off => HeapOrder::Address,
        },
        compression: args.compress,
        order: match common.search {
            SearchOrder::Dfs => Order::DepthFirst,
            SearchOrder::Bfs => Order::BreadthFirst,
        },
        limits: common.limits,
        trace: !args.no_trace,
        progress: common.is_first().then_some(&super::explore_net::show_progress),
        ..HeapOptions::default()
    }
}

fn outcome(found: &Exploration) -> Outcome {
    match &found.fault {
        Some((fault, _)) if fault.violation.is_limit() => Outcome::Undecided,
        Some(_) => Outcome::No,
        None if found.stuck() > 0 => Outcome::No,
        None if !found.report.complete() => Outcome::Undecided,
        None => Outcome::Yes,
    }
}

/// `null` or the violation; limits of the program are told apart.
fn fault_json(found: &Exploration) -> Value {
    match &found.fault {
        None => Value::Null,
        Some((fault, text)) => json!({"text": text, "limit": fault.violation.is_limit()}),
    }
}

fn document(
    common: &Common<'_>,
    args: &HeapArgs,
    constants: &[(String, i32)],
    found: &Exploration,
) -> Value {
    let counters = &found.report.counters;
    let constants: serde_json::Map<String, Value> =
        constants.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "format": "pidlab-explore/1",
        "model": common.model.display().to_string(),
        "constants": constants,
        "thread_symmetry": args.thread_symmetry.to_string(),
        "heap_symmetry": args.heap_symmetry == Switch::On,
        "compress": args.compress,
        "search": if common.search == SearchOrder::Dfs { "dfs" } else { "bfs" },
        "states": counters.states,
        "edges": counters.edges,
        "seen": counters.seen,
        "deadlocks": counters.deadlocks,
        "terminated": counters.ends,
        "complete": found.report.complete(),
        "stopped": found.report.stopped,
        "violation": fault_json(found),
        "trace": found.trace,
        "trace_left_out": found.left_out,
        "store_bytes": found.store_bytes,
        "bytes_per_state": found.bytes_per_state(),
        "seconds": found.report.elapsed.as_secs_f64(),
    })
}

fn print_text(found: &Exploration) {
    let counters = &found.report.counters;
    outln!("states     {}", counters.states);
    outln!("edges      {}", counters.edges);
    outln!("seen       {}", counters.seen);
    let ended = match counters.ends {
        0 => String::new(),
        ends => format!(" ({ends} of them: every thread has returned)"),
    };
    outln!("deadlocks  {}{ended}", counters.deadlocks);
    outln!("complete   {}", found.report.complete());
    outln!("memory     {} bytes, {:.1} per state", found.store_bytes, found.bytes_per_state());
    outln!("time       {:.3} s", found.report.elapsed.as_secs_f64());
    match (&found.fault, found.report.stopped) {
        (Some((_, text)), _) => outln!("\n{text}"),
        (None, Some(reason)) => outln!("\nstopped: {}", super::explore_net::stop_text(reason)),
        (None, None) => {}
    }
    if let Some(trace) = &found.trace {
        print_trace(trace);
    }
    if let Some(reason) = found.left_out {
        outln!("\nthe way there is left out: {}", super::explore_net::stop_text(reason));
    }
}

fn print_trace(trace: &Trace) {
    outln!("\ntrace of {} steps:", trace.steps.len());
    for (number, step) in trace.steps.iter().enumerate() {
        let to = step.to.as_ref().map_or("ends".to_string(), |to| format!("goto {to}"));
        let (thread, transition, line) = (&step.thread, &step.transition, step.line);
        outln!("{:>5}  {thread}: {transition}, line {line}, {to}", number + 1);
        for change in &step.changes {
            outln!("       {change}");
        }
    }
    outln!("at the end:");
    for line in &trace.ending {
        outln!("       {line}");
    }
}
