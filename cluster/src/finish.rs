//! The end of a search: what every worker did, and the ways to what was found.
//!
//! The ways are found backwards, one level a round: whoever owns a state on one of them tells all its
//! key, its label and the rank of its predecessor. At the end every process knows the same.

use crate::message::{self, Kind};
use crate::part::NO_RANK;
use crate::run::{End, Run};
use crate::totals::{Place, Totals};
use pidlab_explore::search::{
    Canonizer, Failure, Id, Label, Model, Parents, SearchReport, Store, Timing, key_hash,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What one worker did.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Work {
    pub worker: usize,
    pub states: u64,
    pub key_bytes: u64,
    pub index_bytes: u64,
    pub parent_bytes: u64,
    /// Sampled: successors, keys, batches.
    pub generate: Duration,
    pub canonise: Duration,
    pub batch: Duration,
    /// In full: storing, moving messages, waiting, everything.
    pub stored: Duration,
    pub moved: Duration,
    pub waited: Duration,
    pub elapsed: Duration,
    /// Bytes of keys sent to other workers.
    pub sent: u64,
    /// Bytes that the process wrote to its connections, told by its first worker.
    pub written: u64,
}

/// A state on the way to what was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WayState {
    place: Place,
    key: Vec<u8>,
    label: Label,
    parent: u32,
}

/// Everything that a search came to.
pub struct Outcome {
    pub totals: Totals,
    pub end: End,
    pub work: Vec<Work>,
    pub ways: Vec<WayState>,
}

impl<M: Model, C: Canonizer<M::State>, S: Store> Run<'_, M, C, S> {
    /// Tells all what this worker did and hears the same of the others.
    pub fn finish(&mut self, end: End, elapsed: Duration) -> Result<Outcome, Failure> {
        let ways = self.find_ways()?;
        let Timing { generate, canonize: canonise, store } = self.expander.timing;
        let own = Work {
            worker: self.exchange.index(),
            states: self.part.store.len() as u64,
            key_bytes: self.part.store.key_bytes(),
            index_bytes: self.part.store.index_bytes(),
            parent_bytes: self.part.memory(),
            generate,
            canonise,
            batch: store,
            stored: self.stored,
            moved: self.exchange.moved,
            waited: self.exchange.waited,
            elapsed,
            sent: self.outgoing.sent,
            written: self.exchange.written(),
        };
        let mut work: Vec<Work> = self.tell_all(Kind::Finish, &own)?;
        work.sort_by_key(|work| work.worker);
        Ok(Outcome { totals: self.totals.clone(), end, work, ways })
    }

    /// A round in which everybody tells everybody something.
    fn tell_all<T>(&mut self, kind: Kind, own: &T) -> Result<Vec<T>, Failure>
    where
        T: Serialize + serde::de::DeserializeOwned,
    {
        self.exchange.broadcast(&message::write(kind, own)?);
        self.exchange.close()?;
        let mut all = Vec::new();
        while let Some(parcel) = self.exchange.arriving()? {
            let (_, reader) = message::open(&parcel)?;
            all.push(message::read(reader)?);
        }
        Ok(all)
    }

    fn find_ways(&mut self) -> Result<Vec<WayState>, Failure> {
        let totals = &self.totals;
        let found = totals.found.iter().map(|&(_, place)| place);
        let goals: BTreeSet<Place> =
            found.chain(totals.first_deadlock).chain(totals.first_stuck).collect();
        let Some(deepest) = goals.last() else { return Ok(Vec::new()) };
        let mut ways: Vec<WayState> = Vec::new();
        let mut wanted: BTreeSet<u32> = BTreeSet::new();
        for level in (0..=deepest.level).rev() {
            wanted.extend(goals.iter().filter(|goal| goal.level == level).map(|goal| goal.rank));
            let own = self.states_at(level, &wanted);
            let states = self.tell_all(Kind::Steps, &own)?.concat();
            wanted = states.iter().map(|state: &WayState| state.parent).collect();
            ways.extend(states);
        }
        ways.sort_by_key(|state| state.place);
        Ok(ways)
    }

    /// The states of this worker with some ranks of a level.
    fn states_at(&self, level: u32, ranks: &BTreeSet<u32>) -> Vec<WayState> {
        let mut states = Vec::new();
        for id in self.part.level(level as usize) {
            let rank = self.part.ranks[id];
            if ranks.contains(&rank) {
                let mut key = Vec::new();
                self.part.store.read(id as Id, &mut key);
                let (label, parent) = (self.part.labels[id], self.part.parents[id]);
                states.push(WayState { place: Place { level, rank }, key, label, parent });
            }
        }
        states
    }
}

impl Outcome {
    /// The report of one process that searched alone, with the states on the ways only; `store` is
    /// empty and gets those.
    pub fn report(&self, store: &mut impl Store) -> SearchReport {
        let mut report = SearchReport::default();
        let ids: BTreeMap<Place, Id> = self.ways.iter().map(|state| state.place).zip(0..).collect();
        report.parents = self.parents(&ids);
        for state in &self.ways {
            store.insert(&state.key, key_hash(&state.key));
            let number = self.totals.number(state.place);
            report.numbers.push(Id::try_from(number).unwrap_or(Id::MAX));
        }
        let id = |place: Place| ids.get(&place).copied();
        let mut found = self.totals.found.clone();
        found.sort_by_key(|&(bit, place)| (place, bit));
        report.found = found.iter().filter_map(|&(bit, place)| Some((bit, id(place)?))).collect();
        report.first_deadlock = self.totals.first_deadlock.and_then(id);
        report.first_stuck = self.totals.first_stuck.and_then(id);
        report.counters = self.totals.counters(self.end.last);
        report.stopped = self.end.stopped;
        self.add_work(&mut report);
        report
    }

    fn parents(&self, ids: &BTreeMap<Place, Id>) -> Parents {
        let mut parents = Parents::default();
        for state in &self.ways {
            let Place { level, .. } = state.place;
            let above = Place { level: level.wrapping_sub(1), rank: state.parent };
            match ids.get(&above).filter(|_| state.parent != NO_RANK) {
                Some(&parent) => parents.push(parent, state.label),
                None => parents.push_initial(),
            }
        }
        parents
    }

    fn add_work(&self, report: &mut SearchReport) {
        for work in &self.work {
            report.timing.generate += work.generate;
            report.timing.canonize += work.canonise;
            report.timing.store += work.batch;
            report.key_bytes += work.key_bytes;
            report.index_bytes += work.index_bytes + work.parent_bytes;
            report.parent_bytes += work.parent_bytes;
        }
    }
}
