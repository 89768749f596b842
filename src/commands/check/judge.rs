//! Decides a pair of states and, if asked to, holds the answer against the checker or against `canon`.

use super::{Args, GraphChoice};
use crate::arguments::LimitArgs;
use crate::outcome::Outcome;
use crate::{input, verdict};
use anyhow::{Result, bail};
use pidlab_backends::canon::Canon;
use pidlab_backends::difference::{Reason, ReasonKind, explain};
use pidlab_backends::{Backend, Budget, Decision, GraphKind, Problem, Verdict, Witness, registry};
use pidlab_core::{Relations, State};

/// How pairs are to be decided.
pub struct Judge {
    backend: Box<dyn Backend>,
    pub relations: Relations,
    pub allow_inconsistent: bool,
    graph: GraphKind,
    limits: LimitArgs,
    /// Whether other threads decide other pairs at the same time.
    has_company: bool,
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

impl Judge {
    pub fn new(args: &Args) -> Result<Judge> {
        let graphs = args.states.iter().filter(|path| input::is_graph(path)).count();
        let readable = args.states.iter().all(|path| input::is_stdin(path) || path.is_file());
        // what is not a file is told when it is opened
        if graphs == 1 && readable {
            bail!("one of the two files is a graph and the other a state; give two of a kind");
        }
        let default = input::default_relations(graphs == 2);
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
            has_company: false,
            check: args.check,
        })
    }

    /// How many threads may decide pairs at the same time, of those that are wanted: one where a limit of memory holds
    /// for all that is under way, or where a program answers one question after the other.
    pub fn share(&mut self, wanted: usize) -> usize {
        let is_alone = self.limits.memory_limit.is_some() || !self.backend.is_parallel();
        let threads = if is_alone { 1 } else { wanted.max(1) };
        self.has_company = threads > 1;
        threads
    }

    /// What one answer may use, from now on.
    pub fn budget(&self) -> Budget {
        let budget = self.limits.budget();
        if self.has_company { budget.on_one_thread() } else { budget }
    }

    pub fn decide(&self, q: &State, r: &State, relations: Relations, budget: &Budget) -> Judgement {
        let problem = Problem { q, r, relations, graph: self.graph };
        let decision = self.backend.decide(problem, budget);
        let backend = self.backend.info().name;
        let mut judgement = Judgement { decision, backend, confirmed_by: None, violation: None };
        if self.check {
            self.check(problem, &mut judgement, budget);
        }
        judgement
    }

    /// Holds the answer against what a file says of the pair, if answers are checked.
    pub fn hold_against(&self, expected: Option<bool>, judgement: &mut Judgement) {
        let answer = verdict::equivalent(&judgement.decision.verdict);
        let contradicts = answer.zip(expected).is_some_and(|(answer, expected)| answer != expected);
        if self.check && contradicts {
            let says = "the line says otherwise in `expected`";
            judgement.violation.get_or_insert_with(|| says.to_string());
        }
    }

    /// Holds the answer against the checker, or against `canon` within what is left.
    fn check(&self, problem: Problem<'_>, judgement: &mut Judgement, budget: &Budget) {
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
                match Canon.decide(problem, budget).verdict {
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
    pub fn explain(&self, q: &State, r: &State, budget: &Budget) -> Reason {
        let problem = Problem { q, r, relations: self.relations, graph: GraphKind::Corrected };
        explain(problem, &Canon, budget)
    }
}

impl Judgement {
    pub fn outcome(&self) -> Outcome {
        match self.violation {
            Some(_) => Outcome::Disagreement,
            None => verdict::outcome(&self.decision.verdict),
        }
    }

    /// Whether a reason for "not equivalent" holds: where we find none ourselves that there is no
    /// bijection is the word of the backend alone, unless `canon` says so too.
    pub fn stands_behind(&self, reason: &Reason) -> bool {
        !matches!(reason.kind, ReasonKind::NoBijection | ReasonKind::Limit)
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
