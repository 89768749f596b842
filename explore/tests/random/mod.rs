//! Random heap programs and an interpreter of their own.

pub mod interpreter;
pub mod program;
