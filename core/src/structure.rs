//! The compact incidence structure of a state under Ω*: what Definition 1 (SACS'10) preserves, and
//! nothing else.
//!
//! Elements are the pids of the state. Every vector with two or more pid components, and every link
//! of the forest that Ω* can see, is a labelled tuple of elements; vectors with one pid only colour
//! it. Two consistent states are equivalent iff a bijection of elements keeps colours and
//! the multiset of labelled tuples, and the vectors without pids are the same.
//!
//! Next-pids need no element of their own in a consistent state: next(x) is younger than every child
//! of x, its only possible siblings, so a tuple from the last child to x (or, with `parent` in Ω*, a
//! colour on that child) says all that Ω* can see of it. Inconsistent states get explicit next-pids.
//!
//! Labels and colours are 64-bit hashes of content. A collision can only make a structure coarser,
//! in the same way for every state: a difference of structures is one of the states, but whatever rests
//! on hashes being equal must be confirmed on the states.
//! Cost: one pass over the components and the pids.

use crate::forest::{Forest, NONE, PidId, Trie};
use crate::mix::mix;
use crate::relation::{Relation, Relations};
use crate::state::State;
use crate::tuples::{Tuple, Tuple2, Tuples};
use crate::vectors::{Read, VectorReader, stretches};

/// Elements with colours, and labelled tuples of elements.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Isomorphism-invariant colour of each element.
    pub colors: Vec<u64>,
    /// For each element its link upwards; empty if Ω* sees none.
    lineage: Vec<Upward>,
    lineage_count: usize,
    /// Links to the next younger sibling: elements in forest order.
    siblings: Vec<Tuple2>,
    tuples: Tuples,
    reader: Option<VectorReader>,
    /// Symmetric hash of what holds no element at all.
    ground: u64,
}

/// The link from an element to its nearest ancestor: half a word of a pair, as every element has at
/// most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upward(u32);

impl Upward {
    const NONE: Upward = Upward(u32::MAX);
    const FAR: u32 = 1 << 31;

    fn to(ancestor: u32, link: Link) -> Upward {
        Upward(if let Link::Parent = link { ancestor } else { ancestor | Upward::FAR })
    }

    /// The label of the link and the ancestor, or a number above all elements.
    #[inline]
    pub fn split(self) -> (u64, u32) {
        const LABELS: [u64; 2] = [Link::Parent.label(), Link::FarAncestor.label()];
        (LABELS[(self.0 >> 31) as usize], self.0 & !Upward::FAR)
    }

    #[inline]
    fn pair(self, x: u32) -> Option<Tuple2> {
        let (label, y) = self.split();
        (self != Upward::NONE).then_some(Tuple2 { label, x, y })
    }
}

/// How next-pids enter a structure; only structures made in the same way compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextPids {
    /// Without elements of their own; right for consistent states only.
    Folded,
    /// As elements after the pids, unless they are pids of the state.
    Explicit,
}

impl NextPids {
    /// What serves all of these states.
    pub fn for_states(states: &[&State]) -> NextPids {
        if states.iter().all(|s| s.is_consistent()) { NextPids::Folded } else { NextPids::Explicit }
    }
}

const ACTIVE: u64 = 0xac71;
const INACTIVE: u64 = 0x1ac7;
const NEXT_ADJACENT: u64 = 0x4ad3;
const NEXT_ELEMENT: u64 = 0x4e37;
const NOT_IN_SIGMA: u64 = 0x0515;
const LINK: u64 = 0x11c4;

/// Kinds of links between pids; the codes are hashed into labels.
#[derive(Clone, Copy)]
enum Link {
    Parent = 1,
    FarAncestor = 2,
    Adjacent = 3,
    FarSibling = 4,
    NextAdjacent = 5,
    NextFar = 6,
    Next = 7,
}

impl Link {
    const fn label(self) -> u64 {
        mix(LINK, self as u64)
    }
}

impl Structure {
    /// Empties the structure and gives it `n` elements of colour 0.
    pub fn clear(&mut self, n: usize) {
        self.colors.clear();
        self.colors.resize(n, 0);
        self.lineage.clear();
        self.lineage_count = 0;
        self.siblings.clear();
        self.tuples.clear();
        self.ground = 0;
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.colors.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.colors.is_empty()
    }

    /// Colours one more element and returns its number.
    pub fn element(&mut self, color: u64) -> u32 {
        self.colors.push(color);
        self.colors.len() as u32 - 1
    }

    /// Adds a labelled tuple; members may repeat. One member: the label colours it instead.
    #[inline]
    pub fn tuple(&mut self, label: u64, members: &[u32]) {
        match *members {
            [] => self.ground = self.ground.wrapping_add(mix(label, 0)),
            [only] => self.paint(only, label),
            _ => self.tuples.push(label, members),
        }
    }

    /// Adds a property to the colour of an element; order does not matter, number does.
    #[inline]
    pub fn paint(&mut self, element: u32, property: u64) {
        let color = &mut self.colors[element as usize];
        *color = color.wrapping_add(mix(property, 1));
    }

    /// Does something to every colour and label that is a hash of its own; for experiments with
    /// collisions.
    pub fn hashes_mut(&mut self, change: impl FnMut(&mut u64)) {
        let links = self.siblings.iter_mut().map(|pair| &mut pair.label);
        let colors = self.colors.iter_mut().chain([&mut self.ground]);
        links.chain(colors).chain(self.tuples.labels_mut()).for_each(change);
    }

    /// Tuples of all kinds.
    pub fn tuple_count(&self) -> usize {
        self.lineage_count + self.siblings.len() + self.tuples.len()
    }

    /// Members over all tuples.
    pub fn member_count(&self) -> usize {
        (self.lineage_count + self.siblings.len()) * 2 + self.tuples.member_count()
    }

    /// Tuples that are not links to ancestors or siblings.
    pub fn tuples(&self) -> &Tuples {
        &self.tuples
    }

    /// For each element its link to its nearest ancestor, which has a smaller number; empty if there is
    /// no such link.
    pub fn lineage(&self) -> &[Upward] {
        &self.lineage
    }

    /// Links from an element to its next younger sibling, from elder to younger.
    pub fn siblings(&self) -> &[Tuple2] {
        &self.siblings
    }

    /// All tuples of two members, links included.
    pub fn pairs(&self) -> impl Iterator<Item = Tuple2> {
        let lineage = self.lineage.iter().zip(0..).filter_map(|(link, x)| link.pair(x));
        lineage.chain(self.siblings.iter().chain(&self.tuples.pairs).copied())
    }

    /// From each active pid to its explicit next-pid.
    pub fn next_links(&self) -> impl Iterator<Item = (u32, u32)> {
        let next = Link::Next.label();
        self.tuples.pairs.iter().filter(move |pair| pair.label == next).map(|p| (p.x, p.y))
    }

    /// A hash of what holds no element; equal for equivalent states.
    pub fn ground(&self) -> u64 {
        self.ground
    }

    /// The structure of a state; elements 0..p are its pids.
    pub fn of_state(state: &State, relations: Relations, next_pids: NextPids) -> Structure {
        let mut structure = Structure::default();
        structure.fill(state, relations, next_pids);
        structure
    }

    /// As [`of_state`](Self::of_state), with the memory of an earlier structure.
    pub fn fill(&mut self, state: &State, relations: Relations, next_pids: NextPids) {
        self.clear(state.pid_count());
        for (color, &eta) in self.colors.iter_mut().zip(state.eta_array()) {
            *color = if eta == crate::state::INACTIVE { INACTIVE } else { ACTIVE };
        }
        self.add_vectors(state);
        match next_pids {
            NextPids::Folded => {
                self.add_lineage(state.forest(), relations, |id| id);
                self.add_siblings(state.forest(), relations, |id| id);
                self.add_folded_next_pids(state, relations);
            }
            NextPids::Explicit => self.add_explicit_next_pids(state, relations),
        }
    }

    /// Vectors as labelled tuples: a stretch is read, then worked on by number of members.
    fn add_vectors(&mut self, state: &State) {
        let mut reader = self.reader.take().unwrap_or_default();
        for stretch in stretches(state) {
            reader.read(state, stretch, |label, members| self.tuple(label, members));
            for read in reader.with_members(0) {
                self.tuple(read.label, &[]);
            }
            for &Read { label, members: [only, ..] } in reader.with_members(1) {
                self.paint(only, label);
            }
            let Tuples { pairs, triples, quadruples, .. } = &mut self.tuples;
            let read = |count: usize| reader.with_members(count).iter();
            pairs.extend(read(2).map(|&Read { label, members: [x, y, ..] }| Tuple2 {
                label,
                x,
                y,
            }));
            triples.extend(read(3).map(|read| Tuple::first_of(read.label, &read.members)));
            quadruples.extend(read(4).map(|read| Tuple::first_of(read.label, &read.members)));
        }
        self.reader = Some(reader);
    }

    /// `parent` and `ancestor` as a forest: nearest ancestor, labelled when it is the parent.
    fn add_lineage(
        &mut self,
        forest: &Forest,
        relations: Relations,
        element: impl Fn(PidId) -> u32,
    ) {
        let parent = relations.contains(Relation::Parent);
        let ancestor = relations.contains(Relation::Ancestor);
        if !parent && !ancestor {
            return;
        }
        self.lineage.resize(self.colors.len(), Upward::NONE);
        for pid in 0..forest.len() as PidId {
            let above = element(forest.ancestor(pid));
            let link = match (forest.is_child(pid) && parent, ancestor) {
                (true, _) => Upward::to(above, Link::Parent),
                (_, true) => Upward::to(above, Link::FarAncestor),
                _ => Upward::NONE,
            };
            self.lineage[element(pid) as usize] = link;
            self.lineage_count += usize::from(link != Upward::NONE);
        }
    }

    /// `adjacent-sibling` and `elder-sibling` as chains: next younger sibling, labelled when adjacent.
    fn add_siblings(
        &mut self,
        forest: &Forest,
        relations: Relations,
        element: impl Fn(PidId) -> u32,
    ) {
        let adjacent = relations.contains(Relation::AdjacentSibling);
        let elder = relations.contains(Relation::ElderSibling);
        if !adjacent && !elder {
            return;
        }
        for pid in 0..forest.len() as PidId {
            let younger = forest.sibling(pid);
            if younger == NONE {
                continue;
            }
            let link = match (forest.is_adjacent(pid), elder) {
                (true, _) if adjacent => Link::Adjacent,
                (_, true) => Link::FarSibling,
                _ => continue,
            };
            self.siblings.push(Tuple2 {
                label: link.label(),
                x: element(pid),
                y: element(younger),
            });
        }
    }

    /// What the sibling relations see of next-pids, put on the youngest child present.
    fn add_folded_next_pids(&mut self, state: &State, relations: Relations) {
        let adjacent = relations.contains(Relation::AdjacentSibling);
        let elder = relations.contains(Relation::ElderSibling);
        if !adjacent && !elder {
            return;
        }
        let forest = state.forest();
        let linked = relations.contains(Relation::Parent);
        for pid in state.pids() {
            let parent = forest.ancestor(pid);
            if !forest.is_child(pid) || forest.sibling(pid) != NONE || !state.is_active(parent) {
                continue;
            }
            let next_follows = adjacent && state.eta_array()[parent as usize] == forest.index(pid);
            match (linked, next_follows) {
                (true, true) => self.paint(pid, NEXT_ADJACENT),
                (true, false) => {}
                (false, true) => self.tuple(Link::NextAdjacent.label(), &[pid, parent]),
                (false, false) if elder => self.tuple(Link::NextFar.label(), &[pid, parent]),
                (false, false) => {}
            }
        }
    }

    /// Links among pids and explicit next-pids: σ-pids, active pids and next-pids may coincide or be missing at will.
    fn add_explicit_next_pids(&mut self, state: &State, relations: Relations) {
        let mut segments = Vec::new();
        let mut all = Trie::default();
        let mut sigma = Trie::default();
        let mut listed = Vec::new();
        let mut in_sigma = Vec::new();
        for pid in state.pids() {
            state.forest().segments(pid, &mut segments);
            listed.push(all.list(&segments));
            if state.is_in_sigma(pid) {
                in_sigma.push((pid, sigma.list(&segments)));
            } else {
                self.paint(pid, NOT_IN_SIGMA);
            }
        }
        let mut next = Vec::new();
        for pid in state.pids() {
            if let Some(eta) = state.eta(pid) {
                state.forest().segments(pid, &mut segments);
                segments.push(eta + 1);
                next.push((pid, all.list(&segments)));
            }
        }
        let (forest, number) = all.into_forest();
        let mut element = vec![NONE; forest.len()];
        for (pid, &node) in listed.iter().enumerate() {
            element[number.of(node) as usize] = pid as u32;
        }
        for &(pid, node) in &next {
            let slot = &mut element[number.of(node) as usize];
            if *slot == NONE {
                *slot = self.colors.len() as u32;
                self.colors.push(NEXT_ELEMENT);
            }
            let next = *slot;
            self.tuple(Link::Next.label(), &[pid, next]);
        }
        self.add_siblings(&forest, relations, |id| element[id as usize]);
        let (sigma_forest, number) = sigma.into_forest();
        let mut element = vec![NONE; sigma_forest.len()];
        for (pid, node) in in_sigma {
            element[number.of(node) as usize] = pid;
        }
        self.add_lineage(&sigma_forest, relations, |id| {
            element.get(id as usize).copied().unwrap_or(NONE)
        });
    }
}
