//! Canonical order of the elements of a structure.
//!
//! Rounds of hashing first. Colours are invariants, so where all differ they give the same order to
//! isomorphic structures, whatever the hash. What they cannot tell apart is ordered by the solver on
//! written-out contents ([`Listing`]), where nothing can collide. Isomorphic structures so get orders
//! that map onto each other. Cost: O(m) where the rounds decide, which is nearly always.
//!
//! [`Rest`] is what is left where two structures are compared: a smaller structure, in which decided
//! elements are part of the labels.

use super::listing::Listing;
use super::rounds::HashRounds;
use super::table::ColorTable;
use crate::budget::{Budget, Exhausted};
use crate::hash::mix;
use crate::solver::{self, Isomorphism, graph::WeightedGraph};
use pidlab_core::Structure;
use pidlab_core::tuples::Tuple2;

/// Computes canonical orders; keeps its memory between calls.
#[derive(Clone, Debug, Default)]
pub struct StructureCanonizer {
    pub(super) rounds: HashRounds,
    pub(super) table: ColorTable,
    listing: Listing,
    position: Vec<u32>,
    keyed: Vec<(u64, u32)>,
    discrete: bool,
}

/// How far rounds of hashing got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundProgress {
    /// All colours differ.
    Discrete,
    /// Further rounds may pay.
    Improving,
    /// Little is left, or little changes: for the solver.
    Stuck,
}

/// When at most one element in so many is undecided, the solver is cheaper than a round over all.
const FEW: usize = 16;

impl RoundProgress {
    /// Of n elements with so many different colours before a round, 0 if not counted, and after it.
    pub fn of(n: usize, before: usize, after: usize) -> RoundProgress {
        let open = n - after;
        if open == 0 {
            RoundProgress::Discrete
        } else if open * FEW <= n {
            RoundProgress::Stuck
        } else if before == 0 || open * 2 <= n - before {
            RoundProgress::Improving
        } else {
            RoundProgress::Stuck
        }
    }
}

impl StructureCanonizer {
    /// One without memory of its own yet.
    pub fn new() -> StructureCanonizer {
        StructureCanonizer::default()
    }

    /// Whether hashing told all elements of the last structure apart; then no automorphism moves one.
    pub fn is_discrete(&self) -> bool {
        self.discrete
    }

    /// The colour of an element of the last structure, as far as hashing went: an automorphism maps an
    /// element to one of the same colour.
    pub fn color(&self, element: u32) -> u64 {
        self.rounds.color(element)
    }

    /// The canonical position of each element. `list` writes down what the structure was made of:
    /// colours as tuples of one, and tuples; it is called where hashing leaves elements alike.
    pub fn canonize(
        &mut self,
        structure: &Structure,
        list: impl FnOnce(&mut Listing),
        budget: &Budget,
    ) -> Result<&[u32], Exhausted> {
        self.rounds.start(structure);
        let mut different = 0;
        loop {
            budget.steps(structure.len())?;
            // one round pays always, so colours are not counted before it
            self.rounds.round(structure);
            let before = std::mem::replace(&mut different, self.table.enter(&self.rounds));
            match RoundProgress::of(structure.len(), before, different) {
                RoundProgress::Discrete => break,
                RoundProgress::Improving => {}
                RoundProgress::Stuck => {
                    self.discrete = false;
                    self.listing.clear();
                    list(&mut self.listing);
                    let color = |element| self.rounds.color(element);
                    let rank = self.listing.rank(self.table.shared(), color, budget)?;
                    self.order_by_color_and(|element| rank[element as usize]);
                    return Ok(&self.position);
                }
            }
        }
        self.discrete = true;
        self.order_by_color_and(|_| 0);
        Ok(&self.position)
    }

    fn order_by_color_and(&mut self, rank: impl Fn(u32) -> u32) {
        self.keyed.clear();
        self.keyed.extend(self.rounds.colors().zip(0..));
        self.keyed.sort_unstable_by_key(|&(color, element)| (color, rank(element)));
        self.position.clear();
        self.position.resize(self.keyed.len(), 0);
        for (position, &(_, element)) in self.keyed.iter().enumerate() {
            self.position[element as usize] = position as u32;
        }
    }
}

/// The elements that share their colour with another, and the tuples among them.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    /// Elements left, in their order.
    pub elements: Vec<u32>,
    index: Vec<u32>,
    structure: Structure,
    members: Vec<u32>,
}

const DECIDED: u32 = u32::MAX;

impl Rest {
    /// `shared` says which elements are left.
    pub fn fill(&mut self, structure: &Structure, rounds: &HashRounds, shared: &[bool]) {
        self.elements.clear();
        self.elements.extend((0..rounds.len() as u32).filter(|&x| shared[x as usize]));
        self.index.clear();
        self.index.resize(rounds.len(), DECIDED);
        self.structure.clear(self.elements.len());
        for (i, &x) in self.elements.iter().enumerate() {
            self.index[x as usize] = i as u32;
            self.structure.colors[i] = rounds.color(x);
        }
        for Tuple2 { label, x, y } in structure.pairs() {
            if shared[x as usize] | shared[y as usize] {
                self.add(label, &[x, y], rounds);
            }
        }
        for (label, members) in structure.tuples().longer() {
            if members.iter().any(|&x| shared[x as usize]) {
                self.add(label, members, rounds);
            }
        }
    }

    /// Adds a tuple, the decided members as part of its label.
    fn add(&mut self, label: u64, tuple: &[u32], rounds: &HashRounds) {
        self.members.clear();
        let mut label = label;
        for &x in tuple {
            match self.index[x as usize] {
                DECIDED => label = mix(label, rounds.color(x)),
                i => {
                    label = mix(label, 0);
                    self.members.push(i);
                }
            }
        }
        self.structure.tuple(label, &self.members);
    }

    /// An isomorphism onto another rest, as a map that starts with its elements.
    pub fn isomorphism(&self, other: &Rest, budget: &Budget) -> Result<Isomorphism, Exhausted> {
        let (q, r) = (
            WeightedGraph::of_structure(&self.structure),
            WeightedGraph::of_structure(&other.structure),
        );
        solver::isomorphism(&q, &r, budget)
    }
}
