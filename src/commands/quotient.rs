//! `pidlab quotient`: a labelled transition system modulo equivalence of its states.

use super::explore::graphs::Graphs;
use super::explore::{budget, stop_text};
use crate::arguments::{LimitArgs, cores};
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, names};
use crate::{input, interrupt};
use anyhow::bail;
use pidlab_backends::external::split_command;
use pidlab_core::Relations;
use pidlab_explore::lts::{
    Assumption, LtsError, Quotient, QuotientOptions, ReadCounts, reduce_file, reduce_program,
};
use pidlab_explore::search::{Limits, StopReason};
use pidlab_syntax::{Source, Span};
use serde::Serialize;
use serde_json::json;
use std::io::{self, BufRead as _, Write};
use std::path::PathBuf;

/// Reduce a labelled transition system modulo equivalence, and test that this is right (SACS'10, Assumptions 1 to 3)
///
/// The system comes from a file (pidlab-lts/1, JSON Lines) or from a program that gives successors on
/// demand. Exit code 1: an assumption fails, with the states that show it. 3: a limit was reached first, or
/// the file lacks the transitions of a class.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab quotient system.jsonl --json
  pidlab quotient system.jsonl --output reduced.aut
  pidlab quotient --program 'pidlab serve models/nkm.tnet --set k=2'")]
pub struct Args {
    /// The system (`-` for standard input)
    #[arg(value_name = "LTS.jsonl")]
    file: Option<PathBuf>,
    /// Start this command and ask it for initial states and successors
    #[arg(long, value_name = "CMD", conflicts_with = "file")]
    program: Option<String>,
    /// Ω*: parent, ancestor, adjacent-sibling, elder-sibling (joined by commas), none or all
    #[arg(long, value_name = "R", default_value_t)]
    relations: Relations,
    /// Stop after so many classes
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    /// Of a program: how many states of each class to compare with its first, for Assumption 3
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "file")]
    members: usize,
    /// Write the reduced system: .aut, .fsm, .pml, .dot, .json, .graphml or .svg; may be given repeatedly
    #[arg(long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Threads that read and test a file; default: as many as there are cores
    #[arg(long, value_name = "N", conflicts_with = "program", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    limits: LimitArgs,
}

const FORMAT: &str = "pidlab-quotient/1";

#[derive(Serialize)]
struct Reduced {
    format: &'static str,
    system: String,
    relations: Vec<&'static str>,
    states: u64,
    edges: u64,
    /// Edges that differ in pid or parameters count apart.
    labelled_edges: u64,
    seen: u64,
    deadlocks: u64,
    complete: bool,
    stopped: Option<StopReason>,
    /// Classes whose transitions are not listed.
    open: u64,
    holds: bool,
    assumptions: Vec<Assumption>,
    read: ReadCounts,
    seconds: f64,
    states_per_second: f64,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let limits = budget::limits(&args.limits, args.max_states);
    let limits = Limits { budget: limits.budget.interrupted_by(interrupt::flag()), ..limits };
    let nothing = json!({ "format": FORMAT, "states": 0, "edges": 0, "assumptions": [] });
    budget::or_undecided(reduce(&args, limits), nothing)
}

fn reduce(args: &Args, limits: Limits) -> anyhow::Result<Done> {
    let graphs = Graphs::of_graphs(&args.output)?;
    let budget = limits.budget.clone();
    let (relations, members) = (args.relations, args.members);
    let threads = args.threads.map_or_else(cores, usize::from);
    let graph = !graphs.is_empty();
    let options = QuotientOptions { relations, limits, threads, members, graph };
    let (system, reduced) = match (&args.program, &args.file) {
        (Some(command), _) => {
            let words = split_command(command).map_err(anyhow::Error::msg)?;
            (command.clone(), reduce_program(&words, &options))
        }
        (None, Some(file)) => {
            let name = input::display(file);
            (name.clone(), reduce_file(&name, input::open(file)?, &options))
        }
        (None, None) => bail!("give a file or --program"),
    };
    let reduced = reduced.map_err(|error| match error {
        LtsError::Wrong(diagnostic) => diagnostic.into(),
        LtsError::Failure(failure) => failure.into(),
        LtsError::Dangling { line, ref message, .. } => match nth_line(args, line) {
            Some(text) => {
                let span = Span { start: 0, end: text.len() };
                Source::new(&*system, text).starting_at(line).error(span, message).into()
            }
            None => anyhow::Error::new(error),
        },
        other => anyhow::Error::new(other),
    })?;
    let written = reduced.graph.as_ref().map(|graph| graphs.write(graph, &budget.to_present()));
    let document = document(system, relations, &reduced);
    match written.transpose()?.flatten() {
        // an assumption that fails is the answer, and the exit code is that of the answer
        Some(left_out) if !document.holds => {
            note!("error: {left_out}");
            Ok(document.into())
        }
        Some(left_out) => Ok(Done::Incomplete(Box::new(document), anyhow::anyhow!(left_out))),
        None => Ok(document.into()),
    }
}

/// A line of the file, counted from 1; what came by standard input is gone.
fn nth_line(args: &Args, line: usize) -> Option<String> {
    let file = args.file.as_ref().filter(|file| !input::is_stdin(file))?;
    input::open(file).ok()?.lines().nth(line - 1)?.ok()
}

fn document(system: String, relations: Relations, found: &Quotient) -> Reduced {
    let counters = &found.report.counters;
    let seconds = found.elapsed.as_secs_f64();
    Reduced {
        format: FORMAT,
        system,
        relations: names(relations),
        states: counters.states,
        edges: found.edges,
        labelled_edges: counters.edges,
        seen: counters.seen,
        deadlocks: found.deadlocks(),
        complete: found.complete(),
        stopped: found.report.stopped,
        open: found.open,
        holds: found.holds(),
        assumptions: found.assumptions.clone(),
        read: found.read,
        seconds,
        states_per_second: found.read.states as f64 / seconds.max(1e-9),
    }
}

/// What the tests of an assumption are made on.
const TESTED: [&str; 3] =
    ["transitions", "states", "pairs of equivalent states and automorphisms of a state"];

impl Document for Reduced {
    fn outcome(&self) -> Outcome {
        match (self.holds, self.complete) {
            (false, _) => Outcome::No,
            (true, false) => Outcome::Undecided,
            (true, true) => Outcome::Yes,
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let relations = if self.relations.is_empty() { &["none"][..] } else { &self.relations };
        let ReadCounts { states, expanded, transitions } = self.read;
        writeln!(out, "system        {}", self.system)?;
        writeln!(out, "relations     {}", relations.join(","))?;
        writeln!(
            out,
            "read          {states} states ({expanded} expanded), {transitions} transitions"
        )?;
        writeln!(out, "states        {}", self.states)?;
        writeln!(out, "edges         {} ({} with labels)", self.edges, self.labelled_edges)?;
        writeln!(out, "deadlocks     {}", self.deadlocks)?;
        writeln!(out, "complete      {}", self.complete)?;
        if self.open > 0 {
            writeln!(out, "open          {} classes whose transitions are not listed", self.open)?;
        }
        let (seconds, rate) = (self.seconds, self.states_per_second);
        writeln!(out, "time          {seconds:.3} s, {rate:.0} states/s")?;
        for (assumption, tested) in self.assumptions.iter().zip(TESTED) {
            let Assumption { id, tests, counterexample, .. } = assumption;
            match counterexample {
                None => writeln!(out, "assumption {id}  holds on {tests} {tested}")?,
                Some(found) => {
                    let reason = found["reason"].as_str().unwrap_or_default();
                    writeln!(out, "assumption {id}  fails: {reason}")?;
                    let shown = serde_json::to_string_pretty(found).unwrap_or_default();
                    shown.lines().try_for_each(|line| writeln!(out, "  {line}"))?;
                }
            }
        }
        match self.stopped {
            Some(reason) => writeln!(out, "stopped       {}", stop_text(reason)),
            None => Ok(()),
        }
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("system states edges deadlocks complete holds *", [self])
    }
}
