//! A cheap invariant of states: equal for equivalent states, whatever Ω* is.
//!
//! Colour refinement on vectors and pids (not on the pid relations), a fixed number of rounds. A
//! vector's colour is its location, its data and its pids' colours in order, with the places where a
//! pid comes again; a pid's colour is whether it is active and where it occurs. Different digests
//! prove that two states are not equivalent; equal digests prove nothing. Cost: O(rounds · components).

use crate::draft::{Draft, DraftComponent};

/// Two drafts compared this way must number locations and data alike.
pub fn digest(draft: &Draft, rounds: usize) -> (u64, u64) {
    let mut colors: Vec<u64> = draft.eta.iter().map(|eta| 1 + u64::from(eta.is_some())).collect();
    let mut vectors = 0;
    let mut occurs = vec![0u64; colors.len()];
    for _ in 0..rounds.max(1) {
        vectors = 0;
        occurs.fill(0);
        for vector in 0..draft.vector_count() {
            let color = shape(draft, vector, &colors);
            vectors = u64::wrapping_add(vectors, mix(color, 1));
            for (position, cell) in draft.cells[draft.range(vector)].iter().enumerate() {
                if let DraftComponent::Pid(pid) = *cell {
                    let seen = &mut occurs[pid as usize];
                    *seen = seen.wrapping_add(mix(color, position as u64 + 2));
                }
            }
        }
        for (color, &seen) in colors.iter_mut().zip(&occurs) {
            *color = mix(*color, seen);
        }
    }
    // a pid that occurs nowhere is not part of the state unless it is active
    let present = |pid: &usize| occurs[*pid] != 0 || draft.eta[*pid].is_some();
    let pids = (0..colors.len()).filter(present).map(|pid| mix(colors[pid], 3));
    (vectors, pids.fold(0, u64::wrapping_add))
}

/// What a vector looks like when pids are told apart by their colours alone.
pub fn shape(draft: &Draft, vector: usize, colors: &[u64]) -> u64 {
    // beyond this width a pid that comes again is not noted; the colour is weaker, not wrong
    const PATTERN: usize = 16;
    let cells = &draft.cells[draft.range(vector)];
    let mut color = mix(u64::from(draft.location[vector]), cells.len() as u64);
    for (position, cell) in cells.iter().enumerate() {
        color = match *cell {
            DraftComponent::Data(datum) => mix(color, u64::from(datum) << 1),
            DraftComponent::Pid(pid) => {
                let first = cells[..position.min(PATTERN)].iter().position(|other| other == cell);
                let again = first.map_or(0, |place| place as u64 + 1);
                mix(mix(color, colors[pid as usize]), again << 1 | 1)
            }
        };
    }
    color
}

fn mix(a: u64, b: u64) -> u64 {
    let mut z = (a.rotate_left(25) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ (z >> 32)
}
