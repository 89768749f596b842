//! Traces: what refinement did, as a list of numbers that isomorphic nodes of the search tree share.
//!
//! McKay's node invariant in the form of Piperno's Traces (2008): the list is compared while it is
//! made, so that a node that cannot matter any more is left at its first difference.

use std::cmp::Ordering;

/// A trace being made, compared with those of the first and the best path at the same level.
#[derive(Clone, Debug)]
pub struct Tracer<'t> {
    first: Option<&'t [u64]>,
    best: Option<&'t [u64]>,
    /// So far as on the first path.
    pub like_first: bool,
    /// So far less than, like or greater than on the best path; less where there is no best yet.
    pub against_best: Ordering,
    pub values: Vec<u64>,
}

impl<'t> Tracer<'t> {
    pub fn new(first: Option<&'t [u64]>, best: Option<&'t [u64]>, values: Vec<u64>) -> Tracer<'t> {
        let against_best = if best.is_some() { Ordering::Equal } else { Ordering::Less };
        let mut values = values;
        values.clear();
        Tracer { first, best, like_first: first.is_some(), against_best, values }
    }

    /// Appends a value; false if the node is neither like the first nor at least as good as the best.
    #[inline]
    pub fn push(&mut self, value: u64) -> bool {
        let i = self.values.len();
        self.values.push(value);
        if self.like_first && self.first.and_then(|t| t.get(i)) != Some(&value) {
            self.like_first = false;
        }
        if self.against_best == Ordering::Equal {
            self.against_best = match self.best.and_then(|t| t.get(i)) {
                Some(best) => value.cmp(best),
                None => Ordering::Greater,
            };
        }
        self.like_first || self.against_best != Ordering::Greater
    }

    /// Ends the trace: a proper prefix of another trace counts as less.
    pub fn finish(&mut self) -> bool {
        let length = self.values.len();
        if self.like_first && self.first.map(<[u64]>::len) != Some(length) {
            self.like_first = false;
        }
        if self.against_best == Ordering::Equal && self.best.is_some_and(|t| t.len() > length) {
            self.against_best = Ordering::Less;
        }
        self.like_first || self.against_best != Ordering::Greater
    }
}
