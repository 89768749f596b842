//! State-space exploration of nets and heap programs.
//!
//! [`search`] is the loop; a model language is a client of it: [`net`] for Petri nets with threads,
//! [`heap`] for programs with objects on a heap. [`source`] is the text of a model in either.

pub mod heap;
pub mod net;
pub mod search;

pub use pidlab_syntax as source;
