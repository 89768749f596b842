//! A property in parts: questions that have no shared variable in common are asked side by side.
//!
//! Each `error` condition, and the assertions together, are a question of their own; the program is bad if
//! one of them says so. Each is sliced alone. Those whose slices share a variable are put together again,
//! since two machines over the same variables cost twice; what is left are machines that know nothing of
//! each other, and the net is their disjoint union. Three copies of a library with s shared states are so
//! 3 s of them instead of s³.

use super::ast::BoolProgram;
use super::flow::{Flow, FlowOp};
use super::live::Live;
use super::{BoolMachine, Property, enumerate, machine, slice};
use crate::config::{Config, Entry};
use crate::names::Names;
use crate::net::{Net, System, Transition};
use pidlab_syntax::{Parsed, Source};

/// A part of the property with what it sees of the program.
struct Part {
    property: Property,
    flow: Flow,
    live: Live,
}

/// The union of the machines of all parts.
pub fn translate_parts(
    program: &BoolProgram,
    flow: &Flow,
    property: Property,
    source: &Source,
) -> Parsed<BoolMachine> {
    let mut parts = Vec::new();
    let asserts = flow.edges.iter().any(|edge| matches!(edge.op, FlowOp::Assert(_)));
    if asserts || property.errors.is_empty() {
        parts.push(Property { errors: Vec::new(), assertions: true });
    }
    parts.extend(
        property.errors.into_iter().map(|e| Property { errors: vec![e], assertions: false }),
    );
    let slices = parts.into_iter().map(|part| Part::new(flow, part, source));
    let parts = joined(slices.collect::<Parsed<Vec<Part>>>()?, flow, source)?;
    let mut whole: Option<BoolMachine> = None;
    for part in parts {
        let stable = machine::stable_nodes(&part.flow);
        let next = enumerate(program, &part.flow, &part.live, stable, &part.property, source)?;
        whole = Some(match whole {
            None => next,
            Some(before) => BoolMachine {
                shared_used: before.shared_used + next.shared_used,
                local_used: before.local_used + next.local_used,
                net: union(before.net, next.net, source)?,
                ..before
            },
        });
    }
    whole.ok_or_else(|| source.error(source.end(), "empty target"))
}

impl Part {
    fn new(flow: &Flow, property: Property, source: &Source) -> Parsed<Part> {
        let mut flow = Flow { edges: flow.edges.clone(), ..flow.skeleton() };
        if !property.assertions {
            // a thread goes on only where the assertion holds
            for edge in &mut flow.edges {
                if let FlowOp::Assert(e) = &edge.op {
                    edge.op = FlowOp::Assume(e.clone());
                }
            }
        }
        let live = slice::slice(&mut flow, property.variables(), source.budget())?;
        Ok(Part { property, flow, live })
    }
}

/// Puts parts together until no two of them have a variable in common.
fn joined(mut parts: Vec<Part>, flow: &Flow, source: &Source) -> Parsed<Vec<Part>> {
    let mut alone = Vec::new();
    while let Some(part) = parts.pop() {
        source.budget().poll()?;
        let common = |other: &Part| other.live.shared & part.live.shared != 0;
        match parts.iter().position(common) {
            None => alone.push(part),
            Some(other) => {
                let other = parts.remove(other);
                let mut property = other.property;
                property.errors.extend(part.property.errors);
                property.assertions |= part.property.assertions;
                parts.push(Part::new(flow, property, source)?);
            }
        }
    }
    alone.reverse();
    Ok(alone)
}

/// Two nets side by side; a marking of one of them that is wanted suffices.
fn union(mut a: Net, b: Net, source: &Source) -> Parsed<Net> {
    let (budget, shift) = (source.budget(), a.places.len() as u32);
    let moved = |entries: &[Entry]| -> Vec<Entry> {
        entries.iter().map(|&(place, count)| (place + shift, count)).collect()
    };
    let mut names = Names::default();
    a.places.iter().for_each(|name| names.push(name));
    let part = a.systems.len() + 1;
    b.places.iter().for_each(|name| names.push(&format!("{part}:{name}")));
    for t in &b.transitions {
        budget.steps(1)?;
        let (pre, post) = (moved(&t.pre), moved(&t.post));
        let transfers = t.transfers.iter().map(|&(from, to)| (from + shift, to + shift)).collect();
        a.transitions.push(Transition { pre, post, transfers, line: t.line });
    }
    a.labels.extend(b.labels);
    a.initial = Config::new([a.initial.entries(), &moved(b.initial.entries())].concat());
    // a run of one part needs no thread of the others
    a.at_least.clear();
    a.targets.extend(b.targets.iter().map(|target| Config::from_sorted(moved(target.entries()))));
    let system = |s: &System| System {
        shared: s.shared.start + shift..s.shared.end + shift,
        local: s.local.start + shift..s.local.end + shift,
    };
    a.systems.extend(b.systems.iter().map(system));
    Ok(Net { places: names, ..a })
}
