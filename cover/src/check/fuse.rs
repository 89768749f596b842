//! The checker's own construction of a net with control states passed over.
//!
//! A certificate may list control places and, among them, places to eliminate. The conditions: the
//! start has exactly one token on the control places, every step takes exactly one and puts exactly
//! one there, every target asks for one on a place that stays, the eliminated places start empty.
//! Then a token on an eliminated place can only be taken on by the next step, and each pair of a step
//! that puts it there and one that takes it acts as one step. What the smaller net cannot cover the
//! larger one cannot.

use super::fire::StepArcs;
use super::{Model, Rejection};
use crate::answer::FusedControl;
use crate::budget::Budget;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Refuse lists that would blow the net up.
const MAX_GROWTH: usize = 4;

pub(crate) fn fused<'a>(
    model: Cow<'a, Model>,
    fuse: Option<&FusedControl>,
    budget: &Budget,
) -> Result<Cow<'a, Model>, Rejection> {
    let Some(fuse) = fuse else {
        return Ok(model);
    };
    let mut model = match model {
        Cow::Owned(model) => model,
        Cow::Borrowed(model) => model.copied(budget)?,
    };
    budget.poll()?;
    // A step that only loses tokens never helps to cover anything.
    model.steps.retain(|step| !only_loses(step));
    let control = numbers(&model, &fuse.control)?;
    let eliminated = numbers(&model, &fuse.eliminate)?;
    check_conditions(&model, &control, &eliminated)?;
    let limit = model.steps.len() * MAX_GROWTH + 1000;
    let order =
        fuse.eliminate.iter().map(|name| model.place(name)).collect::<Result<Vec<_>, _>>()?;
    let mut steps = Steps::new(std::mem::take(&mut model.steps), &control, budget)?;
    for place in order {
        steps.eliminate(place, limit)?;
    }
    model.steps = steps.arcs.into_iter().flatten().collect();
    Ok(Cow::Owned(model))
}

fn only_loses(step: &StepArcs) -> bool {
    let least = |place: &u32| step.pre.get(place).copied().unwrap_or(0);
    step.moves.is_empty() && step.post.iter().all(|(place, count)| *count <= least(place))
}

fn numbers(model: &Model, names: &[String]) -> Result<FxHashSet<u32>, Rejection> {
    names.iter().map(|name| model.place(name)).collect()
}

fn check_conditions(
    model: &Model,
    control: &FxHashSet<u32>,
    eliminated: &FxHashSet<u32>,
) -> Result<(), Rejection> {
    let fail = |why: &str| Err(Rejection::Certificate(format!("control places: {why}")));
    let tokens = |counts: &BTreeMap<u32, u64>| -> u64 {
        counts.iter().filter(|(p, _)| control.contains(p)).map(|(_, n)| *n).sum()
    };
    let start: Vec<_> = model.initial.iter().filter(|(p, _)| control.contains(p)).collect();
    let at_start: u64 = start.iter().filter_map(|(_, n)| **n).sum();
    if start.iter().any(|(_, n)| n.is_none()) || at_start != 1 {
        return fail("the start has not exactly one token on them");
    }
    if !eliminated.is_subset(control) || start.iter().any(|(p, _)| eliminated.contains(p)) {
        return fail("an eliminated place is not a control place or starts with a token");
    }
    let one = |s: &StepArcs| s.moves.is_empty() && tokens(&s.pre) == 1 && tokens(&s.post) == 1;
    if !model.steps.iter().all(one) {
        return fail("a step does not move exactly one token");
    }
    let stays = |target: &BTreeMap<u32, u64>| {
        target.iter().any(|(p, n)| *n > 0 && control.contains(p) && !eliminated.contains(p))
    };
    if !model.targets.iter().all(stays) {
        return fail("a target does not ask for one that stays");
    }
    Ok(())
}

struct Steps<'a> {
    budget: &'a Budget,
    arcs: Vec<Option<StepArcs>>,
    puts: FxHashMap<u32, Vec<usize>>,
    takes: FxHashMap<u32, Vec<usize>>,
    control: FxHashSet<u32>,
}

impl<'a> Steps<'a> {
    fn new(
        arcs: Vec<StepArcs>,
        control: &FxHashSet<u32>,
        budget: &'a Budget,
    ) -> Result<Steps<'a>, Rejection> {
        let mut steps = Steps {
            budget,
            arcs: Vec::new(),
            puts: FxHashMap::default(),
            takes: FxHashMap::default(),
            control: control.clone(),
        };
        for step in arcs {
            steps.push(step)?;
        }
        Ok(steps)
    }

    fn push(&mut self, step: StepArcs) -> Result<(), Rejection> {
        self.budget.steps(1 + step.pre.len() + step.post.len())?;
        let number = self.arcs.len();
        for place in step.pre.keys().filter(|p| self.control.contains(p)) {
            self.takes.entry(*place).or_default().push(number);
        }
        for place in step.post.keys().filter(|p| self.control.contains(p)) {
            self.puts.entry(*place).or_default().push(number);
        }
        self.arcs.push(Some(step));
        Ok(())
    }

    fn eliminate(&mut self, place: u32, limit: usize) -> Result<(), Rejection> {
        let puts = self.puts.remove(&place).unwrap_or_default();
        let takes = self.takes.remove(&place).unwrap_or_default();
        let puts: Vec<StepArcs> = puts.iter().filter_map(|&n| self.arcs[n].take()).collect();
        if puts.iter().any(|step| step.pre.contains_key(&place)) {
            return Err(Rejection::Certificate("a step stays on an eliminated place".into()));
        }
        let takes: Vec<StepArcs> = takes.iter().filter_map(|&n| self.arcs[n].take()).collect();
        if self.arcs.len() + puts.len() * takes.len() > limit {
            return Err(Rejection::Certificate("the eliminated places multiply the steps".into()));
        }
        for first in &puts {
            for second in &takes {
                self.push(in_sequence(first, second))?;
            }
        }
        Ok(())
    }
}

/// The effect of two steps as one: what the second needs beyond what the first gives is needed at
/// the start, what the first gives beyond what the second takes is left at the end.
fn in_sequence(first: &StepArcs, second: &StepArcs) -> StepArcs {
    let mut pre = first.pre.clone();
    for (&place, &count) in &second.pre {
        let given = first.post.get(&place).copied().unwrap_or(0);
        if count > given {
            *pre.entry(place).or_insert(0) += count - given;
        }
    }
    let mut post = second.post.clone();
    for (&place, &count) in &first.post {
        let taken = second.pre.get(&place).copied().unwrap_or(0);
        if count > taken {
            *post.entry(place).or_insert(0) += count - taken;
        }
    }
    StepArcs { pre, post, moves: BTreeMap::new() }
}
