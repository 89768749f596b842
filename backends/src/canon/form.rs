//! The canonical form of a state: one state chosen from each equivalence class.
//!
//! The canonical order says which pid comes first; this file gives the pids names that show exactly
//! what Ω* can see and nothing more, so that the form is equivalent to the state and equal for all
//! states of the class. Siblings that Ω* relates stay siblings; all others move below prefixes of
//! their own. Cost: O(size log size) after the canonical order.

use super::canonizer::StructureCanonizer;
use super::listing::{Contents, Listing};
use crate::budget::{Budget, Exhausted};
use crate::encoding::PidFamily;
use crate::hash::structure_of;
use pidlab_core::forest::{NONE, PidId};
use pidlab_core::mix::mix_bytes;
use pidlab_core::state::{BuildError, Component, ComponentKind, NewComponent, StateBuilder};
use pidlab_core::structure::NextPids;
use pidlab_core::{Relation, Relations, State, json};

/// A canonical form: equal text and hash for equivalent states and only for them.
#[derive(Clone, Debug)]
pub struct CanonicalForm {
    /// The state with canonical names and order.
    pub state: State,
    /// 128-bit hash of the JSON text.
    pub hash: u128,
    /// Pid of the given state → pid of the form.
    pub image: Vec<PidId>,
}

/// Why there is no canonical form.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FormError {
    /// A limit of the budget was reached.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// Only consistent thread configurations have a canonical form.
    #[error("only consistent states have a canonical form: {0}")]
    Inconsistent(#[from] pidlab_core::state::Inconsistent),
}

/// The canonical form of a consistent state.
pub fn canonical_form(
    state: &State,
    relations: Relations,
    budget: &Budget,
) -> Result<CanonicalForm, FormError> {
    state.check_consistent()?;
    let structure = structure_of(state, relations, NextPids::Folded);
    let mut canonizer = StructureCanonizer::new();
    let list = |listing: &mut Listing| write_out(state, relations, listing);
    let position = canonizer.canonize(&structure, list, budget)?;
    let names = Names::new(state, relations, position);
    let form = names.rebuild(position, budget)?;
    let image = names.image(&form, budget)?;
    let text = json::state_to_string(&form);
    let half = |seed| u128::from(mix_bytes(seed, text.as_bytes()));
    Ok(CanonicalForm { hash: half(0x0c) << 64 | half(0xf0), state: form, image })
}

/// What the structure of a state is made of. Contents are numbered by the order of their values, so
/// equivalent states write the same.
fn write_out(state: &State, relations: Relations, listing: &mut Listing) {
    const PROPERTIES: u64 = 0;
    const LINK: u64 = 1;
    const VECTOR: u64 = 2;
    const PID: u64 = 0;
    let family = PidFamily::folded(state, relations);
    for (properties, pid) in family.properties.iter().zip(state.pids()) {
        let [bits, depth, rank] = properties.map(u64::from);
        listing.tuple(&[PROPERTIES, bits, depth, rank], &[pid]);
    }
    for &(link, from, to) in &family.arcs {
        listing.tuple(&[LINK, link as u64], &[from, to]);
    }
    let rank = data_ranks(state);
    let (mut words, mut members) = (Vec::new(), Vec::new());
    for vector in 0..state.vector_count() {
        words.clear();
        members.clear();
        words.extend([VECTOR, state.location_of(vector).into()]);
        for component in state.vector(vector) {
            match component.kind() {
                ComponentKind::Data(datum) => words.push(1 + u64::from(rank[datum as usize])),
                ComponentKind::Pid(pid) => {
                    words.push(PID);
                    members.push(pid);
                }
            }
        }
        listing.tuple(&words, &members);
    }
}

/// Where a group of siblings goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Below a prefix of its own that is not a pid of the state.
    Apart,
    /// Below a child of this pid that is not a pid of the state.
    FarBelow(PidId),
    /// Children of this pid.
    ChildrenOf(PidId),
}

/// The new names: for each pid its parent among the pids (or `NONE`) and the integers below it.
struct Names<'s> {
    state: &'s State,
    relations: Relations,
    parent: Vec<PidId>,
    steps: Vec<[u64; 2]>,
    eta: Vec<u64>,
}

impl<'s> Names<'s> {
    fn new(state: &'s State, relations: Relations, position: &[u32]) -> Names<'s> {
        let n = state.pid_count();
        let mut names = Names {
            state,
            relations,
            parent: vec![NONE; n],
            steps: vec![[0, 0]; n],
            eta: vec![0; n],
        };
        let mut leaders = names.leaders();
        leaders.sort_unstable_by_key(|&x| position[x as usize]);
        let places: Vec<Place> = leaders.iter().map(|&x| names.place(x)).collect();
        names.place_apart(&leaders, &places);
        names.place_below(&leaders, &places);
        names.place_children(&leaders, &places);
        names
    }

    fn sees(&self, relation: Relation) -> bool {
        self.relations.contains(relation)
    }

    /// The next sibling that Ω* relates to x.
    fn younger(&self, x: PidId) -> PidId {
        let forest = self.state.forest();
        let adjacent = self.sees(Relation::AdjacentSibling) && forest.is_adjacent(x);
        if adjacent || self.sees(Relation::ElderSibling) { forest.sibling(x) } else { NONE }
    }

    /// Pids that have no visible elder sibling.
    fn leaders(&self) -> Vec<PidId> {
        let mut follows = vec![false; self.state.pid_count()];
        for x in self.state.pids() {
            if let Some(slot) = follows.get_mut(self.younger(x) as usize) {
                *slot = true;
            }
        }
        self.state.pids().filter(|&x| !follows[x as usize]).collect()
    }

    fn group(&self, leader: PidId) -> impl Iterator<Item = PidId> {
        std::iter::successors(Some(leader), |&x| Some(self.younger(x)).filter(|&y| y != NONE))
    }

    /// Whether the next-pid of the parent follows x immediately.
    fn next_follows(&self, x: PidId) -> bool {
        let forest = self.state.forest();
        self.has_creator(x) && self.state.eta(forest.ancestor(x)) == Some(forest.index(x))
    }

    /// Whether x is the youngest listed child of an active pid.
    fn has_creator(&self, x: PidId) -> bool {
        let forest = self.state.forest();
        forest.is_child(x) && forest.sibling(x) == NONE && self.state.is_active(forest.ancestor(x))
    }

    fn sees_next_after(&self, x: PidId) -> bool {
        (self.sees(Relation::ElderSibling) && self.has_creator(x))
            || (self.sees(Relation::AdjacentSibling) && self.next_follows(x))
    }

    fn place(&self, leader: PidId) -> Place {
        let forest = self.state.forest();
        let above = forest.ancestor(leader);
        let youngest = self.group(leader).last().unwrap_or(leader);
        if above == NONE {
            Place::Apart
        } else if (self.sees(Relation::Parent) && forest.is_child(leader))
            || self.sees_next_after(youngest)
        {
            Place::ChildrenOf(above)
        } else if self.sees(Relation::Ancestor) {
            Place::FarBelow(above)
        } else {
            Place::Apart
        }
    }

    /// Groups with a root prefix of their own: 1.1, 1.2 …, 2.1 …
    fn place_apart(&mut self, leaders: &[PidId], places: &[Place]) {
        let apart = leaders.iter().zip(places).filter(|(_, place)| **place == Place::Apart);
        for (prefix, (&leader, _)) in (1..).zip(apart) {
            self.number_group(leader, NONE, prefix, 1);
        }
    }

    /// Groups below children that are not pids; they take the first children of their ancestor.
    fn place_below(&mut self, leaders: &[PidId], places: &[Place]) {
        for (&leader, &place) in leaders.iter().zip(places) {
            if let Place::FarBelow(above) = place {
                self.eta[above as usize] += 1;
                self.number_group(leader, above, self.eta[above as usize], 1);
            }
        }
    }

    /// Children proper, after those; the group that a next-pid follows comes last.
    fn place_children(&mut self, leaders: &[PidId], places: &[Place]) {
        let adjacent = self.sees(Relation::AdjacentSibling);
        let mut has_children = vec![false; self.state.pid_count()];
        for before_next in [false, true] {
            for (&leader, &place) in leaders.iter().zip(places) {
                let Place::ChildrenOf(parent) = place else { continue };
                let youngest = self.group(leader).last().unwrap_or(leader);
                if self.sees_next_after(youngest) != before_next {
                    continue;
                }
                let gap = u64::from(adjacent && has_children[parent as usize]);
                let first = self.eta[parent as usize] + 1 + gap;
                self.eta[parent as usize] = self.number_group(leader, parent, 0, first);
                has_children[parent as usize] = true;
            }
        }
        if adjacent {
            self.part_from_next_pids(&has_children);
        }
    }

    /// Where no next-pid follows the last child, it must not seem to.
    fn part_from_next_pids(&mut self, has_children: &[bool]) {
        let mut followed = vec![false; has_children.len()];
        for x in self.state.pids().filter(|&x| self.next_follows(x)) {
            followed[self.state.forest().ancestor(x) as usize] = true;
        }
        for parent in 0..has_children.len() {
            if has_children[parent] && !followed[parent] {
                self.eta[parent] += 1;
            }
        }
    }

    /// Numbers the siblings of a group from `first` on; returns the last number.
    fn number_group(&mut self, leader: PidId, parent: PidId, prefix: u64, first: u64) -> u64 {
        let see_gaps = self.sees(Relation::AdjacentSibling);
        let (mut x, mut index) = (leader, first);
        loop {
            self.parent[x as usize] = parent;
            self.steps[x as usize] = [prefix, index];
            let younger = self.younger(x);
            if younger == NONE {
                return index;
            }
            index += 1 + u64::from(see_gaps && !self.state.forest().is_adjacent(x));
            x = younger;
        }
    }

    /// All integers of the new name of a pid, written over `out`.
    fn segments(&self, pid: PidId, out: &mut Vec<u64>) {
        out.clear();
        let mut x = pid;
        while x != NONE {
            let [prefix, index] = self.steps[x as usize];
            out.push(index);
            out.extend((prefix > 0).then_some(prefix));
            x = self.parent[x as usize];
        }
        out.reverse();
    }

    /// The state under its new names, vectors sorted.
    fn rebuild(&self, position: &[u32], budget: &Budget) -> Result<State, Exhausted> {
        let mut builder = StateBuilder::within(budget);
        let mut segments = Vec::new();
        let mut entry = vec![None; self.state.pid_count()];
        for x in self.state.pids() {
            builder.poll()?;
            self.segments(x, &mut segments);
            entry[x as usize] = Some(builder.pid(&segments));
            if self.state.is_active(x) {
                builder.active(&segments, self.eta[x as usize]).expect("each pid has one new name");
            }
        }
        for vector in sorted_vectors(self.state, position) {
            builder.poll()?;
            let location =
                builder.location(&self.state.locations()[self.state.location_of(vector) as usize]);
            let entries =
                self.state.vector(vector).iter().map(|component| match component.kind() {
                    ComponentKind::Pid(x) => {
                        entry[x as usize].clone().expect("every pid has a new name")
                    }
                    ComponentKind::Data(d) => {
                        NewComponent::Data(self.state.data()[d as usize].clone())
                    }
                });
            builder.vector(location, entries);
        }
        match builder.finish() {
            Err(BuildError::Limit(limit)) => Err(limit),
            form => Ok(form.expect("a canonical form is no larger than its state")),
        }
    }

    /// Pid of the state → pid of the form, whose numbers follow the order of the new names.
    fn image(&self, form: &State, budget: &Budget) -> Result<Vec<PidId>, Exhausted> {
        let mut named: Vec<(Vec<u64>, PidId)> = Vec::with_capacity(form.pid_count());
        let mut segments = Vec::new();
        for x in self.state.pids() {
            budget.step()?;
            self.segments(x, &mut segments);
            named.push((segments.clone(), x));
        }
        named.sort_unstable();
        let mut image = vec![NONE; named.len()];
        for (y, (_, x)) in (0..).zip(named) {
            image[x as usize] = y;
        }
        Ok(image)
    }
}

/// For each data value its place among all by value.
fn data_ranks(state: &State) -> Vec<u32> {
    let mut by_value: Vec<u32> = (0..state.data().len() as u32).collect();
    by_value.sort_unstable_by_key(|&d| &state.data()[d as usize]);
    let mut rank = vec![0; by_value.len()];
    for (i, &d) in by_value.iter().enumerate() {
        rank[d as usize] = i as u32;
    }
    rank
}

/// Vectors ordered by location and canonical content.
fn sorted_vectors(state: &State, position: &[u32]) -> Vec<usize> {
    let rank = data_ranks(state);
    let key = |component: &Component| match component.kind() {
        ComponentKind::Data(d) => (false, rank[d as usize]),
        ComponentKind::Pid(x) => (true, position[x as usize]),
    };
    let mut vectors: Vec<usize> = (0..state.vector_count()).collect();
    vectors.sort_by(|&a, &b| {
        let location = state.location_of(a).cmp(&state.location_of(b));
        location.then_with(|| state.vector(a).iter().map(key).cmp(state.vector(b).iter().map(key)))
    });
    vectors
}
