//! `pidlab check`: are two states the same up to renaming of pids?

mod judge;
mod pairs;

use crate::arguments::{LimitArgs, cores};
use crate::outcome::Outcome;
use crate::output::{Document, Done, Form, Rows, painted};
use crate::{input, verdict};
use anyhow::{Result, bail};
use judge::{Judge, Judgement};
use pidlab_backends::difference::Reason;
use pidlab_backends::{Verdict, WitnessMap, registry};
use pidlab_core::{Relations, State};
use serde::{Serialize, Serializer};
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;

/// Decide whether two states are equivalent (SACS'10, Definition 1, relations restricted to Ω*)
///
/// A state is a JSON file (`-` for standard input) or by its ending the papers' notation (.pst); two graphs are
/// compared, too (.col, .dimacs, .bliss, .g6, .s6, .d6, .graphml, .edges, .arcs; docs/graphs.md). Exit code 0: equivalent; 1: not equivalent; 3: undecided within the limits.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab check examples/q3.json examples/q3-prime.json
  pidlab check examples/q3.json examples/q3-prime.json --relations all --json
  pidlab check --pairs pairs.jsonl --backend nauty --json")]
pub struct Args {
    /// The two states
    #[arg(num_args = 2, value_names = ["A", "B"], required_unless_present = "pairs", conflicts_with = "pairs")]
    states: Vec<PathBuf>,
    /// Decide many pairs: a file of lines {"id", "relations", "q", "r"}; exit code 0 if every line was
    /// decided, 2 if a line was bad, 3 if one was left undecided
    #[arg(long, value_name = "F.jsonl")]
    pairs: Option<PathBuf>,
    /// Threads that decide pairs side by side; 1 to measure them [default: one a core]
    #[arg(long, value_name = "N", requires = "pairs")]
    threads: Option<usize>,
    /// Ω*: parent, ancestor, adjacent-sibling, elder-sibling (joined by commas), none or all
    /// [default: parent; none for graphs]
    #[arg(long, value_name = "R")]
    relations: Option<Relations>,
    /// One of `pidlab backends`, or external:<command>
    #[arg(long, default_value = registry::DEFAULT)]
    backend: String,
    /// Accept states that are not consistent thread configurations
    #[arg(long)]
    allow_inconsistent: bool,
    /// The layered graph of the graph matchers; `published` merges states wrongly where Ω* has neither
    /// parent nor ancestor
    #[arg(long, value_enum, default_value_t = GraphChoice::Corrected)]
    graph: GraphChoice,
    /// Have the independent checker verify every witness, and `canon` every "not equivalent" of another
    /// backend, and hold answers against `expected` in lines of --pairs; exit code 4 on a contradiction
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum GraphChoice {
    Corrected,
    Published,
}

const FORMAT: &str = "pidlab-check/1";

/// An answer with the states it is about.
struct Checked {
    q: State,
    r: State,
    judgement: Judgement,
    reason: Option<Reason>,
}

pub fn run(args: Args, form: Form) -> Result<Done> {
    let mut judge = Judge::new(&args)?;
    if let Some(path) = &args.pairs {
        let threads = judge.share(args.threads.unwrap_or_else(cores));
        return pairs::run(path, &judge, threads, form);
    }
    let [a, b] = args.states.as_slice() else { bail!("give two states, or --pairs") };
    let budget = judge.budget();
    let known =
        json!({"format": FORMAT, "equivalent": null, "backend": args.backend, "witness": null});
    let (q, r) = match input::load_states_within(a, b, args.allow_inconsistent, &budget) {
        Ok(states) => states,
        Err(error) => return input::undecided(error, known),
    };
    let judgement = judge.decide(&q, &r, judge.relations, &budget);
    let reason = match judgement.decision.verdict {
        Verdict::NotEquivalent if judgement.violation.is_none() => {
            let reason = judge.explain(&q, &r, &budget);
            judgement.stands_behind(&reason).then_some(reason)
        }
        _ => None,
    };
    Ok(Checked { q, r, judgement, reason }.into())
}

/// The fields of the document; the witness is written without being built.
#[derive(Serialize)]
struct Fields<'s> {
    format: &'static str,
    equivalent: Option<bool>,
    backend: &'s str,
    witness: Option<WitnessMap<'s>>,
    reason: Option<&'s Reason>,
    statistics: Statistics,
    #[serde(skip_serializing_if = "Option::is_none")]
    undecided: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed_by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<&'s str>,
}

#[derive(Serialize)]
struct Statistics {
    build_seconds: f64,
    decide_seconds: f64,
    vertices: usize,
    arcs: usize,
}

impl Serialize for Checked {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let decision = &self.judgement.decision;
        let fields = Fields {
            format: FORMAT,
            equivalent: verdict::equivalent(&decision.verdict),
            backend: &self.judgement.backend,
            witness: self.witness(),
            reason: self.reason.as_ref(),
            statistics: Statistics {
                build_seconds: decision.build.as_secs_f64(),
                decide_seconds: decision.decide.as_secs_f64(),
                vertices: decision.vertices,
                arcs: decision.arcs,
            },
            undecided: verdict::why_undecided(&decision.verdict),
            confirmed_by: self.judgement.confirmed_by,
            violation: self.judgement.violation.as_deref(),
        };
        fields.serialize(serializer)
    }
}

impl Checked {
    fn witness(&self) -> Option<WitnessMap<'_>> {
        WitnessMap::of(&self.judgement.decision.verdict, &self.q, &self.r)
    }
}

const COLUMNS: &str =
    "equivalent backend witness reason confirmed_by statistics.* undecided violation";

impl Document for Checked {
    fn outcome(&self) -> Outcome {
        self.judgement.outcome()
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let judgement = &self.judgement;
        writeln!(out, "{}", painted(self.outcome(), judgement.sentence()))?;
        if let Some(witness) = self.witness() {
            write_witness(&witness, out)?;
        }
        match (&self.reason, &judgement.decision.verdict) {
            (Some(reason), _) => write_reason(reason, out)?,
            (None, Verdict::NotEquivalent) if judgement.violation.is_none() => {
                writeln!(out, "  no difference is found without it; --check has canon decide")?;
            }
            _ => {}
        }
        match &judgement.violation {
            Some(violation) => writeln!(out, "CONTRADICTION: {violation}"),
            None => Ok(()),
        }
    }

    fn rows(&self) -> Result<Rows> {
        Rows::of(COLUMNS, [self])
    }
}

fn write_reason(reason: &Reason, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  {}", reason.text)?;
    match &reason.equivalent_without[..] {
        [] => Ok(()),
        names => {
            writeln!(out, "  they would be equivalent without {}", names.join(" or without "))
        }
    }
}

/// The first lines of a witness; all of it is in the JSON output.
fn write_witness(witness: &WitnessMap, out: &mut dyn Write) -> io::Result<()> {
    const SHOWN: usize = 40;
    let mut entries = witness.entries();
    for (from, to) in entries.by_ref().take(SHOWN) {
        writeln!(out, "  {from} -> {to}")?;
    }
    match entries.count() {
        0 => Ok(()),
        more => writeln!(out, "  … {more} more; --json prints all"),
    }
}
