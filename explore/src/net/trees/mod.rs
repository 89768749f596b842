//! Markings as multisets of trees: the fast way through nets whose transitions are local.
//!
//! Under [`is_local`](super::locality::is_local) a transition replaces one tree of the marking by
//! others, whatever the rest is. Every tree has a number in a [`table`] that all threads of a search
//! share; a marking is the list of its trees' numbers ([`forest`]), what a tree becomes is found once
//! per thread ([`moves`]), and a [key](keys) is a few bytes that say which trees there are. What a search found
//! is read as canonical forms all the same ([`classes`]), those of [`NetCanonizer`](super::NetCanonizer).
//!
//! Tried instead: keys of the trees' bytes, which took six times the memory for N(5,3) and twice the
//! time; a store that splits such keys into trees, whose comparisons cost a quarter of the time.

mod classes;
mod forest;
mod keys;
mod moves;
mod table;

pub use classes::Classes;
pub use keys::TreeKeys;
pub use moves::TreeMovesModel;
pub use table::TreeTable;
