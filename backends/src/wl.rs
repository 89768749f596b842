//! Weisfeiler–Leman colour refinement alone (Weisfeiler, Leman 1968), by hashing: a heuristic.
//!
//! Every vertex of the layered graph repeatedly takes a hash of its colour and of the multisets of its
//! neighbours' colours with the arcs between. The multisets of colours of the two sides are compared
//! after every round: once they differ the states are not equivalent, and when no class splits any
//! more the question stays open. Equal hashes prove nothing, so the answer is never "equivalent".
//! Cost: O(arcs) for each round; a chain needs as many rounds as it is long.

use crate::backend::{Backend, Decision, Exactness, Info, Problem, Undecided, Verdict};
use crate::budget::{Budget, Exhausted};
use crate::digraph::{Adjacency, Digraph, DigraphPair};
use pidlab_core::graph::{Form, Vertex};
use std::time::Instant;

/// The hash alone.
pub struct WeisfeilerLeman;

impl Backend for WeisfeilerLeman {
    fn info(&self) -> Info {
        Info {
            name: "wl".into(),
            exactness: Exactness::Heuristic,
            source: "own; Weisfeiler, Leman 1968: colour refinement by hashing".into(),
            unavailable: None,
        }
    }

    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision {
        let start = Instant::now();
        let pair = match DigraphPair::build(problem, Form::Links, budget) {
            Ok(pair) => pair,
            Err(verdict) => return Decision::unbuilt(verdict, start.elapsed()),
        };
        let built = Instant::now();
        let verdict = match refine(&pair.q, &pair.r, budget) {
            Ok(true) => Verdict::Undecided(Undecided::NoDifferenceFound),
            Ok(false) => Verdict::NotEquivalent,
            Err(exhausted) => exhausted.into(),
        };
        Decision::of(verdict, start, built).sized(pair.q.len(), pair.arc_count())
    }
}

/// Whether the two sides look alike to the end.
fn refine(q: &Digraph, r: &Digraph, budget: &Budget) -> Result<bool, Exhausted> {
    let mut rounds = Rounds::new(q, r);
    while rounds.alike() {
        if !rounds.advance(budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first round after which the sides differ, and the colours of their vertices then; `None` if
/// they do not within `max` rounds or the budget.
pub fn first_different_round(
    q: &Digraph,
    r: &Digraph,
    max: usize,
    budget: &Budget,
) -> Option<(usize, Vec<u64>, Vec<u64>)> {
    let mut rounds = Rounds::new(q, r);
    for round in 0..=max {
        if !rounds.alike() {
            return Some((round, rounds.mine, rounds.theirs));
        }
        if !rounds.advance(budget).ok()? {
            return None;
        }
    }
    None
}

/// Colours of both sides, round after round.
struct Rounds<'g> {
    q: &'g Digraph,
    r: &'g Digraph,
    mine: Vec<u64>,
    theirs: Vec<u64>,
    classes: usize,
}

impl<'g> Rounds<'g> {
    fn new(q: &'g Digraph, r: &'g Digraph) -> Rounds<'g> {
        let start = |graph: &Digraph| graph.color.iter().map(|&c| mix(u64::from(c))).collect();
        Rounds { q, r, mine: start(q), theirs: start(r), classes: 0 }
    }

    fn alike(&self) -> bool {
        sorted(&self.mine) == sorted(&self.theirs)
    }

    /// One more round; false if the last one split nothing.
    fn advance(&mut self, budget: &Budget) -> Result<bool, Exhausted> {
        let colors = sorted(&self.mine);
        let classes = 1 + colors.windows(2).filter(|pair| pair[0] != pair[1]).count();
        // a discrete colouring still has to be compared once with its neighbours' colours
        if classes == self.classes {
            return Ok(false);
        }
        self.classes = classes;
        self.mine = next_round(self.q, &self.mine, budget)?;
        self.theirs = next_round(self.r, &self.theirs, budget)?;
        Ok(true)
    }
}

fn sorted(colors: &[u64]) -> Vec<u64> {
    let mut sorted = colors.to_vec();
    sorted.sort_unstable();
    sorted
}

fn next_round(graph: &Digraph, colors: &[u64], budget: &Budget) -> Result<Vec<u64>, Exhausted> {
    let gather = |adjacency: &Adjacency, vertex: Vertex| {
        let of =
            |&(v, labels): &(Vertex, u32)| mix(colors[v as usize] ^ mix(u64::from(labels) + 1));
        adjacency.of(vertex).iter().map(of).fold(0, u64::wrapping_add)
    };
    (0..graph.len() as Vertex)
        .map(|vertex| {
            budget.step()?;
            let out = gather(&graph.successors, vertex);
            let into = gather(&graph.predecessors, vertex);
            Ok(mix(colors[vertex as usize] ^ mix(out.wrapping_add(mix(into ^ 0x5ac5)))))
        })
        .collect()
}

/// A bijection of words that spreads every bit (finaliser of SplitMix64).
fn mix(word: u64) -> u64 {
    let mut x = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
