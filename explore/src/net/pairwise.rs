//! The papers' own method: a new marking is compared with stored ones until an equivalent one turns
//! up (ICTAC'08, section 5.2). Kept to measure what the canonical store buys, and for the paper's
//! experiment: isomorphism time against a·v while exploring, with any backend.
//!
//! Cost: a number of comparisons that grows with the square of the number of classes.

use super::bijection::Orders;
use super::compiled::Net;
use super::named::Named;
use super::trace::each_step;
use crate::search::Failure;
use pidlab_backends::{Backend, Decision, GraphKind, Problem, Verdict};
use pidlab_budget::Budget;
use pidlab_core::{Relations, State};
use std::time::{Duration, Instant};

/// What to compare, and when to stop.
#[derive(Clone, Copy, Debug)]
pub struct PairwiseSettings {
    /// Ω*.
    pub relations: Relations,
    /// The layered graph that backends are given.
    pub graph: GraphKind,
    /// Skip stored markings with other numbers of tokens per place.
    pub filter: bool,
    /// Classes after which to stop.
    pub max_states: Option<usize>,
    /// Time after which to stop.
    pub time: Option<Duration>,
}

/// One comparison of a new marking `q` with a stored one `r`.
pub struct PairwiseComparison<'s> {
    /// The new one.
    pub q: &'s State,
    /// The stored one.
    pub r: &'s State,
    /// Verdict, times, and the number of vertices v and arcs a of the structure of q.
    pub decision: &'s Decision,
}

/// What the method came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairwiseReport {
    /// Classes.
    pub states: usize,
    /// Pairs compared; those that the filter skipped do not count.
    pub comparisons: u64,
    /// Whether everything reachable was seen.
    pub complete: bool,
    /// Wall-clock time.
    pub elapsed: Duration,
}

/// A marking that was kept, and what its comparisons need.
struct Stored<T> {
    named: Named,
    extra: T,
}

/// Explores breadth-first with pairwise comparison; `see` gets every comparison.
pub fn explore_pairwise(
    net: &Net,
    backend: &dyn Backend,
    settings: &PairwiseSettings,
    mut see: impl FnMut(&PairwiseComparison<'_>),
) -> Result<PairwiseReport, Failure> {
    let (relations, graph) = (settings.relations, settings.graph);
    explore_by(net, settings, &mut |named| state_of(net, named), &mut |q, r| {
        let (q, r) = (&q.extra, &r.extra);
        let problem = Problem { q, r, relations, graph };
        let decision = backend.decide(problem, &Budget::unlimited());
        see(&PairwiseComparison { q, r, decision: &decision });
        match decision.verdict {
            Verdict::Equivalent(_) => Ok(true),
            Verdict::NotEquivalent => Ok(false),
            Verdict::Undecided(why) => {
                Err(Failure::Model(format!("a comparison stays undecided: {why:?}")))
            }
        }
    })
}

/// The comparisons that the method makes, without making them: the answers come from canonical
/// forms, `see` gets both markings and whether they are equivalent.
pub fn comparisons(
    net: &Net,
    settings: &PairwiseSettings,
    mut see: impl FnMut(&Named, &Named, bool),
) -> Result<PairwiseReport, Failure> {
    let mut orders = Orders::new(net, settings.relations);
    let mut key_of = |named: &Named| {
        orders.of(named)?;
        Ok(orders.key.clone())
    };
    explore_by(net, settings, &mut key_of, &mut |q, r| {
        let equivalent = q.extra == r.extra;
        see(&q.named, &r.named, equivalent);
        Ok(equivalent)
    })
}

type Same<'s, T> = &'s mut dyn FnMut(&Stored<T>, &Stored<T>) -> Result<bool, Failure>;

fn explore_by<T>(
    net: &Net,
    settings: &PairwiseSettings,
    prepare: &mut dyn FnMut(&Named) -> Result<T, Failure>,
    same: Same<'_, T>,
) -> Result<PairwiseReport, Failure> {
    let started = Instant::now();
    let mut report = PairwiseReport { complete: true, ..PairwiseReport::default() };
    let start = Named::initial(net);
    let mut stored = vec![Stored { extra: prepare(&start)?, named: start }];
    let mut next = 0;
    while next < stored.len() {
        let mut successors = Vec::new();
        each_step(net, &stored[next].named, &Budget::unlimited(), |_, _, after| {
            successors.push(after.clone());
            Ok(())
        })?;
        for named in successors {
            let new = Stored { extra: prepare(&named)?, named };
            if !is_known(&stored, &new, settings, &mut report, same)? {
                stored.push(new);
            }
        }
        next += 1;
        let full = settings.max_states.is_some_and(|most| stored.len() >= most);
        if full || settings.time.is_some_and(|time| started.elapsed() >= time) {
            report.complete = next == stored.len();
            break;
        }
    }
    report.states = stored.len();
    report.elapsed = started.elapsed();
    Ok(report)
}

fn state_of(net: &Net, named: &Named) -> Result<State, Failure> {
    named.to_state(net).map_err(|error| Failure::Model(error.to_string()))
}

fn is_known<T>(
    stored: &[Stored<T>],
    new: &Stored<T>,
    settings: &PairwiseSettings,
    report: &mut PairwiseReport,
    same: Same<'_, T>,
) -> Result<bool, Failure> {
    for other in stored {
        if settings.filter && other.named.marking.starts != new.named.marking.starts {
            continue;
        }
        report.comparisons += 1;
        if same(new, other)? {
            return Ok(true);
        }
    }
    Ok(false)
}
