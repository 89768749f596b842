//! Shorter runs to the same target.
//!
//! Forward searches with ω repeat loops until there are enough tokens, which makes runs of thousands of
//! steps where a hundred would do. Walking backwards from the target gives what is needed before each step;
//! a step that gives nothing of it is dropped, and wherever a marking already has what is needed at a later
//! point of the run, everything between is left out. Both repeat until nothing changes. Cost: steps²
//! comparisons a round at the worst, which the budget ends.

use crate::algorithms::needs::{before, concretize};
use crate::answer::Run;
use crate::budget::Budget;
use crate::config::Config;
use crate::error::Stop;
use crate::net::Net;

/// Longer runs are left as they are.
const MOST_STEPS: usize = 200_000;

/// The run without the steps it does not need; nets with transfers keep theirs.
pub fn shortened(net: &Net, run: &Run, budget: &Budget) -> Result<Run, Stop> {
    let mut run = run.clone();
    if net.has_transfers() || run.steps.len() > MOST_STEPS {
        return Ok(run);
    }
    loop {
        let Some(shorter) = once(net, &run, budget)? else {
            return Ok(run);
        };
        let done = shorter.steps.len() == run.steps.len();
        run = shorter;
        if done {
            return Ok(run);
        }
    }
}

/// One round; `None` if the run covers no target.
fn once(net: &Net, run: &Run, budget: &Budget) -> Result<Option<Run>, Stop> {
    let mut marking = run.initial.clone();
    for &t in &run.steps {
        budget.steps(1 + marking.entries().len())?;
        marking = net.fire(&marking, &net.transitions[t as usize])?;
    }
    let Some(target) = net.targets.iter().find(|target| target.leq(&marking)) else {
        return Ok(None);
    };
    let (steps, needs) = needed(net, &run.steps, target, budget)?;
    let initial = concretize(net, &needs[0]);
    let steps = jumped(net, &initial, &steps, &needs, budget)?;
    Ok(Some(Run { steps, ..Run::new(initial) }))
}

/// The steps that give something, and what is needed before each of them and at the end.
fn needed(
    net: &Net,
    steps: &[u32],
    target: &Config,
    budget: &Budget,
) -> Result<(Vec<u32>, Vec<Config>), Stop> {
    let mut kept = Vec::new();
    let mut needs = vec![target.clone()];
    for &t in steps.iter().rev() {
        let after = &needs[needs.len() - 1];
        budget.steps(2 + after.entries().len())?;
        let need = before(net, t, after)?;
        if !after.leq(&need) {
            kept.push(t);
            needs.push(need);
        }
    }
    kept.reverse();
    needs.reverse();
    Ok((kept, needs))
}

/// Fires the steps, each time from the latest point whose need is met.
fn jumped(
    net: &Net,
    initial: &Config,
    steps: &[u32],
    needs: &[Config],
    budget: &Budget,
) -> Result<Vec<u32>, Stop> {
    let masks: Vec<u64> = needs.iter().map(Config::mask).collect();
    let mut marking = initial.clone();
    let mut taken = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let mask = marking.mask();
        let met = |&point: &usize| masks[point] & !mask == 0 && needs[point].leq(&marking);
        budget.steps(1 + (needs.len() - at) / 4)?;
        at = (at..needs.len()).rev().find(met).unwrap_or(at);
        if let Some(&t) = steps.get(at) {
            marking = net.fire(&marking, &net.transitions[t as usize])?;
            taken.push(t);
            at += 1;
        }
    }
    Ok(taken)
}
