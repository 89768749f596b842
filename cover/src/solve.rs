//! From a net to a checked answer: reduce, run, translate back, check.
//!
//! `auto` gives the members of [`portfolio`] short turns of growing length, then runs them side by
//! side, one thread each, and takes the first answer; with k members it needs at most about k times
//! what the fastest would need alone on one core, and a few milliseconds. Turns come before threads
//! because a thread that waits for a core waits for milliseconds, longer than most questions take.
//! Nothing leaves this module unchecked: a proof or run that the checker rejects is an error, never a
//! verdict. One budget covers all of it; where it ends before the check does, the answer is "unknown",
//! and the reason names what was being done.

use crate::algorithms::bounded;
use crate::algorithms::registry::{self, Algorithm};
use crate::answer::{BackwardProof, CoverVerdict, Document, Finding, Proof, Run, RunReport, Stats};
use crate::budget::{Budget, Exhausted};
use crate::check::{self, Model, Rejection};
use crate::config::{Config, OMEGA};
use crate::error::Stop;
use crate::invariants::pairs::PairInvariant;
use crate::net::Net;
use crate::reduce::Reduction;
use crate::shorten::shortened;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The turns of each algorithm before they run side by side.
const TURNS: [Duration; 5] = [
    Duration::from_micros(250),
    Duration::from_micros(500),
    Duration::from_millis(1),
    Duration::from_millis(2),
    Duration::from_millis(4),
];

/// Runs beyond this many steps are looked for anew, and what that, or cutting loops out, may take.
const LONG_RUN: usize = 100;
const TIME_TO_SHORTEN: Duration = Duration::from_secs(1);

/// Runs are shortened with at most this many threads and markings.
const FEW_THREADS: u32 = 3;
const SMALL_SEARCH: usize = 10_000;

/// What to run and how.
pub struct SolveOptions {
    /// A name from the registry, or `auto`.
    pub algorithm: String,
    /// What reading aside the whole answer may use: reductions, searches and the check.
    pub budget: Budget,
    /// Merge local states that behave alike first.
    pub reduce: bool,
}

/// Why there is no document.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// No algorithm has this name.
    #[error("unknown algorithm `{0}`; expected one of {names}", names = registry::NAMES)]
    UnknownAlgorithm(String),
    /// A fault of ours: the proof or the run of an algorithm does not stand.
    #[error("{algorithm} gave an answer that its check rejects: {rejection}")]
    Rejected {
        /// Whose answer it was.
        algorithm: String,
        /// What the checker found.
        rejection: Rejection,
    },
}

/// Decides the question of a net and checks the answer.
pub fn solve(net: &Net, options: &SolveOptions) -> Result<Document, SolveError> {
    decide(net, options, |document| check::check_within(net, document, &options.budget))
}

/// Decides the question and checks the answer against the checker's own reading of it.
pub fn solve_question(
    net: &Net,
    model: &Model,
    options: &SolveOptions,
) -> Result<Document, SolveError> {
    decide(net, options, |document| check::check_answer(model, document, &options.budget))
}

fn decide(
    net: &Net,
    options: &SolveOptions,
    check: impl FnOnce(&Document) -> Result<bool, Rejection>,
) -> Result<Document, SolveError> {
    let algorithms = match options.algorithm.as_str() {
        "auto" => portfolio(),
        name => {
            vec![registry::by_name(name).ok_or_else(|| SolveError::UnknownAlgorithm(name.into()))?]
        }
    };
    let start = Instant::now();
    let mut document = match answer(net, algorithms, options) {
        Ok(document) => document,
        Err(Unfinished { phase, stop }) => {
            let reason = format!("{phase}: {}", stop.describe(&options.budget));
            let mut document = Document::unknown(&options.algorithm, reason);
            document.places = net.places.len() as u64;
            document.transitions = net.transitions.len() as u64;
            document
        }
    };
    let checked = check(&document);
    document.seconds = start.elapsed().as_secs_f64();
    match checked {
        Ok(_) => {}
        Err(Rejection::Stopped(stop)) => withdraw(&mut document, &options.budget.describe(stop)),
        Err(rejection) => {
            return Err(SolveError::Rejected { algorithm: document.algorithm, rejection });
        }
    }
    Ok(document)
}

/// Where the budget ended.
struct Unfinished {
    phase: &'static str,
    stop: Stop,
}

/// Names the phase in which a run was stopped.
fn during<T>(phase: &'static str, result: Result<T, Stop>) -> Result<T, Unfinished> {
    result.map_err(|stop| Unfinished { phase, stop })
}

/// Takes back a verdict whose proof there was no time or memory to check.
fn withdraw(document: &mut Document, limit: &str) {
    let what = match document.verdict {
        CoverVerdict::Unsafe => "checking the trace",
        _ => "checking the certificate",
    };
    document.reason = Some(format!("{what} of {}: {limit}", document.algorithm));
    document.verdict = CoverVerdict::Unknown;
    (document.trace, document.certificate) = (None, None);
}

/// The answer, not yet checked.
fn answer(
    net: &Net,
    algorithms: Vec<Algorithm>,
    options: &SolveOptions,
) -> Result<Document, Unfinished> {
    let budget = &options.budget;
    if options.algorithm == "auto"
        && let Some(document) = during("looking at the targets", nothing_leads_there(net, budget))?
    {
        return Ok(document);
    }
    // Exactly n threads means those of the model as it is.
    let reduce = options.reduce && !options.algorithm.starts_with("bounded:");
    let reduction = during("reducing the net", Reduction::new(net, reduce, budget))?;
    let pairs = during("finding pairs of places", PairInvariant::analyze(reduction.net(), budget))?;
    // The winner cancels the others, not what comes after them.
    let mut race = Race::run(reduction.net(), &pairs, algorithms, budget.detached());
    race.shorten(reduction.net(), &pairs, budget);
    during("following the run in the net", race.follow(&reduction, budget))?;
    race.use_few_threads(reduction.machine(), budget);
    Ok(race.document(net, &reduction, budget))
}

/// A proof without a search where no step puts a token on a place that a target asks for. Programs are
/// translated with the same pairs of states that would be found again here.
fn nothing_leads_there(net: &Net, budget: &Budget) -> Result<Option<Document>, Stop> {
    let mut wanted = vec![false; net.places.len()];
    let mut basis = Vec::new();
    for target in &net.targets {
        let out_of_reach = |&&(place, count): &&(u32, u32)| count > net.initial.get(place);
        let Some(&(place, count)) = target.entries().iter().find(out_of_reach) else {
            return Ok(None);
        };
        budget.steps(1)?;
        wanted[place as usize] = true;
        basis.push(Config::new(vec![(place, count)]));
    }
    for t in &net.transitions {
        budget.steps(1 + t.post.len() + t.transfers.len())?;
        let put = t.post.iter().map(|e| e.0).chain(t.transfers.iter().map(|arc| arc.1));
        if put.into_iter().any(|place| wanted[place as usize]) {
            return Ok(None);
        }
    }
    let kept = basis.len() as u64;
    let proof = Proof::Backward(BackwardProof { basis, ..Default::default() });
    let mut document = Document::unknown("backward", String::new());
    (document.reason, document.verdict) = (None, CoverVerdict::Safe);
    (document.explored, document.kept) = (kept, kept);
    (document.places, document.transitions) =
        (net.places.len() as u64, net.transitions.len() as u64);
    document.certificate = Some(proof.to_certificate(net, Default::default(), budget)?);
    Ok(Some(document))
}

/// The algorithms that `auto` runs.
fn portfolio() -> Vec<Algorithm> {
    ["backward", "mp", "directed", "beacon"]
        .iter()
        .filter_map(|name| registry::by_name(name))
        .collect()
}

/// The outcome of algorithms run side by side.
struct Race {
    budget: Budget,
    winner: Option<(String, Finding)>,
    stats: Stats,
    runs: Vec<RunReport>,
    reasons: Vec<String>,
}

impl Race {
    fn run(net: &Net, pairs: &PairInvariant, algorithms: Vec<Algorithm>, budget: Budget) -> Race {
        let (stats, runs, reasons) = (Stats::default(), Vec::new(), Vec::new());
        let mut race = Race { budget, winner: None, stats, runs, reasons };
        let mut left = algorithms;
        if left.len() > 1 {
            left = race.take_turns(net, pairs, left);
        }
        match &left[..] {
            [] => {}
            [only] => {
                let mut stats = Stats::default();
                let result = only.run(net, pairs, &race.budget, &mut stats);
                race.record(only.name(), result, stats);
            }
            several => race.side_by_side(net, pairs, several),
        }
        race
    }

    /// Short turns one after the other: most questions are answered before threads would have
    /// started. Returns the algorithms that are still in the race, none if one has answered.
    fn take_turns(
        &mut self,
        net: &Net,
        pairs: &PairInvariant,
        algorithms: Vec<Algorithm>,
    ) -> Vec<Algorithm> {
        let mut left = algorithms;
        for turn in TURNS {
            let mut waiting = Vec::new();
            for algorithm in left {
                let mut stats = Stats::default();
                match algorithm.run(net, pairs, &self.budget.slice(turn), &mut stats) {
                    Err(Stop::Limit(Exhausted::Time | Exhausted::Memory)) => {
                        waiting.push(algorithm)
                    }
                    result => self.record(algorithm.name(), result, stats),
                }
                if self.winner.is_some() {
                    return Vec::new();
                }
            }
            left = waiting;
        }
        left
    }

    fn side_by_side(&mut self, net: &Net, pairs: &PairInvariant, algorithms: &[Algorithm]) {
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for algorithm in algorithms {
                let (sender, budget) = (sender.clone(), self.budget.clone());
                scope.spawn(move || {
                    let mut stats = Stats::default();
                    let result = algorithm.run(net, pairs, &budget, &mut stats);
                    if result.is_ok() {
                        budget.cancel();
                    }
                    // The receiver outlives the scope.
                    let _ = sender.send((algorithm.name(), result, stats));
                });
            }
            drop(sender);
            receiver.iter().for_each(|(name, result, stats)| self.record(name, result, stats));
        });
    }

    fn record(&mut self, name: String, result: Result<Finding, Stop>, stats: Stats) {
        let outcome = match &result {
            Ok(Finding::Safe(_)) => "safe".into(),
            Ok(Finding::Unsafe(_)) => "unsafe".into(),
            Err(stop) => stop.describe(&self.budget),
        };
        self.runs.push(RunReport {
            algorithm: name.clone(),
            outcome: outcome.clone(),
            explored: stats.explored,
        });
        match result {
            Ok(finding) if self.winner.is_none() => {
                self.stats = stats;
                self.winner = Some((name, finding));
            }
            Ok(_) => {}
            Err(_) => {
                self.reasons.push(format!("{name}: {outcome}"));
                if self.winner.is_none() {
                    self.stats.explored += stats.explored;
                    self.stats.kept += stats.kept;
                }
            }
        }
    }

    /// Cuts loops out of a run that it does not need; where it is long then, a directed search tries to do
    /// better. Neither may use up the time in which the run that is there can be checked.
    fn shorten(&mut self, net: &Net, pairs: &PairInvariant, budget: &Budget) {
        let budget = budget.part(4);
        let Some((name, Finding::Unsafe(run))) = &mut self.winner else {
            return;
        };
        if let Ok(shorter) = shortened(net, run, &budget.slice(TIME_TO_SHORTEN)) {
            *run = shorter;
        }
        let directed = Algorithm::Directed;
        if run.steps.len() <= LONG_RUN || *name == directed.name() {
            return;
        }
        let (time, mut stats) = (budget.slice(TIME_TO_SHORTEN), Stats::default());
        if let Ok(Finding::Unsafe(other)) = directed.run(net, pairs, &time, &mut stats)
            && other.steps.len() < run.steps.len()
        {
            *run = other;
        }
    }

    /// Turns a run of the net that was searched into one of the machine it came from.
    fn follow(&mut self, reduction: &Reduction, budget: &Budget) -> Result<(), Stop> {
        if let Some((_, Finding::Unsafe(run))) = &mut self.winner {
            *run = reduction.to_machine(run, budget)?;
        }
        Ok(())
    }

    /// Replaces a run by a shortest one with few threads where a small search finds it. It may not use
    /// up the time in which the run that is there can be checked.
    fn use_few_threads(&mut self, net: &Net, budget: &Budget) {
        let budget = &budget.part(4);
        let Some((_, Finding::Unsafe(run))) = &mut self.winner else {
            return;
        };
        let threads = |run: &Run| -> u64 {
            let free = run.initial.entries().iter().filter(|e| net.initial.get(e.0) == OMEGA);
            free.map(|e| u64::from(e.1)).sum()
        };
        let few = (1..=FEW_THREADS).filter(|&n| u64::from(n) < threads(run));
        let mut shorter = few.filter_map(|n| bounded::short_run(net, n, SMALL_SEARCH, budget));
        if let Some(found) = shorter.next() {
            *run = found;
        }
    }

    fn document(self, net: &Net, reduction: &Reduction, budget: &Budget) -> Document {
        let first = self.runs.first().map_or("", |run| &run.algorithm);
        let name = if self.runs.len() > 1 { "auto" } else { first };
        let mut document = Document::unknown(name, self.reasons.join("; "));
        document.explored = self.stats.explored;
        document.kept = self.stats.kept;
        document.places = net.places.len() as u64;
        document.transitions = net.transitions.len() as u64;
        document.runs = self.runs;
        if let Some((name, finding)) = self.winner {
            document.reason = match write_down(&finding, net, reduction, budget, &mut document) {
                Ok(()) => None,
                Err(stop) => {
                    Some(format!("writing down the proof of {name}: {}", stop.describe(budget)))
                }
            };
            document.algorithm = name;
        }
        document
    }
}

/// The verdict and what proves it, in terms of the input.
fn write_down(
    finding: &Finding,
    net: &Net,
    reduction: &Reduction,
    budget: &Budget,
    document: &mut Document,
) -> Result<(), Stop> {
    match finding {
        Finding::Safe(proof) => {
            document.certificate = Some(reduction.certificate(proof, budget)?);
            document.verdict = CoverVerdict::Safe;
        }
        Finding::Unsafe(run) => {
            let run = reduction.to_original(run, budget)?;
            document.trace = Some(run.to_trace(net, budget)?);
            document.verdict = CoverVerdict::Unsafe;
        }
    }
    Ok(())
}
