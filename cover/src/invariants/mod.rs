//! What holds of every reachable marking: tables that reductions and algorithms prune with.
//!
//! Each is inductive: true at the start and kept by every transition, so that a certificate can
//! quote it and the checker can test it without trusting how it was found.

pub(crate) mod control;
pub(crate) mod linear;
pub(crate) mod pairs;
pub(crate) mod program;
mod simplex;
