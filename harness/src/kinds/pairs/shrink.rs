//! Shrinks a pair on which answers contradict each other.
//!
//! Delta debugging (Zeller, Hildebrandt 2002) on the vectors of both states, then on single components
//! and counters, as long as some contradiction remains: two exact backends differ, or the checker
//! rejects a witness. Which contradiction it is may change on the way; any is a bug. Cost: quadratic
//! in the number of vectors in the worst case, cut off after a fixed time.

use crate::kinds::pairs::backend_pool;
use crate::kinds::pairs::decide::witness_violation;
use pidlab_backends::{Backend, Budget, Exactness, GraphKind, Problem, Verdict};
use pidlab_core::state::{ComponentKind, NewComponent, StateBuilder};
use pidlab_core::{Datum, Relations, State};
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(20);
const PER_DECISION: Duration = Duration::from_secs(1);

/// A state taken apart.
#[derive(Clone, Debug, Default)]
struct Parts {
    vectors: Vec<(String, Vec<Piece>)>,
    eta: Vec<(Vec<u64>, u64)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Pid(Vec<u64>),
    Data(Datum),
}

pub struct Shrinker {
    backends: Vec<(String, Box<dyn Backend>)>,
    relations: Relations,
    graph: GraphKind,
    until: Instant,
}

/// What each backend says of a pair, and what is wrong with it.
pub type Testimony = Vec<(String, String)>;

impl Shrinker {
    /// The exact backends of the experiment, and one of our own to hold a single one against.
    pub fn new(
        names: &[String],
        relations: Relations,
        graph: GraphKind,
    ) -> anyhow::Result<Shrinker> {
        let mut backends = Vec::new();
        for name in names.iter().map(String::as_str).chain(["canon", "vf2"]) {
            let known = backends.iter().any(|(known, _): &(String, _)| known == name);
            let Ok(backend) = backend_pool::open_one(name) else { continue };
            if !known && backend.info().exactness == Exactness::Exact {
                backends.push((name.to_string(), backend));
            }
        }
        Ok(Shrinker { backends, relations, graph, until: Instant::now() + LONGEST })
    }

    /// What the backends say of a pair, if they contradict each other or the checker.
    pub fn contradiction(&self, q: &State, r: &State) -> Option<Testimony> {
        let problem = Problem { q, r, relations: self.relations, graph: self.graph };
        let mut said = Vec::new();
        let mut rejected = false;
        for (name, backend) in &self.backends {
            let budget = Budget::new(Some(PER_DECISION), Some(1 << 30));
            let verdict = backend.decide(problem, &budget).verdict;
            let violation = witness_violation(problem, &verdict);
            let text = match (&verdict, &violation) {
                (Verdict::Equivalent(_), Some(why)) => format!("equivalent, but {why}"),
                (Verdict::Equivalent(_), None) => "equivalent".to_string(),
                (Verdict::NotEquivalent, _) => "not equivalent".to_string(),
                (Verdict::Undecided(_), _) => "undecided".to_string(),
            };
            rejected |= violation.is_some();
            said.push((name.clone(), text));
        }
        let says = |text: &str| said.iter().any(|(_, t)| t == text);
        (rejected || says("equivalent") && says("not equivalent")).then_some(said)
    }

    /// The smallest contradicting pair found; `None` if the pair does not contradict.
    pub fn shrink(&self, q: &State, r: &State) -> Option<(State, State)> {
        self.contradiction(q, r)?;
        let mut pair = [Parts::of(q), Parts::of(r)];
        self.line_up(q, r, &mut pair);
        loop {
            let before = size(&pair);
            self.drop_vectors(&mut pair);
            self.drop_pieces(&mut pair);
            self.drop_counters(&mut pair);
            if size(&pair) == before || Instant::now() > self.until {
                break;
            }
        }
        Some((pair[0].build()?, pair[1].build()?))
    }

    /// Lists the vectors of r in the order of those of q they correspond to, where a valid witness
    /// says so: then dropping the same place in both keeps equivalent states equivalent.
    fn line_up(&self, q: &State, r: &State, pair: &mut [Parts; 2]) {
        let problem = Problem { q, r, relations: self.relations, graph: self.graph };
        let witness = self.backends.iter().find_map(|(_, backend)| {
            let verdict = backend.decide(problem, &Budget::new(Some(PER_DECISION), None)).verdict;
            let valid = witness_violation(problem, &verdict).is_none();
            match verdict {
                Verdict::Equivalent(witness) if valid => Some(witness),
                _ => None,
            }
        });
        let Some(witness) = witness else { return };
        let image = |pid: u32| r.forest().pid(witness.0[pid as usize]).segments().to_vec();
        let renamed = Parts::with_names(q, image);
        let mut rest = std::mem::take(&mut pair[1].vectors);
        for vector in &renamed.vectors {
            if let Some(at) = rest.iter().position(|other| other == vector) {
                pair[1].vectors.push(rest.remove(at));
            }
        }
        pair[1].vectors.append(&mut rest);
    }

    /// Keeps a candidate that is well formed and still contradicts.
    fn accept(&self, pair: &mut [Parts; 2], candidate: [Parts; 2]) -> bool {
        if Instant::now() > self.until {
            return false;
        }
        let (Some(q), Some(r)) = (candidate[0].build(), candidate[1].build()) else { return false };
        let holds = self.contradiction(&q, &r).is_some();
        if holds {
            *pair = candidate;
        }
        holds
    }

    /// Removes runs of vectors, long ones first, from both states or from one.
    fn drop_vectors(&self, pair: &mut [Parts; 2]) {
        let mut length = pair[0].vectors.len().max(pair[1].vectors.len()).div_ceil(2);
        while length > 0 {
            for sides in [&[0, 1][..], &[0], &[1]] {
                let mut at = 0;
                while sides.iter().any(|&side| at < pair[side].vectors.len()) {
                    let mut candidate = pair.clone();
                    for &side in sides {
                        let vectors = &mut candidate[side].vectors;
                        let end = (at + length).min(vectors.len());
                        vectors.drain(at.min(end)..end);
                        candidate[side].forget_absent();
                    }
                    if !self.accept(pair, candidate) {
                        at += length;
                    }
                    if Instant::now() > self.until {
                        return;
                    }
                }
            }
            length /= 2;
        }
    }

    /// Removes single components, in both states at the same place.
    fn drop_pieces(&self, pair: &mut [Parts; 2]) {
        for vector in (0..pair[0].vectors.len().min(pair[1].vectors.len())).rev() {
            let width = |p: &Parts| p.vectors.get(vector).map_or(0, |(_, pieces)| pieces.len());
            for piece in (0..width(&pair[0]).min(width(&pair[1]))).rev() {
                let mut candidate = pair.clone();
                for side in &mut candidate {
                    side.vectors[vector].1.remove(piece);
                    side.forget_absent();
                }
                self.accept(pair, candidate);
            }
        }
    }

    /// Makes counters as small as consistency allows.
    fn drop_counters(&self, pair: &mut [Parts; 2]) {
        for index in (0..pair[0].eta.len().min(pair[1].eta.len())).rev() {
            for new in [None, Some(0)] {
                let mut candidate = pair.clone();
                for side in &mut candidate {
                    match new {
                        None => drop(side.eta.remove(index)),
                        Some(count) => side.eta[index].1 = count,
                    }
                }
                if size(&candidate) < size(pair) {
                    self.accept(pair, candidate);
                }
                if index >= pair[0].eta.len() || index >= pair[1].eta.len() {
                    break;
                }
            }
        }
    }
}

/// Vectors, components, active pids and counters: what shrinking makes less.
fn size(pair: &[Parts; 2]) -> u64 {
    let of = |parts: &Parts| {
        let pieces: usize = parts.vectors.iter().map(|(_, pieces)| 1 + pieces.len()).sum();
        let counters: u64 = parts.eta.iter().map(|(_, count)| 1 + count.min(&1_000)).sum();
        pieces as u64 + counters
    };
    of(&pair[0]) + of(&pair[1])
}

impl Parts {
    fn of(state: &State) -> Parts {
        Parts::with_names(state, |pid| state.forest().pid(pid).segments().to_vec())
    }

    /// The state with every pid called by a name of the caller's choice.
    fn with_names(state: &State, name: impl Fn(u32) -> Vec<u64>) -> Parts {
        let piece = |kind: ComponentKind| match kind {
            ComponentKind::Pid(pid) => Piece::Pid(name(pid)),
            ComponentKind::Data(datum) => Piece::Data(state.data()[datum as usize].clone()),
        };
        let vector = |v: usize| {
            let location = state.locations()[state.location_of(v) as usize].to_string();
            (location, state.vector(v).iter().map(|c| piece(c.kind())).collect())
        };
        Parts {
            vectors: (0..state.vector_count()).map(vector).collect(),
            eta: state
                .pids()
                .filter_map(|pid| state.eta(pid).map(|count| (name(pid), count)))
                .collect(),
        }
    }

    /// Active pids must occur in σ.
    fn forget_absent(&mut self) {
        let vectors = &self.vectors;
        let occurs = |pid: &Vec<u64>| {
            vectors.iter().flat_map(|(_, pieces)| pieces).any(|piece| match piece {
                Piece::Pid(other) => other == pid,
                Piece::Data(_) => false,
            })
        };
        self.eta.retain(|(pid, _)| occurs(pid));
    }

    fn build(&self) -> Option<State> {
        let mut builder = StateBuilder::new();
        for (location, pieces) in &self.vectors {
            let location = builder.location(location);
            let mut entries = Vec::new();
            for piece in pieces {
                entries.push(match piece {
                    Piece::Pid(segments) => builder.pid(segments),
                    Piece::Data(datum) => NewComponent::Data(datum.clone()),
                });
            }
            builder.vector(location, entries);
        }
        for (segments, count) in &self.eta {
            builder.active(segments, *count).ok()?;
        }
        let state = builder.finish().ok()?;
        state.check_consistent().is_ok().then_some(state)
    }
}
