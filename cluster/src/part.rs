//! The states that one worker owns: a store of its own, and where each state was reached from.
//!
//! A state has a place: its depth and its rank among all states of that depth, counted over all
//! workers in the order in which one process would number them. The predecessor is the rank of a
//! state one level above. Places do not depend on how states are spread over workers. Cost beyond
//! the store: 12 bytes a state.
//!
//! While a level is collected, a new state has an order instead: the rank of the state it was reached
//! from and the position among that state's successors. Of several ways into a new state the one of
//! least order counts, as it is the one that one process would have taken first.

use crate::codec::Reader;
use pidlab_explore::search::{Id, Label, Store, key_hash};

/// Candidates that are looked up together, so that the processor waits for many at once.
const TOGETHER: usize = 32;

/// Rank of the predecessor of an initial state.
pub const NO_RANK: u32 = u32::MAX;

/// A way into a state: the rank of its source and the position among the successors of that.
pub type Order = u64;

pub fn order(rank: u32, index: u32) -> Order {
    u64::from(rank) << 32 | u64::from(index)
}

pub fn rank_of(order: Order) -> u32 {
    (order >> 32) as u32
}

pub struct Part<S> {
    pub store: S,
    /// First state of each level; the last entry belongs to the level that is being collected.
    pub starts: Vec<usize>,
    pub ranks: Vec<u32>,
    pub parents: Vec<u32>,
    pub labels: Vec<Label>,
    /// Orders of the states of the level that is being collected.
    orders: Vec<Order>,
    /// Their concrete states, if the search goes on from those.
    pub concrete: Option<Concrete>,
}

/// Concrete states of a level in packed form.
#[derive(Default)]
pub struct Concrete {
    bytes: Vec<u8>,
    /// Start and length, by state.
    places: Vec<(usize, u32)>,
}

impl Concrete {
    pub fn get(&self, index: usize) -> &[u8] {
        let (start, length) = self.places[index];
        &self.bytes[start..][..length as usize]
    }

    pub fn set(&mut self, index: usize, state: &[u8]) {
        let place = (self.bytes.len(), state.len() as u32);
        self.bytes.extend_from_slice(state);
        if index >= self.places.len() {
            self.places.resize(index + 1, (0, 0));
        }
        self.places[index] = place;
    }

    fn memory(&self) -> u64 {
        (self.bytes.capacity() + self.places.capacity() * size_of::<(usize, u32)>()) as u64
    }
}

/// One way into a state, as it travels.
#[derive(Clone, Copy)]
pub struct Candidate<'b> {
    pub order: Order,
    pub label: Label,
    pub key: &'b [u8],
    /// The concrete state, if the search goes on from those.
    pub state: &'b [u8],
}

impl<S: Store> Part<S> {
    pub fn new(store: S, is_concrete: bool) -> Part<S> {
        Part {
            store,
            starts: vec![0],
            ranks: Vec::new(),
            parents: Vec::new(),
            labels: Vec::new(),
            orders: Vec::new(),
            concrete: is_concrete.then(Concrete::default),
        }
    }

    /// Stores the candidates of a message; `None` if it is not one.
    pub fn take_in(&mut self, mut reader: Reader<'_>) -> Option<()> {
        let empty = Candidate { order: 0, label: 0, key: &[], state: &[] };
        let mut together = [(empty, 0); TOGETHER];
        let mut rank = 0;
        while !reader.is_empty() {
            let mut count = 0;
            while count < TOGETHER && !reader.is_empty() {
                rank = reader.small()?.wrapping_add(rank);
                let candidate = read_candidate(&mut reader, rank, self.concrete.is_some())?;
                together[count] = (candidate, key_hash(candidate.key));
                count += 1;
            }
            self.take_in_some(&together[..count]);
        }
        Some(())
    }

    #[inline]
    fn take_in_some(&mut self, some: &[(Candidate<'_>, u64)]) {
        let store = &self.store;
        let table = some.iter().fold(0, |sum, &(_, hash)| sum ^ store.peek_table(hash));
        let records = some.iter().fold(0, |sum, &(_, hash)| sum ^ store.peek_record(hash));
        std::hint::black_box((table, records));
        for (candidate, hash) in some {
            self.admit(candidate, *hash);
        }
    }

    #[inline]
    fn admit(&mut self, candidate: &Candidate<'_>, hash: u64) {
        let (id, fresh) = self.store.insert(candidate.key, hash);
        let start = self.level_start();
        if fresh {
            self.orders.push(candidate.order);
            self.labels.push(candidate.label);
        } else {
            let Some(index) = (id as usize).checked_sub(start) else { return };
            if self.orders[index] <= candidate.order {
                return;
            }
            self.orders[index] = candidate.order;
            self.labels[id as usize] = candidate.label;
        }
        if let Some(concrete) = &mut self.concrete {
            concrete.set(id as usize - start, candidate.state);
        }
    }

    pub fn level_start(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The states of the level that is being collected by order.
    pub fn ordered(&self) -> Vec<(Order, Id)> {
        let start = self.level_start() as Id;
        let mut ordered: Vec<_> =
            self.orders.iter().zip(start..).map(|(&order, id)| (order, id)).collect();
        // messages arrive in order from each worker: the stable sort finds and merges such runs
        ordered.sort();
        ordered
    }

    /// How many of the new states were reached before an order.
    pub fn before(&self, order: Order) -> u64 {
        self.orders.iter().filter(|&&own| own < order).count() as u64
    }

    /// Ends the collection of a level and makes room for the places of its states; returns their
    /// concrete states.
    pub fn settle(&mut self, is_initial: bool) -> Concrete {
        let parent = |&order: &Order| if is_initial { NO_RANK } else { rank_of(order) };
        self.parents.extend(self.orders.iter().map(parent));
        self.ranks.resize(self.store.len(), 0);
        self.orders.clear();
        self.starts.push(self.store.len());
        self.concrete.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The numbers of the states of a level.
    pub fn level(&self, level: usize) -> std::ops::Range<usize> {
        let end = self.store.len();
        let start = |level: usize| self.starts.get(level).copied().unwrap_or(end);
        start(level)..start(level + 1)
    }

    /// Bytes beyond the store.
    pub fn memory(&self) -> u64 {
        let words = self.ranks.capacity() + self.parents.capacity() + self.labels.capacity();
        let orders = self.orders.capacity() * size_of::<Order>();
        (words * size_of::<u32>() + orders) as u64
            + self.concrete.as_ref().map_or(0, Concrete::memory)
    }
}

#[inline]
fn read_candidate<'b>(
    reader: &mut Reader<'b>,
    rank: u32,
    with_state: bool,
) -> Option<Candidate<'b>> {
    let (index, label) = (reader.small()?, reader.small()?);
    let key = reader.bytes()?;
    let state = if with_state { reader.bytes()? } else { &[] };
    Some(Candidate { order: order(rank, index), label, key, state })
}
