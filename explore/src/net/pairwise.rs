//! The papers' own method: a new marking is compared with stored ones until an equivalent one turns
//! up (ICTAC'08, section 5.2). Kept to measure what the canonical store buys, and for the paper's
//! experiment: isomorphism time against a·v while exploring, with any backend.
//!
//! Cost: a number of comparisons that grows with the square of the number of classes.

use super::compiled::Net;
use super::named::Named;
use super::trace::each_step;
use crate::search::Failure;
use pidlab_backends::{Backend, Budget, Decision, GraphKind, Problem, Verdict};
use pidlab_core::{Relations, State};
use std::time::{Duration, Instant};

/// What to compare, and when to stop.
#[derive(Clone, Copy, Debug)]
pub struct PairwiseSettings {
    pub relations: Relations,
    pub graph: GraphKind,
    /// Skip stored markings with other numbers of tokens per place.
    pub filter: bool,
    pub max_states: Option<usize>,
    pub time: Option<Duration>,
}

/// One comparison of a new marking `q` with a stored one `r`.
pub struct Comparison<'s> {
    pub q: &'s State,
    pub r: &'s State,
    /// Verdict, times, and the number of vertices v and arcs a of the structure of q.
    pub decision: &'s Decision,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairwiseReport {
    pub states: usize,
    pub comparisons: u64,
    pub complete: bool,
    pub elapsed: Duration,
}

struct Stored {
    named: Named,
    state: State,
}

/// Explores breadth-first with pairwise comparison; `see` gets every comparison.
pub fn explore_pairwise(
    net: &Net,
    backend: &dyn Backend,
    settings: &PairwiseSettings,
    mut see: impl FnMut(&Comparison<'_>),
) -> Result<PairwiseReport, Failure> {
    let started = Instant::now();
    let mut report = PairwiseReport { complete: true, ..PairwiseReport::default() };
    let start = Named::initial(net);
    let mut stored = vec![Stored { state: state_of(net, &start)?, named: start }];
    let mut next = 0;
    while next < stored.len() {
        let mut successors = Vec::new();
        each_step(net, &stored[next].named, |_, _, after| {
            successors.push(after.clone());
            Ok(())
        })?;
        for named in successors {
            let state = state_of(net, &named)?;
            let known =
                is_known(&stored, &named, &state, backend, settings, &mut report, &mut see)?;
            if !known {
                stored.push(Stored { named, state });
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

fn is_known(
    stored: &[Stored],
    named: &Named,
    state: &State,
    backend: &dyn Backend,
    settings: &PairwiseSettings,
    report: &mut PairwiseReport,
    see: &mut impl FnMut(&Comparison<'_>),
) -> Result<bool, Failure> {
    for other in stored {
        if settings.filter && other.named.marking.starts != named.marking.starts {
            continue;
        }
        let (relations, graph) = (settings.relations, settings.graph);
        let problem = Problem { q: state, r: &other.state, relations, graph };
        let decision = backend.decide(problem, &Budget::unlimited());
        report.comparisons += 1;
        see(&Comparison { q: state, r: &other.state, decision: &decision });
        match decision.verdict {
            Verdict::Equivalent(_) => return Ok(true),
            Verdict::NotEquivalent => {}
            Verdict::Undecided(why) => {
                return Err(Failure::Model(format!("a comparison stays undecided: {why:?}")));
            }
        }
    }
    Ok(false)
}
