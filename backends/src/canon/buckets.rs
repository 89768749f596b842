//! Items distributed into buckets by the highest bits of a hash.
//!
//! What is looked up at random is so worked on bucket by bucket, each in a core's nearest cache, and a
//! million items cost little more each than a thousand. Two passes.

/// Items bucket after bucket, and where the buckets end; memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Buckets<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

/// Items that are not worth distributing.
const FEW: usize = 1 << 12;
/// Items of a bucket; very many items have larger buckets, for writing to many buckets at once is slow.
const BUCKET: usize = 1 << 9;
const MOST_BUCKETS: usize = 1 << 9;

impl<T: Copy + Default> Buckets<T> {
    /// Distributes anew. As many items make as many buckets.
    pub fn distribute(
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
        let buckets = (count / BUCKET).next_power_of_two().min(MOST_BUCKETS);
        let bucket = |item: T| (hash(item) >> (u64::BITS - buckets.trailing_zeros())) as usize;
        self.ends.resize(buckets, 0);
        for item in items.clone() {
            self.ends[bucket(item)] += 1;
        }
        let mut total = 0;
        // starts for now; each moves to its end as its bucket is filled
        for end in &mut self.ends {
            total += std::mem::replace(end, total);
        }
        self.items.resize(total, T::default());
        for item in items {
            let at = &mut self.ends[bucket(item)];
            self.items[*at] = item;
            *at += 1;
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, bucket: usize) -> &[T] {
        let start = bucket.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start..self.ends[bucket]]
    }
}

#[cfg(test)]
mod tests {
    use super::Buckets;
    use pidlab_core::mix::mix;

    #[test]
    fn every_item_lies_in_the_bucket_of_its_hash() {
        let hash = |item: u64| mix(item, 0);
        for count in [0, 1, 5_000, 1_000_000] {
            let mut buckets = Buckets::default();
            buckets.distribute(0..count as usize, |item| hash(item as u64));
            let mut seen = vec![false; count as usize];
            for bucket in 0..buckets.len() {
                for &item in buckets.get(bucket) {
                    assert!(!std::mem::replace(&mut seen[item], true));
                    let share = (u128::from(hash(item as u64)) * buckets.len() as u128) >> 64;
                    assert_eq!(share, bucket as u128);
                }
            }
            assert!(seen.into_iter().all(|seen| seen));
            assert_eq!(buckets.len() > 1, count > 1_000);
        }
    }
}
