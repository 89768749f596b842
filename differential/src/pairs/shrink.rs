//! Shrinks a pair on which answers contradict each other.
//!
//! Delta debugging (Zeller, Hildebrandt 2002) on the vectors of both states, then on single components
//! and counters, as long as some contradiction remains. Cost: quadratic in the number of vectors in the worst
//! case; whoever judges candidates ends it by rejecting all of them.

use pidlab_core::{Datum, State};
use pidlab_generators::{Draft, DraftComponent};

struct Shrinker<'w> {
    still_wrong: &'w mut dyn FnMut(&State, &State) -> bool,
}

/// The smallest pair found that `still_wrong` accepts; `None` if not even the given one is. Where `image` is a
/// valid witness, vectors that correspond to each other are left out together, so that equivalent states
/// stay equivalent.
pub fn shrink_pair(
    q: &State,
    r: &State,
    image: Option<Vec<u32>>,
    still_wrong: &mut dyn FnMut(&State, &State) -> bool,
) -> Option<(State, State)> {
    if !still_wrong(q, r) {
        return None;
    }
    let mut pair = [Draft::of(q), Draft::of(r)];
    if let Some(image) = image {
        line_up(&image, &mut pair);
    }
    let mut shrinker = Shrinker { still_wrong };
    loop {
        let before = size(&pair);
        shrinker.drop_vectors(&mut pair);
        shrinker.drop_pieces(&mut pair);
        shrinker.drop_counters(&mut pair);
        if size(&pair) == before {
            break;
        }
    }
    Some((built(&pair[0])?, built(&pair[1])?))
}

/// Lists the vectors of r in the order of those of q they correspond to.
fn line_up(image: &[u32], pair: &mut [Draft; 2]) {
    let mut rest: Vec<_> = (0..pair[1].vector_count()).collect();
    let mut order = Vec::new();
    for vector in 0..pair[0].vector_count() {
        let renamed = contents(&pair[0], vector, |pid| image[pid as usize]);
        let same = |&other: &usize| contents(&pair[1], other, |pid| pid) == renamed;
        if let Some(at) = rest.iter().position(same) {
            order.push(rest.remove(at));
        }
    }
    order.append(&mut rest);
    pair[1].reorder(&order);
}

impl Shrinker<'_> {
    /// Keeps a candidate that is well formed and still contradicts.
    fn accept(&mut self, pair: &mut [Draft; 2], candidate: [Draft; 2]) -> bool {
        let (Some(q), Some(r)) = (built(&candidate[0]), built(&candidate[1])) else { return false };
        let holds = (self.still_wrong)(&q, &r);
        if holds {
            *pair = candidate;
        }
        holds
    }

    /// Removes runs of vectors, long ones first, from both states or from one.
    fn drop_vectors(&mut self, pair: &mut [Draft; 2]) {
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
                }
            }
            length /= 2;
        }
    }

    /// Removes single components, in both states at the same place.
    fn drop_pieces(&mut self, pair: &mut [Draft; 2]) {
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
    fn drop_counters(&mut self, pair: &mut [Draft; 2]) {
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
