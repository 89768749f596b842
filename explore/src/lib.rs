//! State-space exploration of nets and heap programs.
//!
//! [`search`] is the loop; a model language is a client of it.

pub mod net;
pub mod search;
