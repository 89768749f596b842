//! What a search found.

use super::batch::KeyBatch;
use super::counters::{Counters, Timing};
use super::limits::{Limits, StopReason};
use super::model::{Failure, Label};
use super::options::Options;
use super::path::Parents;
use super::store::{Id, Store};
use std::time::Duration;

/// One edge of the reduced graph.
pub type Edge = (Id, Label, Id);

/// What a search found: counts, the first state of each kind that was looked for, and the way to any state.
/// Holds what was found so far where a limit ended the search.
#[derive(Clone, Debug, Default)]
pub struct SearchReport {
    /// The counts.
    pub counters: Counters,
    /// `None`: everything reachable was seen.
    pub stopped: Option<StopReason>,
    /// For every bit of [`Model::inspect`](super::Model::inspect): the first state where it was set.
    pub found: Vec<(u32, Id)>,
    /// The first state without successor.
    pub first_deadlock: Option<Id>,
    /// The first deadlock that is not a proper end.
    pub first_stuck: Option<Id>,
    /// Where each state was reached from first.
    pub parents: Parents,
    /// Where the store holds a part of the space: the number of each of its states in the whole.
    pub numbers: Vec<Id>,
    /// All edges, distinct, grouped by source, if they were asked for.
    pub edges: Vec<Edge>,
    /// States without successor, and whether that is a proper end, if edges were asked for.
    pub dead_ends: Vec<(Id, bool)>,
    /// Where the time went, by samples.
    pub timing: Timing,
    /// Wall-clock time of the search.
    pub elapsed: Duration,
    /// Bytes that the store holds for keys.
    pub key_bytes: u64,
    /// Bytes that it holds for finding them.
    pub index_bytes: u64,
    /// Those among the latter that lead back to where a state was reached from.
    pub parent_bytes: u64,
    /// Number of states at which the limits of the store must be looked at.
    ceiling: u64,
}

/// Most states stored between two looks at how much room the store has.
const LOOK_EVERY: u64 = 1 << 12;

impl SearchReport {
    /// Whether everything reachable was seen.
    pub fn complete(&self) -> bool {
        self.stopped.is_none()
    }

    /// Stores a key; `None` if it is new and the store must not grow.
    #[inline]
    pub(super) fn admit<S: Store>(
        &mut self,
        store: &mut S,
        limits: &Limits,
        key: &[u8],
        hash: u64,
    ) -> Option<(Id, bool)> {
        if self.counters.states >= self.ceiling
            && let Err(reason) = self.raise_ceiling(store, limits)
        {
            let known = store.find(key, hash);
            if known.is_none() {
                self.stopped.get_or_insert(reason);
            }
            return known.map(|id| (id, false));
        }
        let (id, fresh) = store.insert(key, hash);
        self.counters.states += u64::from(fresh);
        Some((id, fresh))
    }

    /// The same for keys in their order, up to the first that is new and must not be stored; `found` is written over.
    #[inline]
    pub(super) fn admit_all<S: Store>(
        &mut self,
        store: &mut S,
        limits: &Limits,
        keys: &KeyBatch,
        found: &mut Vec<(Id, bool)>,
    ) {
        found.clear();
        if self.counters.states.saturating_add(keys.len() as u64) <= self.ceiling {
            store.insert_all(keys, found);
            self.counters.states += found.iter().map(|&(_, fresh)| u64::from(fresh)).sum::<u64>();
            return;
        }
        found.extend(keys.iter().map_while(|(key, hash)| self.admit(store, limits, key, hash)));
    }

    /// Finds out how many states may be stored before the next look; an error says why none.
    #[cold]
    fn raise_ceiling<S: Store>(&mut self, store: &S, limits: &Limits) -> Result<(), StopReason> {
        let (states, limit) = (self.counters.states, limits.states.unwrap_or(u64::MAX));
        if states >= limit {
            return Err(StopReason::MaxStates);
        }
        if limits.budget.memory_limit().is_none() {
            self.ceiling = limit;
            return Ok(());
        }
        let stored = store.key_bytes() + store.index_bytes() + self.parents.bytes();
        let room = store.room();
        limits.budget.hold(stored);
        if room == 0 {
            limits.budget.reserve_bytes(store.growth_bytes())?;
        }
        self.ceiling = limit.min(states + room.clamp(1, LOOK_EVERY));
        Ok(())
    }

    /// Takes note of how a search ended: a limit reached within one step ends it as one between two
    /// steps does, and what was found so far stays.
    pub(super) fn note_end(&mut self, end: Result<(), Failure>) -> Result<(), Failure> {
        match end {
            Err(Failure::Limit(what)) => {
                self.stopped.get_or_insert(what.into());
                Ok(())
            }
            other => other,
        }
    }

    /// Takes note of what the properties find at a state.
    #[inline]
    pub(super) fn note(&mut self, findings: u64, id: Id, stop_at: u64) {
        if findings != 0 {
            self.note_all(findings, id, stop_at);
        }
    }

    fn note_all(&mut self, findings: u64, id: Id, stop_at: u64) {
        for bit in (0..u64::BITS).filter(|bit| findings >> bit & 1 == 1) {
            if self.found.iter().all(|&(known, _)| known != bit) {
                self.found.push((bit, id));
            }
        }
        if findings & stop_at != 0 {
            self.stopped = Some(StopReason::Found);
        }
    }

    pub(super) fn note_deadlock(&mut self, id: Id, findings: u64, options: &Options<'_>) {
        self.counters.deadlocks += 1;
        self.first_deadlock.get_or_insert(id);
        let is_end = findings & options.ends != 0;
        if options.record_edges {
            self.dead_ends.push((id, is_end));
        }
        if is_end {
            self.counters.ends += 1;
            return;
        }
        self.first_stuck.get_or_insert(id);
        if options.stop_at_deadlock {
            self.stopped = Some(StopReason::Deadlock);
        }
    }

    /// The number of a stored state in the whole space.
    pub fn number(&self, id: Id) -> Id {
        self.numbers.get(id as usize).copied().unwrap_or(id)
    }

    /// Where a property found something first.
    pub fn found(&self, bit: u32) -> Option<Id> {
        self.found.iter().find(|&&(known, _)| known == bit).map(|&(_, id)| id)
    }
}
