//! States (σ, η): SACS'10, section 3.
//!
//! σ maps locations to multisets of vectors of data and pids; η gives the number of children each
//! active pid has created. A [`State`] is flat arrays: vectors lie one after another, a component is
//! one word, pids are numbers into the [`Forest`], data are numbers into a table.

use crate::datum::Datum;
use crate::forest::{Forest, NONE, PidId, Trie, TrieNode};
use crate::mix::{mix, mix_bytes};
use crate::pid::{Pid, excerpt};
use pidlab_budget::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use thiserror::Error;

/// One component of a vector: the number of a pid, or of a data value in its complement.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Component(i32);

/// A [`Component`] taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentKind {
    /// Number of a pid in the [`Forest`].
    Pid(PidId),
    /// Number into [`State::data`].
    Data(u32),
}

impl Component {
    fn pid(number: u32) -> Component {
        Component(number as i32)
    }

    fn data(number: u32) -> Component {
        Component(!number as i32)
    }

    /// 0 and the number of a pid, or 1 and the number of a data value: [`kind`](Self::kind) for loops
    /// that must not branch.
    #[inline]
    pub fn split(self) -> (usize, u32) {
        (usize::from(self.0 < 0), (self.0 ^ (self.0 >> 31)) as u32)
    }

    /// What the component is; see [`split`](Self::split) for hot loops.
    #[inline]
    pub fn kind(self) -> ComponentKind {
        if self.0 < 0 {
            ComponentKind::Data(!self.0 as u32)
        } else {
            ComponentKind::Pid(self.0 as u32)
        }
    }
}

impl std::fmt::Debug for Component {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind().fmt(f)
    }
}

/// η of a pid that is not active.
pub const INACTIVE: u64 = u64::MAX;

/// The most children an active pid may have created: the integers of pids have 64 bits, and its
/// next-pid is a pid with one more.
pub const LARGEST_ETA: u64 = u64::MAX - 1;

/// A state; made by a [`StateBuilder`].
#[derive(Clone, Debug, Default)]
pub struct State {
    forest: Forest,
    eta: Vec<u64>,
    in_sigma: Vec<bool>,
    locations: Vec<Box<str>>,
    vector_location: Vec<u32>,
    vector_start: Vec<u32>,
    components: Vec<Component>,
    data: Vec<Datum>,
    hashes: Hashes,
    consistent: bool,
}

/// Content hashes of the names in a state, made once when it is built.
#[derive(Clone, Debug, Default)]
pub struct Hashes {
    locations: Vec<u64>,
    /// What stands for any pid, then the data values by number.
    components: Vec<u64>,
}

/// Units of a budget that one vector takes, beside one for each component.
const VECTOR: u64 = 4;

/// Stands for a pid in the hash of a vector.
const HOLE: u64 = 0x5851_f42d_4c95_7f2d;

impl Hashes {
    /// Hash of the name of a location.
    #[inline]
    pub fn location(&self, location: u32) -> u64 {
        self.locations[location as usize]
    }

    /// Of a component, all pids alike. Whether a component is a pid cannot be predicted, so this
    /// does not branch on it.
    #[inline]
    pub fn component(&self, component: Component) -> u64 {
        self.components[component.0.wrapping_neg().max(0) as usize]
    }
}

fn hash_datum(datum: &Datum) -> u64 {
    match datum {
        Datum::Bool(value) => mix(0xb001, u64::from(*value)),
        Datum::Int(value) => mix(mix(0x1177, *value as u64), (*value >> 64) as u64),
        Datum::Str(text) => mix_bytes(0x57, text.as_bytes()),
    }
}

impl State {
    /// The pids of σ and the active pids.
    #[inline]
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// Number of listed pids: those of σ and the active ones (the same where the state is consistent).
    #[inline]
    pub fn pid_count(&self) -> usize {
        self.forest.len()
    }

    /// The numbers of all listed pids, in lexicographic order of the pids.
    pub fn pids(&self) -> std::ops::Range<PidId> {
        0..self.pid_count() as PidId
    }

    /// Number of children created by an active pid.
    #[inline]
    pub fn eta(&self, pid: PidId) -> Option<u64> {
        let count = self.eta[pid as usize];
        (count != INACTIVE).then_some(count)
    }

    /// η as an array over pids; [`INACTIVE`] where it is undefined.
    #[inline]
    pub fn eta_array(&self) -> &[u64] {
        &self.eta
    }

    /// Whether η is defined for the pid.
    #[inline]
    pub fn is_active(&self, pid: PidId) -> bool {
        self.eta[pid as usize] != INACTIVE
    }

    /// Whether the pid occurs in σ; always so where the state is consistent.
    pub fn is_in_sigma(&self, pid: PidId) -> bool {
        self.in_sigma[pid as usize]
    }

    /// The pid that an active pid will create next, π.(η(π)+1).
    pub fn next_pid(&self, pid: PidId) -> Option<Pid> {
        self.eta(pid).map(|count| self.forest.pid(pid).child(count + 1))
    }

    /// Names of the locations that hold a vector, sorted.
    pub fn locations(&self) -> &[Box<str>] {
        &self.locations
    }

    /// Number of vectors over all locations, copies counted each.
    #[inline]
    pub fn vector_count(&self) -> usize {
        self.vector_location.len()
    }

    /// Number of the location of a vector; vectors of one location lie together, in order.
    #[inline]
    pub fn location_of(&self, vector: usize) -> u32 {
        self.vector_location[vector]
    }

    /// The components of a vector.
    #[inline]
    pub fn vector(&self, vector: usize) -> &[Component] {
        &self.components[self.vector_start[vector] as usize..self.vector_start[vector + 1] as usize]
    }

    /// [`location_of`](Self::location_of) for all vectors.
    pub fn vector_locations(&self) -> &[u32] {
        &self.vector_location
    }

    /// Where each vector starts among the [`components`](Self::components), and the end.
    pub fn vector_starts(&self) -> &[u32] {
        &self.vector_start
    }

    /// All components, one vector after another.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Components of the longest vector.
    pub fn max_width(&self) -> u32 {
        let widths = self.vector_start.iter().zip(self.vector_start.iter().skip(1));
        widths.map(|(start, end)| end - start).max().unwrap_or(0)
    }

    /// The distinct data values of the state.
    pub fn data(&self) -> &[Datum] {
        &self.data
    }

    /// Hashes of locations and data by content.
    pub fn hashes(&self) -> &Hashes {
        &self.hashes
    }

    /// Whether [`check_consistent`](Self::check_consistent) holds.
    pub fn is_consistent(&self) -> bool {
        self.consistent
    }

    /// Whether the state is a consistent thread configuration (SACS'10, Assumption 2).
    pub fn check_consistent(&self) -> Result<(), Inconsistent> {
        for pid in self.pids() {
            if !self.in_sigma[pid as usize] {
                return Err(Inconsistent::ActiveNotInSigma { pid: self.short_name(pid) });
            }
            let above = self.forest.ancestor(pid);
            if above == NONE || !self.is_active(above) {
                continue;
            }
            let child = self.forest.steps_of(pid)[0];
            let created = self.eta[above as usize];
            if child > created {
                return Err(Inconsistent::NotYetCreated {
                    pid: self.short_name(pid),
                    creator: self.short_name(above),
                    child,
                    created,
                });
            }
        }
        Ok(())
    }

    /// The same state with the vectors of each location in random order: Fisher–Yates, with
    /// `below(n)` uniform in 0..n.
    pub fn with_shuffled_vectors(&self, mut below: impl FnMut(usize) -> usize) -> State {
        let mut order: Vec<usize> = (0..self.vector_count()).collect();
        for location in order.chunk_by_mut(|&a, &b| self.location_of(a) == self.location_of(b)) {
            for i in (1..location.len()).rev() {
                location.swap(i, below(i + 1));
            }
        }
        let mut state = self.clone();
        state.components.clear();
        state.vector_start.truncate(1);
        for vector in order {
            state.components.extend_from_slice(self.vector(vector));
            state.vector_start.push(state.components.len() as u32);
        }
        state
    }

    fn short_name(&self, pid: PidId) -> String {
        excerpt(&self.forest.pid(pid).to_string())
    }
}

/// How a state breaks Assumption 2 of SACS'10.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Inconsistent {
    /// First rule: every active pid occurs in σ.
    #[error(
        "pid {pid} is active (in eta) but does not occur in sigma (SACS'10 Assumption 2, first rule); add it to a vector or drop it from eta"
    )]
    ActiveNotInSigma {
        /// The active pid, shortened where it is long.
        pid: String,
    },
    /// Second rule: no pid descends from a child that its creator has not created yet.
    #[error(
        "pid {pid} descends from child {child} of {creator}, but eta says that {creator} has created {created} so far (SACS'10 Assumption 2, second rule); raise eta of {creator} to at least {child}"
    )]
    NotYetCreated {
        /// The descendant.
        pid: String,
        /// The nearest listed ancestor.
        creator: String,
        /// The number of the child that it descends from.
        child: u64,
        /// What η says of the creator.
        created: u64,
    },
}

/// What cannot be a state at all, consistent or not.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// Two values of η for one pid.
    #[error("eta gives pid {0} twice")]
    EtaTwice(String),
    /// The next-pid would need an integer of more than 64 bits.
    #[error(
        "eta of pid {0} is 2^64-1, so its next pid would end in 2^64, which does not fit in 64 bits; the largest eta is 18446744073709551614"
    )]
    EtaTooLarge(String),
    /// Components are numbered with 31 bits.
    #[error("the state has more than 2^31 {0}")]
    TooLarge(&'static str),
    /// A limit of the builder's budget was reached.
    #[error(transparent)]
    Limit(#[from] Exhausted),
}

/// A component on its way into a [`StateBuilder`].
#[derive(Clone, Debug)]
pub enum NewComponent {
    /// A pid that [`StateBuilder::pid`] has entered.
    Pid(TrieNode),
    /// A data value.
    Data(Datum),
}

/// Collects vectors and counters in any order.
#[derive(Default)]
pub struct StateBuilder {
    budget: Budget,
    trie: Trie,
    in_sigma: Vec<TrieNode>,
    eta: FxHashMap<TrieNode, u64>,
    locations: FxHashMap<Box<str>, u32>,
    vectors: Vec<(u32, u32, u32)>,
    components: Vec<Component>,
    pid_nodes: Vec<TrieNode>,
    data: FxHashMap<Datum, u32>,
}

/// A location entered into a [`StateBuilder`].
#[derive(Clone, Copy, Debug)]
pub struct LocationKey(u32);

impl StateBuilder {
    /// A state without vectors and active pids.
    pub fn new() -> StateBuilder {
        StateBuilder::default()
    }

    /// One that obeys limits, for states of any size.
    pub fn within(budget: &Budget) -> StateBuilder {
        StateBuilder { budget: budget.clone(), ..StateBuilder::default() }
    }

    /// Whether there is time and memory for more; for loops that add vectors.
    #[inline]
    pub fn poll(&self) -> Result<(), Exhausted> {
        self.budget.step()
    }

    /// Enters a location, or finds it again; one without vectors is not part of the state.
    pub fn location(&mut self, name: &str) -> LocationKey {
        if let Some(&key) = self.locations.get(name) {
            return LocationKey(key);
        }
        let key = self.locations.len() as u32;
        self.locations.insert(name.into(), key);
        LocationKey(key)
    }

    /// Enters a location unless it is there.
    pub fn fresh_location(&mut self, name: &str) -> Option<LocationKey> {
        let known = self.locations.len();
        let key = self.location(name);
        (key.0 as usize == known).then_some(key)
    }

    /// The name of a location; for messages.
    pub fn location_name(&self, key: LocationKey) -> &str {
        let named = self.locations.iter().find(|&(_, number)| *number == key.0);
        named.map_or("", |(name, _)| name)
    }

    /// Enters a pid given by its integers (not empty, all positive).
    pub fn pid(&mut self, segments: &[u64]) -> NewComponent {
        NewComponent::Pid(self.trie.list(segments))
    }

    /// Adds one vector to a location.
    pub fn vector(
        &mut self,
        location: LocationKey,
        entries: impl IntoIterator<Item = NewComponent>,
    ) {
        let start = self.components.len() as u32;
        for entry in entries {
            let component = match entry {
                NewComponent::Pid(node) => {
                    self.pid_nodes.push(node);
                    self.in_sigma.push(node);
                    Component::pid(self.pid_nodes.len() as u32 - 1)
                }
                NewComponent::Data(datum) => {
                    let fresh = self.data.len() as u32;
                    Component::data(*self.data.entry(datum).or_insert(fresh))
                }
            };
            self.components.push(component);
        }
        self.vectors.push((location.0, start, self.components.len() as u32));
    }

    /// Makes a pid active with the number of children it has created.
    pub fn active(&mut self, segments: &[u64], created: u64) -> Result<(), BuildError> {
        let name = || excerpt(&Pid::new(segments).map(|p| p.to_string()).unwrap_or_default());
        if created > LARGEST_ETA {
            return Err(BuildError::EtaTooLarge(name()));
        }
        let node = self.trie.list(segments);
        match self.eta.insert(node, created) {
            Some(_) => Err(BuildError::EtaTwice(name())),
            None => Ok(()),
        }
    }

    /// As [`active`](Self::active), for a pid that was entered before; its name is not looked up
    /// again.
    pub fn activate(&mut self, pid: TrieNode, created: u64) -> Result<(), BuildError> {
        let name = |trie: &Trie| excerpt(&trie.name(pid).to_string());
        if created > LARGEST_ETA {
            return Err(BuildError::EtaTooLarge(name(&self.trie)));
        }
        match self.eta.insert(pid, created) {
            Some(_) => Err(BuildError::EtaTwice(name(&self.trie))),
            None => Ok(()),
        }
    }

    /// The state; consistency is a question of its own, see [`State::check_consistent`].
    pub fn finish(self) -> Result<State, BuildError> {
        if self.components.len() > i32::MAX as usize {
            return Err(BuildError::TooLarge("components"));
        }
        let budget = &self.budget;
        let (forest, number) = self.trie.into_forest_within(budget)?;
        let mut eta = vec![INACTIVE; forest.len()];
        for (node, created) in self.eta {
            eta[number.of(node) as usize] = created;
        }
        let mut in_sigma = vec![false; forest.len()];
        for node in self.in_sigma {
            in_sigma[number.of(node) as usize] = true;
        }
        let resolve = |component: Component| match component.kind() {
            ComponentKind::Pid(occurrence) => {
                Component::pid(number.of(self.pid_nodes[occurrence as usize]))
            }
            ComponentKind::Data(_) => component,
        };
        let mut state = State { forest, eta, in_sigma, vector_start: vec![0], ..State::default() };
        state.data = inverse(self.data);
        let (locations, rank) = sorted_locations(self.locations, &self.vectors);
        state.locations = locations;
        let mut vectors = self.vectors;
        vectors.sort_by_key(|&(location, ..)| rank[location as usize]);
        state.components.reserve_exact(self.components.len());
        for (location, start, end) in vectors {
            budget.spend(VECTOR + u64::from(end - start))?;
            let old = &self.components[start as usize..end as usize];
            state.components.extend(old.iter().map(|&c| resolve(c)));
            state.vector_location.push(rank[location as usize]);
            state.vector_start.push(state.components.len() as u32);
        }
        state.hashes = Hashes {
            locations: state
                .locations
                .iter()
                .map(|name| mix_bytes(0x10c, name.as_bytes()))
                .collect(),
            components: std::iter::once(HOLE).chain(state.data.iter().map(hash_datum)).collect(),
        };
        state.consistent = state.check_consistent().is_ok();
        Ok(state)
    }
}

fn inverse(table: FxHashMap<Datum, u32>) -> Vec<Datum> {
    let mut pairs: Vec<_> = table.into_iter().collect();
    pairs.sort_unstable_by_key(|&(_, id)| id);
    pairs.into_iter().map(|(datum, _)| datum).collect()
}

/// Non-empty locations by name, and the rank of each key among them.
fn sorted_locations(
    keys: FxHashMap<Box<str>, u32>,
    vectors: &[(u32, u32, u32)],
) -> (Vec<Box<str>>, Vec<u32>) {
    let mut used = vec![false; keys.len()];
    for &(location, ..) in vectors {
        used[location as usize] = true;
    }
    let mut names: Vec<_> = keys.into_iter().filter(|&(_, key)| used[key as usize]).collect();
    names.sort_unstable();
    let mut rank = vec![u32::MAX; used.len()];
    for (position, &(_, key)) in names.iter().enumerate() {
        rank[key as usize] = position as u32;
    }
    (names.into_iter().map(|(name, _)| name).collect(), rank)
}
