//! The group of automorphisms of a coloured graph: its order and generators.
//!
//! What refinement leaves falls into parts ([`components`]). Those that look alike are exchanged by automorphisms, k of
//! them in k! ways, and each has its own group: that of one, to the power k. A part that does not fall apart has a path of
//! individualised vertices laid in it; the orbit of each vertex on it under the automorphisms that fix those before is
//! found by a complete search, deepest first ([`pair`]), and the order is the product of their sizes (Sims 1970; McKay
//! 1981). Sums of weights must be exact. Cost: a search a generator; weakness: as that of the search itself.

use super::components::{self, Apart, PartClass};
use super::graph::WeightedGraph;
use super::pair::{self, Moves};
use crate::budget::{Budget, Exhausted};

/// The group: its order is the product of the factors, each to its power.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symmetries {
    /// Numbers above 1 and their powers.
    pub factors: Vec<(u64, u64)>,
    /// Permutations that generate it.
    pub generators: Vec<Moves>,
}

/// The automorphisms of a graph whose sums of weights are exact.
pub fn automorphisms(graph: &WeightedGraph, budget: &Budget) -> Result<Symmetries, Exhausted> {
    let mut finder = Finder { budget, found: Symmetries::default() };
    let names: Vec<u32> = (0..graph.len() as u32).collect();
    finder.part(graph, &names, 1, 0)?;
    Ok(finder.found)
}

struct Finder<'b> {
    budget: &'b Budget,
    found: Symmetries,
}

impl Finder<'_> {
    /// The group of a part that occurs so many times; `names` are its vertices in the whole graph.
    fn part(
        &mut self,
        graph: &WeightedGraph,
        names: &[u32],
        copies: u64,
        depth: usize,
    ) -> Result<(), Exhausted> {
        let (partition, _) = super::equitable(graph, None, self.budget)?;
        if partition.is_discrete() {
            return Ok(());
        }
        let apart = Apart::of(graph, &partition);
        if apart.is_whole(graph.len()) || depth == components::DEPTH {
            let (orbits, generators) = pair::automorphisms(graph, partition, self.budget)?;
            let factors = orbits.into_iter().filter(|&size| size > 1);
            self.found.factors.extend(factors.map(|size| (u64::from(size), copies)));
            let rename = |&(x, y): &(u32, u32)| (names[x as usize], names[y as usize]);
            let renamed = generators.iter().map(|moves| moves.iter().map(rename).collect());
            self.found.generators.extend(renamed);
            return Ok(());
        }
        for class in apart.classes(self.budget, depth)? {
            let alike = class.copies.len() as u64;
            self.exchange(&class, names, copies);
            let inner: Vec<u32> = class.members.iter().map(|&v| names[v as usize]).collect();
            if inner.len() > 1 {
                self.part(&class.graph, &inner, copies * alike, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Parts that look alike change places: each with the next.
    fn exchange(&mut self, class: &PartClass, names: &[u32], copies: u64) {
        self.found.factors.extend((2..=class.copies.len() as u64).map(|k| (k, copies)));
        for pair in class.copies.windows(2) {
            let both = pair[0].iter().zip(&pair[1]);
            let named = both.map(|(&x, &y)| (names[x as usize], names[y as usize]));
            self.found.generators.push(named.flat_map(|(x, y)| [(x, y), (y, x)]).collect());
        }
    }
}
