//! Near misses: one exchange of two pids that keeps every cheap invariant.
//!
//! Two vectors of one location that look alike (same data, same pattern of pids) exchange the pids
//! at one position. Every pid still occurs as often, in vectors of the same looks and at the same
//! positions, and the pid forest is untouched, so counting finds no difference. The exchange is
//! redrawn until a few rounds of colour refinement prove the states different; if none does, the
//! last one is taken and its guarantee is "unknown". In a small state no two vectors may look alike;
//! then vectors of the same location and width do, and if there are none, any two vectors: the number
//! of occurrences of each pid is kept in every case.

use crate::digest::{digest, shape};
use crate::draft::{Draft, DraftComponent};
use crate::guarantee::Guarantee;
use pidlab_random::Rng;
use rustc_hash::FxHashMap;

pub const NO_PAIR: &str = "the state does not hold two different pids in two vectors";

const TRIES: usize = 48;
const ROUNDS: usize = 4;

/// How much two vectors have in common.
#[derive(Clone, Copy, PartialEq)]
enum Likeness {
    Looks,
    Width,
    Any,
}

/// Changes the draft; `None` if there is nothing to exchange.
pub fn near_miss(draft: &mut Draft, rng: &mut Rng) -> Option<Guarantee> {
    let before = digest(draft, ROUNDS);
    let mut fallback = None;
    for likeness in [Likeness::Looks, Likeness::Width, Likeness::Any] {
        let search = SwapSearch::new(draft, likeness);
        for _ in 0..TRIES {
            let Some((a, b)) = search.draw(draft, rng) else { continue };
            draft.cells.swap(a, b);
            if digest(draft, ROUNDS) != before {
                return Some(Guarantee::different());
            }
            draft.cells.swap(a, b);
            fallback = fallback.or(Some((a, b)));
        }
        if fallback.is_some() {
            break;
        }
    }
    let (a, b) = fallback?;
    draft.cells.swap(a, b);
    Some(Guarantee::unknown())
}

/// Vectors to draw from.
struct SwapSearch {
    likeness: Likeness,
    colors: Vec<u64>,
    /// Vectors that are alike, in groups of two and more.
    groups: Vec<Vec<usize>>,
}

impl SwapSearch {
    fn new(draft: &Draft, likeness: Likeness) -> SwapSearch {
        let colors: Vec<u64> = draft.eta.iter().map(|eta| 1 + u64::from(eta.is_some())).collect();
        let mut group_of: FxHashMap<u64, usize> = FxHashMap::default();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for vector in 0..draft.vector_count() {
            let key = match likeness {
                Likeness::Looks => shape(draft, vector, &colors),
                Likeness::Width => {
                    (draft.range(vector).len() as u64) << 32 | u64::from(draft.location[vector])
                }
                Likeness::Any => 0,
            };
            let group = *group_of.entry(key).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(vector);
        }
        groups.retain(|group| group.len() > 1);
        SwapSearch { likeness, colors, groups }
    }

    /// Two places of two vectors to exchange.
    fn draw(&self, draft: &mut Draft, rng: &mut Rng) -> Option<(usize, usize)> {
        let group = self.groups.get(rng.index(self.groups.len()))?;
        let chosen = rng.sample(group.len(), 2);
        let (one, other) = (group[chosen[0]], group[chosen[1]]);
        let position = rng.index(draft.range(one).len());
        let opposite = match self.likeness {
            Likeness::Any => rng.index(draft.range(other).len()),
            _ => position,
        };
        let (a, b) = (draft.range(one).start + position, draft.range(other).start + opposite);
        match (draft.cells.get(a), draft.cells.get(b)) {
            (Some(DraftComponent::Pid(x)), Some(DraftComponent::Pid(y))) if x != y => {}
            _ => return None,
        }
        (self.likeness != Likeness::Looks || self.looks_stay(draft, (one, a), (other, b)))
            .then_some((a, b))
    }

    /// Whether both vectors look as before after the exchange.
    fn looks_stay(
        &self,
        draft: &mut Draft,
        (one, a): (usize, usize),
        (other, b): (usize, usize),
    ) -> bool {
        let looks =
            |draft: &Draft| (shape(draft, one, &self.colors), shape(draft, other, &self.colors));
        let before = looks(draft);
        draft.cells.swap(a, b);
        let stay = looks(draft) == before;
        draft.cells.swap(a, b);
        stay
    }
}
