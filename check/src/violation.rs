//! What can be wrong with a witness, in words that name the pids, relations and vectors involved.

use pidlab_core::Relation;
use std::fmt;
use thiserror::Error;

/// Which of the two states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Q,
    R,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Q => "first",
            Side::R => "second",
        })
    }
}

/// Why a witness does not prove equivalence. Pids are given by name, shortened when very long.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Violation {
    #[error("the states have {q} and {r} {what}; no bijection exists")]
    Sizes { what: &'static str, q: usize, r: usize },
    #[error("the witness has {found} entries, the first state has {expected} pids")]
    Length { found: usize, expected: usize },
    #[error("the witness maps {pid} to pid number {image}, the second state has {count} pids")]
    OutOfRange { pid: String, image: u32, count: usize },
    #[error("the witness entry `{text}` is no pid: {reason}")]
    NotAPid { text: String, reason: String },
    #[error(
        "the witness mentions @{pid}, which is neither a pid nor a next-pid of the {side} state"
    )]
    Unknown { pid: String, side: Side },
    #[error("the witness gives @{pid} of the first state twice")]
    Twice { pid: String },
    #[error("the witness does not map @{pid} of the first state")]
    Missing { pid: String },
    #[error("the witness maps both @{first} and @{second} to @{image}: it is not a bijection")]
    NotInjective { first: String, second: String, image: String },
    #[error("the witness maps @{pid} to @{image}, but only {active} is active (point 1)")]
    Active { pid: String, image: String, active: String },
    #[error(
        "the next-pid of @{pid} goes to @{found}, but the next-pid of its image is @{expected} (point 1)"
    )]
    Next { pid: String, found: String, expected: String },
    #[error(
        "{} is not preserved: {holds}, but {fails} (point {})",
        .relation.name(),
        point(*.relation)
    )]
    Relation { relation: Relation, holds: String, fails: String },
    #[error(
        "location `{location}`: after renaming, the vector {vector} occurs {q} times in the first state and {r} times in the second (point 4)"
    )]
    Vector { location: String, vector: String, q: usize, r: usize },
}

fn point(relation: Relation) -> u8 {
    match relation {
        Relation::Parent | Relation::Ancestor => 2,
        Relation::AdjacentSibling | Relation::ElderSibling => 3,
    }
}
