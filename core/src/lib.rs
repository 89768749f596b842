//! Pids, relations, states, layered graphs and their file formats.
//!
//! Data flows one way: [`pid`] → [`state`] (σ, η over a pid [`forest`]) → [`graph`] (layered graphs).
//! Nothing here decides equivalence; that is the backends' work.

pub mod datum;
pub mod forest;
pub mod json;
pub mod pid;
pub mod relation;
pub mod state;
pub mod text;

pub use datum::Datum;
pub use pid::Pid;
pub use relation::{Relation, Relations};
pub use state::{Component, State};
