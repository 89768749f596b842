//! `pidlab check`: are two states the same up to renaming of pids?

use crate::input;
use crate::limits::LimitArgs;
use crate::outcome::Outcome;
use crate::{pairs, verdict};
use anyhow::{Result, bail};
use pidlab_backends::{Backend, Decision, GraphKind, Problem, Verdict, registry};
use pidlab_core::{Relations, State};
use serde_json::{Value, json};
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
    /// Take states that are no consistent thread configurations
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
    let judgement = judge.decide(&q, &r, judge.relations)?;
    let backend = judge.backend.info().name;
    if args.json {
        println!("{}", to_json(&judgement, &backend, &q, &r));
    } else {
        print(&judgement, &q, &r);
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

    pub fn decide(&self, q: &State, r: &State, relations: Relations) -> Result<Judgement> {
        let problem = Problem { q, r, relations, graph: self.graph };
        let decision = self.backend.decide(problem, &self.limits.budget());
        Ok(Judgement { decision, violation: None })
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

fn to_json(judgement: &Judgement, backend: &str, q: &State, r: &State) -> Value {
    let found = &judgement.decision.verdict;
    let mut document = json!({
        "format": "pidlab-check/1",
        "equivalent": verdict::equivalent(found),
        "backend": backend,
        "witness": verdict::witness(found, q, r),
        "reason": Value::Null,
    });
    if let Verdict::Undecided(undecided) = found {
        document["undecided"] = Value::String(verdict::why_undecided(undecided));
    }
    if let Some(violation) = &judgement.violation {
        document["violation"] = Value::String(violation.clone());
    }
    document
}

fn print(judgement: &Judgement, q: &State, r: &State) {
    match &judgement.decision.verdict {
        found @ Verdict::Equivalent(_) => {
            println!("equivalent");
            print_witness(&verdict::witness(found, q, r));
        }
        Verdict::NotEquivalent => println!("not equivalent"),
        Verdict::Undecided(undecided) => {
            println!("undecided: {}", verdict::why_undecided(undecided));
        }
    }
    if let Some(violation) = &judgement.violation {
        println!("THE CHECKER REJECTS THE WITNESS: {violation}");
    }
}

/// The first lines of a witness; all of it is in the JSON output.
fn print_witness(witness: &Value) {
    const SHOWN: usize = 40;
    let Value::Object(map) = witness else { return };
    for (from, to) in map.iter().take(SHOWN) {
        println!("  {from} -> {}", to.as_str().unwrap_or_default());
    }
    if map.len() > SHOWN {
        println!("  … {} more; --json prints all", map.len() - SHOWN);
    }
}
