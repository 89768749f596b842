//! What a user reads: states in the words of the program, traces, collapse tables.

pub(super) mod explain;
mod naming;
pub(super) mod trace;
