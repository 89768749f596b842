//! Sparse vectors of counters with ω.
//!
//! A configuration maps places to `1..=MAX_COUNT` or ω; places that are absent hold zero. Beacon'01
//! section 4.2 reports that almost all counts are zero, which is why only the others are stored.

use std::fmt;

/// "Any number": the counter of a place that can be pumped.
pub const OMEGA: u32 = u32::MAX;
/// The largest finite counter; one more is an overflow error, never a wrap.
pub const MAX_COUNT: u32 = u32::MAX - 1;

/// A place and its counter.
pub type Entry = (u32, u32);

/// A sparse configuration: entries sorted by place, no zero counters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Config(Box<[Entry]>);

impl Config {
    /// Builds from entries in any order; zero counters are dropped, the places must be distinct.
    pub fn new(mut entries: Vec<Entry>) -> Config {
        entries.retain(|e| e.1 != 0);
        entries.sort_unstable_by_key(|e| e.0);
        debug_assert!(entries.windows(2).all(|w| w[0].0 != w[1].0));
        Config(entries.into_boxed_slice())
    }

    /// Builds from entries that are sorted and free of zeros already.
    pub fn from_sorted(entries: Vec<Entry>) -> Config {
        debug_assert!(entries.windows(2).all(|w| w[0].0 < w[1].0));
        debug_assert!(entries.iter().all(|e| e.1 != 0));
        Config(entries.into_boxed_slice())
    }

    /// Places and their counters, sorted by place; counters are never 0.
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }

    /// The counter of a place, [`OMEGA`] for any number. Cost: a binary search.
    pub fn get(&self, place: u32) -> u32 {
        count_of(&self.0, place)
    }

    /// Every counter of `self` is at most that of `other`; ω is above every number.
    pub fn leq(&self, other: &Config) -> bool {
        leq(&self.0, &other.0)
    }

    /// One bit per hashed place of the support: `a ≤ b` implies `a.mask() & !b.mask() == 0`.
    pub fn mask(&self) -> u64 {
        self.0.iter().fold(0, |mask, e| mask | place_bit(e.0))
    }

    /// Sum of the finite counters, saturating: the order in which searches prefer configurations.
    pub fn size(&self) -> u32 {
        self.0.iter().filter(|e| e.1 != OMEGA).fold(0u32, |sum, e| sum.saturating_add(e.1))
    }
}

fn place_bit(place: u32) -> u64 {
    1 << (place.wrapping_mul(0x9E37_79B9) >> 26)
}

/// The counter of a place in sorted sparse entries.
pub fn count_of(entries: &[Entry], place: u32) -> u32 {
    entries.binary_search_by_key(&place, |e| e.0).map_or(0, |i| entries[i].1)
}

/// `a ≤ b` on sorted sparse entries.
pub fn leq(a: &[Entry], b: &[Entry]) -> bool {
    if a.len() > b.len() {
        return false;
    }
    let mut rest = b.iter();
    a.iter().all(|&(place, count)| {
        rest.by_ref().find(|e| e.0 >= place).is_some_and(|e| e.0 == place && count <= e.1)
    })
}

/// A counter as text: a number or `ω`.
pub struct CountText(pub u32);

impl fmt::Display for CountText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == OMEGA { f.write_str("ω") } else { write!(f, "{}", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_treats_omega_as_top_and_absence_as_zero() {
        let small = Config::new(vec![(3, 1), (1, 2)]);
        let large = Config::new(vec![(1, OMEGA), (2, 0), (3, 1), (7, 1)]);
        assert!(small.leq(&large) && !large.leq(&small));
        assert!(Config::default().leq(&small));
        assert_eq!(large.get(2), 0);
        assert_eq!(large.get(1), OMEGA);
        assert_eq!(small.mask() & !large.mask(), 0);
        assert_eq!(small.size(), 3);
    }
}
