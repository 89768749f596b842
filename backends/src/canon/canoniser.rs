//! Canonical order of the elements of a structure.
//!
//! Rounds of hashing first; what they cannot tell apart becomes a smaller structure, in which the
//! decided elements are part of the labels, and goes to the solver. Isomorphic structures get
//! orders that map onto each other. Cost: O(m) where the rounds decide, which is nearly always.

use super::rounds::Rounds;
use super::table::ColorTable;
use crate::budget::{Budget, Exhausted};
use crate::solver::{self, graph::Graph};
use pidlab_core::Structure;
use pidlab_core::mix::mix;
use pidlab_core::tuples::Pair;

/// Computes canonical orders; keeps its memory between calls.
#[derive(Clone, Debug, Default)]
pub struct Canoniser {
    pub(super) rounds: Rounds,
    pub(super) table: ColorTable,
    rest: Rest,
    position: Vec<u32>,
    keyed: Vec<(u64, u32)>,
}

/// How far rounds of hashing got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All colours differ.
    Discrete,
    /// Further rounds may pay.
    Improving,
    /// Little is left, or little changes: for the solver.
    Stuck,
}

/// When at most one element in so many is undecided, the solver is cheaper than a round over all.
const FEW: usize = 16;

impl Progress {
    /// Of n elements with so many different colours before a round, 0 if not counted, and after it.
    pub fn of(n: usize, before: usize, after: usize) -> Progress {
        let open = n - after;
        if open == 0 {
            Progress::Discrete
        } else if open * FEW <= n {
            Progress::Stuck
        } else if before == 0 || open * 2 <= n - before {
            Progress::Improving
        } else {
            Progress::Stuck
        }
    }
}

impl Canoniser {
    pub fn new() -> Canoniser {
        Canoniser::default()
    }

    /// The canonical position of each element.
    pub fn canonise(
        &mut self,
        structure: &Structure,
        budget: &Budget,
    ) -> Result<&[u32], Exhausted> {
        self.rounds.start(structure);
        let mut different = 0;
        loop {
            // one round pays always, so colours are not counted before it
            self.rounds.round(structure);
            let before = std::mem::replace(&mut different, self.table.enter(&self.rounds));
            match Progress::of(structure.len(), before, different) {
                Progress::Discrete => break,
                Progress::Improving => {}
                Progress::Stuck => {
                    let mut rest = std::mem::take(&mut self.rest);
                    rest.fill(structure, &self.rounds, self.table.shared());
                    let rank = rest.rank(budget)?;
                    self.order_by_color_and(|element| rest.rank_of(&rank, element));
                    self.rest = rest;
                    return Ok(&self.position);
                }
            }
        }
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
    pub fn fill(&mut self, structure: &Structure, rounds: &Rounds, shared: &[bool]) {
        self.elements.clear();
        self.elements.extend((0..rounds.len() as u32).filter(|&x| shared[x as usize]));
        self.index.clear();
        self.index.resize(rounds.len(), DECIDED);
        self.structure.clear(self.elements.len());
        for (i, &x) in self.elements.iter().enumerate() {
            self.index[x as usize] = i as u32;
            self.structure.colors[i] = rounds.color(x);
        }
        for Pair { label, x, y } in structure.pairs() {
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
    fn add(&mut self, label: u64, tuple: &[u32], rounds: &Rounds) {
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

    /// The canonical rank of each element left.
    fn rank(&self, budget: &Budget) -> Result<Vec<u32>, Exhausted> {
        let graph = Graph::of_structure(&self.structure);
        let order = solver::canonical_order(&graph, budget)?;
        let mut rank = vec![0; self.elements.len()];
        let mut next = 0;
        for v in order {
            if let Some(slot) = rank.get_mut(v as usize) {
                *slot = next;
                next += 1;
            }
        }
        Ok(rank)
    }

    /// An isomorphism onto another rest, as a map of its elements.
    pub fn isomorphism(
        &self,
        other: &Rest,
        budget: &Budget,
    ) -> Result<Option<Vec<u32>>, Exhausted> {
        let (q, r) = (Graph::of_structure(&self.structure), Graph::of_structure(&other.structure));
        let image = solver::isomorphism(&q, &r, budget)?;
        Ok(image.map(|mut image| {
            image.truncate(self.elements.len());
            image
        }))
    }

    fn rank_of(&self, rank: &[u32], element: u32) -> u32 {
        match self.index[element as usize] {
            DECIDED => 0,
            i => rank[i as usize],
        }
    }
}
