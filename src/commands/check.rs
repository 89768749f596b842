//! `pidlab check`: are two states the same up to renaming of pids?

use crate::input;
use crate::limits::LimitArgs;
use crate::outcome::Outcome;
use crate::output;
use crate::{pairs, verdict};
use anyhow::{Result, bail};
use pidlab_backends::WitnessMap;
use pidlab_backends::canon::Canon;
use pidlab_backends::difference::{Reason, ReasonKind, explain};
use pidlab_backends::{Backend, Decision, GraphKind, Problem, Verdict, Witness, registry};
use pidlab_core::{Relations, State};
use serde::Serialize;
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
    /// Have the independent checker verify every witness, and `canon` every "not equivalent" of another
    /// backend; exit code 4 on a contradiction
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

/// A decision, who makes it, and what came of checking it.
pub struct Judgement {
    pub decision: Decision,
    pub backend: String,
    /// Who else says so: the checker of a witness, or `canon` where the answer is "not equivalent".
    pub confirmed_by: Option<&'static str>,
    /// What contradicts the answer.
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
        Verdict::NotEquivalent if judgement.violation.is_none() => {
            let reason = judge.explain(&q, &r)?;
            judgement.stands_behind(&reason).then_some(reason)
        }
        _ => None,
    };
    if args.json {
        output::json(&Document::new(&judgement, (&q, &r), reason.as_ref()))?;
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
        let backend = self.backend.info().name;
        let mut judgement = Judgement { decision, backend, confirmed_by: None, violation: None };
        if self.check {
            self.check(problem, &mut judgement);
        }
        judgement
    }

    /// Holds the answer against the checker, or against `canon`.
    fn check(&self, problem: Problem<'_>, judgement: &mut Judgement) {
        match &judgement.decision.verdict {
            Verdict::Equivalent(Witness(image)) => {
                let Problem { q, r, relations, .. } = problem;
                match pidlab_check::verify(q, r, relations, image) {
                    Ok(()) => judgement.confirmed_by = Some("checker"),
                    Err(found) => {
                        judgement.violation =
                            Some(format!("the checker rejects the witness: {found}"));
                    }
                }
            }
            Verdict::NotEquivalent if judgement.backend != registry::DEFAULT => {
                match Canon.decide(problem, &self.limits.budget()).verdict {
                    Verdict::NotEquivalent => judgement.confirmed_by = Some(registry::DEFAULT),
                    Verdict::Equivalent(_) => {
                        judgement.violation =
                            Some("canon finds a witness: the states are equivalent".to_string());
                    }
                    Verdict::Undecided(_) => {}
                }
            }
            Verdict::NotEquivalent | Verdict::Undecided(_) => {}
        }
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

    /// Whether a reason for "not equivalent" holds: where we find none ourselves that there is no
    /// bijection is the word of the backend alone, unless `canon` says so too.
    fn stands_behind(&self, reason: &Reason) -> bool {
        reason.kind != ReasonKind::NoBijection
            || self.backend == registry::DEFAULT
            || self.confirmed_by.is_some()
    }

    /// The answer for people. A "not equivalent" has no witness that others could check, so it says
    /// whose word it is.
    pub fn sentence(&self) -> String {
        let verdict = &self.decision.verdict;
        match (verdict::equivalent(verdict), self.confirmed_by) {
            (Some(true), _) => "equivalent".to_string(),
            (Some(false), _) if self.backend == registry::DEFAULT => "not equivalent".to_string(),
            (Some(false), None) => format!("not equivalent, says {}", self.backend),
            (Some(false), Some(other)) => {
                format!("not equivalent, say {} and {other}", self.backend)
            }
            (None, _) => {
                format!("undecided: {}", verdict::why_undecided(verdict).unwrap_or_default())
            }
        }
    }
}

/// The document that `--json` prints.
#[derive(Serialize)]
struct Document<'s> {
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

impl<'s> Document<'s> {
    fn new(
        judgement: &'s Judgement,
        (q, r): (&'s State, &'s State),
        reason: Option<&'s Reason>,
    ) -> Document<'s> {
        let decision = &judgement.decision;
        Document {
            format: "pidlab-check/1",
            equivalent: verdict::equivalent(&decision.verdict),
            backend: &judgement.backend,
            witness: WitnessMap::of(&decision.verdict, q, r),
            reason,
            statistics: Statistics {
                build_seconds: decision.build.as_secs_f64(),
                decide_seconds: decision.decide.as_secs_f64(),
                vertices: decision.vertices,
                arcs: decision.arcs,
            },
            undecided: verdict::why_undecided(&decision.verdict),
            confirmed_by: judgement.confirmed_by,
            violation: judgement.violation.as_deref(),
        }
    }
}

fn print(judgement: &Judgement, q: &State, r: &State, reason: Option<&Reason>) {
    outln!("{}", judgement.sentence());
    let found = &judgement.decision.verdict;
    if let Some(witness) = WitnessMap::of(found, q, r) {
        print_witness(&witness);
    }
    match (reason, found) {
        (Some(reason), _) => print_reason(reason),
        (None, Verdict::NotEquivalent) if judgement.violation.is_none() => {
            outln!("  no difference is found without it; --check has canon decide");
        }
        _ => {}
    }
    if let Some(violation) = &judgement.violation {
        outln!("CONTRADICTION: {violation}");
    }
}

fn print_reason(reason: &Reason) {
    outln!("  {}", reason.text);
    if !reason.equivalent_without.is_empty() {
        outln!(
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
        outln!("  {from} -> {to}");
    }
    match entries.count() {
        0 => {}
        more => outln!("  … {more} more; --json prints all"),
    }
}
