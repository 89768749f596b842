//! `.bp`: boolean programs for any number of identical threads (Beacon'01 section 3).
//!
//! Shared and thread-local boolean variables, procedures without recursion (inlined), locks,
//! non-deterministic values `*` and choices, atomic blocks, assertions. The text is parsed into
//! `ast`, inlined into a control-flow graph by `flow`, and `machine` enumerates the local states
//! that occur and the steps between them. The language is described in `docs/formats-cover.md`.

mod ast;
mod flow;
mod machine;
mod parser;
mod step;

use super::unlimited;
use crate::budget::Budget;
use crate::error::{ParseError, ReadError};
use crate::net::Net;

/// A local/global machine built from a program, with the counts the paper reports.
pub struct BoolMachine {
    /// The machine as a net.
    pub net: Net,
    /// Valuations of the shared variables that occur.
    pub shared_used: usize,
    /// How many there could be.
    pub shared_declared: u128,
    /// Local states (place in the program and live local variables) that occur.
    pub local_used: usize,
    /// Boolean variables of a thread after inlining.
    pub local_variables: usize,
}

/// Parses a `.bp` file into a net.
pub fn parse(text: &str) -> Result<Net, ParseError> {
    build(text).map(|machine| machine.net)
}

/// Parses a `.bp` file into a net with its counts.
pub fn build(text: &str) -> Result<BoolMachine, ParseError> {
    unlimited(|budget| translate(text, budget))
}

/// Parses a `.bp` file into a net, within a budget.
pub fn read(text: &str, budget: &Budget) -> Result<Net, ReadError> {
    translate(text, budget).map(|machine| machine.net)
}

fn translate(text: &str, budget: &Budget) -> Result<BoolMachine, ReadError> {
    let program = parser::parse(text, budget)?;
    let flow = flow::inline(&program, budget)?;
    machine::build(&program, &flow, budget)
}
