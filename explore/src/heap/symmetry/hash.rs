//! The hash of colours.
//!
//! No form may depend on how good it is: where it ties, contents decide ([`super::contents`]). To
//! show that, the crate's own tests are compiled with a hash that can be cut down to a few bits.

#[cfg(not(test))]
pub use pidlab_core::mix::mix;
#[cfg(test)]
pub use weak::mix;

#[cfg(test)]
pub mod weak {
    use std::cell::Cell;

    thread_local! {
        static MASK: Cell<u64> = const { Cell::new(u64::MAX) };
    }

    pub fn mix(a: u64, b: u64) -> u64 {
        pidlab_core::mix::mix(a, b) & MASK.get()
    }

    /// Does something with hashes of so few bits.
    pub fn with_bits<T>(bits: u32, job: impl FnOnce() -> T) -> T {
        let before = MASK.replace((1 << bits) - 1);
        let done = job();
        MASK.set(before);
        done
    }
}
