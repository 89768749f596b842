//! `.bp`: boolean programs for any number of identical threads (Beacon'01 section 3).
//!
//! Shared and thread-local boolean variables, procedures without recursion (inlined), non-deterministic
//! values, atomic sections, assertions; in our own dialect or as Bebop, SatAbs and Boom write them. The text
//! is parsed (`parser`, `own`, `bebop`) into `ast`, inlined into a control-flow graph (`inline`, `flow`),
//! sliced if that is wanted (`slice`), `machine` enumerates the local states that occur and the steps
//! between them, and `assemble` makes a net of them. The language is described in `docs/formats-cover.md`.

mod assemble;
mod ast;
mod bebop;
mod bits;
mod expr;
mod flow;
mod inline;
mod live;
mod machine;
mod own;
mod parser;
mod parts;
mod refine;
mod slice;
mod step;

use crate::net::Net;
use ast::BoolProgram;
use expr::Expr;
use flow::Flow;
use live::{Live, Strength};
use pidlab_syntax::{Parsed, Source, quoted};
pub use refine::{Environment, RefineError, Refinement, RefinementStep, refines};

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

/// How a program is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoolOptions<'a> {
    /// Leave out what the property does not see.
    pub slice: bool,
    /// A label that no thread may reach.
    pub error_label: Option<&'a str>,
}

/// Parses a `.bp` file into a net.
pub fn parse(text: &str) -> Parsed<Net> {
    build(text).map(|machine| machine.net)
}

/// Parses a `.bp` file into a net with its counts.
pub fn build(text: &str) -> Parsed<BoolMachine> {
    translate(&Source::new(".bp", text), BoolOptions::default())
}

/// Parses a `.bp` file into a net, within the budget of the source.
pub fn read(source: &Source) -> Parsed<Net> {
    read_with(source, BoolOptions::default())
}

/// The same with options.
pub fn read_with(source: &Source, options: BoolOptions) -> Parsed<Net> {
    translate(source, options).map(|machine| machine.net)
}

fn translate(source: &Source, options: BoolOptions) -> Parsed<BoolMachine> {
    let mut program = parser::parse(source)?;
    if let Some(label) = options.error_label {
        if !program.labels.contains(label) {
            let message = format!("there is no label {} in the program", quoted(label));
            return Err(source.error(source.end(), message));
        }
        program.error_labels.push(label.to_string());
    }
    let flow = inline::inline(&program, source)?;
    assemble::check_asserts(&program, &flow.edges, source)?;
    let errors = program.errors.iter().map(|(condition, place)| {
        assemble::error_condition(&program, condition, place.span, source)
    });
    let property = Property { errors: errors.collect::<Parsed<_>>()?, assertions: true };
    if options.slice {
        return parts::translate_parts(&program, &flow, property, source);
    }
    let mut flow = flow;
    let live = live::live(&flow, Strength::Weak, u128::MAX, source.budget())?;
    let stable = machine::stable_nodes(&flow);
    live::drop_dead_assignments(&mut flow, &live);
    enumerate(&program, &flow, &live, stable, &property, source)
}

/// What is asked: conditions on shared variables, and whether assertions count.
#[derive(Clone, Debug, Default)]
struct Property {
    errors: Vec<Expr<u32>>,
    assertions: bool,
}

impl Property {
    /// The shared variables that it speaks of.
    fn variables(&self) -> u128 {
        let mut wanted = 0;
        self.errors.iter().for_each(|e| e.each_variable(&mut |i| wanted |= 1u128 << i));
        wanted
    }
}

/// The machine of a control-flow graph.
fn enumerate(
    program: &BoolProgram,
    flow: &Flow,
    live: &Live,
    stable: Vec<bool>,
    property: &Property,
    source: &Source,
) -> Parsed<BoolMachine> {
    let read = slice::initially_read(flow, source.budget())? | property.variables();
    let first = FirstValues::new(program, live.shared & read);
    let machine = machine::build(flow, live, stable, first, source)?;
    let (shared_used, local_used) = (machine.shared.values.len(), machine.local.values.len());
    Ok(BoolMachine {
        net: assemble::assemble(program, &property.errors, machine, source)?,
        shared_used,
        shared_declared: 1u128.checked_shl(program.shared.len() as u32).unwrap_or(u128::MAX),
        local_used,
        local_variables: flow.locals as usize,
    })
}

/// The values that shared variables can start with, one after the other.
struct FirstValues {
    next: Option<u128>,
    open: u128,
}

impl FirstValues {
    fn new(program: &BoolProgram, matters: u128) -> FirstValues {
        let bits = |what: fn(&Expr) -> bool| {
            let variables = program.shared.iter().enumerate();
            variables.map(|(i, v)| u128::from(what(&v.initial)) << i).sum::<u128>()
        };
        let fixed = bits(|e| *e == Expr::Constant(true));
        FirstValues { next: Some(fixed), open: bits(|e| *e == Expr::Any) & matters }
    }
}

impl Iterator for FirstValues {
    type Item = u128;

    fn next(&mut self) -> Option<u128> {
        let current = self.next?;
        // counts in the open bits alone: the others carry over
        let counted = (current | !self.open).wrapping_add(1) & self.open;
        self.next = (counted != 0).then_some(current & !self.open | counted);
        Some(current)
    }
}
