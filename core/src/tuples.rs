//! Labelled tuples of elements, pairs apart from longer ones.
//!
//! Most vectors with several pids have two, and loops over pairs need no look at lengths.

/// A tuple of two elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pair {
    pub label: u64,
    pub x: u32,
    pub y: u32,
}

/// A multiset of tuples with two members or more.
#[derive(Clone, Debug, Default)]
pub struct Tuples {
    pairs: Vec<Pair>,
    labels: Vec<u64>,
    /// Where each longer tuple ends in `members`.
    ends: Vec<u32>,
    members: Vec<u32>,
}

impl Tuples {
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.labels.clear();
        self.ends.clear();
        self.members.clear();
    }

    pub fn len(&self) -> usize {
        self.pairs.len() + self.labels.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Members over all tuples.
    pub fn member_count(&self) -> usize {
        self.pairs.len() * 2 + self.members.len()
    }

    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Tuples of three members or more.
    pub fn longer(&self) -> impl Iterator<Item = (u64, &[u32])> {
        let mut start = 0;
        self.labels.iter().zip(&self.ends).map(move |(&label, &end)| {
            let members = &self.members[start..end as usize];
            start = end as usize;
            (label, members)
        })
    }

    /// Adds a tuple of at least two members.
    #[inline]
    pub fn push(&mut self, label: u64, members: &[u32]) {
        match *members {
            [x, y] => self.pairs.push(Pair { label, x, y }),
            _ => {
                self.members.extend_from_slice(members);
                self.labels.push(label);
                self.ends.push(self.members.len() as u32);
            }
        }
    }
}
