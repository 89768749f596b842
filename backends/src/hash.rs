//! The hash of this crate's colours, labels and weights.
//!
//! No answer may depend on how good it is: collisions cost time, and what they could spoil is decided
//! again without hashing ([`exact`](crate::exact), [`Listing`](crate::canon::Listing)). To show that,
//! the crate's own tests are compiled with a hash that can be cut down to a few bits.

use pidlab_core::structure::NextPids;
use pidlab_core::{Relations, State, Structure};

#[cfg(not(test))]
pub use pidlab_core::mix::mix;
#[cfg(test)]
pub use weak::mix;

/// Fills in the structure of a state.
#[inline]
pub fn fill(structure: &mut Structure, state: &State, relations: Relations, next_pids: NextPids) {
    structure.fill(state, relations, next_pids);
    #[cfg(test)]
    weak::cut_down(structure);
}

/// The structure of a state.
pub fn structure_of(state: &State, relations: Relations, next_pids: NextPids) -> Structure {
    let mut structure = Structure::default();
    fill(&mut structure, state, relations, next_pids);
    structure
}

#[cfg(test)]
pub mod weak {
    use super::Structure;
    use std::cell::Cell;

    thread_local! {
        static MASK: Cell<u64> = const { Cell::new(u64::MAX) };
    }

    pub fn mix(a: u64, b: u64) -> u64 {
        pidlab_core::mix::mix(a, b) & MASK.get()
    }

    pub fn cut_down(structure: &mut Structure) {
        structure.hashes_mut(|hash| *hash &= MASK.get());
    }

    /// Does something with hashes of so few bits.
    pub fn with_bits<T>(bits: u32, job: impl FnOnce() -> T) -> T {
        let before = MASK.replace((1 << bits) - 1);
        let done = job();
        MASK.set(before);
        done
    }
}
