//! What a client of the search brings: a model and a canoniser.

use pidlab_budget::{Budget, Exhausted};
use std::collections::VecDeque;
use thiserror::Error;

/// A transition's number; the client knows its name.
pub type Label = u32;

/// A part of a state that is written over, and with what; the client knows what parts are.
pub type Change = (u32, u32);

/// Why a search, or what comes after it, cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// A limit was reached within one step, such as the successors or the canonical form of one
    /// state; a search ends there like at a limit of its own.
    #[error(transparent)]
    Limit(#[from] Exhausted),
    /// The model did something undefined, such as an integer overflow; the text says where.
    #[error("{0}")]
    Model(String),
    /// The processes that were to search together could not be brought together.
    #[error("{0}")]
    Setup(String),
    /// A process that searched together with this one was lost; what was found so far is incomplete.
    #[error("{0}")]
    Lost(String),
}

/// A transition system given by its initial states and its successor function.
pub trait Model: Sync {
    /// A concrete state. Slots are reused: `Default` makes an empty one, `clone_from` fills one.
    type State: Clone + Default + Send + Sync;
    /// What one thread of the search keeps between calls, so that a call allocates nothing.
    type Worker: Send;

    /// Memory for one thread of the search.
    fn worker(&self) -> Self::Worker;

    /// Tells a worker what the successors of a single state may use; for models where they can be
    /// very many.
    fn allow(&self, _worker: &mut Self::Worker, _budget: &Budget) {}

    /// Appends the initial states, in a fixed order; their labels do not count.
    fn initial(
        &self,
        worker: &mut Self::Worker,
        out: &mut Successors<Self::State>,
    ) -> Result<(), Failure>;

    /// Appends all successors, in an order that depends on the state alone.
    fn successors(
        &self,
        worker: &mut Self::Worker,
        state: &Self::State,
        out: &mut Successors<Self::State>,
    ) -> Result<(), Failure>;

    /// Allows a worker to tell successors by what changes ([`Successors::push_changes`]). Searches
    /// that do not ask get whole states.
    fn by_changes(&self, _worker: &mut Self::Worker) {}

    /// Makes changes to a state, in order; taking back what is appended to `undo`, in reverse order, restores it.
    /// Needed by models that tell successors by what changes.
    fn change(&self, _state: &mut Self::State, _changes: &[Change], _undo: &mut Vec<Change>) {}

    /// Tells a worker which states are expanded next, the first one first, and how many of them it has
    /// taken note of; it is told again after so many. For models that answer many questions at once
    /// faster than one by one. Called in breadth-first searches from concrete states on one thread.
    fn announce(
        &self,
        _worker: &mut Self::Worker,
        _next: &VecDeque<Self::State>,
    ) -> Result<usize, Failure> {
        Ok(usize::MAX)
    }

    /// Which properties find something at a state, one bit each; asked once per stored state.
    fn inspect(&self, _worker: &mut Self::Worker, _state: &Self::State) -> Result<u64, Failure> {
        Ok(0)
    }

    /// Writes a concrete state over `bytes`, for another process; `false` where states of this model
    /// never leave a process. Needed for [`Continue::Concrete`](super::Continue::Concrete) only.
    fn pack(&self, _state: &Self::State, _bytes: &mut Vec<u8>) -> bool {
        false
    }

    /// Writes the state that [`Model::pack`] made bytes of over `state`; `false` if it did not.
    fn unpack(&self, _bytes: &[u8], _state: &mut Self::State) -> bool {
        false
    }
}

/// From a state to its key in the visited set.
pub trait Canonizer<S>: Sync {
    /// What one thread of the search keeps between calls.
    type Worker: Send;

    /// Memory for one thread of the search.
    fn worker(&self) -> Self::Worker;

    /// Tells a worker what a single key may use; for canonisers that may take long over one.
    fn allow(&self, _worker: &mut Self::Worker, _budget: &Budget) {}

    /// Writes the key of `state` over `key`. Exact canonisers give equal keys to equivalent states
    /// and only to them.
    fn key(&self, worker: &mut Self::Worker, state: &S, key: &mut Vec<u8>) -> Result<(), Failure>;

    /// Whether keys can be told by changes; only then successors are.
    fn takes_changes(&self) -> bool {
        false
    }

    /// Prepares keys of states that differ from `source` by changes; says whether they cost so little that they
    /// may be computed before they are needed, and once more later.
    fn prepare(&self, _worker: &mut Self::Worker, _source: &S) -> bool {
        false
    }

    /// Appends the key of the prepared state with changes to `keys`.
    fn changed_key(
        &self,
        _worker: &mut Self::Worker,
        _changes: &[Change],
        _keys: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        Err(Failure::Model("this canoniser needs whole states; this is a bug".into()))
    }

    /// Writes the state that a key stands for over `state`; needed for
    /// [`Continue::Representative`](super::Continue::Representative) only.
    fn decode(&self, worker: &mut Self::Worker, key: &[u8], state: &mut S);

    /// The same, and prepares keys of states that differ from it by changes.
    fn decode_source(&self, worker: &mut Self::Worker, key: &[u8], state: &mut S) {
        self.decode(worker, key, state);
        self.prepare(worker, state);
    }
}

/// A reusable list of labelled successors; slots keep their memory.
#[derive(Debug, Default)]
pub struct Successors<S> {
    slots: Vec<S>,
    tags: Vec<Tag>,
    /// Of all successors that are told by what changes.
    changes: Vec<Change>,
}

/// How long a list of successors is.
pub(crate) struct Extent {
    successors: usize,
    changes: usize,
}

/// What is known of a successor besides its state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    pub label: Label,
    /// How many transitions this one stands for, by symmetry.
    pub weight: u32,
    /// Where its changes lie; it is a whole state if they begin at [`WHOLE`].
    changes: (u32, u32),
}

const WHOLE: u32 = u32::MAX;

impl Tag {
    /// The changes of a successor, among those of all.
    #[inline]
    pub fn changes<'c>(&self, all: &'c [Change]) -> Option<&'c [Change]> {
        let (start, end) = self.changes;
        (start != WHOLE).then(|| &all[start as usize..end as usize])
    }

    /// The same where the list of all changes is appended to one of so many.
    pub fn moved(mut self, by: usize) -> Tag {
        if self.changes.0 != WHOLE {
            self.changes.0 += by as u32;
            self.changes.1 += by as u32;
        }
        self
    }
}

impl<S: Default> Successors<S> {
    /// An empty list.
    pub fn new() -> Successors<S> {
        Successors { slots: Vec::new(), tags: Vec::new(), changes: Vec::new() }
    }

    /// Forgets the successors; their slots stay. For those who ask for successors: a model adds to what is there, which may
    /// be successors of other states.
    pub fn clear(&mut self) {
        self.tags.clear();
        self.changes.clear();
    }

    /// Forgets those that were added since then.
    pub(crate) fn cut_back(&mut self, to: &Extent) {
        self.tags.truncate(to.successors);
        self.changes.truncate(to.changes);
    }

    /// How much there is.
    pub(crate) fn extent(&self) -> Extent {
        Extent { successors: self.tags.len(), changes: self.changes.len() }
    }

    /// Number of successors.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Whether there is none: a deadlock.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// Adds a successor; the slot holds an old state that the caller overwrites.
    #[inline]
    pub fn push(&mut self, label: Label) -> &mut S {
        self.push_weighted(label, 1)
    }

    /// Adds a successor that stands for `weight` symmetric ones.
    #[inline]
    pub fn push_weighted(&mut self, label: Label, weight: u32) -> &mut S {
        let at = self.tags.len();
        self.tags.push(Tag { label, weight, changes: (WHOLE, WHOLE) });
        if at == self.slots.len() {
            self.slots.push(S::default());
        }
        &mut self.slots[at]
    }

    /// Adds a successor that is the state it comes from but for some changes; only for searches that
    /// allow it ([`Model::by_changes`]).
    #[inline]
    pub fn push_changes(&mut self, label: Label, changes: impl IntoIterator<Item = Change>) {
        let start = self.changes.len() as u32;
        self.changes.extend(changes);
        let changes = (start, self.changes.len() as u32);
        self.tags.push(Tag { label, weight: 1, changes });
        if self.tags.len() > self.slots.len() {
            self.slots.push(S::default());
        }
    }

    /// What changes, where a successor is told by that.
    #[inline]
    pub fn changes(&self, index: usize) -> Option<&[Change]> {
        self.tags[index].changes(&self.changes)
    }

    /// Takes the last successor back.
    pub fn retract(&mut self) {
        self.tags.pop();
    }

    /// A successor.
    pub fn state(&self, index: usize) -> &S {
        &self.slots[index]
    }

    /// The transition that leads to a successor.
    pub fn label(&self, index: usize) -> Label {
        self.tags[index].label
    }

    /// How many transitions the successor stands for.
    pub fn weight(&self, index: usize) -> u32 {
        self.tags[index].weight
    }

    /// Whether every successor is told by what changes.
    pub(crate) fn all_by_changes(&self) -> bool {
        self.tags.iter().all(|tag| tag.changes.0 != WHOLE)
    }

    /// The changes of all successors that are told by them.
    pub(crate) fn all_changes(&self) -> &[Change] {
        &self.changes
    }

    pub(crate) fn tag(&self, index: usize) -> Tag {
        self.tags[index]
    }

    /// Exchanges a slot with a state of the caller's: both keep their memory.
    pub(crate) fn swap(&mut self, index: usize, state: &mut S) {
        std::mem::swap(&mut self.slots[index], state);
    }
}
