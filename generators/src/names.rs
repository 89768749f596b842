//! Names of pids, one after another in one array.

use std::ops::Range;

/// A list of pids by their integers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PidNames {
    segments: Vec<u64>,
    /// Name i ends before `segments[ends[i]]`.
    ends: Vec<usize>,
}

impl PidNames {
    /// Number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a name.
    pub fn push(&mut self, name: &[u64]) {
        self.segments.extend_from_slice(name);
        self.ends.push(self.segments.len());
    }

    fn range(&self, pid: usize) -> Range<usize> {
        let start = pid.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[pid]
    }

    /// The integers of a name.
    pub fn get(&self, pid: usize) -> &[u64] {
        &self.segments[self.range(pid)]
    }

    /// The integers of a name, to be changed in place.
    pub fn get_mut(&mut self, pid: usize) -> &mut [u64] {
        let range = self.range(pid);
        &mut self.segments[range]
    }

    /// All names in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u64]> {
        (0..self.len()).map(|pid| self.get(pid))
    }
}
