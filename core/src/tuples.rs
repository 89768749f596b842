//! Labelled tuples of elements, by number of members.
//!
//! Most vectors have few pids. Tuples of two, three and four members lie in arrays of their own, so
//! that loops over them need no look at lengths.

use std::array::from_fn;

/// A tuple of two elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tuple2 {
    /// What an isomorphism keeps of the tuple.
    pub label: u64,
    /// The first member.
    pub x: u32,
    /// The second member.
    pub y: u32,
}

/// A tuple of N elements.
#[derive(Clone, Copy, Debug)]
pub struct Tuple<const N: usize> {
    /// What an isomorphism keeps of the tuple.
    pub label: u64,
    /// The members in order.
    pub members: [u32; N],
}

impl<const N: usize> Tuple<N> {
    /// The first members of a tuple with room for more.
    #[inline]
    pub fn first_of<const ROOM: usize>(label: u64, members: &[u32; ROOM]) -> Tuple<N> {
        Tuple { label, members: from_fn(|i| members[i]) }
    }
}

/// A multiset of tuples with two members or more.
#[derive(Clone, Debug, Default)]
pub struct Tuples {
    /// Tuples of two members.
    pub pairs: Vec<Tuple2>,
    /// Tuples of three members.
    pub triples: Vec<Tuple<3>>,
    /// Tuples of four members.
    pub quadruples: Vec<Tuple<4>>,
    long: Long,
}

/// Tuples with more members.
#[derive(Clone, Debug, Default)]
struct Long {
    labels: Vec<u64>,
    /// Where each tuple ends in `members`.
    ends: Vec<u32>,
    members: Vec<u32>,
}

impl Tuples {
    /// Removes all tuples; memory is kept.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.triples.clear();
        self.quadruples.clear();
        self.long.labels.clear();
        self.long.ends.clear();
        self.long.members.clear();
    }

    /// Number of tuples of all lengths.
    pub fn len(&self) -> usize {
        self.pairs.len() + self.triples.len() + self.quadruples.len() + self.long.labels.len()
    }

    /// Whether there is no tuple.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Members over all tuples.
    pub fn member_count(&self) -> usize {
        let short = [self.pairs.len() * 2, self.triples.len() * 3, self.quadruples.len() * 4];
        short.iter().sum::<usize>() + self.long.members.len()
    }

    /// The labels of all tuples, to be changed in place.
    pub fn labels_mut(&mut self) -> impl Iterator<Item = &mut u64> {
        let pairs = self.pairs.iter_mut().map(|pair| &mut pair.label);
        let triples = self.triples.iter_mut().map(|tuple| &mut tuple.label);
        let quadruples = self.quadruples.iter_mut().map(|tuple| &mut tuple.label);
        pairs.chain(triples).chain(quadruples).chain(&mut self.long.labels)
    }

    /// Tuples of three members or more.
    pub fn longer(&self) -> impl Iterator<Item = (u64, &[u32])> {
        let triples = self.triples.iter().map(|tuple| (tuple.label, &tuple.members[..]));
        let quadruples = self.quadruples.iter().map(|tuple| (tuple.label, &tuple.members[..]));
        triples.chain(quadruples).chain(self.long())
    }

    /// Tuples of five members or more.
    pub fn long(&self) -> impl Iterator<Item = (u64, &[u32])> {
        let mut start = 0;
        self.long.labels.iter().zip(&self.long.ends).map(move |(&label, &end)| {
            let members = &self.long.members[start..end as usize];
            start = end as usize;
            (label, members)
        })
    }

    /// Adds a tuple of at least two members.
    #[inline]
    pub fn push(&mut self, label: u64, members: &[u32]) {
        match *members {
            [x, y] => self.pairs.push(Tuple2 { label, x, y }),
            [x, y, z] => self.triples.push(Tuple { label, members: [x, y, z] }),
            [x, y, z, u] => self.quadruples.push(Tuple { label, members: [x, y, z, u] }),
            _ => {
                self.long.members.extend_from_slice(members);
                self.long.labels.push(label);
                self.long.ends.push(self.long.members.len() as u32);
            }
        }
    }
}
