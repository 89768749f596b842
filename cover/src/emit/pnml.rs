//! A net as PNML: a place/transition net, and its targets as a property of their own.
//!
//! A place that may start with any number of tokens gets a transition that makes them at any time: without
//! broadcasts, which are refused, more tokens never do harm, so that early and late are the same.

use super::{EmitError, EmitFormat, Emitted, conditions, refuse, refuse_transition};
use crate::budget::Budget;
use crate::config::OMEGA;
use crate::net::Net;
use pidlab_pnml::{Arc, Direction, Place, PnmlNet, Transition};
use pidlab_syntax::Span;
use std::fmt::Write;

pub fn emit(net: &Net, budget: &Budget) -> Result<Emitted, EmitError> {
    let moves = |t: &crate::net::Transition| t.transfers.iter().any(|arc| arc.0 != arc.1);
    if let Some(number) = net.transitions.iter().position(moves) {
        let why = "which moves all tokens of a place";
        return Err(refuse_transition(EmitFormat::Pnml, net, number, why));
    }
    let least = net.lower_bounds();
    let mut file = PnmlNet { id: "net".into(), name: "net".into(), ..PnmlNet::default() };
    for (number, name) in net.places.iter().enumerate() {
        budget.steps(1)?;
        let tokens = match net.initial.get(number as u32) {
            OMEGA => least.get(&(number as u32)).copied().unwrap_or_default(),
            count => count,
        };
        let (id, name, tokens) = (format!("p{number}"), printable(name), u64::from(tokens));
        file.places.push(Place { id, name, tokens, ..Place::default() });
    }
    for (number, t) in net.transitions.iter().enumerate() {
        budget.steps(1 + t.pre.len() + t.post.len())?;
        let name = printable(&net.describe(number));
        file.transitions.push(Transition {
            id: format!("t{number}"),
            name,
            ..Transition::default()
        });
        for &(place, count) in &t.pre {
            let direction = Direction::Take { place: place as usize, transition: number };
            push_arc(&mut file, direction, count);
        }
        for &(place, count) in &t.post {
            let direction = Direction::Put { transition: number, place: place as usize };
            push_arc(&mut file, direction, count);
        }
    }
    for &(place, _) in net.initial.entries().iter().filter(|e| e.1 == OMEGA) {
        let transition = file.transitions.len();
        let (id, name) = (format!("any{place}"), format!("any number on p{place}"));
        file.transitions.push(Transition { id, name, ..Transition::default() });
        push_arc(&mut file, Direction::Put { transition, place: place as usize }, 1);
    }
    let mut bytes = Vec::new();
    pidlab_pnml::write(&file, &mut bytes)
        .map_err(|error| refuse(EmitFormat::Pnml, format!("this net ({error})")))?;
    let ids: Vec<String> = (0..net.places.len()).map(|p| format!("p{p}")).collect();
    let mut property = String::new();
    for target in &net.targets {
        let _ = writeln!(property, "{}", conditions(target, &ids));
    }
    let model = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Emitted { model, property: Some(property) })
}

fn push_arc(file: &mut PnmlNet, direction: Direction, count: u32) {
    let id = format!("a{}", file.arcs.len());
    let (weight, span) = (u64::from(count), Span::default());
    file.arcs.push(Arc { id, span, direction, weight, term: None });
}

/// XML has no place for most control characters.
fn printable(name: &str) -> String {
    name.replace(|c: char| c.is_control(), " ")
}
