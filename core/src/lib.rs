//! Pids, relations, states, layered graphs and their file formats.
//!
//! Data flows one way: [`pid`] → [`state`] (σ, η over a pid [`forest`]) → [`structure`] (what
//! Definition 1 preserves).
//! Nothing here decides equivalence; that is the backends' work.

pub mod datum;
pub mod forest;
pub mod graph;
pub mod json;
pub mod mix;
pub mod pid;
pub mod printable;
pub mod relation;
pub mod state;
pub mod structure;
pub mod text;
pub mod tuples;
pub mod vectors;

pub use datum::Datum;
pub use pid::Pid;
pub use relation::{Relation, Relations};
pub use state::{Component, State};
pub use structure::Structure;
