//! Times backends on pairs of states.

use pidlab_backends::{Backend, Budget, Exactness, GraphKind, Info, Problem, Verdict, registry};
use pidlab_core::{Relations, State};
use pidlab_generators::{Expected, Guarantee};
use pidlab_stats::order::median_of;
use serde::Serialize;
use std::time::{Duration, Instant};

/// What one decision may take.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub time: Duration,
    /// Whether backends that would start threads may not.
    pub one_thread: bool,
}

/// Two states and whether they are equivalent, as far as that is known.
pub struct Pair {
    pub q: State,
    pub r: State,
    pub relations: Relations,
    pub equivalent: Option<bool>,
}

/// Seconds from two states in memory to the verdict, and the part of it after the build.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Time {
    pub seconds: f64,
    pub decide_seconds: f64,
}

/// What a backend made of a pair.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Measured {
    Done {
        #[serde(flatten)]
        time: Time,
        #[serde(skip)]
        equivalent: bool,
    },
    /// Why there is no time.
    Not { status: String },
}

impl Measured {
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
    match crate::verdict::why_undecided(&decision.verdict) {
        Some(status) => Measured::Not { status },
        None => Measured::Done {
            time: Time { seconds, decide_seconds: decision.decide.as_secs_f64() },
            equivalent: matches!(decision.verdict, Verdict::Equivalent(_)),
        },
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
pub fn backends(names: Option<Vec<String>>) -> anyhow::Result<Vec<(String, Box<dyn Backend>)>> {
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

/// Seconds in a readable unit.
pub fn human(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
