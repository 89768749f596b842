//! A net as a `.spec` file: each transition is one rule.
//!
//! What is left of a place after a transition took its tokens moves along its arc, if it has one, so that the
//! new value of a place is a sum of old ones and a constant. A place with several arcs has no such sum.

use super::{EmitError, EmitFormat, Emitted, conditions, legend, refuse_transition, words};
use crate::budget::Budget;
use crate::config::{OMEGA, count_of};
use crate::net::{Net, Transition};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const RESERVED: [&str; 7] = ["vars", "rules", "init", "target", "invariants", "true", "in"];

pub fn emit(net: &Net, budget: &Budget) -> Result<Emitted, EmitError> {
    let names = words(net, &RESERVED, budget)?;
    let mut text = legend(net, &names, "#");
    let _ = writeln!(text, "vars\n    {}\nrules", names.join(" "));
    for (number, t) in net.transitions.iter().enumerate() {
        budget.steps(1 + t.pre.len() + t.post.len() + t.transfers.len())?;
        if t.has_choice() {
            let why = "in which tokens choose where they go";
            return Err(refuse_transition(EmitFormat::Spec, net, number, why));
        }
        let _ = writeln!(text, "    {};", rule(t, &names));
    }
    text.push_str("init\n");
    let least = net.lower_bounds();
    for &(place, count) in net.initial.entries() {
        let name = &names[place as usize];
        let _ = match count {
            OMEGA => writeln!(text, "    {name} >= {}", least.get(&place).unwrap_or(&0)),
            count => writeln!(text, "    {name} = {count}"),
        };
    }
    text.push_str("target\n");
    for target in &net.targets {
        let _ = writeln!(text, "    {}", conditions(target, &names));
    }
    Ok(Emitted { model: text, property: None })
}

fn rule(t: &Transition, names: &[String]) -> String {
    let guard = t.pre.iter().map(|&(p, n)| format!("{} >= {n}", names[p as usize]));
    let guard = guard.collect::<Vec<_>>().join(", ");
    let guard = if guard.is_empty() { "true".into() } else { guard };
    let moves: BTreeMap<u32, u32> =
        t.transfers.iter().filter(|arc| arc.0 != arc.1).copied().collect();
    let ends = t.pre.iter().chain(&t.post).map(|e| e.0);
    let arcs = moves.iter().flat_map(|(&from, &to)| [from, to]);
    let changed: BTreeSet<u32> = ends.chain(arcs).collect();
    let left = |p: u32| -i64::from(count_of(&t.pre, p));
    let effects = changed.into_iter().filter_map(|place| {
        let stays = !moves.contains_key(&place);
        let comes = moves.iter().filter(|(_, to)| **to == place).map(|(&from, _)| from);
        let sources: Vec<u32> = stays.then_some(place).into_iter().chain(comes).collect();
        let constant =
            i64::from(count_of(&t.post, place)) + sources.iter().map(|&p| left(p)).sum::<i64>();
        let unchanged = sources == [place] && constant == 0;
        (!unchanged)
            .then(|| format!("{}' = {}", names[place as usize], sum(&sources, constant, names)))
    });
    format!("{guard} -> {}", effects.collect::<Vec<_>>().join(", "))
}

fn sum(sources: &[u32], constant: i64, names: &[String]) -> String {
    let terms = sources.iter().map(|&p| names[p as usize].as_str()).collect::<Vec<_>>().join(" + ");
    match (terms.is_empty(), constant) {
        (true, _) => constant.to_string(),
        (false, 0) => terms,
        (false, 1..) => format!("{terms} + {constant}"),
        (false, _) => format!("{terms} - {}", constant.unsigned_abs()),
    }
}
