//! Firing and comparing in the checker, on plain maps.
//!
//! A step takes `pre`, sends the tokens that are left along its moves, and puts `post`. Where a place
//! has several moves each of its tokens chooses, so a marking has many successors: all of them are
//! listed, one after the other. ω tokens give ω on every place they can go to: any numbers there are
//! reached from enough tokens, and nothing above them is.

use crate::budget::{Budget, Exhausted};
use std::collections::{BTreeMap, BTreeSet};

/// Tokens per place; `None` is ω.
pub(crate) type Marking = BTreeMap<u32, Option<u64>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StepArcs {
    pub pre: BTreeMap<u32, u64>,
    pub post: BTreeMap<u32, u64>,
    /// Where the tokens of a place can go; those of other places stay.
    pub moves: BTreeMap<u32, BTreeSet<u32>>,
}

impl StepArcs {
    /// Every move as a pair of places.
    pub fn arcs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.moves.iter().flat_map(|(&from, to)| to.iter().map(move |&to| (from, to)))
    }
}

/// `counts ≤ marking`.
pub(crate) fn below_counts(counts: &BTreeMap<u32, u64>, marking: &Marking) -> bool {
    counts.iter().all(|(place, &count)| match marking.get(place) {
        None => count == 0,
        Some(None) => true,
        Some(Some(have)) => count <= *have,
    })
}

/// `a ≤ b` with ω on top.
pub(crate) fn below(a: &Marking, b: &Marking) -> bool {
    a.iter().all(|(place, count)| match (count, b.get(place)) {
        (_, Some(None)) => true,
        (Some(n), Some(Some(m))) => n <= m,
        (Some(n), None) => *n == 0,
        (None, _) => false,
    })
}

/// What is left when `pre` has been taken, or `None` if the step is not enabled.
fn take_pre(marking: &Marking, step: &StepArcs) -> Option<Marking> {
    if !below_counts(&step.pre, marking) {
        return None;
    }
    let mut rest = marking.clone();
    for (place, count) in &step.pre {
        if let Some(Some(have)) = rest.get_mut(place) {
            *have -= count;
        }
    }
    Some(rest)
}

fn add(marking: &mut Marking, place: u32, count: Option<u64>) {
    let sum = marking.entry(place).or_insert(Some(0));
    *sum = sum.zip(count).map(|(a, b)| a.saturating_add(b));
}

/// The successor in which the tokens chose as `chosen` says, which must speak of every token that
/// has a choice and of no other.
pub(crate) fn fire_chosen(
    marking: &Marking,
    step: &StepArcs,
    chosen: &BTreeMap<u32, BTreeMap<u32, u64>>,
) -> Result<Marking, String> {
    let rest = take_pre(marking, step).ok_or("the transition is not enabled")?;
    let chooses = |place: &u32| step.moves.get(place).is_some_and(|to| to.len() > 1);
    if !chosen.keys().all(chooses) {
        return Err("moves are given for tokens that have no choice".into());
    }
    let mut after = Marking::new();
    for (place, count) in rest {
        match step.moves.get(&place) {
            None => add(&mut after, place, count),
            Some(to) if to.len() > 1 => {
                let given = chosen.get(&place).cloned().unwrap_or_default();
                if count != Some(given.values().sum()) || !given.keys().all(|p| to.contains(p)) {
                    return Err("the moves given are not those of the tokens that choose".into());
                }
                given.iter().for_each(|(&to, &n)| add(&mut after, to, Some(n)));
            }
            Some(to) => to.iter().for_each(|&to| add(&mut after, to, count)),
        }
    }
    step.post.iter().for_each(|(&place, &count)| add(&mut after, place, Some(count)));
    Ok(after)
}

/// Every successor; none if the step is not enabled.
pub(crate) fn successors<'a>(
    marking: &Marking,
    step: &StepArcs,
    budget: &'a Budget,
) -> Result<Successors<'a>, Exhausted> {
    budget.steps(1 + 4 * marking.len())?;
    let mut groups = Vec::new();
    let mut open = Vec::new();
    if let Some(rest) = take_pre(marking, step) {
        let mut after = Marking::new();
        for (place, count) in rest {
            match (step.moves.get(&place), count) {
                (None, _) => add(&mut after, place, count),
                (Some(to), Some(n)) if to.len() > 1 => {
                    groups.push((n, to.iter().copied().collect::<Vec<u32>>()));
                }
                (Some(to), _) => to.iter().for_each(|&to| add(&mut after, to, count)),
            }
        }
        step.post.iter().for_each(|(&place, &count)| add(&mut after, place, Some(count)));
        let left = groups.first().map_or(0, |group| group.0);
        open.push(Partial { marking: after, group: 0, option: 0, left, here: 0 });
    }
    Ok(Successors { budget, groups, open })
}

/// The successors, found by an explicit stack that is no deeper than there are moves.
pub(crate) struct Successors<'a> {
    budget: &'a Budget,
    /// Tokens that choose, and where they can go.
    groups: Vec<(u64, Vec<u32>)>,
    open: Vec<Partial>,
}

/// Choices made so far: `here` of the `left` tokens of a group are to take its next option.
struct Partial {
    marking: Marking,
    group: usize,
    option: usize,
    left: u64,
    here: u64,
}

impl Iterator for Successors<'_> {
    type Item = Result<Marking, Exhausted>;

    fn next(&mut self) -> Option<Result<Marking, Exhausted>> {
        while let Some(mut at) = self.open.pop() {
            if let Err(stop) = self.budget.steps(1 + 4 * at.marking.len()) {
                return Some(Err(stop));
            }
            let Some((_, options)) = self.groups.get(at.group) else {
                return Some(Ok(at.marking));
            };
            let to = options[at.option];
            let last = at.option + 1 == options.len();
            let here = if last { at.left } else { at.here };
            if here < at.left {
                self.open.push(Partial { here: here + 1, marking: at.marking.clone(), ..at });
            }
            add(&mut at.marking, to, Some(here));
            let (group, option) = if last { (at.group + 1, 0) } else { (at.group, at.option + 1) };
            let next_group = self.groups.get(group).map_or(0, |group| group.0);
            let left = if last { next_group } else { at.left - here };
            self.open.push(Partial { marking: at.marking, group, option, left, here: 0 });
        }
        None
    }
}
