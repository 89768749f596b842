//! Differential testing: random inputs on which every exact method must agree with every other.
//!
//! A [`Subject`] draws a case, asks everybody who can answer it, and says where they contradict each other;
//! [`examine`] does so on all cores until the time is over, and makes what it finds small. Case i is a stream
//! of the seed of its own, so that a finding is made again by its number, on any number of cores. A panic is a
//! finding as well.
//!
//! | subject | a case | who must agree |
//! |---|---|---|
//! | [`Pairs`] | two states, a set of relations | exact backends, guarantees, canonical forms, checker, all bijections |
//! | [`Nets`] | a `.tnet` | three ways to search, and a search over states by the engine |
//! | [`Heaps`] | a `.bir` | symmetries, visited sets, orders of search |
//! | [`Coverability`] | a `.tts` or a `.spec` | algorithms, both readers, the checker, two plain searches |
//!
//! ```
//! use pidlab_differential::{Coverability, Settings, examine};
//! use std::time::Duration;
//!
//! let few = Settings { cases: Some(3), ..Settings::for_time(7, Duration::from_secs(20)) };
//! let report = examine(|| Coverability, &few);
//! assert!(report.findings.is_empty());
//! ```

#![warn(missing_docs)]

mod cover;
mod heap;
mod net;
mod pairs;
mod shrink;
mod text;

pub use cover::{Coverability, Known, Machine, Question, Spec};
pub use heap::Heaps;
pub use net::Nets;
pub use pairs::{Pairs, StatePair, random_params, shrink_pair};
pub use text::Lines;

use pidlab_budget::Budget;
use pidlab_random::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A file that shows a finding: its name and what is in it.
pub type File = (String, Vec<u8>);

/// How long one finding is made smaller.
const SHRINKING: Duration = Duration::from_secs(20);

/// What contradicts what. Shrinking keeps the kind and may change the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// A few words that all such contradictions share.
    pub kind: &'static str,
    /// Who says what.
    pub message: String,
}

impl Contradiction {
    pub(crate) fn new(kind: &'static str, message: impl Into<String>) -> Contradiction {
        Contradiction { kind, message: message.into() }
    }
}

/// How many answers were held against another one, or the first contradiction.
pub type Agreement = Result<u64, Contradiction>;

/// A kind of input, and everybody who has an opinion about it.
pub trait Subject {
    /// An input.
    type Case: Clone;

    /// A random input; `None` where the draw came to nothing.
    fn draw(&self, rng: &mut Rng) -> Option<Self::Case>;

    /// Asks everybody; the budget is the time of one case.
    fn hold_against_each_other(&self, case: &Self::Case, budget: &Budget) -> Agreement;

    /// A smaller case that `still_wrong` accepts.
    fn shrink(
        &self,
        case: &Self::Case,
        still_wrong: &mut dyn FnMut(&Self::Case) -> bool,
    ) -> Self::Case;

    /// The case as files that the program reads.
    fn files(&self, case: &Self::Case) -> Vec<File>;
}

/// How long to look, and from where.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Names the stream of cases.
    pub seed: u64,
    /// When to end; interruption counts.
    pub budget: Budget,
    /// The largest number of cases.
    pub cases: Option<u64>,
    /// The first case.
    pub first: u64,
    /// What one case may take.
    pub per_case: Duration,
    /// After so many findings the rest would be the same.
    pub most_findings: usize,
    /// Threads.
    pub threads: usize,
}

impl Settings {
    /// All cores for that long.
    pub fn for_time(seed: u64, time: Duration) -> Settings {
        Settings {
            seed,
            budget: Budget::new(Some(time), None),
            cases: None,
            first: 0,
            per_case: Duration::from_secs(20),
            most_findings: 5,
            threads: std::thread::available_parallelism().map_or(1, |cores| cores.get()),
        }
    }
}

/// A case that shows a fault.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The number of the case.
    pub case: u64,
    /// What contradicts what.
    pub contradiction: Contradiction,
    /// The case, made small.
    pub files: Vec<File>,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Cases that were drawn and looked at.
    pub cases: u64,
    /// Answers that were held against another one.
    pub comparisons: u64,
    /// In order of their cases.
    pub findings: Vec<Finding>,
}

/// Looks at cases until the time, the cases or the patience is over. Every thread has a subject of its own.
pub fn examine<S: Subject>(subject: impl Fn() -> S + Sync, settings: &Settings) -> Report {
    let next = AtomicU64::new(settings.first);
    let report = Mutex::new(Report::default());
    std::thread::scope(|scope| {
        for _ in 0..settings.threads.max(1) {
            scope.spawn(|| {
                let subject = subject();
                while goes_on(settings, &report) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if settings.cases.is_some_and(|cases| number - settings.first >= cases) {
                        break;
                    }
                    look_at(&subject, number, settings, &report);
                }
            });
        }
    });
    let mut report = report.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    report.findings.sort_by_key(|finding| finding.case);
    report
}

fn goes_on(settings: &Settings, report: &Mutex<Report>) -> bool {
    settings.budget.poll().is_ok()
        && report.lock().is_ok_and(|report| report.findings.len() < settings.most_findings)
}

fn look_at<S: Subject>(subject: &S, number: u64, settings: &Settings, report: &Mutex<Report>) {
    let Some(case) = subject.draw(&mut Rng::new(settings.seed, number)) else { return };
    let agreement = ask(subject, &case, settings);
    let finding = agreement.clone().err().map(|contradiction| {
        let (case, contradiction) = small(subject, case, contradiction, settings);
        Finding { case: number, contradiction, files: subject.files(&case) }
    });
    if let Ok(mut report) = report.lock() {
        report.cases += 1;
        report.comparisons += agreement.unwrap_or(0);
        report.findings.extend(finding);
    }
}

/// A panic contradicts the promise that there are none.
fn ask<S: Subject>(subject: &S, case: &S::Case, settings: &Settings) -> Agreement {
    let budget = settings.budget.slice(settings.per_case);
    let asked = AssertUnwindSafe(|| subject.hold_against_each_other(case, &budget));
    catch_unwind(asked).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
        Err(Contradiction::new("panic", format!("a panic: {text}")))
    })
}

fn small<S: Subject>(
    subject: &S,
    case: S::Case,
    contradiction: Contradiction,
    settings: &Settings,
) -> (S::Case, Contradiction) {
    let until = Instant::now() + SHRINKING;
    let mut last = contradiction;
    let mut still_wrong = |candidate: &S::Case| {
        let over = Instant::now() > until || settings.budget.poll().is_err();
        match ask(subject, candidate, settings) {
            Err(found) if !over && found.kind == last.kind => {
                last = found;
                true
            }
            _ => false,
        }
    };
    let case = subject.shrink(&case, &mut still_wrong);
    (case, last)
}
