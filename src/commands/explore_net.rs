//! `pidlab explore NET.tnet`: state space of a net with threads.

use super::cluster::ClusterArgs;
use super::explore_bir::SearchOrder;
use super::model_budget::{self, Limited};
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, bail};
use pidlab_core::Relations;
use pidlab_explore::net::explore::{Exploration, Settings, explore, explore_by};
use pidlab_explore::net::export::{Format, Graph, trace};
use pidlab_explore::net::trace::Trace;
use pidlab_explore::net::{Net, compile};
use pidlab_explore::search::{Continue, Counters, Limits, Options, Order, StopReason};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Options of nets only.
#[derive(clap::Args, Clone, Debug)]
pub struct NetArgs {
    /// Ω*: pid relations that must be preserved (joined by commas), none, all, or auto: those that
    /// the model compares with [default: parent]
    #[arg(long, value_name = "R")]
    relations: Option<String>,
    /// Merge equivalent markings [default: on]
    #[arg(long, value_enum)]
    canon: Option<Switch>,
    /// Explore although the model compares pids with relations outside Ω*; the result says "unsound"
    #[arg(long)]
    force: bool,
    /// Threads of the search [default: all cores]
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// A property besides those of the model, such as 'never count(h3(_)) > 2'
    #[arg(long, value_name = "P")]
    property: Vec<String>,
    /// End at the first violation or deadlock
    #[arg(long)]
    stop: bool,
    /// How to show the run to a deadlock or violation
    #[arg(long, value_enum)]
    trace: Option<TraceFormat>,
    /// Where to write it [default: standard output]
    #[arg(long, value_name = "FILE")]
    trace_file: Option<PathBuf>,
    /// Write the reduced state graph: .dot, .graphml, .json, .aut or .svg; may be given repeatedly
    #[arg(long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Explore again by the general equivalence engine and have the independent checker verify merged
    /// markings; exit code 4 if they disagree
    #[arg(long)]
    check: bool,
    /// Also explore the plain state space up to so many states, to show what merging saves
    #[arg(long, value_name = "N")]
    compare_plain: Option<u64>,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    Text,
    Json,
    Html,
}

impl NetArgs {
    /// Heap programs take none of these.
    pub fn refuse_for_heap_programs(&self, is_cluster: bool) -> anyhow::Result<()> {
        let given = [
            ("--relations", self.relations.is_some()),
            ("--canon", self.canon.is_some()),
            ("--force", self.force),
            ("--property", !self.property.is_empty()),
            ("--stop", self.stop),
            ("--trace", self.trace.is_some()),
            ("--trace-file", self.trace_file.is_some()),
            ("--output", !self.output.is_empty()),
            ("--check", self.check),
            ("--compare-plain", self.compare_plain.is_some()),
            ("--threads", !is_cluster && self.threads.is_some_and(|threads| threads > 1)),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((flag, _)) => bail!("{flag} is for nets (.tnet), not for heap programs (.bir)"),
            None => Ok(()),
        }
    }

    pub fn threads(&self) -> Option<usize> {
        self.threads
    }

    /// What the counts depend on, as several processes must have it in common.
    pub fn question(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.relations.iter().map(|relations| format!("--relations {relations}")));
        words.extend((self.canon == Some(Switch::Off)).then(|| "--canon off".to_string()));
        words.extend(self.force.then(|| "--force".to_string()));
        words.extend(self.property.iter().map(|property| format!("--property '{property}'")));
        words.extend(self.stop.then(|| "--stop".to_string()));
        words.join(" ")
    }

    /// What several processes cannot do.
    fn refuse_for_clusters(&self) -> anyhow::Result<()> {
        let given = [
            ("--output", !self.output.is_empty()),
            ("--check", self.check),
            ("--compare-plain", self.compare_plain.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((flag, _)) => bail!("{flag} needs all states in one process; leave it out here"),
            None => Ok(()),
        }
    }

    fn relations(&self, net: &Net) -> anyhow::Result<Relations> {
        match self.relations.as_deref() {
            None => Ok(Relations::default()),
            Some("auto") => Ok(net.used_relations()),
            Some(list) => Ok(list.parse()?),
        }
    }
}

/// What nets share with other models.
pub struct Common<'a> {
    pub model: &'a Path,
    pub settings: &'a [String],
    pub limits: Limits<'a>,
    pub json: bool,
    pub search: Option<SearchOrder>,
    /// Several processes search, for a question.
    pub cluster: Option<(&'a ClusterArgs, &'a str)>,
}

impl Common<'_> {
    /// Whether this process presents the result.
    fn is_first(&self) -> bool {
        self.cluster.is_none_or(|(args, _)| args.is_first())
    }
}

/// Reads and compiles a net.
pub fn load(
    path: &Path,
    settings: &[String],
    properties: &[String],
    limits: &Limits<'_>,
) -> anyhow::Result<Net> {
    let settings = settings.iter().map(|s| setting(s)).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(compile(model_budget::read(path, limits)?, &settings, properties)?)
}

fn setting(text: &str) -> anyhow::Result<(String, String)> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.trim().to_string(), value.trim().to_string())),
        None => bail!("--set {text}: expected NAME=VALUE, such as k=2"),
    }
}

pub fn run(common: &Common<'_>, args: &NetArgs) -> anyhow::Result<Outcome> {
    let formats = output_formats(&args.output)?;
    let net = load(common.model, common.settings, &args.property, &common.limits)?;
    let settings = settings(common, args, &net)?;
    let (found, joined) = match common.cluster {
        None => (explore(&net, &settings)?, None),
        Some((cluster, question)) => {
            args.refuse_for_clusters()?;
            let (threads, limits) = (settings.options.threads, &common.limits);
            let joined = cluster.join(common.model, question, threads, limits)?;
            (explore_by(&net, &settings, &joined.cluster)?, Some(joined))
        }
    };
    if !common.is_first() {
        return Ok(outcome(&found));
    }
    if let Some(reason) = &found.unsound {
        note!("warning: unsound: {reason}");
    }
    let plain = args.compare_plain.map(|most| plain_states(&net, &settings, most)).transpose()?;
    write_graphs(&net, &found, &args.output, &formats)?;
    let mut document = document(common, &net, &settings, &found, plain);
    if let Some(joined) = &joined {
        document["cluster"] = joined.document();
    }
    match common.json {
        true => output::json(&document)?,
        false => print_text(&net, &settings, &found, plain),
    }
    if let Some(joined) = joined.filter(|_| !common.json) {
        joined.print();
    }
    write_traces(common, args, &net, &found)?;
    if args.check && !super::explore_check::agrees(&net, &settings, &found)? {
        return Ok(Outcome::Disagreement);
    }
    Ok(outcome(&found))
}

fn outcome(found: &Exploration) -> Outcome {
    if found.has_violation() {
        Outcome::No
    } else if found.is_open() {
        Outcome::Undecided
    } else {
        Outcome::Yes
    }
}

fn settings<'a>(common: &Common<'a>, args: &NetArgs, net: &Net) -> anyhow::Result<Settings<'a>> {
    let order = match common.search {
        Some(SearchOrder::Dfs) => Order::DepthFirst,
        _ => Order::BreadthFirst,
    };
    let all = std::thread::available_parallelism().map_or(1, |n| n.get());
    let default = if order == Order::DepthFirst { 1 } else { all };
    let options = Options {
        order,
        from: Continue::Representative,
        threads: match common.cluster {
            Some((cluster, _)) => cluster.threads(args.threads),
            None => args.threads.unwrap_or(default),
        },
        limits: common.limits,
        stop_at: if args.stop { u64::MAX >> 2 } else { 0 },
        stop_at_deadlock: args.stop,
        record_edges: !args.output.is_empty(),
        progress: common.is_first().then_some(&show_progress),
        ..Options::default()
    };
    let relations = args.relations(net)?;
    let canon = args.canon != Some(Switch::Off);
    Ok(Settings { relations, canon, force: args.force, options })
}

/// A line on standard error every few seconds.
pub fn show_progress(counters: &Counters) {
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

fn plain_states(net: &Net, settings: &Settings<'_>, most: u64) -> anyhow::Result<(u64, bool)> {
    let limits = Limits { states: Some(most), ..settings.options.limits };
    let options = Options { limits, record_edges: false, ..settings.options.clone() };
    let mut net = net.clone();
    net.properties.clear();
    let plain = explore(&net, &Settings { canon: false, options, ..settings.clone() })?;
    Ok((plain.report.counters.states, plain.report.complete()))
}

fn output_formats(files: &[PathBuf]) -> anyhow::Result<Vec<Format>> {
    let format = |file: &PathBuf| {
        let extension = file.extension().and_then(|e| e.to_str()).unwrap_or("");
        Format::of_extension(extension).with_context(|| {
            format!("--output {}: use .dot, .graphml, .json, .aut or .svg", file.display())
        })
    };
    files.iter().map(format).collect()
}

fn write_graphs(
    net: &Net,
    found: &Exploration,
    files: &[PathBuf],
    formats: &[Format],
) -> anyhow::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let graph = Graph::new(net, found)?;
    if let Some(what) = graph.left_out {
        note!("warning: the graph has no markings and bijections: {what}");
    }
    for (file, &format) in files.iter().zip(formats) {
        if graph.nodes.len() > format.most_nodes() {
            let (nodes, most) = (graph.nodes.len(), format.most_nodes());
            bail!("{}: {nodes} states; drawings have at most {most}; use .dot", file.display());
        }
        let to = Limited { to: create(file)?, allowance: found.allowance };
        let mut out = std::io::BufWriter::new(to);
        let written = graph.write(format, &mut out).and_then(|()| out.flush());
        written.or_else(|error| give_up(file, error))?;
    }
    Ok(())
}

/// A graph that a limit cut short is of no use.
fn give_up(file: &Path, error: std::io::Error) -> anyhow::Result<()> {
    let message = format!("cannot write {}", file.display());
    let Some(limit) = model_budget::limit_of(&error) else {
        return Err(anyhow::Error::new(error).context(message));
    };
    // what is left of it stays if it cannot be removed, as the message says that it is not whole
    let _ = std::fs::remove_file(file);
    Err(anyhow::Error::new(limit).context(message))
}

fn create(file: &Path) -> anyhow::Result<std::fs::File> {
    std::fs::File::create(file).with_context(|| format!("cannot write {}", file.display()))
}

/// What went wrong or was reached, with the run that shows it.
fn runs(found: &Exploration) -> Vec<(String, &Trace)> {
    let mut runs = Vec::new();
    if let Some(trace) = &found.deadlock {
        runs.push((format!("deadlock after {} steps", trace.steps.len()), trace));
    }
    for verdict in &found.verdicts {
        if let Some(trace) = &verdict.trace {
            let what = answer_text(verdict);
            runs.push((
                format!("{}: {what} after {} steps", verdict.property, trace.steps.len()),
                trace,
            ));
        }
    }
    runs
}

fn answer_text(verdict: &pidlab_explore::net::explore::Verdict) -> String {
    serde_json::to_value(verdict.answer)
        .ok()
        .and_then(|value| value.as_str().map(str::to_string))
        .unwrap_or_default()
}

fn write_traces(
    common: &Common<'_>,
    args: &NetArgs,
    net: &Net,
    found: &Exploration,
) -> anyhow::Result<()> {
    let Some(format) = args.trace else { return Ok(()) };
    let mut bytes = Vec::new();
    let runs = runs(found);
    match format {
        TraceFormat::Html => trace::write_html(net, &runs, &mut bytes)?,
        TraceFormat::Json => {
            let runs: Vec<Value> = runs
                .iter()
                .map(|(title, t)| json!({"title": title, "trace": run_json(net, found, t)}))
                .collect();
            writeln!(bytes, "{}", json!({"format": "pidlab-trace/1", "runs": runs}))?;
        }
        TraceFormat::Text => {
            for (title, t) in &runs {
                writeln!(bytes, "\n{title}:")?;
                trace::write_text(net, t, &mut bytes)?;
            }
        }
    }
    match &args.trace_file {
        Some(file) => create(file)?.write_all(&bytes)?,
        // with --json the document on standard output holds the runs already
        None if common.json => {}
        None => output::lines().write_all(&bytes)?,
    }
    Ok(())
}

fn document(
    common: &Common<'_>,
    net: &Net,
    settings: &Settings<'_>,
    found: &Exploration,
    plain: Option<(u64, bool)>,
) -> Value {
    let counters = &found.report.counters;
    let runs: Vec<Option<Value>> =
        found.verdicts.iter().map(|v| run_json(net, found, v.trace.as_ref()?)).collect();
    let constants: serde_json::Map<String, Value> =
        net.constants.iter().map(|(name, value)| (name.clone(), constant(value))).collect();
    let relations: Vec<&str> = found.relations.iter().map(|r| r.name()).collect();
    let properties: Vec<Value> = found
        .verdicts
        .iter()
        .zip(runs)
        .map(|(v, run)| {
            json!({"name": v.property, "kind": v.kind, "verdict": v.answer, "trace": run})
        })
        .collect();
    json!({
        "format": "pidlab-explore/1",
        "model": common.model.display().to_string(),
        "constants": constants,
        "relations": relations,
        "canon": settings.canon,
        "sound": found.unsound.is_none(),
        "unsound": found.unsound,
        "search": if settings.options.order == Order::DepthFirst { "dfs" } else { "bfs" },
        "threads": settings.options.threads,
        "states": counters.states,
        "edges": counters.edges,
        "seen": counters.seen,
        "deadlocks": counters.deadlocks,
        "final": counters.ends,
        "complete": found.report.complete(),
        "stopped": found.report.stopped,
        "deadlock_trace": found.deadlock.as_ref().and_then(|t| run_json(net, found, t)),
        "traces_left_out": found.left_out.map(StopReason::from),
        "properties": properties,
        "statistics": statistics(found, plain),
    })
}

/// A run as JSON; nothing if a limit is reached before.
fn run_json(net: &Net, found: &Exploration, run: &Trace) -> Option<Value> {
    trace::to_json(net, run, found.allowance).ok()
}

/// Constants are printed in a form that is JSON as well.
fn constant(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

fn statistics(found: &Exploration, plain: Option<(u64, bool)>) -> Value {
    let report = &found.report;
    let states = report.counters.states.max(1) as f64;
    let seconds = report.elapsed.as_secs_f64();
    json!({
        "seconds": seconds,
        "states_per_second": states / seconds.max(1e-9),
        "transitions": report.counters.transitions,
        "canonise_share": report.timing.canonise_share(),
        "canonical_bytes_per_state": report.key_bytes as f64 / states,
        "further_bytes_per_state": report.index_bytes as f64 / states,
        "plain_states": plain.map(|(states, _)| states),
        "plain_complete": plain.map(|(_, complete)| complete),
    })
}

fn print_text(net: &Net, settings: &Settings<'_>, found: &Exploration, plain: Option<(u64, bool)>) {
    let (report, counters) = (&found.report, &found.report.counters);
    let constants: Vec<String> = net.constants.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    outln!("net        {} ({})", net.name, constants.join(", "));
    match settings.canon {
        true => outln!("relations  {}", found.relations),
        false => outln!("relations  none merged: --canon off"),
    }
    outln!("states     {}", counters.states);
    outln!("edges      {}", counters.edges);
    outln!("seen       {}", counters.seen);
    let ends = match counters.ends {
        0 => String::new(),
        ends => format!(" ({ends} of them proper ends)"),
    };
    outln!("deadlocks  {}{ends}", counters.deadlocks);
    outln!("complete   {}", report.complete());
    let states = counters.states.max(1) as f64;
    let seconds = report.elapsed.as_secs_f64();
    outln!("time       {seconds:.3} s, {:.0} states/s", states / seconds.max(1e-9));
    let share = report.timing.canonise_share() * 100.0;
    outln!("canonising {share:.0} % of the time (sampled)");
    let (key, further) = (report.key_bytes as f64 / states, report.index_bytes as f64 / states);
    outln!("memory     {key:.1} bytes a state in canonical form, {further:.1} beyond");
    if let Some((plain, complete)) = plain {
        let more = if complete { "" } else { " or more" };
        outln!("plain      {plain}{more} states without merging");
    }
    for verdict in &found.verdicts {
        outln!("property   {}: {}", verdict.property, answer_text(verdict));
    }
    if found.unsound.is_some() {
        outln!("unsound    explored with --force");
    }
    if let Some(what) = found.left_out {
        outln!("left out   runs: {}", stop_text(what.into()));
    }
    if let Some(reason) = report.stopped {
        outln!("stopped    {}", stop_text(reason));
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
