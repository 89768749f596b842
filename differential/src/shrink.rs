//! Delta debugging (Zeller, Hildebrandt 2002): leaves out parts of a list as long as what is left is wrong.
//!
//! Runs of parts are tried, long ones first; a round that left nothing out ends it. Quadratic in the number of
//! parts in the worst case.

/// The places of a list that are left. `wrong` sees the places that would be kept.
pub fn fewest(parts: usize, mut wrong: impl FnMut(&[usize]) -> bool) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..parts).collect();
    let mut length = parts.div_ceil(2);
    while length > 0 {
        let before = kept.len();
        let mut at = 0;
        while at < kept.len() {
            let end = (at + length).min(kept.len());
            let candidate: Vec<usize> = [&kept[..at], &kept[end..]].concat();
            match wrong(&candidate) {
                true => kept = candidate,
                false => at = end,
            }
        }
        // single parts are tried again until none can go
        if length > 1 || kept.len() == before {
            length /= 2;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::fewest;

    #[test]
    fn keeps_what_is_needed() {
        let needed = [3, 17, 18, 40];
        let kept = fewest(50, |kept| needed.iter().all(|part| kept.contains(part)));
        assert_eq!(kept, needed);
        assert_eq!(fewest(9, |_| true), Vec::<usize>::new());
        assert_eq!(fewest(3, |_| false), [0, 1, 2]);
    }
}
