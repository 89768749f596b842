//! Times backends on pairs of states.

use pidlab_backends::backend::Undecided;
use pidlab_backends::registry::{self, FindError};
use pidlab_backends::{Backend, Budget, Exactness, GraphKind, Info, Problem, Verdict};
use pidlab_core::{Relations, State};
use pidlab_generators::{Expected, Guarantee};
use pidlab_stats::order::median_of;
use serde::Serialize;
use std::time::{Duration, Instant};

/// A backend and its name.
pub type Named = (String, Box<dyn Backend>);

/// What one decision may take.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// From states to verdict.
    pub time: Duration,
    /// Whether backends that would start threads may not.
    pub one_thread: bool,
}

/// Two states and whether they are equivalent, as far as that is known.
pub struct Pair {
    /// One state.
    pub q: State,
    /// The other.
    pub r: State,
    /// Ω*.
    pub relations: Relations,
    /// Nothing where it is not known.
    pub equivalent: Option<bool>,
}

/// Seconds from two states in memory to the verdict, and the part of it after the build.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Time {
    /// All of it.
    pub seconds: f64,
    /// From the backend's own structure to the verdict.
    pub decide_seconds: f64,
}

/// What a backend made of a pair.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Measured {
    /// A verdict.
    Done {
        /// What it took.
        #[serde(flatten)]
        time: Time,
        /// What it is.
        #[serde(skip)]
        equivalent: bool,
    },
    /// None.
    Not {
        /// Why.
        status: String,
    },
}

impl Measured {
    /// What it took, or why there is no verdict.
    pub fn time(&self) -> Result<Time, &str> {
        match self {
            Measured::Done { time, .. } => Ok(*time),
            Measured::Not { status } => Err(status),
        }
    }
}

/// Whether a verdict contradicts what is known of the pair.
pub fn is_wrong(pair: &Pair, measured: &Measured) -> bool {
    matches!(measured, Measured::Done { equivalent, .. } if pair.equivalent.is_some_and(|e| e != *equivalent))
}

/// Decides the pairs with every backend, short ones repeatedly; the median of the repetitions counts,
/// for each backend and pair. Backends take turns, because the speed of a machine changes within a
/// second and ratios must not. Within a turn pairs are decided one after the other, because a
/// processor learns the branches of a small pair that is repeated alone, which in use it never is.
pub fn measure(backends: &[&dyn Backend], pairs: &[Pair], limit: Limit) -> Vec<Vec<Measured>> {
    let mut all: Vec<Vec<Repetitions>> =
        backends.iter().map(|_| pairs.iter().map(|_| Repetitions::default()).collect()).collect();
    let mut goes_on = true;
    while goes_on {
        goes_on = false;
        for (backend, repetitions) in backends.iter().zip(&mut all) {
            goes_on |= take_turn(*backend, pairs, repetitions, limit);
        }
    }
    all.into_iter().map(|pairs| pairs.into_iter().map(Repetitions::median).collect()).collect()
}

/// One backend for a short while; false if it has nothing left to do.
fn take_turn(
    backend: &dyn Backend,
    pairs: &[Pair],
    repetitions: &mut [Repetitions],
    limit: Limit,
) -> bool {
    const TURN: Duration = Duration::from_millis(2);
    let start = Instant::now();
    let mut decided = false;
    loop {
        let mut decided_now = false;
        for (pair, repetitions) in pairs.iter().zip(&mut *repetitions) {
            if repetitions.wants_more(limit) {
                repetitions.add(once(backend, pair, limit));
                decided_now = true;
            }
        }
        decided |= decided_now;
        if !decided_now || start.elapsed() > TURN {
            return decided;
        }
    }
}

/// What a backend made of a pair so far.
#[derive(Default)]
struct Repetitions {
    times: Vec<Time>,
    spent: Duration,
    last: Option<Measured>,
}

impl Repetitions {
    /// The first repetition pays for fresh memory; long ones are repeated too if there is time. What is
    /// short goes on for a time, not a number of repetitions, so that all backends stay to the end.
    fn wants_more(&self, limit: Limit) -> bool {
        const ENOUGH: Duration = Duration::from_millis(60);
        const LEAST: usize = 5;
        let too_few = self.times.len() < LEAST && self.spent * 2 < limit.time;
        !matches!(self.last, Some(Measured::Not { .. }))
            && (self.times.is_empty() || too_few || self.spent < ENOUGH)
    }

    fn add(&mut self, measured: Measured) {
        if let Measured::Done { time, .. } = measured {
            self.times.push(time);
            self.spent += Duration::from_secs_f64(time.seconds);
        }
        self.last = Some(measured);
    }

    fn median(self) -> Measured {
        match self.last {
            Some(Measured::Done { equivalent, .. }) => {
                Measured::Done { time: median(&self.times), equivalent }
            }
            Some(not) => not,
            None => Measured::Not { status: "no repetition was made".into() },
        }
    }
}

fn once(backend: &dyn Backend, pair: &Pair, limit: Limit) -> Measured {
    let problem =
        Problem { q: &pair.q, r: &pair.r, relations: pair.relations, graph: GraphKind::Corrected };
    let budget = Budget::new(Some(limit.time), None);
    let budget = if limit.one_thread { budget.on_one_thread() } else { budget };
    let start = Instant::now();
    let decision = backend.decide(problem, &budget);
    let seconds = start.elapsed().as_secs_f64();
    let decide_seconds = decision.decide.as_secs_f64();
    let done = |equivalent| Measured::Done { time: Time { seconds, decide_seconds }, equivalent };
    let not = |status| Measured::Not { status };
    match decision.verdict {
        Verdict::Equivalent(_) => done(true),
        Verdict::NotEquivalent => done(false),
        Verdict::Undecided(Undecided::Exhausted(limit)) => not(limit.to_string()),
        Verdict::Undecided(Undecided::NoDifferenceFound) => not("finds no difference".into()),
        Verdict::Undecided(Undecided::Failed(why)) => not(why),
    }
}

/// The middle of each part.
pub fn median(times: &[Time]) -> Time {
    Time {
        seconds: median_of(times.iter().map(|time| time.seconds)),
        decide_seconds: median_of(times.iter().map(|time| time.decide_seconds)),
    }
}

/// Those named, or all exact backends that can be used here.
pub fn backends(names: Option<Vec<String>>) -> Result<Vec<Named>, FindError> {
    let names = names.unwrap_or_else(|| {
        let usable = |info: &Info| info.unavailable.is_none() && info.exactness == Exactness::Exact;
        registry::list().into_iter().filter(usable).map(|info| info.name).collect()
    });
    names.into_iter().map(|name| Ok((name.clone(), registry::find(&name)?))).collect()
}

/// What a generator guarantees of a pair, as yes, no or unknown.
pub fn known(guarantee: &Guarantee, relations: Relations) -> Option<bool> {
    match guarantee.expected(relations) {
        Expected::Equivalent => Some(true),
        Expected::NotEquivalent => Some(false),
        Expected::Unknown => None,
    }
}
