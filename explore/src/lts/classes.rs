//! The states of a file as they come: packed, and put into classes.
//!
//! Reading a line takes about as long as linking the pids of its state and making the key, so that a second thread does
//! this while the next lines are read. States travel in batches, whose memory comes back to be filled again.
//! Numbers of classes are given in the order of the lines, with one thread or two.

use super::keys::Keys;
use super::state::{LtsBuilder, LtsState};
use crate::net::compiled::Place;
use crate::search::{ArenaStore, Failure, Store, key_hash};
use pidlab_budget::Budget;
use pidlab_core::Relations;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};

/// No such state.
pub const NONE: u32 = u32::MAX;
/// States of a batch.
const BATCH: usize = 64;
/// Batches that wait at most.
const WAITING: usize = 16;

/// What a line says about a state besides the state itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Listed {
    pub number: u32,
    pub initial: bool,
    pub expanded: bool,
}

/// States that were read, not yet put together.
#[derive(Default)]
pub struct Batch {
    states: Vec<(Listed, LtsBuilder)>,
    used: usize,
    places: Arc<Vec<Place>>,
}

impl Batch {
    /// Keeps a state, and gives memory for another one.
    pub fn keep(&mut self, listed: Listed, state: &mut LtsBuilder) {
        if self.used == self.states.len() {
            self.states.push(Default::default());
        }
        let room = &mut self.states[self.used];
        room.0 = listed;
        std::mem::swap(&mut room.1, state);
        self.used += 1;
    }

    pub fn is_full(&self) -> bool {
        self.used == BATCH
    }

    /// Makes all places known that a state may have a vector at.
    pub fn see(&mut self, places: &[Place], shared: &mut Arc<Vec<Place>>) {
        if shared.len() != places.len() {
            *shared = Arc::new(places.to_vec());
        }
        self.places = Arc::clone(shared);
    }
}

/// A state in its place.
#[derive(Clone, Copy)]
pub struct Placed {
    pub listed: Listed,
    /// Where its bytes begin and how many there are.
    pub start: u64,
    pub len: u32,
    pub class: u32,
}

/// Classes of states.
pub struct Classes {
    relations: Relations,
    budget: Budget,
    store: ArenaStore,
    keys: Keys,
    key: Vec<u8>,
    state: LtsState,
    /// The first state that is not a consistent thread configuration.
    pub inconsistent: Option<LtsState>,
    pub packed: Vec<u8>,
    pub states: Vec<Placed>,
    /// Of each class the first state whose transitions are listed.
    pub expanded: Vec<u32>,
    /// Of each class the first state.
    pub first: Vec<u32>,
}

impl Classes {
    pub fn new(relations: Relations, budget: &Budget) -> Classes {
        Classes {
            relations,
            budget: budget.clone(),
            store: ArenaStore::new(),
            keys: Keys::within(budget),
            key: Vec::new(),
            state: LtsState::default(),
            inconsistent: None,
            packed: Vec::new(),
            states: Vec::new(),
            expanded: Vec::new(),
            first: Vec::new(),
        }
    }

    /// Puts the states of a batch into their classes, and empties it.
    fn take(&mut self, batch: &mut Batch) -> Result<(), Failure> {
        let places = &batch.places;
        let state = &mut self.state;
        for (listed, parts) in &mut batch.states[..batch.used] {
            parts.finish(places, state);
            if state.fault.is_some() && self.inconsistent.is_none() {
                self.inconsistent = Some(state.clone());
            }
            self.keys.key(places, self.relations, state, &mut self.key)?;
            let (class, fresh) = self.store.insert(&self.key, key_hash(&self.key));
            if fresh {
                self.expanded.push(NONE);
                self.first.push(listed.number);
            }
            let first = &mut self.expanded[class as usize];
            if listed.expanded && *first == NONE {
                *first = listed.number;
            }
            let start = self.packed.len() as u64;
            state.pack(&mut self.packed);
            let len = (self.packed.len() as u64 - start) as u32;
            self.states.push(Placed { listed: *listed, start, len, class });
        }
        batch.used = 0;
        let held = self.packed.capacity() + self.states.capacity() * size_of::<Placed>();
        self.budget.hold(held as u64 + self.store.key_bytes() + self.store.index_bytes());
        Ok(self.budget.poll()?)
    }
}

/// Who puts states into classes.
pub enum Sorter<'s> {
    /// The thread that reads.
    Here(Box<Classes>),
    /// A thread of its own.
    There {
        full: SyncSender<Batch>,
        empty: Receiver<Batch>,
        thread: ScopedJoinHandle<'s, Result<Classes, Failure>>,
    },
}

impl<'s> Sorter<'s> {
    pub fn start<'e>(
        classes: Classes,
        threads: usize,
        scope: &'s Scope<'s, 'e>,
    ) -> std::io::Result<Sorter<'s>> {
        if threads < 2 {
            return Ok(Sorter::Here(Box::new(classes)));
        }
        let (full, batches) = sync_channel(WAITING);
        let (back, empty) = channel();
        let thread = std::thread::Builder::new()
            .spawn_scoped(scope, move || sort_all(classes, &batches, &back))?;
        Ok(Sorter::There { full, empty, thread })
    }

    /// Hands over a batch for an empty one; `false` if nobody takes it any more, and [`Sorter::finish`] says why.
    pub fn take(&mut self, batch: &mut Batch) -> Result<bool, Failure> {
        match self {
            Sorter::Here(classes) => classes.take(batch).map(|()| true),
            Sorter::There { full, empty, .. } => {
                let next = empty.try_recv().unwrap_or_default();
                Ok(full.send(std::mem::replace(batch, next)).is_ok())
            }
        }
    }

    /// The classes, once all batches are taken.
    pub fn finish(self) -> Result<Classes, Failure> {
        match self {
            Sorter::Here(classes) => Ok(*classes),
            Sorter::There { full, thread, .. } => {
                drop(full);
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }
        }
    }
}

fn sort_all(
    mut classes: Classes,
    batches: &Receiver<Batch>,
    back: &Sender<Batch>,
) -> Result<Classes, Failure> {
    for mut batch in batches {
        classes.take(&mut batch)?;
        // whoever reads may have ended
        let _ = back.send(batch);
    }
    Ok(classes)
}
