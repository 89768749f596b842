//! Checking coverability sets.
//!
//! Three claims: everything reachable is below a configuration of the set (it holds the start and is closed
//! under every step); every configuration is derived, that is, for each number n some reachable marking has
//! its finite counts and n tokens wherever it has ω; none is below another. Derivations are followed step by
//! step. A loop counts if, from where it ends, its transitions can be fired once more and lose nothing: then
//! they can be fired any number of times, and what they raise can be had in any number.

use super::fire::{Marking, below, fire_chosen};
use super::{ClosedSet, Model, Rejection, check_closed};
use crate::budget::Budget;
use crate::set_document::{DerivationStep, SetDocument};
use std::collections::BTreeMap;

/// Checks a whole document; `Ok(false)` if it has no set.
pub fn check_set(
    model: &Model,
    document: &SetDocument,
    budget: &Budget,
) -> Result<bool, Rejection> {
    if !document.complete {
        let empty = document.configurations.is_empty() && document.derivation.is_empty();
        let mixed = || Rejection::Malformed("a set that is said not to be complete".into());
        return if empty { Ok(false) } else { Err(mixed()) };
    }
    if model.steps.iter().any(|step| !step.moves.is_empty()) {
        return Err(Rejection::Malformed("a coverability set of a net with broadcasts".into()));
    }
    let set = ClosedSet::new(model, &document.configurations, budget)?;
    check_closed(model, &set, budget)?;
    check_derived(model, &set, document, budget)?;
    check_minimal(&set)?;
    Ok(true)
}

fn fail<T>(why: String) -> Result<T, Rejection> {
    Err(Rejection::Certificate(why))
}

fn check_derived(
    model: &Model,
    set: &ClosedSet,
    document: &SetDocument,
    budget: &Budget,
) -> Result<(), Rejection> {
    if document.derived_at.len() != set.configs.len() {
        return Err(Rejection::Malformed("one derivation for each configuration".into()));
    }
    let mut reached = vec![tidy(model.initial.clone())];
    for number in 0..document.derivation.len() {
        let marking = derive(model, &document.derivation, number, &reached, budget)?;
        reached.push(marking);
    }
    for (number, (config, &at)) in set.configs.iter().zip(&document.derived_at).enumerate() {
        let derived = reached.get(at as usize).is_some_and(|d| *d == tidy(config.clone()));
        if !derived {
            return fail(format!("configuration {number} is not what its derivation gives"));
        }
    }
    Ok(())
}

/// What step `number` of a derivation leads to.
fn derive(
    model: &Model,
    steps: &[DerivationStep],
    number: usize,
    reached: &[Marking],
    budget: &Budget,
) -> Result<Marking, Rejection> {
    let step = &steps[number];
    let bad = |what: &str| Rejection::Certificate(format!("step {} {what}", number + 1));
    let from = reached.get(step.from as usize).ok_or_else(|| bad("comes from a later one"))?;
    let fire = |marking: &Marking, transition: u32| -> Result<Marking, Rejection> {
        budget.steps(1 + 4 * marking.len())?;
        let arcs = model.steps.get(transition as usize).ok_or_else(|| bad("fires nothing"))?;
        fire_chosen(marking, arcs, &BTreeMap::new()).map_err(|why| bad(&why))
    };
    let mut marking = tidy(fire(from, step.transition)?);
    for &start in &step.pumps {
        let mut around = vec![step.transition];
        let mut at = step.from;
        while at != start {
            budget.steps(1)?;
            let before = (at as usize).checked_sub(1).map(|earlier| &steps[earlier]);
            let before = before.ok_or_else(|| bad("repeats a loop it does not come from"))?;
            around.push(before.transition);
            at = before.from;
        }
        let mut after = marking.clone();
        for &transition in around.iter().rev() {
            after = fire(&after, transition)?;
        }
        if !below(&marking, &after) {
            return Err(bad("repeats a loop that loses tokens"));
        }
        for (place, count) in tidy(after) {
            if marking.get(&place) != Some(&count) {
                marking.insert(place, None);
            }
        }
    }
    Ok(marking)
}

/// Without places that hold nothing.
fn tidy(mut marking: Marking) -> Marking {
    marking.retain(|_, count| *count != Some(0));
    marking
}

/// No configuration is below another.
fn check_minimal(set: &ClosedSet) -> Result<(), Rejection> {
    for (number, config) in set.configs.iter().enumerate() {
        if let Some(other) = set.above(config, number)? {
            return fail(format!("configuration {number} is below configuration {other}"));
        }
    }
    Ok(())
}
