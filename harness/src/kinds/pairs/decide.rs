//! One row: the decision under the clock, then its check outside the clock.
//!
//! An answer is held against four things: what the transformation guarantees, what the other exact
//! backends said of the same question, for "equivalent" the independent checker's view of the witness,
//! and for one in [`NO_CHECKED_IN`] "not equivalent" of which nothing is guaranteed, `canon`. Any
//! contradiction is a [`Finding`]; the scheduler stops on it.

use crate::clock::process_cpu;
use crate::experiment::QuestionKind;
use crate::kinds::pairs::backend_pool;
use crate::kinds::pairs::inputs::{GeneratingTime, Pair};
use crate::kinds::{Finding, RowOutcome, nanos, peak_memory};
use crate::plan::{Place, Plan};
use crate::store::record::{COUNTS, Check, DecidedBy, Record, RowAnswer, RowClock, Status};
use pidlab_backends::backend::{self, Undecided};
use pidlab_backends::canon::Canon;
use pidlab_backends::{
    Backend, Budget, Decision, Exactness, Exhausted, GraphKind, Problem, Verdict, registry,
};
use pidlab_core::mix::mix;
use pidlab_core::{Relation, Relations, State};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// One in so many rows whose "not equivalent" is nobody else's word is decided again by `canon`, chosen
/// by the number of the row.
pub const NO_CHECKED_IN: u64 = 16;

/// Answers of exact backends so far, by question.
pub type Answers = FxHashMap<(usize, u64, usize, usize), (RowAnswer, usize)>;

pub struct Decider<'p> {
    plan: &'p Plan,
    backends: Vec<Box<dyn Backend>>,
    exact: Vec<bool>,
    /// What each row may use.
    limits: Budget,
    patience: Duration,
    peak: std::cell::Cell<u32>,
}

impl<'p> Decider<'p> {
    pub fn new(plan: &'p Plan) -> anyhow::Result<Decider<'p>> {
        let backends = backend_pool::open(&plan.backends)?;
        let exact = backends.iter().map(|b| b.info().exactness == Exactness::Exact).collect();
        let (limits, patience) = (limits(plan), plan.experiment.budget.patience());
        Ok(Decider { plan, backends, exact, limits, patience, peak: peak_memory().into() })
    }

    pub fn row(
        &self,
        row: u64,
        place: &Place,
        pair: &Pair,
        (generating, begun): (GeneratingTime, Duration),
        answers: &mut Answers,
    ) -> RowOutcome {
        let relations = self.plan.relations(place);
        let graph = GraphKind::from(self.plan.graph(place));
        let (q, r) = pair.ordered(place.order);
        let problem = Problem { q, r, relations, graph };
        self.backends[place.backend].ready(self.patience);
        let decision = self.decide(place.backend, problem);
        let own_cpu = process_cpu().saturating_sub(begun);
        // no measurement, only told apart from overhead: the cheap clock will do
        let decided = Instant::now();
        let (cpu, clock) = cpu_of(&decision, own_cpu);
        let sound = is_sound(relations, graph);
        let expected = if sound { pair.expected(relations) } else { RowAnswer::Unknown };
        let (status, answer) = outcome_of(&decision.verdict);
        let against = match sound {
            true => self
                .contradiction(place, problem, &decision.verdict, expected, answers)
                .or_else(|| self.denied_by_canon(row, place, problem, answer, expected)),
            false => None,
        };
        let checking = decided.elapsed();
        let record = Record {
            row,
            pair: pair.hash,
            counts: counts(q, &decision),
            build_ns: nanos(decision.build),
            decide_ns: nanos(decision.decide),
            cpu_ns: nanos(cpu),
            generate_ns: nanos(generating.worker + generating.program),
            check_ns: nanos(checking),
            peak_kib: self.peak_after(&decision),
            expected,
            answer,
            status,
            check: Check::of(sound && status == Status::Ok, against.is_some()),
            obvious: pair.obvious,
            decided_by: decided_by(&decision, status),
            clock,
        };
        let finding = against.map(|against| Finding {
            row,
            backend: self.plan.backends[place.backend].clone(),
            name: None,
            answer: answer.name(QuestionKind::Pairs).into(),
            against,
        });
        let message = match decision.verdict {
            Verdict::Undecided(Undecided::Failed(message)) => Some(message),
            _ => None,
        };
        RowOutcome { record, finding, message, own_cpu, own_generating: generating.worker }
    }

    fn decide(&self, backend: usize, problem: Problem<'_>) -> Decision {
        self.backends[backend].decide(problem, &self.limits.anew())
    }

    /// What `canon` has against a "not equivalent" of another backend, in the rows drawn for it.
    fn denied_by_canon(
        &self,
        row: u64,
        place: &Place,
        problem: Problem<'_>,
        answer: RowAnswer,
        expected: RowAnswer,
    ) -> Option<String> {
        let open = answer == RowAnswer::No && expected == RowAnswer::Unknown;
        if !open || !is_sampled(row) || self.plan.backends[place.backend] == registry::DEFAULT {
            return None;
        }
        let verdict = Canon.decide(problem, &self.limits.anew()).verdict;
        let witnessed = outcome_of(&verdict).1 == RowAnswer::Yes
            && witness_violation(problem, &verdict).is_none();
        witnessed.then(|| "canon finds a witness that the checker accepts".to_string())
    }

    /// What speaks against an answer; remembers the answers of exact backends.
    fn contradiction(
        &self,
        place: &Place,
        problem: Problem<'_>,
        verdict: &Verdict,
        expected: RowAnswer,
        answers: &mut Answers,
    ) -> Option<String> {
        let answer = outcome_of(verdict).1;
        if answer == RowAnswer::Unknown {
            return None;
        }
        if let Some(violation) = witness_violation(problem, verdict) {
            return Some(format!("the checker rejects the witness: {violation}"));
        }
        if expected != RowAnswer::Unknown && answer != expected {
            return Some(format!(
                "by construction the pair is {}",
                expected.name(QuestionKind::Pairs)
            ));
        }
        if !self.exact[place.backend] {
            return None;
        }
        let (first, who) = *answers.entry(place.question()).or_insert((answer, place.backend));
        (first != answer).then(|| {
            format!("{} says {}", self.plan.backends[who], first.name(QuestionKind::Pairs))
        })
    }

    /// Reading the high-water mark costs 20 µs, so rows of less than ten milliseconds share one.
    fn peak_after(&self, decision: &Decision) -> u32 {
        if decision.build + decision.decide > Duration::from_millis(10) {
            self.peak.set(peak_memory());
        }
        self.peak.get()
    }
}

fn limits(plan: &Plan) -> Budget {
    let limits = &plan.experiment.budget;
    // the other cores have workers of their own
    let budget = Budget::new(Some(limits.time()), Some(limits.memory_mib << 20)).on_one_thread();
    match plan.experiment.measure.pre_checks {
        true => budget,
        false => budget.without_short_cuts(),
    }
}

/// The CPU time of a decision and whose it is: a program's own, never that of the worker that waits for it.
fn cpu_of(decision: &Decision, own: Duration) -> (Duration, RowClock) {
    match decision.place {
        backend::Place::Here => (own, RowClock::Worker),
        backend::Place::Reported(time) => (time, RowClock::Program),
        backend::Place::Counted(time) => (time, RowClock::Process),
        backend::Place::Unknown => (decision.build + decision.decide, RowClock::Wall),
    }
}

fn decided_by(decision: &Decision, status: Status) -> DecidedBy {
    match (status, decision.decided_by) {
        (Status::Ok, backend::DecidedBy::PreCheck) => DecidedBy::PreCheck,
        (Status::Ok, backend::DecidedBy::Encoder) => DecidedBy::Encoder,
        (Status::Ok, backend::DecidedBy::Solver) => DecidedBy::Solver,
        _ => DecidedBy::Nobody,
    }
}

/// Whether a row is one of those whose "not equivalent" is decided again. Rows of one backend are a fixed
/// number apart, so the number is mixed first.
fn is_sampled(row: u64) -> bool {
    mix(row, NO_CHECKED_IN).is_multiple_of(NO_CHECKED_IN)
}

/// The published graph is Definition 1 only if Ω* has `parent` or `ancestor`.
pub fn is_sound(relations: Relations, graph: GraphKind) -> bool {
    graph == GraphKind::Corrected
        || relations.contains(Relation::Parent)
        || relations.contains(Relation::Ancestor)
}

/// What the independent checker has against the witness of an "equivalent".
pub fn witness_violation(problem: Problem<'_>, verdict: &Verdict) -> Option<String> {
    let Verdict::Equivalent(witness) = verdict else { return None };
    verify(problem.q, problem.r, problem.relations, &witness.0)
}

fn verify(q: &State, r: &State, relations: Relations, witness: &[u32]) -> Option<String> {
    pidlab_check::verify(q, r, relations, witness).err().map(|violation| violation.to_string())
}

pub fn outcome_of(verdict: &Verdict) -> (Status, RowAnswer) {
    match verdict {
        Verdict::Equivalent(_) => (Status::Ok, RowAnswer::Yes),
        Verdict::NotEquivalent => (Status::Ok, RowAnswer::No),
        Verdict::Undecided(reason) => (status_of(reason), RowAnswer::Unknown),
    }
}

fn status_of(reason: &Undecided) -> Status {
    match reason {
        Undecided::Exhausted(Exhausted::Time) => Status::Timeout,
        Undecided::Exhausted(Exhausted::Memory) => Status::Memory,
        Undecided::Exhausted(Exhausted::Cancelled | Exhausted::Interrupted) => Status::Failed,
        Undecided::NoDifferenceFound => Status::Open,
        Undecided::Failed(_) => Status::Failed,
    }
}

/// As [`QuestionKind::counts`] names them.
fn counts(q: &State, decision: &Decision) -> [u64; COUNTS] {
    let (pids, vectors) = (q.pid_count() as u64, q.vector_count() as u64);
    [pids, vectors, decision.vertices as u64, decision.arcs as u64, 0, 0]
}
