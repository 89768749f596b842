//! Near misses: one exchange of two pids that keeps every cheap invariant.
//!
//! Two vectors of one location that look alike (same data, same pattern of pids) exchange the pids
//! at one position. Every pid still occurs as often, in vectors of the same looks and at the same
//! positions, and the pid forest is untouched, so counting finds no difference. The exchange is
//! redrawn until a few rounds of colour refinement prove the states different; if none does, the
//! last one is taken and its guarantee is "unknown".

use crate::digest::{digest, shape};
use crate::draft::{Cell, Draft};
use crate::guarantee::Guarantee;
use crate::rng::Rng;
use rustc_hash::FxHashMap;

pub const NO_PAIR: &str = "no two vectors of one location look alike and hold different pids";

const TRIES: usize = 48;
const ROUNDS: usize = 4;

/// Changes the draft; `None` if there is nothing to exchange.
pub fn near_miss(draft: &mut Draft, rng: &mut Rng) -> Option<Guarantee> {
    let colours: Vec<u64> = draft.eta.iter().map(|eta| 1 + u64::from(eta.is_some())).collect();
    let groups = alike(draft, &colours);
    let before = digest(draft, ROUNDS);
    let mut fallback = None;
    for _ in 0..TRIES {
        let Some((a, b)) = draw(draft, &groups, &colours, rng) else { continue };
        draft.cells.swap(a, b);
        if digest(draft, ROUNDS) != before {
            return Some(Guarantee::different());
        }
        draft.cells.swap(a, b);
        fallback = Some((a, b));
    }
    let (a, b) = fallback?;
    draft.cells.swap(a, b);
    Some(Guarantee::unknown())
}

/// Vectors that look alike, in groups of two and more.
fn alike(draft: &Draft, colours: &[u64]) -> Vec<Vec<usize>> {
    let mut group_of: FxHashMap<u64, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for vector in 0..draft.vector_count() {
        let group = *group_of.entry(shape(draft, vector, colours)).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(vector);
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// Two places to exchange, such that both vectors look as before.
fn draw(
    draft: &mut Draft,
    groups: &[Vec<usize>],
    colours: &[u64],
    rng: &mut Rng,
) -> Option<(usize, usize)> {
    let group = groups.get(rng.index(groups.len()))?;
    let chosen = rng.sample(group.len(), 2);
    let (one, other) = (group[chosen[0]], group[chosen[1]]);
    let position = rng.index(draft.range(one).len());
    let (a, b) = (draft.range(one).start + position, draft.range(other).start + position);
    match (draft.cells.get(a), draft.cells.get(b)) {
        (Some(Cell::Pid(x)), Some(Cell::Pid(y))) if x != y => {}
        _ => return None,
    }
    let looks = |draft: &Draft| (shape(draft, one, colours), shape(draft, other, colours));
    let before = looks(draft);
    draft.cells.swap(a, b);
    let kept = looks(draft) == before;
    draft.cells.swap(a, b);
    kept.then_some((a, b))
}
