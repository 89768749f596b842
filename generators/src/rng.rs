//! The one source of randomness: ChaCha8, one stream per row of an experiment.
//!
//! A row is replayed from its seed and number alone, whatever came before it. Ranges, shuffles and
//! the expansion of the seed are our own, over raw 64-bit output: libraries change theirs between
//! versions, and the same seed must give the same bytes for good (golden-stream tests below).

use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng {
    source: ChaCha8Rng,
    /// Choices that tests dictate.
    #[cfg(test)]
    script: Option<std::collections::VecDeque<u64>>,
}

impl Rng {
    /// Stream number `stream` of the generator that `seed` names.
    pub fn new(seed: u64, stream: u64) -> Rng {
        let mut key = [0; 32];
        for (i, word) in key.chunks_exact_mut(8).enumerate() {
            word.copy_from_slice(&split_mix(seed, i as u64 + 1).to_le_bytes());
        }
        let mut source = ChaCha8Rng::from_seed(key);
        source.set_stream(stream);
        Rng {
            source,
            #[cfg(test)]
            script: None,
        }
    }

    /// Makes exactly these choices; a test shows with it that a result is within reach.
    #[cfg(test)]
    pub fn scripted(choices: &[u64]) -> Rng {
        let mut rng = Rng::new(0, 0);
        rng.script = Some(choices.iter().copied().collect());
        rng
    }

    #[cfg(test)]
    fn scripted_choice(&mut self) -> Option<u64> {
        self.script.as_mut().map(|script| script.pop_front().expect("the script is too short"))
    }

    /// Whether a script was followed to its end.
    #[cfg(test)]
    pub fn is_done(&self) -> bool {
        self.script.as_ref().is_some_and(|script| script.is_empty())
    }

    pub fn next_u64(&mut self) -> u64 {
        self.source.next_u64()
    }

    /// Uniform in 0..bound (0 if the bound is 0), without bias: Lemire's multiplication, redrawing
    /// the few values that would come up too often.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound <= 1 {
            return 0;
        }
        #[cfg(test)]
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
        #[cfg(test)]
        if let Some(choice) = self.scripted_choice() {
            assert!(if choice == 1 { probability > 0.0 } else { probability < 1.0 });
            return choice == 1;
        }
        ((self.next_u64() >> 11) as f64) * UNIT < probability
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
fn split_mix(seed: u64, step: u64) -> u64 {
    let mut z = seed.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_golden() {
        let mut rng = Rng::new(1, 0);
        let raw: Vec<u64> = (0..3).map(|_| rng.next_u64()).collect();
        let small: Vec<u64> = (0..8).map(|_| rng.below(10)).collect();
        let mut other = Rng::new(1, 7);
        let row: Vec<u64> = (0..2).map(|_| other.next_u64()).collect();
        let order = Rng::new(2, 3).permutation(8);
        let found = format!("{raw:?} {small:?} {row:?} {order:?}");
        assert_eq!(found, GOLDEN);
    }

    const GOLDEN: &str = "[17254111457321727320, 9958508360252413363, 882713562349892078] [8, 4, 1, 9, 2, 4, 3, 3] [447704323842911501, 935672781529946728] [0, 3, 1, 4, 5, 6, 7, 2]";

    #[test]
    fn ranges_are_fair_and_closed() {
        let mut rng = Rng::new(5, 0);
        let mut seen = [0u32; 7];
        for _ in 0..70_000 {
            seen[rng.index(7)] += 1;
        }
        assert!(seen.iter().all(|&n| (9_500..10_500).contains(&n)), "{seen:?}");
        assert_eq!(
            (rng.below(0), rng.below(1), rng.between(4, 4), rng.between(9, 3)),
            (0, 0, 4, 9)
        );
        let hits = (0..10_000).filter(|_| rng.chance(0.25)).count();
        assert!((2_300..2_700).contains(&hits), "{hits}");
        let mut sample = rng.sample(10, 4);
        sample.sort_unstable();
        sample.dedup();
        assert_eq!(sample.len(), 4);
        assert_eq!(rng.sample(3, 9).len(), 3);
    }
}
