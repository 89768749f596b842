//! Exchanges (SACS'10, section 5, second to fourth; ISCIS'09, section 4 (ii) to (iv)): what the state
//! holds stays the same, where it is held changes. Pids and counters are untouched, so the result is
//! always consistent.

use super::{exchanged, touched};
use crate::draft::Draft;
use crate::guarantee::Guarantee;
use pidlab_random::Rng;

/// Vectors change places between locations: some vectors' locations are permuted.
pub fn shuffle_vectors(draft: &mut Draft, strength: f64, rng: &mut Rng) -> Guarantee {
    let vectors = draft.vector_count();
    let chosen = rng.sample(vectors, exchanged(strength, vectors));
    permute(&mut draft.location, &chosen, rng);
    Guarantee::unknown()
}

/// The components of some vectors are permuted.
pub fn shuffle_components(draft: &mut Draft, strength: f64, rng: &mut Rng) -> Guarantee {
    let vectors = draft.vector_count();
    for vector in rng.sample(vectors, touched(strength, vectors)) {
        let range = draft.range(vector);
        rng.shuffle(&mut draft.cells[range]);
    }
    Guarantee::unknown()
}

/// Some data components are permuted among their places.
pub fn exchange_data(draft: &mut Draft, strength: f64, rng: &mut Rng) -> Guarantee {
    let slots = draft.data_slots();
    exchange(draft, &slots, strength, rng)
}

/// Some pid components are permuted among their places.
pub fn exchange_pids(draft: &mut Draft, strength: f64, rng: &mut Rng) -> Guarantee {
    let slots = draft.pid_slots();
    exchange(draft, &slots, strength, rng)
}

fn exchange(draft: &mut Draft, slots: &[usize], strength: f64, rng: &mut Rng) -> Guarantee {
    let chosen = rng.sample(slots.len(), exchanged(strength, slots.len()));
    let chosen: Vec<usize> = chosen.into_iter().map(|i| slots[i]).collect();
    permute(&mut draft.cells, &chosen, rng);
    Guarantee::unknown()
}

/// Permutes the items at the chosen places among themselves.
fn permute<T: Copy>(items: &mut [T], chosen: &[usize], rng: &mut Rng) {
    let mut taken: Vec<T> = chosen.iter().map(|&place| items[place]).collect();
    rng.shuffle(&mut taken);
    for (&place, item) in chosen.iter().zip(taken) {
        items[place] = item;
    }
}
