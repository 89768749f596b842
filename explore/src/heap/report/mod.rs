//! What a user reads: states in the words of the program, traces, graphs, collapse tables.

pub(super) mod explain;
mod graph;
mod naming;
pub(super) mod trace;
