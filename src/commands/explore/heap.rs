//! `pidlab explore PROGRAM.bir`: state space of a program with heap and threads.

use super::graphs::Graphs;
use super::{Args, Explored, SearchOrder, Switch, budget, refuse, runs, stop_text};
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, painted};
use anyhow::{Context, anyhow};
use pidlab_explore::PropertyAnswer;
use pidlab_explore::heap::{
    Compression, HeapExploration, HeapOptions, HeapOrder, HeapProgram, HeapTrace, HeapVerdict,
    ThreadSymmetry, compile_with, explore, explore_by,
};
use pidlab_explore::search::{Limits, Order, StopReason};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// Options of heap programs only.
#[derive(clap::Args, Clone, Debug)]
pub struct HeapArgs {
    /// Threads that are alike: none, pc, kbots:<k>, kbots:inf or exact
    #[arg(long, default_value = "none", value_parser = parse::<ThreadSymmetry>)]
    thread_symmetry: ThreadSymmetry,
    /// Whether the places of objects matter
    #[arg(long, value_enum, default_value_t = Switch::On)]
    heap_symmetry: Switch,
    /// How visited states are kept: none, bytes, packed, gzip, collapse or tree
    #[arg(long, default_value = "bytes", value_parser = parse::<Compression>)]
    compress: Compression,
}

fn parse<T: std::str::FromStr<Err = String>>(text: &str) -> Result<T, String> {
    text.parse()
}

impl HeapArgs {
    /// What the counts depend on, as several processes must have it in common.
    fn question(&self, properties: &[String]) -> String {
        let asked: String =
            properties.iter().map(|property| format!(" --property '{property}'")).collect();
        let heap = if self.heap_symmetry == Switch::Off { " --heap-symmetry off" } else { "" };
        let (threads, compress) = (self.thread_symmetry, self.compress);
        format!("--thread-symmetry {threads}{heap} --compress {compress}{asked}")
    }

    /// Nets take none of these.
    pub fn refuse_for_nets(&self) -> anyhow::Result<()> {
        let given = [
            ("--thread-symmetry", self.thread_symmetry != ThreadSymmetry::None),
            ("--heap-symmetry", self.heap_symmetry == Switch::Off),
            ("--compress", self.compress != Compression::default()),
        ];
        refuse(&given, "heap programs (.bir), not for nets (.tnet)")
    }
}

/// Reads and compiles a program.
pub fn load(
    path: &Path,
    settings: &[String],
    properties: &[String],
    limits: &Limits,
) -> anyhow::Result<HeapProgram> {
    let number = |(name, value): (String, String)| {
        let number = value.parse().with_context(|| format!("--set {name}={value}: not an integer"));
        Ok((name, number?))
    };
    let settings = super::settings(settings)?.into_iter().map(number);
    let settings = settings.collect::<anyhow::Result<Vec<(String, i64)>>>()?;
    Ok(compile_with(&budget::read(path, limits)?, &settings, properties)?)
}

#[derive(Serialize)]
struct ExploredHeap {
    #[serde(flatten)]
    explored: Explored,
    thread_symmetry: String,
    heap_symmetry: bool,
    compress: Compression,
    terminated: u64,
    violation: Option<Violation>,
    properties: Vec<Property>,
    trace: Option<HeapTrace>,
    trace_left_out: Option<StopReason>,
    store_bytes: u64,
    bytes_per_state: f64,
    seconds: f64,
    #[serde(skip)]
    stuck: u64,
}

#[derive(Serialize)]
struct Property {
    name: String,
    kind: &'static str,
    verdict: PropertyAnswer,
    trace: Option<HeapTrace>,
}

impl Property {
    fn said(&self) -> String {
        format!("{} {}", self.name, runs::answer_text(self.verdict))
    }
}

impl From<HeapVerdict> for Property {
    fn from(verdict: HeapVerdict) -> Property {
        let HeapVerdict { property: name, kind, answer: verdict, trace } = verdict;
        Property { name, kind, verdict, trace }
    }
}

#[derive(Serialize)]
struct Violation {
    text: String,
    /// Whether it is a limit of the program itself.
    limit: bool,
}

pub fn run(args: &Args, limits: Limits) -> anyhow::Result<Done> {
    let properties = args.net.properties();
    let graphs = Graphs::of_graphs(args.net.output())?;
    if args.cluster.is_given() {
        args.net.refuse_for_clusters()?;
    }
    let program = load(&args.model, &args.settings, properties, &limits)?;
    let constants =
        program.constants.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
    let options = options(args, limits);
    let name = args.model.display().to_string();
    let threads = args.cluster.threads(args.net.threads());
    let joined = args.join(args.heap.question(properties), threads, &options.limits)?;
    let mut found = match &joined {
        None => explore(program, &options).context(name)?,
        Some(joined) => explore_by(program, &options, &joined.cluster).context(name)?,
    };
    let budget = options.limits.budget.to_present();
    let left_out = match found.graph.take() {
        Some(graph) => graphs.write(&graph, &budget)?,
        None => None,
    };
    let mut explored = Explored::new(&args.model, constants, options.order, &found.report);
    explored.cluster = joined.and_then(|joined| joined.statistics());
    let document = document(&args.heap, explored, found);
    match left_out {
        Some(what) => Ok(Done::Incomplete(Box::new(document), anyhow!(what))),
        None => Ok(document.into()),
    }
}

fn options<'a>(args: &Args, limits: Limits) -> HeapOptions<'a> {
    HeapOptions {
        symmetry: args.heap.thread_symmetry,
        heap: match args.heap.heap_symmetry {
            Switch::On => HeapOrder::DepthFirst,
            Switch::Off => HeapOrder::Address,
        },
        compression: args.heap.compress,
        order: match args.search {
            Some(SearchOrder::Bfs) => Order::BreadthFirst,
            None if args.cluster.is_given() => Order::BreadthFirst,
            _ => Order::DepthFirst,
        },
        limits,
        trace: !args.no_trace,
        graph: !args.net.output().is_empty(),
        progress: args.progress(),
        ..HeapOptions::default()
    }
}

fn document(args: &HeapArgs, explored: Explored, found: HeapExploration) -> ExploredHeap {
    ExploredHeap {
        explored,
        thread_symmetry: args.thread_symmetry.to_string(),
        heap_symmetry: args.heap_symmetry == Switch::On,
        compress: args.compress,
        terminated: found.report.counters.ends,
        trace_left_out: found.left_out,
        store_bytes: found.store_bytes,
        bytes_per_state: found.bytes_per_state(),
        seconds: found.report.elapsed.as_secs_f64(),
        stuck: found.stuck(),
        violation: found
            .fault
            .map(|(fault, text)| Violation { text, limit: fault.violation.is_limit() }),
        properties: found.verdicts.into_iter().map(Property::from).collect(),
        trace: found.trace,
    }
}

const COLUMNS: &str = "model states edges seen deadlocks complete bytes_per_state compress constants.* \
    heap_symmetry properties search seconds stopped store_bytes terminated thread_symmetry trace.ending \
    trace.steps trace_left_out violation.text violation.limit";

impl ExploredHeap {
    /// What it came to in one line.
    fn verdict(&self) -> String {
        match (&self.violation, self.explored.stopped.filter(|reason| reason.is_limit())) {
            (Some(violation), _) => {
                let line = violation.text.lines().next().unwrap_or_default();
                match violation.limit {
                    true => format!("undecided: {line}"),
                    false => line.to_string(),
                }
            }
            (None, _) if self.stuck > 0 => "deadlock: some thread waits for ever".to_string(),
            (None, reason) => self.verdict_on_properties(reason),
        }
    }

    /// The same where no thread does anything wrong by itself.
    fn verdict_on_properties(&self, stopped: Option<StopReason>) -> String {
        let bad = self.properties.iter().filter(|property| property.verdict.is_bad());
        let bad: Vec<String> = bad.map(Property::said).collect();
        match (bad.is_empty(), stopped, self.properties.len()) {
            (false, ..) => bad.join(", "),
            (true, Some(reason), _) => format!("undecided: {}", stop_text(reason)),
            (true, None, 0) => "no deadlock, no violation".to_string(),
            (true, None, asked) => {
                format!("no deadlock, no violation, as asked by {asked} of {asked} properties")
            }
        }
    }
}

impl Document for ExploredHeap {
    fn outcome(&self) -> Outcome {
        match &self.violation {
            Some(violation) if violation.limit => Outcome::Undecided,
            Some(_) => Outcome::No,
            None if self.stuck > 0 => Outcome::No,
            None if self.properties.iter().any(|property| property.verdict.is_bad()) => Outcome::No,
            None if !self.explored.complete => Outcome::Undecided,
            None => Outcome::Yes,
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let ends = (self.terminated, ": every thread has returned");
        self.explored.write_counts(ends, painted(self.outcome(), self.verdict()), out)?;
        let (bytes, per_state) = (self.store_bytes, self.bytes_per_state);
        writeln!(out, "memory     {bytes} bytes, {per_state:.1} per state")?;
        writeln!(out, "time       {:.3} s", self.seconds)?;
        for Property { name, verdict, .. } in &self.properties {
            let answer = painted(runs::outcome(*verdict), runs::answer_text(*verdict));
            writeln!(out, "property   {name}: {answer}")?;
        }
        match (&self.violation, self.explored.stopped) {
            (Some(violation), _) => writeln!(out, "\n{}", violation.text)?,
            (None, Some(reason)) => writeln!(out, "\nstopped: {}", stop_text(reason))?,
            (None, None) => {}
        }
        self.trace.iter().try_for_each(|trace| write_trace("", trace, out))?;
        for property in self.properties.iter().filter(|property| property.verdict.is_bad()) {
            let to = format!("{}: ", property.name);
            property.trace.iter().try_for_each(|trace| write_trace(&to, trace, out))?;
        }
        match self.trace_left_out {
            Some(reason) => writeln!(out, "\nthe way there is left out: {}", stop_text(reason)),
            None => Ok(()),
        }
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of(COLUMNS, [self])
    }
}

fn write_trace(to: &str, trace: &HeapTrace, out: &mut dyn Write) -> io::Result<()> {
    let steps = trace.steps.len();
    writeln!(out, "\n{to}trace of {steps} {}:", if steps == 1 { "step" } else { "steps" })?;
    for (number, step) in trace.steps.iter().enumerate() {
        let to = match &step.to {
            _ if step.fails => "fails".to_string(),
            Some(to) => format!("goto {to}"),
            None => "ends".to_string(),
        };
        let (thread, transition, line) = (&step.thread, &step.transition, step.line);
        writeln!(out, "{:>5}  {thread}: {transition}, line {line}, {to}", number + 1)?;
        step.changes.iter().try_for_each(|change| writeln!(out, "       {change}"))?;
    }
    writeln!(out, "at the end:")?;
    trace.ending.iter().try_for_each(|line| writeln!(out, "       {line}"))
}
