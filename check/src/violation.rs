//! What can be wrong with a witness, in words that name the pids, relations and vectors involved.

use pidlab_core::Relation;
use std::fmt;
use thiserror::Error;

/// Which of the two states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateSide {
    /// The first state, whose pids are mapped.
    Q,
    /// The second state, which holds the images.
    R,
}

impl fmt::Display for StateSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StateSide::Q => "first",
            StateSide::R => "second",
        })
    }
}

/// Why a witness does not prove equivalence. Pids are given by name, shortened when very long.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Violation {
    /// The states have different numbers of something that a bijection preserves.
    #[error("the states have {q} and {r} {what}; no bijection exists")]
    Sizes {
        /// What is counted.
        what: &'static str,
        /// How many there are in the first state.
        q: usize,
        /// How many there are in the second state.
        r: usize,
    },
    /// A witness by numbers of the wrong length.
    #[error("the witness has {found} entries, the first state has {expected} pids")]
    Length {
        /// Entries of the witness.
        found: usize,
        /// Pids of the first state.
        expected: usize,
    },
    /// An image that is not the number of a pid.
    #[error("the witness maps {pid} to pid number {image}, the second state has {count} pids")]
    OutOfRange {
        /// The pid that is mapped.
        pid: String,
        /// The number it is mapped to.
        image: u32,
        /// Pids of the second state.
        count: usize,
    },
    /// A name that cannot be read.
    #[error("the witness entry `{text}` is not a pid: {reason}")]
    NotAPid {
        /// The name as it is given.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A name that neither state knows.
    #[error(
        "the witness mentions @{pid}, which is neither a pid nor a next-pid of the {side} state"
    )]
    Unknown {
        /// The pid as it is given.
        pid: String,
        /// The state it should belong to.
        side: StateSide,
    },
    /// Two images for one pid.
    #[error("the witness gives @{pid} of the first state twice")]
    Twice {
        /// The pid of the first state.
        pid: String,
    },
    /// A pid or next-pid without an image.
    #[error("the witness does not map @{pid} of the first state")]
    Missing {
        /// The pid of the first state.
        pid: String,
    },
    /// Two pids with one image.
    #[error("the witness maps both @{first} and @{second} to @{image}: it is not a bijection")]
    NotInjective {
        /// One of them.
        first: String,
        /// The other.
        second: String,
        /// What both are mapped to.
        image: String,
    },
    /// An active pid mapped to an inactive one, or the other way round (Definition 1, point 1).
    #[error("the witness maps @{pid} to @{image}, but only {active} is active (point 1)")]
    Active {
        /// The pid of the first state.
        pid: String,
        /// Its image.
        image: String,
        /// Which of the two is active.
        active: String,
    },
    /// The next-pid of a pid is not mapped to the next-pid of its image (Definition 1, point 1).
    #[error(
        "the next-pid of @{pid} goes to @{found}, but the next-pid of its image is @{expected} (point 1)"
    )]
    Next {
        /// The pid whose next-pid is concerned.
        pid: String,
        /// Where its next-pid goes.
        found: String,
        /// The next-pid of its image.
        expected: String,
    },
    /// A relation that holds on one side only (Definition 1, points 2 and 3).
    #[error(
        "{} is not preserved: {holds}, but {fails} (point {})",
        .relation.name(),
        point(*.relation)
    )]
    Relation {
        /// Which one.
        relation: Relation,
        /// Where it holds.
        holds: String,
        /// Where it does not.
        fails: String,
    },
    /// A vector that occurs more often on one side (Definition 1, point 4).
    #[error(
        "location `{location}`: after renaming, the vector {vector} occurs {q} times in the first state and {r} times in the second (point 4)"
    )]
    Vector {
        /// Its location.
        location: String,
        /// The vector, renamed.
        vector: String,
        /// How often it occurs in the first state.
        q: usize,
        /// How often it occurs in the second state.
        r: usize,
    },
}

fn point(relation: Relation) -> u8 {
    match relation {
        Relation::Parent | Relation::Ancestor => 2,
        Relation::AdjacentSibling | Relation::ElderSibling => 3,
    }
}
