//! `pidlab check`: are two states the same up to renaming of pids?

use crate::input;
use crate::limits::LimitArgs;
use crate::outcome::Outcome;
use crate::verdict::WitnessMap;
use crate::{pairs, verdict};
use anyhow::{Result, bail};
use pidlab_backends::difference::{Reason, explain};
use pidlab_backends::{Backend, Decision, GraphKind, Problem, Verdict, Witness, registry};
use pidlab_core::{Relations, State};
use serde::Serialize;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Decide whether two states are equivalent (SACS'10, Definition 1, relations restricted to Ω*)
///
/// A state is a JSON file (`-` for standard input); a file that ends in .col or .dimacs is a plain
/// coloured graph. Exit code 0: equivalent; 1: not equivalent; 3: undecided within the limits.
#[derive(clap::Args)]
pub struct Args {
    /// The two states
    #[arg(num_args = 2, value_names = ["A", "B"], required_unless_present = "pairs", conflicts_with = "pairs")]
    states: Vec<PathBuf>,
    /// Decide many pairs: a file of lines {"id", "relations", "q", "r"}; exit code 0 if every line was
    /// decided, 2 if a line was bad, 3 if one was left undecided
    #[arg(long, value_name = "F.jsonl")]
    pairs: Option<PathBuf>,
    /// Ω*: parent, ancestor, adjacent-sibling, elder-sibling (joined by commas), none or all
    /// [default: parent; none for plain graphs]
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
    /// Have the independent checker verify every witness; exit code 4 if it rejects one
    #[arg(long)]
    check: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum GraphChoice {
    Corrected,
    Published,
}

/// How pairs are to be decided.
pub struct Judge {
    backend: Box<dyn Backend>,
    pub relations: Relations,
    pub allow_inconsistent: bool,
    graph: GraphKind,
    limits: LimitArgs,
    check: bool,
}

/// A decision, and what the checker found wrong with its witness.
pub struct Judgement {
    pub decision: Decision,
    pub violation: Option<String>,
}

pub fn run(args: Args) -> Result<Outcome> {
    let judge = Judge::new(&args)?;
    if let Some(path) = &args.pairs {
        let done = pairs::run(path, &judge, args.json)?;
        return match done.outcome() {
            Some(outcome) => Ok(outcome),
            None => bail!("{}: {} lines could not be decided", path.display(), done.bad_lines),
        };
    }
    let [a, b] = args.states.as_slice() else { bail!("give two states, or --pairs") };
    let (q, r) = input::load_states(a, b, args.allow_inconsistent)?;
    let judgement = judge.decide(&q, &r, judge.relations);
    let reason = match judgement.decision.verdict {
        Verdict::NotEquivalent => Some(judge.explain(&q, &r)?),
        _ => None,
    };
    if args.json {
        let backend = judge.backend.info().name;
        Document::new(&judgement, backend, (&q, &r), reason.as_ref()).print()?;
    } else {
        print(&judgement, &q, &r, reason.as_ref());
    }
    Ok(judgement.outcome())
}

impl Judge {
    fn new(args: &Args) -> Result<Judge> {
        let plain = args.states.iter().filter(|path| input::is_plain_graph(path)).count();
        if plain == 1 {
            bail!(
                "one of the two files is a plain graph and the other a state; give two of a kind"
            );
        }
        let default = if plain == 2 { Relations::NONE } else { Relations::default() };
        let graph = match args.graph {
            GraphChoice::Corrected => GraphKind::Corrected,
            GraphChoice::Published => GraphKind::Published,
        };
        Ok(Judge {
            backend: registry::find(&args.backend)?,
            relations: args.relations.unwrap_or(default),
            allow_inconsistent: args.allow_inconsistent,
            graph,
            limits: args.limits,
            check: args.check,
        })
    }

    pub fn decide(&self, q: &State, r: &State, relations: Relations) -> Judgement {
        let problem = Problem { q, r, relations, graph: self.graph };
        let decision = self.backend.decide(problem, &self.limits.budget());
        let violation = match &decision.verdict {
            Verdict::Equivalent(Witness(image)) if self.check => {
                pidlab_check::verify(q, r, relations, image).err().map(|found| found.to_string())
            }
            _ => None,
        };
        Judgement { decision, violation }
    }

    /// Why two states are not equivalent; dropping relations is decided by the default backend.
    fn explain(&self, q: &State, r: &State) -> Result<Reason> {
        let problem = Problem { q, r, relations: self.relations, graph: GraphKind::Corrected };
        let backend = registry::find(registry::DEFAULT)?;
        Ok(explain(problem, &*backend, &self.limits.budget()))
    }
}

impl Judgement {
    fn outcome(&self) -> Outcome {
        match self.violation {
            Some(_) => Outcome::Disagreement,
            None => verdict::outcome(&self.decision.verdict),
        }
    }
}

/// The document that `--json` prints.
#[derive(Serialize)]
struct Document<'s> {
    format: &'static str,
    equivalent: Option<bool>,
    backend: String,
    witness: Option<WitnessMap<'s>>,
    reason: Option<&'s Reason>,
    statistics: Statistics,
    #[serde(skip_serializing_if = "Option::is_none")]
    undecided: Option<String>,
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

impl<'s> Document<'s> {
    fn new(
        judgement: &'s Judgement,
        backend: String,
        (q, r): (&'s State, &'s State),
        reason: Option<&'s Reason>,
    ) -> Document<'s> {
        let decision = &judgement.decision;
        Document {
            format: "pidlab-check/1",
            equivalent: verdict::equivalent(&decision.verdict),
            backend,
            witness: WitnessMap::of(&decision.verdict, q, r),
            reason,
            statistics: Statistics {
                build_seconds: decision.build.as_secs_f64(),
                decide_seconds: decision.decide.as_secs_f64(),
                vertices: decision.vertices,
                arcs: decision.arcs,
            },
            undecided: verdict::why_undecided(&decision.verdict),
            violation: judgement.violation.as_deref(),
        }
    }

    fn print(&self) -> Result<()> {
        let mut out = BufWriter::new(std::io::stdout().lock());
        serde_json::to_writer(&mut out, self)?;
        writeln!(out)?;
        Ok(out.flush()?)
    }
}

fn print(judgement: &Judgement, q: &State, r: &State, reason: Option<&Reason>) {
    let found = &judgement.decision.verdict;
    match verdict::equivalent(found) {
        Some(true) => println!("equivalent"),
        Some(false) => println!("not equivalent"),
        None => println!("undecided: {}", verdict::why_undecided(found).unwrap_or_default()),
    }
    if let Some(witness) = WitnessMap::of(found, q, r) {
        print_witness(&witness);
    }
    if let Some(reason) = reason {
        print_reason(reason);
    }
    if let Some(violation) = &judgement.violation {
        println!("THE CHECKER REJECTS THE WITNESS: {violation}");
    }
}

fn print_reason(reason: &Reason) {
    println!("  {}", reason.text);
    if !reason.equivalent_without.is_empty() {
        println!(
            "  they would be equivalent without {}",
            reason.equivalent_without.join(" or without ")
        );
    }
}

/// The first lines of a witness; all of it is in the JSON output.
fn print_witness(witness: &WitnessMap) {
    const SHOWN: usize = 40;
    let mut entries = witness.entries();
    for (from, to) in entries.by_ref().take(SHOWN) {
        println!("  {from} -> {to}");
    }
    match entries.count() {
        0 => {}
        more => println!("  … {more} more; --json prints all"),
    }
}
