//! Isomorphism and canonical forms of states behind one trait.
//!
//! A [`Backend`] decides whether two states are equivalent (SACS'10, Definition 1, relations
//! restricted to Ω*). It sees two states and a budget, never where they came from. The
//! registry lists all backends and says which are exact.

pub mod backend;
pub mod budget;
pub mod canon;
pub mod difference;
pub mod digraph;
pub mod encoding;
mod exact;
pub mod external;
mod hash;
pub mod nauty;
pub mod petgraph;
pub mod refine;
pub mod registry;
pub mod solver;
pub mod vf2;
pub mod wl;

#[cfg(test)]
mod collisions;

pub use backend::{Backend, Decision, Exactness, GraphKind, Info, Problem, Verdict, Witness};
pub use budget::{Budget, Exhausted};
