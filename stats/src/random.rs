//! Seeded draws that stay the same when the `rand` crates change their range algorithms: only the
//! raw ChaCha8 stream is taken from them.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub struct Draws(ChaCha8Rng);

impl Draws {
    /// One of 2^64 independent streams of a seed.
    pub fn new(seed: u64, stream: u64) -> Draws {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Draws(rng)
    }

    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform below `n` (n > 0); the bias of the multiplication is below n / 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Uniform in (0, 1).
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Standard normal, by Box and Muller's transform.
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Fisher and Yates' shuffle.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_pinned() {
        let mut draws = Draws::new(2010, 7);
        let first: Vec<usize> = (0..8).map(|_| draws.below(1000)).collect();
        let mut again = Draws::new(2010, 7);
        assert_eq!(first, (0..8).map(|_| again.below(1000)).collect::<Vec<_>>());
        assert_ne!(first[0], Draws::new(2010, 8).below(1000));
    }

    #[test]
    fn normals_have_unit_variance() {
        let mut draws = Draws::new(1, 0);
        let xs: Vec<f64> = (0..20_000).map(|_| draws.normal()).collect();
        let mean = xs.iter().sum::<f64>() / xs.len() as f64;
        let var = xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / xs.len() as f64;
        assert!(mean.abs() < 0.03 && (var - 1.0).abs() < 0.05, "{mean} {var}");
    }
}
