//! Items dealt into piles by the highest bits of a hash.
//!
//! What is looked up at random is so worked on pile by pile, each in a core's nearest cache, and a
//! million items cost little more each than a thousand. Two passes.

/// Items pile after pile, and where the piles end; memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Piles<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

/// Items that are not worth dealing.
const FEW: usize = 1 << 12;
/// Items of a pile; very many items have larger piles, for writing to many piles at once is slow.
const PILE: usize = 1 << 9;
const MOST_PILES: usize = 1 << 9;

impl<T: Copy + Default> Piles<T> {
    /// Deals anew. As many items make as many piles.
    pub fn deal(
        &mut self,
        items: impl ExactSizeIterator<Item = T> + Clone,
        hash: impl Fn(T) -> u64,
    ) {
        let count = items.len();
        self.items.clear();
        self.ends.clear();
        if count <= FEW {
            self.items.extend(items);
            self.ends.push(count);
            return;
        }
        let piles = (count / PILE).next_power_of_two().min(MOST_PILES);
        let pile = |item: T| (hash(item) >> (u64::BITS - piles.trailing_zeros())) as usize;
        self.ends.resize(piles, 0);
        for item in items.clone() {
            self.ends[pile(item)] += 1;
        }
        let mut total = 0;
        // starts for now; each moves to its end as its pile is filled
        for end in &mut self.ends {
            total += std::mem::replace(end, total);
        }
        self.items.resize(total, T::default());
        for item in items {
            let at = &mut self.ends[pile(item)];
            self.items[*at] = item;
            *at += 1;
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, pile: usize) -> &[T] {
        let start = pile.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start..self.ends[pile]]
    }
}

#[cfg(test)]
mod tests {
    use super::Piles;
    use pidlab_core::mix::mix;

    #[test]
    fn every_item_lies_in_the_pile_of_its_hash() {
        let hash = |item: u64| mix(item, 0);
        for count in [0, 1, 5_000, 1_000_000] {
            let mut piles = Piles::default();
            piles.deal(0..count as usize, |item| hash(item as u64));
            let mut seen = vec![false; count as usize];
            for pile in 0..piles.len() {
                for &item in piles.get(pile) {
                    assert!(!std::mem::replace(&mut seen[item], true));
                    let share = (u128::from(hash(item as u64)) * piles.len() as u128) >> 64;
                    assert_eq!(share, pile as u128);
                }
            }
            assert!(seen.into_iter().all(|seen| seen));
            assert_eq!(piles.len() > 1, count > 1_000);
        }
    }
}
