//! Counting things of a kind on both sides, and finding the first kind that is unequally frequent.

use rustc_hash::FxHashMap;

/// A kind of thing that one side has more of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imbalance {
    /// An example: its index, in q if q has any, else in r.
    pub example: usize,
    pub in_q: bool,
    pub q: u64,
    pub r: u64,
}

/// The first kind, in the order of q and then of r, whose numbers differ.
pub fn first_imbalance<K: std::hash::Hash + Eq>(q: &[K], r: &[K]) -> Option<Imbalance> {
    let mut counts: FxHashMap<&K, (u64, u64)> = FxHashMap::default();
    for key in q {
        counts.entry(key).or_default().0 += 1;
    }
    for key in r {
        counts.entry(key).or_default().1 += 1;
    }
    let find = |keys: &[K], in_q: bool| {
        keys.iter().enumerate().find_map(|(example, key)| {
            let (q, r) = counts[key];
            (q != r).then_some(Imbalance { example, in_q, q, r })
        })
    };
    find(q, true).or_else(|| find(r, false))
}

/// "3 pids in the first state, 1 in the second", for any noun.
pub fn numbers(noun: &str, imbalance: &Imbalance) -> String {
    let Imbalance { q, r, .. } = imbalance;
    let plural = if *q == 1 { "" } else { "s" };
    format!("{q} {noun}{plural} in the first state, {r} in the second")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_unequal_kind_is_found() {
        assert_eq!(first_imbalance(&[1, 2, 3], &[3, 1, 2]), None);
        let found = first_imbalance(&[1, 2, 2], &[1, 2]).unwrap();
        assert_eq!((found.example, found.in_q, found.q, found.r), (1, true, 2, 1));
        let found = first_imbalance(&[1], &[1, 7]).unwrap();
        assert_eq!((found.example, found.in_q, found.q, found.r), (1, false, 0, 1));
    }
}
