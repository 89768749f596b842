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

use crate::net::Net;
use pidlab_syntax::{Parsed, Source};

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
pub fn parse(text: &str) -> Parsed<Net> {
    build(text).map(|machine| machine.net)
}

/// Parses a `.bp` file into a net with its counts.
pub fn build(text: &str) -> Parsed<BoolMachine> {
    translate(&Source::new(".bp", text))
}

/// Parses a `.bp` file into a net, within the budget of the source.
pub fn read(source: &Source) -> Parsed<Net> {
    translate(source).map(|machine| machine.net)
}

fn translate(source: &Source) -> Parsed<BoolMachine> {
    let program = parser::parse(source)?;
    let flow = flow::inline(&program, source)?;
    machine::build(&program, &flow, source)
}
