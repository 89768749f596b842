//! The witness of "equivalent" by the names of pids and next-pids.

use crate::{Verdict, Witness};
use pidlab_core::State;
use pidlab_core::graph::links::{Links, RelationScope};
use pidlab_core::pid::write_segments;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::fmt;

/// A witness as a map over pids and next-pids, written without being built: the names of deep pids are
/// long.
pub struct WitnessMap<'s> {
    images: &'s [u32],
    q: &'s State,
    r: &'s State,
    /// Tells which next-pids are pids themselves, as they may be in inconsistent states.
    links: Option<Links>,
}

impl<'s> WitnessMap<'s> {
    /// The witness of a verdict, if it has one.
    pub fn of(verdict: &'s Verdict, q: &'s State, r: &'s State) -> Option<WitnessMap<'s>> {
        match verdict {
            Verdict::Equivalent(Witness(images)) => {
                let links = (!q.is_consistent()).then(|| Links::of(q, RelationScope::Sigma));
                Some(WitnessMap { images, q, r, links })
            }
            _ => None,
        }
    }

    /// Pids with their images, each followed by its next-pid if it has one that is not a listed pid.
    pub fn entries(&self) -> impl Iterator<Item = (PidName<'s>, PidName<'s>)> {
        let (images, q, r) = (self.images, self.q, self.r);
        q.pids().flat_map(move |pid| {
            let image = images[pid as usize];
            let own = (PidName::of(q, pid, None), PidName::of(r, image, None));
            let next = match (q.eta(pid), r.eta(image)) {
                (Some(mine), Some(theirs)) if !self.next_is_listed(pid) => Some((
                    PidName::of(q, pid, Some(mine + 1)),
                    PidName::of(r, image, Some(theirs + 1)),
                )),
                _ => None,
            };
            std::iter::once(own).chain(next)
        })
    }

    fn next_is_listed(&self, pid: u32) -> bool {
        self.links.as_ref().is_some_and(|links| (links.next(pid) as usize) < self.q.pid_count())
    }
}

impl Serialize for WitnessMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (from, to) in self.entries() {
            map.serialize_entry(&from, &to)?;
        }
        map.end()
    }
}

/// `@` and a pid, or a child of it.
pub struct PidName<'s> {
    state: &'s State,
    pid: u32,
    child: Option<u64>,
}

impl<'s> PidName<'s> {
    fn of(state: &'s State, pid: u32, child: Option<u64>) -> PidName<'s> {
        PidName { state, pid, child }
    }

    fn text(&self) -> String {
        let mut segments = Vec::new();
        self.state.forest().segments(self.pid, &mut segments);
        segments.extend(self.child);
        let mut text = String::with_capacity(1 + 2 * segments.len());
        text.push('@');
        // a string takes all that is written to it
        let _ = write_segments(&segments, &mut text);
        text
    }
}

impl fmt::Display for PidName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Serialize for PidName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}
