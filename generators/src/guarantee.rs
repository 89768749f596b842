//! What is known of a pair of states from the way it was made.
//!
//! Equivalence only gets rarer when Ω* grows: a bijection that preserves more relations preserves
//! fewer as well. So one largest set says for which relations a pair is surely equivalent, and the
//! smallest sets say from where on it surely is not.

use pidlab_core::{Relation, Relations};
use std::fmt;

/// What a transformation guarantees of its result and the state it started from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guarantee {
    /// Equivalent for this set and all its subsets.
    pub equivalent: Option<Relations>,
    /// Not equivalent for these sets and all that contain one of them.
    pub different: Vec<Relations>,
}

/// The verdict that a guarantee gives for one set of relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expected {
    /// Equivalent by construction.
    Equivalent,
    /// Different by construction, or by an invariant.
    NotEquivalent,
    /// To be found out by an exact backend.
    Unknown,
}

impl Guarantee {
    /// Nothing is known.
    pub fn unknown() -> Guarantee {
        Guarantee::default()
    }

    /// Equivalent for every set of relations.
    pub fn equivalent() -> Guarantee {
        Guarantee { equivalent: Some(Relations::ALL), different: Vec::new() }
    }

    /// Not equivalent for any set of relations.
    pub fn different() -> Guarantee {
        Guarantee { equivalent: None, different: vec![Relations::NONE] }
    }

    /// Equivalent as long as `relation` does not count, different as soon as it does.
    pub fn hinges_on(relation: Relation) -> Guarantee {
        Guarantee::just_up_to(Relations::ALL.without(relation))
    }

    /// Equivalent up to this set, different as soon as Ω* has any other relation.
    pub fn just_up_to(relations: Relations) -> Guarantee {
        let others = Relation::ALL.into_iter().filter(|&other| !relations.contains(other));
        Guarantee {
            equivalent: Some(relations),
            different: others.map(|other| Relations::NONE.with(other)).collect(),
        }
    }

    /// What is known for one set of relations.
    pub fn expected(&self, relations: Relations) -> Expected {
        if self.equivalent.is_some_and(|set| relations.is_subset(set)) {
            Expected::Equivalent
        } else if self.different.iter().any(|set| set.is_subset(relations)) {
            Expected::NotEquivalent
        } else {
            Expected::Unknown
        }
    }

    /// What is known of a and c from what is known of a and b (`self`) and of b and c (`next`).
    pub fn then(&self, next: &Guarantee) -> Guarantee {
        let equivalent = match (self.equivalent, next.equivalent) {
            (Some(a), Some(b)) => Some(a.iter().filter(|&r| b.contains(r)).collect()),
            _ => None,
        };
        let mut different = Vec::new();
        for (one, other) in [(self, next), (next, self)] {
            let bridge = |set: &&Relations| one.equivalent.is_some_and(|e| set.is_subset(e));
            different.extend(other.different.iter().filter(bridge));
        }
        Guarantee { equivalent, different }
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.equivalent, self.different.as_slice()) {
            (Some(Relations::ALL), _) => f.write_str("equivalent"),
            (_, [Relations::NONE]) => f.write_str("not equivalent"),
            (None, []) => f.write_str("unknown until checked"),
            (equivalent, different) => {
                let mut parts = Vec::new();
                parts.extend(equivalent.map(|set| format!("equivalent up to {{{set}}}")));
                parts.extend(
                    different.iter().map(|set| format!("not equivalent from {{{set}}} on")),
                );
                f.write_str(&parts.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_guarantees() {
        let same = Guarantee::equivalent();
        let adjacent = Guarantee::hinges_on(Relation::AdjacentSibling);
        assert_eq!(same.then(&Guarantee::different()), Guarantee::different());
        assert_eq!(Guarantee::different().then(&same), Guarantee::different());
        assert_eq!(same.then(&adjacent), adjacent);
        let twice = adjacent.then(&adjacent);
        assert_eq!(twice.expected(Relations::default()), Expected::Equivalent);
        assert_eq!(twice.expected(Relations::ALL), Expected::Unknown);
        let both = Guarantee::different().then(&Guarantee::different());
        assert_eq!(both.expected(Relations::NONE), Expected::Unknown);
        assert_eq!(adjacent.expected(Relations::ALL), Expected::NotEquivalent);
    }
}
