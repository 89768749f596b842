//! `pidlab explore NET.tnet`: state space of a net with threads.

use super::graphs::Graphs;
use super::runs::{self, Shown};
use super::{Args, Explored, SearchOrder, Switch, budget, check, refuse, stop_text};
use crate::arguments::cores;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, names, painted};
use anyhow::{anyhow, bail};
use pidlab_core::Relations;
use pidlab_explore::net::{
    ExploreError, Net, NetExploration, NetOptions, NetTrace, PropertyAnswer, PropertyVerdict,
    compile, explore, explore_by, tnet_of,
};
use pidlab_explore::search::{Continue, Limits, Options, Order, SearchReport, StopReason};
use pidlab_explore::source::Source;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};
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
    /// A property besides those of the model, such as 'never count(h3(_)) > 2' for a net, or
    /// 'never count(Worker.busy) > 2' for a heap program
    #[arg(long, value_name = "P")]
    property: Vec<String>,
    /// End at the first violation or deadlock
    #[arg(long)]
    stop: bool,
    /// How to show the runs to a deadlock, a violation or a marking that was asked for [default: text,
    /// those to what went wrong]
    #[arg(long, value_enum)]
    trace: Option<TraceFormat>,
    /// Where to write it [default: standard output]
    #[arg(long, value_name = "FILE")]
    trace_file: Option<PathBuf>,
    /// Write the reduced state graph: .dot, .graphml, .json, .aut (CADP, mCRL2, LTSmin), .fsm (mCRL2, LTSmin),
    /// .pml (Spin) or .svg, or that of a net as a labelled transition system: .jsonl; may be given repeatedly
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
pub enum TraceFormat {
    Text,
    Json,
    Html,
}

/// Languages of nets.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Pnml,
    Tnet,
}

impl NetArgs {
    /// Heap programs take none of these.
    pub fn refuse_for_heap_programs(&self, is_cluster: bool) -> anyhow::Result<()> {
        let given = [
            ("--relations", self.relations.is_some()),
            ("--canon", self.canon.is_some()),
            ("--force", self.force),
            ("--stop", self.stop),
            ("--trace", self.trace.is_some()),
            ("--trace-file", self.trace_file.is_some()),
            ("--check", self.check),
            ("--compare-plain", self.compare_plain.is_some()),
            ("--threads", !is_cluster && self.threads.is_some_and(|threads| threads > 1)),
        ];
        refuse(&given, "nets (.tnet), not for heap programs (.bir)")
    }

    pub fn properties(&self) -> &[String] {
        &self.property
    }

    pub fn output(&self) -> &[PathBuf] {
        &self.output
    }

    pub fn threads(&self) -> Option<usize> {
        self.threads
    }

    /// What the counts depend on, as several processes must have it in common.
    fn question(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.relations.iter().map(|relations| format!("--relations {relations}")));
        words.extend((self.canon == Some(Switch::Off)).then(|| "--canon off".to_string()));
        words.extend(self.force.then(|| "--force".to_string()));
        words.extend(self.property.iter().map(|property| format!("--property '{property}'")));
        words.extend(self.stop.then(|| "--stop".to_string()));
        words.join(" ")
    }

    /// What several processes cannot do.
    pub fn refuse_for_clusters(&self) -> anyhow::Result<()> {
        let given = [
            ("--output", !self.output.is_empty()),
            ("--check", self.check),
            ("--compare-plain", self.compare_plain.is_some()),
        ];
        refuse(&given, "searches by one process, which has all states")
    }

    /// How runs are shown besides in the document: what went wrong as text, unless told otherwise.
    fn shown(&self, none: bool) -> anyhow::Result<Shown<'_>> {
        let file = self.trace_file.as_deref();
        match (self.trace, none) {
            (Some(_), true) => {
                bail!("--trace and --no-trace contradict each other; give one of them")
            }
            (None, true) => Ok(Shown::Nothing),
            (None, false) if file.is_none() => Ok(Shown::WhatWentWrong),
            (format, false) => Ok(Shown::All { format: format.unwrap_or(TraceFormat::Text), file }),
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

/// Whether a file is a net in PNML.
fn is_pnml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pnml")
}

/// A net in PNML as one of ours.
fn translated(source: Source, limits: &Limits) -> anyhow::Result<Source> {
    let net = pidlab_pnml::read(&source)?;
    let text = tnet_of(&source, &net)?;
    Ok(Source::new(format!("{} as .tnet", source.name), text).within(limits.budget.clone()))
}

/// Reads and compiles a net.
pub fn load(
    path: &Path,
    settings: &[String],
    properties: &[String],
    limits: &Limits,
) -> anyhow::Result<Net> {
    let settings = super::settings(settings)?;
    let source = budget::read(path, limits)?;
    let source = if is_pnml(path) { translated(source, limits)? } else { source };
    Ok(compile(source, &settings, properties)?)
}

#[derive(Serialize)]
struct ExploredNet {
    #[serde(flatten)]
    explored: Explored,
    relations: Vec<&'static str>,
    canon: bool,
    sound: bool,
    unsound: Option<String>,
    threads: usize,
    #[serde(rename = "final")]
    ends: u64,
    deadlock_trace: Option<Value>,
    traces_left_out: Option<StopReason>,
    properties: Vec<Property>,
    statistics: Statistics,
    #[serde(skip)]
    outcome: Outcome,
    /// Whether a deadlock is not a proper end.
    #[serde(skip)]
    stuck: bool,
    /// Name and constants, for people.
    #[serde(skip)]
    net: String,
    /// Runs that were asked for as text.
    #[serde(skip)]
    runs: Vec<u8>,
}

#[derive(Serialize)]
struct Property {
    name: String,
    kind: &'static str,
    verdict: PropertyAnswer,
    trace: Option<Value>,
}

#[derive(Serialize)]
struct Statistics {
    seconds: f64,
    states_per_second: f64,
    transitions: u64,
    canonise_share: f64,
    canonical_bytes_per_state: f64,
    further_bytes_per_state: f64,
    plain_states: Option<u64>,
    plain_complete: Option<bool>,
}

pub fn run(args: &Args, limits: Limits) -> anyhow::Result<Done> {
    let graphs = Graphs::of(&args.net.output)?;
    let net = load(&args.model, &args.settings, &args.net.property, &limits)?;
    let settings = settings(args, &net, limits)?;
    if args.cluster.is_given() {
        args.net.refuse_for_clusters()?;
    }
    let threads = settings.options.threads;
    let joined = args.join(args.net.question(), threads, &settings.options.limits)?;
    let found = match &joined {
        None => explore(&net, &settings).map_err(advise)?,
        Some(joined) => explore_by(&net, &settings, &joined.cluster)?,
    };
    if let Some(reason) = &found.unsound {
        note!("warning: unsound: {reason}");
    }
    let plain =
        args.net.compare_plain.map(|most| plain_states(&net, &settings, most)).transpose()?;
    let left_out = graphs.write_net(&net, &found)?;
    let mut document = document(args, &net, &settings, &found, plain);
    document.explored.cluster = joined.and_then(|joined| joined.statistics());
    if args.cluster.is_first() {
        document.runs = args.net.shown(args.no_trace)?.write(&net, &found)?;
    }
    if args.net.check {
        document.outcome = check::outcome(&net, &settings, &found, document.outcome)?;
    }
    match left_out {
        Some(what) => Ok(Done::Incomplete(Box::new(document), anyhow!(what))),
        None => Ok(document.into()),
    }
}

/// What the library says, with the options that would change it.
fn advise(error: ExploreError) -> anyhow::Error {
    match error {
        ExploreError::Unsound(text) => {
            anyhow!("{text} (--relations auto, --relations, --force)")
        }
        other => other.into(),
    }
}

fn settings<'a>(args: &Args, net: &Net, limits: Limits) -> anyhow::Result<NetOptions<'a>> {
    let order = match args.search {
        Some(SearchOrder::Dfs) => Order::DepthFirst,
        _ => Order::BreadthFirst,
    };
    let default = if order == Order::DepthFirst { 1 } else { cores() };
    let options = Options {
        order,
        from: Continue::Representative,
        threads: match args.cluster.is_given() {
            true => args.cluster.threads(args.net.threads),
            false => args.net.threads.unwrap_or(default),
        },
        limits,
        stop_at: if args.net.stop { u64::MAX >> 2 } else { 0 },
        stop_at_deadlock: args.net.stop,
        record_edges: !args.net.output.is_empty(),
        progress: args.progress(),
        ..Options::default()
    };
    let relations = args.net.relations(net)?;
    let canon = args.net.canon != Some(Switch::Off);
    Ok(NetOptions { relations, canon, force: args.net.force, options })
}

fn plain_states(net: &Net, settings: &NetOptions<'_>, most: u64) -> anyhow::Result<(u64, bool)> {
    let limits = Limits { states: Some(most), ..settings.options.limits.clone() };
    let options = Options { limits, record_edges: false, ..settings.options.clone() };
    let mut net = net.clone();
    net.properties.clear();
    let plain = explore(&net, &NetOptions { canon: false, options, ..settings.clone() })?;
    Ok((plain.report.counters.states, plain.report.complete()))
}

fn document(
    args: &Args,
    net: &Net,
    settings: &NetOptions<'_>,
    found: &NetExploration,
    plain: Option<(u64, bool)>,
) -> ExploredNet {
    let constants = net.constants.iter().map(|(name, value)| (name.clone(), constant(value)));
    let (order, report) = (settings.options.order, &found.report);
    let run =
        |trace: Option<&NetTrace>| runs::to_json(net, found, trace.filter(|_| !args.no_trace)?);
    let property = |verdict: &PropertyVerdict| Property {
        name: verdict.property.clone(),
        kind: verdict.kind,
        verdict: verdict.answer,
        trace: run(verdict.trace.as_ref()),
    };
    ExploredNet {
        explored: Explored::new(&args.model, constants.collect(), order, report),
        relations: names(found.relations),
        canon: settings.canon,
        sound: found.unsound.is_none(),
        unsound: found.unsound.clone(),
        threads: settings.options.threads,
        ends: report.counters.ends,
        deadlock_trace: run(found.deadlock.as_ref()),
        traces_left_out: found.left_out.map(StopReason::from),
        properties: found.verdicts.iter().map(property).collect(),
        statistics: statistics(report, plain),
        outcome: outcome(found),
        stuck: report.first_stuck.is_some(),
        net: described(net),
        runs: Vec::new(),
    }
}

fn outcome(found: &NetExploration) -> Outcome {
    if found.has_violation() {
        Outcome::No
    } else if found.is_open() {
        Outcome::Undecided
    } else {
        Outcome::Yes
    }
}

/// Constants are printed in a form that is JSON as well.
fn constant(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn described(net: &Net) -> String {
    let constants: Vec<String> = net.constants.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    format!("{} ({})", net.name, constants.join(", "))
}

fn statistics(report: &SearchReport, plain: Option<(u64, bool)>) -> Statistics {
    let states = report.counters.states.max(1) as f64;
    let seconds = report.elapsed.as_secs_f64();
    Statistics {
        seconds,
        states_per_second: states / seconds.max(1e-9),
        transitions: report.counters.transitions,
        canonise_share: report.timing.canonize_share(),
        canonical_bytes_per_state: report.key_bytes as f64 / states,
        further_bytes_per_state: report.index_bytes as f64 / states,
        plain_states: plain.map(|(states, _)| states),
        plain_complete: plain.map(|(_, complete)| complete),
    }
}

impl Statistics {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (seconds, rate) = (self.seconds, self.states_per_second);
        writeln!(out, "time       {seconds:.3} s, {rate:.0} states/s")?;
        let share = self.canonise_share * 100.0;
        writeln!(out, "canonising {share:.0} % of the time (sampled)")?;
        let (key, further) = (self.canonical_bytes_per_state, self.further_bytes_per_state);
        writeln!(out, "memory     {key:.1} bytes a state in canonical form, {further:.1} beyond")?;
        match (self.plain_states, self.plain_complete) {
            (Some(plain), Some(true)) => writeln!(out, "plain      {plain} states without merging"),
            (Some(plain), _) => writeln!(out, "plain      {plain} or more states without merging"),
            (None, _) => Ok(()),
        }
    }
}

impl ExploredNet {
    /// What it came to in one line.
    fn verdict(&self) -> String {
        let stopped = self.explored.stopped.filter(|reason| reason.is_limit());
        let said = |property: &&Property| runs::outcome(property.verdict) == self.outcome;
        let mut found: Vec<String> =
            self.properties.iter().filter(said).map(Property::said).collect();
        match self.outcome {
            Outcome::Yes => {
                let holds = found.len();
                found = vec!["no deadlock".to_string()];
                found.extend(
                    (holds > 0).then(|| format!("as asked by {holds} of {holds} properties")),
                );
            }
            Outcome::No if self.stuck => found.insert(0, "deadlock".to_string()),
            Outcome::No => {}
            Outcome::Undecided => {
                let why =
                    stopped.map_or_else(|| found.join(", "), |why| stop_text(why).to_string());
                found = vec![format!("undecided: {why}")];
            }
            Outcome::Disagreement => found = vec!["two exact ways disagree".to_string()],
        }
        found.join(", ")
    }
}

impl Property {
    fn said(&self) -> String {
        format!("{} {}", self.name, runs::answer_text(self.verdict))
    }
}

impl Document for ExploredNet {
    fn outcome(&self) -> Outcome {
        self.outcome
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "net        {}", self.net)?;
        match (self.canon, &self.relations[..]) {
            (false, _) => writeln!(out, "relations  none merged: --canon off")?,
            (true, []) => writeln!(out, "relations  none")?,
            (true, names) => writeln!(out, "relations  {}", names.join(","))?,
        }
        let ends = (self.ends, " proper ends");
        self.explored.write_counts(ends, painted(self.outcome, self.verdict()), out)?;
        self.statistics.text(out)?;
        for Property { name, verdict, .. } in &self.properties {
            let answer = painted(runs::outcome(*verdict), runs::answer_text(*verdict));
            writeln!(out, "property   {name}: {answer}")?;
        }
        if !self.sound {
            writeln!(out, "unsound    explored with --force")?;
        }
        if let Some(what) = self.traces_left_out {
            writeln!(out, "left out   runs: {}", stop_text(what))?;
        }
        if let Some(reason) = self.explored.stopped {
            writeln!(out, "stopped    {}", stop_text(reason))?;
        }
        out.write_all(&self.runs)
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of(
            "model states edges seen deadlocks complete canon constants.* deadlock_trace *",
            [self],
        )
    }
}
