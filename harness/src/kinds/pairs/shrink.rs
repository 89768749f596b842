//! Shrinks a pair on which answers contradict each other.
//!
//! Delta debugging (Zeller, Hildebrandt 2002) on the vectors of both states, then on single components
//! and counters, as long as some contradiction remains: two exact backends differ, or the checker
//! rejects a witness. Which contradiction it is may change on the way; any is a bug. Cost: quadratic
//! in the number of vectors in the worst case, cut off after a fixed time.

use crate::kinds::pairs::backend_pool;
use crate::kinds::pairs::decide::witness_violation;
use pidlab_backends::{Backend, Budget, Exactness, GraphKind, Problem, Verdict};
use pidlab_core::{Datum, Relations, State};
use pidlab_generators::{Draft, DraftComponent};
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(20);
const PER_DECISION: Duration = Duration::from_secs(1);

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
        let mut pair = [Draft::of(q), Draft::of(r)];
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
        Some((built(&pair[0])?, built(&pair[1])?))
    }

    /// Lists the vectors of r in the order of those of q they correspond to, where a valid witness
    /// says so: then dropping the same place in both keeps equivalent states equivalent.
    fn line_up(&self, q: &State, r: &State, pair: &mut [Draft; 2]) {
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
        let mut rest: Vec<_> = (0..pair[1].vector_count()).collect();
        let mut order = Vec::new();
        for vector in 0..pair[0].vector_count() {
            let renamed = contents(&pair[0], vector, |pid| witness.0[pid as usize]);
            let same = |&other: &usize| contents(&pair[1], other, |pid| pid) == renamed;
            if let Some(at) = rest.iter().position(same) {
                order.push(rest.remove(at));
            }
        }
        order.append(&mut rest);
        pair[1].reorder(&order);
    }

    /// Keeps a candidate that is well formed and still contradicts.
    fn accept(&self, pair: &mut [Draft; 2], candidate: [Draft; 2]) -> bool {
        if Instant::now() > self.until {
            return false;
        }
        let (Some(q), Some(r)) = (built(&candidate[0]), built(&candidate[1])) else { return false };
        let holds = self.contradiction(&q, &r).is_some();
        if holds {
            *pair = candidate;
        }
        holds
    }

    /// Removes runs of vectors, long ones first, from both states or from one.
    fn drop_vectors(&self, pair: &mut [Draft; 2]) {
        let mut length = pair[0].vector_count().max(pair[1].vector_count()).div_ceil(2);
        while length > 0 {
            for sides in [&[0, 1][..], &[0], &[1]] {
                let mut at = 0;
                while sides.iter().any(|&side| at < pair[side].vector_count()) {
                    let mut candidate = pair.clone();
                    for &side in sides {
                        let vectors = 0..candidate[side].vector_count();
                        let kept = vectors.filter(|vector| !(at..at + length).contains(vector));
                        candidate[side].reorder(&kept.collect::<Vec<_>>());
                        forget_absent(&mut candidate[side]);
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
    fn drop_pieces(&self, pair: &mut [Draft; 2]) {
        for vector in (0..pair[0].vector_count().min(pair[1].vector_count())).rev() {
            let width = pair.each_ref().map(|draft| draft.range(vector).len());
            for piece in (0..width[0].min(width[1])).rev() {
                let mut candidate = pair.clone();
                for draft in &mut candidate {
                    draft.cells.remove(draft.range(vector).start + piece);
                    draft.ends[vector..].iter_mut().for_each(|end| *end -= 1);
                    forget_absent(draft);
                }
                self.accept(pair, candidate);
            }
        }
    }

    /// Makes counters as small as consistency allows.
    fn drop_counters(&self, pair: &mut [Draft; 2]) {
        let fewest = |pair: &[Draft; 2]| active(&pair[0]).len().min(active(&pair[1]).len());
        for index in (0..fewest(pair)).rev() {
            for new in [None, Some(0)] {
                let mut candidate = pair.clone();
                for draft in &mut candidate {
                    let pid = active(draft)[index];
                    draft.eta[pid] = new;
                }
                if size(&candidate) < size(pair) {
                    self.accept(pair, candidate);
                }
                if index >= fewest(pair) {
                    break;
                }
            }
        }
    }
}

/// The active pids of a state.
fn active(draft: &Draft) -> Vec<usize> {
    (0..draft.eta.len()).filter(|&pid| draft.eta[pid].is_some()).collect()
}

/// Location and components of a vector, every pid called by a number of the caller's choice.
fn contents(
    draft: &Draft,
    vector: usize,
    name: impl Fn(u32) -> u32,
) -> (&str, Vec<Result<u32, &Datum>>) {
    let component = |cell: &DraftComponent| match *cell {
        DraftComponent::Pid(pid) => Ok(name(pid)),
        DraftComponent::Data(datum) => Err(&draft.data[datum as usize]),
    };
    let location = &draft.locations[draft.location[vector] as usize];
    (location, draft.cells[draft.range(vector)].iter().map(component).collect())
}

/// Vectors, components, active pids and counters: what shrinking makes less.
fn size(pair: &[Draft; 2]) -> u64 {
    let of = |draft: &Draft| {
        let counters: u64 = draft.eta.iter().flatten().map(|count| 1 + count.min(&1_000)).sum();
        (draft.vector_count() + draft.cells.len()) as u64 + counters
    };
    of(&pair[0]) + of(&pair[1])
}

/// Active pids must occur in σ.
fn forget_absent(draft: &mut Draft) {
    let mut occurs = vec![false; draft.eta.len()];
    for cell in &draft.cells {
        if let DraftComponent::Pid(pid) = cell {
            occurs[*pid as usize] = true;
        }
    }
    for (created, occurs) in draft.eta.iter_mut().zip(occurs) {
        *created = created.filter(|_| occurs);
    }
}

fn built(draft: &Draft) -> Option<State> {
    draft.to_state().ok().filter(|state| state.check_consistent().is_ok())
}
