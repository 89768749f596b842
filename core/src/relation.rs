//! The four pid relations and sets of them (Ω* of SACS'10, section 2).

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// One of the relations by which a model may compare pids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// ◁₁: y = x.i
    Parent,
    /// ◁: x is a proper prefix of y
    Ancestor,
    /// ⋔₁: x = z.i and y = z.(i+1)
    AdjacentSibling,
    /// ⋔: x = z.i and y = z.j with i < j
    ElderSibling,
}

impl Relation {
    /// All four.
    pub const ALL: [Relation; 4] =
        [Relation::Parent, Relation::Ancestor, Relation::AdjacentSibling, Relation::ElderSibling];

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Parent => "parent",
            Relation::Ancestor => "ancestor",
            Relation::AdjacentSibling => "adjacent-sibling",
            Relation::ElderSibling => "elder-sibling",
        }
    }

    /// The papers' sign for it.
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Parent => "◁₁",
            Relation::Ancestor => "◁",
            Relation::AdjacentSibling => "⋔₁",
            Relation::ElderSibling => "⋔",
        }
    }

    /// Whether the relation holds between two pids given by their integers.
    pub fn holds(self, x: &[u64], y: &[u64]) -> bool {
        match self {
            Relation::Parent => y.len() == x.len() + 1 && y.starts_with(x),
            Relation::Ancestor => y.len() > x.len() && y.starts_with(x),
            Relation::AdjacentSibling => siblings(x, y, |i, j| i.checked_add(1) == Some(j)),
            Relation::ElderSibling => siblings(x, y, |i, j| i < j),
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

fn siblings(x: &[u64], y: &[u64], ordered: impl Fn(u64, u64) -> bool) -> bool {
    match (x.split_last(), y.split_last()) {
        (Some((&i, z)), Some((&j, z2))) => z == z2 && ordered(i, j),
        _ => false,
    }
}

/// A set of relations, Ω* without equality.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Relations(u8);

/// A text that names neither a relation nor a set of them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a pid relation; use parent, ancestor, adjacent-sibling, elder-sibling (joined by commas), none or all"
)]
pub struct UnknownRelation(pub String);

impl Relations {
    /// No relation: pids can only be compared for equality.
    pub const NONE: Relations = Relations(0);
    /// All four relations.
    pub const ALL: Relations = Relations(15);

    /// Whether the relation is in the set.
    pub fn contains(self, relation: Relation) -> bool {
        self.0 & relation.bit() != 0
    }

    /// The set with one relation more.
    pub fn with(self, relation: Relation) -> Relations {
        Relations(self.0 | relation.bit())
    }

    /// The set without a relation.
    pub fn without(self, relation: Relation) -> Relations {
        Relations(self.0 & !relation.bit())
    }

    /// Whether every relation of this set is in the other.
    pub fn is_subset(self, other: Relations) -> bool {
        self.0 & !other.0 == 0
    }

    /// The relations of the set, in the order of [`Relation::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Relation> {
        Relation::ALL.into_iter().filter(move |r| self.contains(*r))
    }

    /// All 16 sets.
    pub fn subsets() -> impl Iterator<Item = Relations> {
        (0..16).map(Relations)
    }
}

/// The default of the command line: `parent` alone.
impl Default for Relations {
    fn default() -> Relations {
        Relations::NONE.with(Relation::Parent)
    }
}

impl FromIterator<Relation> for Relations {
    fn from_iter<I: IntoIterator<Item = Relation>>(items: I) -> Relations {
        items.into_iter().fold(Relations::NONE, Relations::with)
    }
}

impl FromStr for Relation {
    type Err = UnknownRelation;
    fn from_str(text: &str) -> Result<Relation, UnknownRelation> {
        Relation::ALL
            .into_iter()
            .find(|r| r.name() == text)
            .ok_or_else(|| UnknownRelation(text.to_string()))
    }
}

impl FromStr for Relations {
    type Err = UnknownRelation;
    fn from_str(text: &str) -> Result<Relations, UnknownRelation> {
        match text {
            "none" => Ok(Relations::NONE),
            "all" => Ok(Relations::ALL),
            list => list.split(',').map(|name| name.trim().parse::<Relation>()).collect(),
        }
    }
}

impl fmt::Display for Relations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Relations::NONE {
            return f.write_str("none");
        }
        for (i, relation) in self.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(f, "{comma}{}", relation.name())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Relations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for set in Relations::subsets() {
            assert_eq!(set.to_string().parse::<Relations>().unwrap(), set);
        }
        assert!("cousin".parse::<Relations>().is_err());
    }

    #[test]
    fn roots_are_siblings() {
        assert!(Relation::AdjacentSibling.holds(&[1], &[2]));
        assert!(Relation::ElderSibling.holds(&[1], &[5]));
        assert!(!Relation::ElderSibling.holds(&[1, 1], &[2, 2]));
        assert!(!Relation::AdjacentSibling.holds(&[u64::MAX], &[1]));
    }
}
