//! States and steps: how a state lies in memory, and what running a piece of code does to it.
//!
//! Nothing here knows of symmetry; a step is a function from words to words.

mod collections;
pub(super) mod frames;
pub(super) mod interpreter;
pub mod layout;
pub(super) mod monitor;
pub(super) mod shortcuts;
pub(super) mod violation;
