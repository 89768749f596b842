//! The one source of randomness: ChaCha8, one stream for each row of an experiment.
//!
//! A row is replayed from its seed and number alone, whatever came before it. Only the raw 64-bit
//! output is taken from a library: ranges, shuffles, the unit interval and the normal distribution are
//! our own, because libraries change theirs between versions and the same seed must give the same bytes
//! for good. The tests below hold literal numbers for each of them.
//!
//! ```
//! use pidlab_random::Rng;
//!
//! let row = |stream| Rng::new(2010, stream).permutation(5);
//! assert_eq!(row(7), row(7));
//! assert_eq!(row(7), [4, 2, 1, 0, 3]);
//! ```
//!
//! [`split_mix`] and [`xor_shift`] are for callers that keep a single word of state: machines that are
//! named by a number, schedules, reservoir sampling.

#![warn(missing_docs)]

use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng {
    source: ChaCha8Rng,
    /// Choices that a test dictates.
    #[cfg(feature = "scripted")]
    script: Option<std::collections::VecDeque<u64>>,
}

impl Rng {
    /// Stream number `stream` of the generator that `seed` names.
    pub fn new(seed: u64, stream: u64) -> Rng {
        let mut key = [0; 32];
        for (i, word) in key.chunks_exact_mut(8).enumerate() {
            word.copy_from_slice(&split_mix(seed, i as u64 + 1).to_le_bytes());
        }
        Rng::with_source(ChaCha8Rng::from_seed(key), stream)
    }

    /// As [`new`](Self::new), with the seed expanded to a key as [`SeedableRng::seed_from_u64`] does it.
    /// Bootstraps and orders of measurement use this one: the numbers of published analyses were drawn
    /// so, and those of generated states with [`new`](Self::new).
    pub fn for_analysis(seed: u64, stream: u64) -> Rng {
        Rng::with_source(ChaCha8Rng::seed_from_u64(seed), stream)
    }

    fn with_source(mut source: ChaCha8Rng, stream: u64) -> Rng {
        source.set_stream(stream);
        Rng {
            source,
            #[cfg(feature = "scripted")]
            script: None,
        }
    }

    /// Makes exactly these choices; a test shows with it that a result is within reach. Panics where a
    /// choice is impossible or the script too short.
    #[cfg(feature = "scripted")]
    pub fn scripted(choices: &[u64]) -> Rng {
        let mut rng = Rng::new(0, 0);
        rng.script = Some(choices.iter().copied().collect());
        rng
    }

    #[cfg(feature = "scripted")]
    fn scripted_choice(&mut self) -> Option<u64> {
        self.script.as_mut().map(|script| script.pop_front().expect("the script is too short"))
    }

    /// Whether a script was followed to its end.
    #[cfg(feature = "scripted")]
    pub fn is_done(&self) -> bool {
        self.script.as_ref().is_some_and(|script| script.is_empty())
    }

    /// The next 64 bits of the stream.
    pub fn next_u64(&mut self) -> u64 {
        self.source.next_u64()
    }

    /// Uniform in 0..bound (0 if the bound is 0), without bias: Lemire's multiplication, redrawing
    /// the few values that would come up too often.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound <= 1 {
            return 0;
        }
        #[cfg(feature = "scripted")]
        if let Some(choice) = self.scripted_choice() {
            assert!(choice < bound, "{choice} is not below {bound}");
            return choice;
        }
        let excess = bound.wrapping_neg() % bound;
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(bound);
            if wide as u64 >= excess {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Uniform index below `bound`.
    pub fn index(&mut self, bound: usize) -> usize {
        self.below(bound as u64) as usize
    }

    /// Uniform in low..=high; `low` if the range is empty.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// True with the given probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        const UNIT: f64 = 1.0 / (1u64 << 53) as f64;
        #[cfg(feature = "scripted")]
        if let Some(choice) = self.scripted_choice() {
            assert!(if choice == 1 { probability > 0.0 } else { probability < 1.0 });
            return choice == 1;
        }
        ((self.next_u64() >> 11) as f64) * UNIT < probability
    }

    /// Uniform in (0, 1): the middles of 2^53 equal parts. The last of them is rounded to 1.
    pub fn unit(&mut self) -> f64 {
        ((self.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Standard normal (Box, Muller 1958), from two draws of [`unit`](Self::unit).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (TAU * self.unit()).cos()
    }

    /// How often in a row a coin with the given probability comes up, at most `most` times.
    pub fn run(&mut self, probability: f64, most: u64) -> u64 {
        let mut length = 0;
        while length < most && self.chance(probability) {
            length += 1;
        }
        length
    }

    /// Fisher and Yates, from the last item down.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.index(i + 1));
        }
    }

    /// The numbers below `length` in random order.
    pub fn permutation(&mut self, length: usize) -> Vec<usize> {
        let mut items: Vec<usize> = (0..length).collect();
        self.shuffle(&mut items);
        items
    }

    /// `count` different indices below `length`, in random order.
    pub fn sample(&mut self, length: usize, count: usize) -> Vec<usize> {
        let mut items: Vec<usize> = (0..length).collect();
        for i in 0..count.min(length) {
            items.swap(i, i + self.index(length - i));
        }
        items.truncate(count);
        items
    }
}

/// Output `step` of SplitMix64 (Steele, Lea, Flood 2014) started at `seed`.
///
/// Neighbouring seeds give unrelated numbers, so it also makes seeds of row numbers.
pub fn split_mix(seed: u64, step: u64) -> u64 {
    let mut z = seed.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The state after one step of xorshift64 with shifts 13, 7 and 17 (Marsaglia 2003); the state itself is
/// the number drawn. 0 stays 0, so a caller starts with something else.
pub fn xor_shift(mut state: u64) -> u64 {
    state ^= state << 13;
    state ^= state >> 7;
    state ^ state << 17
}

#[cfg(test)]
mod tests;
