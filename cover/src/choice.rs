//! Per-thread choices: what tokens do where a transfer offers them several places.
//!
//! A transition that says `a ~> b` and `a ~> c` lets each token on a choose on its own. Only the
//! counts matter: k tokens with m moves have as many outcomes as there are ways to write k as a sum
//! of m numbers, C(k + m − 1, m − 1), which is why they are listed one after the other and never
//! held together.

use crate::budget::Budget;
use crate::config::{Config, count_of};
use crate::error::Stop;
use crate::net::Transition;

/// Tokens that went from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    pub from: u32,
    pub to: u32,
    pub count: u32,
}

/// Every outcome of the choices when a transition fires in a marking without ω; exactly one, the
/// empty one, if there is nothing to choose.
pub struct Choices<'a> {
    groups: Vec<Group<'a>>,
    done: bool,
}

/// The tokens of one place, and how many take each of its moves.
struct Group<'a> {
    moves: &'a [(u32, u32)],
    counts: Vec<u32>,
}

impl<'a> Choices<'a> {
    pub fn new(config: &Config, t: &'a Transition) -> Choices<'a> {
        let groups = places_with_choice(t).map(|(place, moves)| {
            let mut counts = vec![0; moves.len()];
            counts[0] = left_on(config, t, place);
            Group { moves, counts }
        });
        Choices { groups: groups.collect(), done: false }
    }
}

impl Iterator for Choices<'_> {
    type Item = Vec<Moved>;

    fn next(&mut self) -> Option<Vec<Moved>> {
        if self.done {
            return None;
        }
        let current = self.groups.iter().flat_map(Group::moved).collect();
        // Like the digits of a counter: one that starts anew carries over to the next.
        self.done = !self.groups.iter_mut().any(Group::advance);
        Some(current)
    }
}

impl Group<'_> {
    fn moved(&self) -> impl Iterator<Item = Moved> + '_ {
        let arcs = self.moves.iter().zip(&self.counts);
        arcs.map(|(&(from, to), &count)| Moved { from, to, count })
    }

    /// The next way to write the sum (Nijenhuis and Wilf, NEXCOM); after the last one the first
    /// again, and `false`.
    fn advance(&mut self) -> bool {
        let Some(first) = self.counts.iter().position(|&count| count > 0) else {
            return false;
        };
        let count = std::mem::take(&mut self.counts[first]);
        if first + 1 == self.counts.len() {
            self.counts[0] = count;
            return false;
        }
        self.counts[0] = count - 1;
        self.counts[first + 1] += 1;
        true
    }
}

/// A choice for all tokens that are there: what `needed` says, and the first move for the others.
/// The tokens that `needed` moves must be there.
pub fn completed(
    config: &Config,
    t: &Transition,
    needed: &[Moved],
    budget: &Budget,
) -> Result<Vec<Moved>, Stop> {
    let mut choice = Vec::new();
    for (place, moves) in places_with_choice(t) {
        let mut left = left_on(config, t, place);
        let start = choice.len();
        for &(from, to) in moves {
            budget.steps(1 + needed.len())?;
            let along = needed.iter().filter(|m| m.from == from && m.to == to);
            let count: u32 = along.map(|m| m.count).sum();
            left = left.saturating_sub(count);
            choice.push(Moved { from, to, count });
        }
        choice[start].count += left;
    }
    Ok(choice)
}

/// Places with several moves, each with its moves.
fn places_with_choice(t: &Transition) -> impl Iterator<Item = (u32, &[(u32, u32)])> {
    let groups = t.transfers.chunk_by(|a, b| a.0 == b.0);
    groups.filter(|moves| moves.len() > 1).map(|moves| (moves[0].0, moves))
}

/// Tokens on `place` that the transition does not take.
fn left_on(config: &Config, t: &Transition, place: u32) -> u32 {
    config.get(place).saturating_sub(count_of(&t.pre, place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Three tokens with two moves and two with three: 4 · 6 outcomes, all different.
    #[test]
    fn every_outcome_comes_once() {
        let transfers = vec![(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)];
        let t = Transition { pre: vec![(0, 1)], transfers, ..Transition::default() };
        let config = Config::new(vec![(0, 4), (1, 2)]);
        let counts = |choice: Vec<Moved>| choice.iter().map(|m| m.count).collect::<Vec<_>>();
        let all: Vec<Vec<u32>> = Choices::new(&config, &t).map(counts).collect();
        assert_eq!(all.len(), 24);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 24);
        assert!(all.iter().all(|c| c[..2].iter().sum::<u32>() == 3));
        assert!(all.iter().all(|c| c[2..].iter().sum::<u32>() == 2));
    }

    #[test]
    fn without_choices_there_is_one_outcome() {
        let t = Transition { transfers: vec![(0, 1)], ..Transition::default() };
        assert_eq!(Choices::new(&Config::new(vec![(0, 4)]), &t).collect::<Vec<_>>(), [vec![]]);
    }
}
