//! The automorphism group of a state: the bijections of Definition 1 from a state to itself.
//!
//! Found on the exact encoding without hashing ([`compact`]), in which nothing but the identity fixes all pids, so that
//! the group of the graph is that of the state. Where next-pids go follows from where their creators go. Cost: that of
//! the solver's [`group`](crate::solver::group); the decimal number of an order with d digits costs O(d²).

use crate::budget::{Budget, Exhausted};
use crate::canon::FormError;
use crate::encoding::{EncodedPair, compact};
use crate::solver::graph::WeightedGraph;
use crate::solver::group;
pub use crate::solver::pair::Moves;
use pidlab_core::{Relations, State};
use std::fmt;

/// A group of permutations of the pids of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomorphismGroup {
    /// How many permutations there are.
    pub order: GroupOrder,
    /// What each generator moves, and where to.
    pub generators: Vec<Moves>,
}

/// A number without bounds, in limbs of nine decimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupOrder(Vec<u32>);

const LIMB: u64 = 1_000_000_000;

/// The automorphism group of a consistent state.
pub fn automorphism_group(
    state: &State,
    relations: Relations,
    budget: &Budget,
) -> Result<AutomorphismGroup, FormError> {
    state.check_consistent()?;
    let (colors, edges) = plain_graph(state, relations);
    let colors = colors.into_iter().map(u64::from).collect();
    let found = group::automorphisms(&WeightedGraph::plain(colors, &edges), budget)?;
    let pids = state.pid_count() as u32;
    let of_pids =
        |moves: &Moves| -> Moves { moves.iter().copied().filter(|&(x, _)| x < pids).collect() };
    let generators = found.generators.iter().map(of_pids).collect();
    Ok(AutomorphismGroup { order: GroupOrder::product(&found.factors, budget)?, generators })
}

/// The graph whose automorphisms are those of the state, for programs that take plain graphs: colours of its vertices,
/// the pids first, and edges.
pub fn plain_graph(state: &State, relations: Relations) -> (Vec<u32>, Vec<(u32, u32)>) {
    match compact::encode(state, state, relations, true) {
        EncodedPair::Graphs { q, .. } => (q.colors, q.edges),
        EncodedPair::Different => unreachable!("a state does not differ from itself"),
    }
}

impl GroupOrder {
    /// The product of factors, each to its power.
    fn product(factors: &[(u64, u64)], budget: &Budget) -> Result<GroupOrder, Exhausted> {
        let mut order = GroupOrder(vec![1]);
        // small factors together, so that the long number is gone through less often
        let mut pending = 1u64;
        for &(factor, power) in factors {
            for _ in 0..power {
                match pending.checked_mul(factor).filter(|&product| product < LIMB) {
                    Some(product) => pending = product,
                    None => {
                        order.multiply(pending, budget)?;
                        pending = factor;
                    }
                }
            }
        }
        order.multiply(pending, budget)?;
        Ok(order)
    }

    fn multiply(&mut self, factor: u64, budget: &Budget) -> Result<(), Exhausted> {
        budget.steps(1 + self.0.len() / 8)?;
        let mut carry = 0u64;
        for limb in &mut self.0 {
            // below 10^9 · 2^32 + 2^33: there is room
            let product = u64::from(*limb) * factor + carry;
            *limb = (product % LIMB) as u32;
            carry = product / LIMB;
        }
        while carry > 0 {
            self.0.push((carry % LIMB) as u32);
            carry /= LIMB;
        }
        Ok(())
    }

    /// The number itself, if 64 bits hold it.
    pub fn to_u64(&self) -> Option<u64> {
        let add = |sum: u64, &limb: &u32| sum.checked_mul(LIMB)?.checked_add(limb.into());
        self.0.iter().rev().try_fold(0, add)
    }
}

impl fmt::Display for GroupOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut limbs = self.0.iter().rev();
        write!(f, "{}", limbs.next().unwrap_or(&0))?;
        limbs.try_for_each(|limb| write!(f, "{limb:09}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_beyond_64_bits() {
        let order =
            |factors: &[(u64, u64)]| GroupOrder::product(factors, &Budget::unlimited()).unwrap();
        assert_eq!(order(&[]).to_string(), "1");
        assert_eq!(order(&[(2, 64)]).to_string(), "18446744073709551616");
        assert_eq!(order(&[(2, 64)]).to_u64(), None);
        assert_eq!(order(&[(10, 9)]).to_string(), "1000000000");
        assert_eq!(order(&[(10, 9)]).to_u64(), Some(1_000_000_000));
        let factorial: Vec<(u64, u64)> = (2..=25).map(|k| (k, 1)).collect();
        assert_eq!(order(&factorial).to_string(), "15511210043330985984000000");
        assert_eq!(order(&[(u64::from(u32::MAX), 2)]).to_u64(), Some(18446744065119617025));
    }
}
