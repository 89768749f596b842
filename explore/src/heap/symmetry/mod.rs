//! When two states are one: the same up to garbage, addresses of objects and the order of threads.
//!
//! `numbering` fixes the addresses once the order of threads is given. The order of threads comes
//! from a heuristic of the paper (`kbots`, chosen in `threads`) or is exact (`exact`: `traversal`
//! where that is enough, remembered per shape in `rigid`; the equivalence engine on the graph of
//! `shape` otherwise). Where threads stay in order, sets and tables leave objects open: `members`, or the engine. `contents` decides where the hashes of the exact way tie.

#[cfg(test)]
mod collisions;
mod contents;
pub(super) mod exact;
mod hash;
mod kbots;
mod members;
pub(super) mod numbering;
mod rigid;
pub(super) mod shape;
pub(super) mod threads;
mod traversal;
