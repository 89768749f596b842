//! Times one backend on one pair of states.

use pidlab_backends::{Backend, Budget, GraphKind, Problem, Verdict, registry};
use pidlab_core::{Relations, State};
use pidlab_generators::{Expected, Guarantee};
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
#[derive(Clone, Copy, Debug)]
pub struct Time {
    pub total: f64,
    pub decide: f64,
}

/// What a backend made of a pair.
#[derive(Clone, Debug)]
pub enum Measured {
    Done {
        time: Time,
        equivalent: bool,
    },
    /// Why there is no time.
    Not(String),
}

impl Measured {
    pub fn time(self) -> Result<Time, String> {
        match self {
            Measured::Done { time, .. } => Ok(time),
            Measured::Not(why) => Err(why),
        }
    }
}

/// Whether a verdict contradicts what is known of the pair.
pub fn is_wrong(pair: &Pair, measured: &Measured) -> bool {
    matches!(measured, Measured::Done { equivalent, .. } if pair.equivalent.is_some_and(|e| e != *equivalent))
}

/// Decides the pairs in turn, short ones repeatedly; the median of the repetitions counts, for each
/// pair. In turn, because a processor learns the branches of a small pair that is repeated alone,
/// which in use it never is.
pub fn measure(backend: &dyn Backend, pairs: &[Pair], limit: Limit) -> Vec<Measured> {
    const ENOUGH: Duration = Duration::from_millis(60);
    const LEAST: usize = 3;
    const MOST: usize = 101;
    let mut times: Vec<Vec<Time>> = vec![Vec::new(); pairs.len()];
    let mut last: Vec<Option<Measured>> = vec![None; pairs.len()];
    let mut spent = vec![Duration::ZERO; pairs.len()];
    loop {
        let mut repeated = false;
        for (i, pair) in pairs.iter().enumerate() {
            // the first repetition pays for fresh memory; long ones are repeated too if there is time
            let again = times[i].is_empty()
                || (times[i].len() < LEAST && spent[i] * 2 < limit.time)
                || (spent[i] < ENOUGH && times[i].len() < MOST);
            if !again || matches!(last[i], Some(Measured::Not(_))) {
                continue;
            }
            let measured = once(backend, pair, limit);
            if let Measured::Done { time, .. } = measured {
                times[i].push(time);
                spent[i] += Duration::from_secs_f64(time.total);
                repeated = true;
            }
            last[i] = Some(measured);
        }
        if !repeated {
            break;
        }
    }
    let medians = last.into_iter().zip(&mut times).map(|(last, times)| match last {
        Some(Measured::Done { equivalent, .. }) => {
            Measured::Done { time: median(times), equivalent }
        }
        Some(not) => not,
        None => Measured::Not("no repetition was made".into()),
    });
    medians.collect()
}

fn once(backend: &dyn Backend, pair: &Pair, limit: Limit) -> Measured {
    let problem =
        Problem { q: &pair.q, r: &pair.r, relations: pair.relations, graph: GraphKind::Corrected };
    let budget = Budget::new(Some(limit.time), None);
    let budget = if limit.one_thread { budget.on_one_thread() } else { budget };
    let start = Instant::now();
    let decision = backend.decide(problem, &budget);
    let total = start.elapsed().as_secs_f64();
    match crate::verdict::why_undecided(&decision.verdict) {
        Some(why) => Measured::Not(why),
        None => Measured::Done {
            time: Time { total, decide: decision.decide.as_secs_f64() },
            equivalent: matches!(decision.verdict, Verdict::Equivalent(_)),
        },
    }
}

fn median(times: &mut [Time]) -> Time {
    let mut middle = |of: fn(&Time) -> f64| {
        times.sort_by(|a, b| of(a).total_cmp(&of(b)));
        of(&times[times.len() / 2])
    };
    Time { total: middle(|t| t.total), decide: middle(|t| t.decide) }
}

/// All exact backends that can be used here, or those named.
pub fn backends(names: &[String]) -> anyhow::Result<Vec<(String, Box<dyn Backend>)>> {
    let chosen: Vec<String> = if names.is_empty() {
        registry::list()
            .into_iter()
            .filter(|info| {
                info.unavailable.is_none() && info.exactness == pidlab_backends::Exactness::Exact
            })
            .map(|info| info.name)
            .collect()
    } else {
        names.to_vec()
    };
    chosen.into_iter().map(|name| Ok((name.clone(), registry::find(&name)?))).collect()
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
