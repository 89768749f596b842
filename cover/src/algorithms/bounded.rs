//! `bounded:<n>`: explicit search with exactly n threads, the role SMV plays in Beacon'01.
//!
//! Breadth-first over concrete markings; every place that may start with any number starts with n.
//! A violation is an answer for all numbers of threads; its absence says nothing about other
//! numbers, so the result is "unknown" unless the input fixes the start. The number of markings
//! grows like n to the power of the local states in use.

use crate::answer::{Finding, Proof, Run, Stats};
use crate::budget::Budget;
use crate::choice::{Choices, Moved};
use crate::config::{Config, OMEGA};
use crate::error::Stop;
use crate::net::{EnabledIndex, Net};
use rustc_hash::FxHashMap;

pub fn run(net: &Net, threads: u32, budget: &Budget, stats: &mut Stats) -> Result<Finding, Stop> {
    search(net, threads, usize::MAX, budget, stats)
}

/// A shortest violation with exactly `threads` threads among the first `limit` markings.
pub fn short_run(net: &Net, threads: u32, limit: usize, budget: &Budget) -> Option<Run> {
    match search(net, threads, limit, budget, &mut Stats::default()) {
        Ok(Finding::Unsafe(run)) => Some(run),
        _ => None,
    }
}

fn search(
    net: &Net,
    threads: u32,
    limit: usize,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Finding, Stop> {
    let start = start_with(net, threads);
    let index = EnabledIndex::new(net, |_| true, budget)?;
    let mut numbers = FxHashMap::from_iter([(start.clone(), 0u32)]);
    let mut states = vec![(start, u32::MAX, u32::MAX)];
    let mut next = 0;
    while next < states.len() {
        budget.poll()?;
        let config = states[next].0.clone();
        if net.targets.iter().any(|target| target.leq(&config)) {
            return path(net, &states, next, budget).map(Finding::Unsafe);
        }
        for t in index.enabled(net, &config) {
            let transition = &net.transitions[t as usize];
            for choice in Choices::new(&config, transition) {
                budget.poll()?;
                stats.explored += 1;
                let after = net.fire_with(&config, transition, &choice)?;
                let fresh = states.len() as u32;
                if !numbers.contains_key(&after) {
                    budget.grow::<(Config, u32)>(numbers.len(), numbers.capacity())?;
                    numbers.insert(after.clone(), fresh);
                    states.push((after, next as u32, t));
                }
                if states.len() > limit {
                    return Err(Stop::Incomplete(format!("more than {limit} markings")));
                }
            }
        }
        next += 1;
        stats.kept = states.len() as u64;
    }
    if net.has_fixed_start() {
        return Ok(Finding::Safe(Proof::Forward(states.into_iter().map(|s| s.0).collect())));
    }
    let message = format!("no violation with exactly {threads} threads, {next} markings in all");
    Err(Stop::Incomplete(message))
}

pub fn start_with(net: &Net, threads: u32) -> Config {
    let bounds = net.lower_bounds();
    let at_least = |p: u32| bounds.get(&p).copied().unwrap_or(0);
    let count = |&(p, n): &(u32, u32)| (p, if n == OMEGA { threads.max(at_least(p)) } else { n });
    Config::new(net.initial.entries().iter().map(count).collect())
}

fn path(
    net: &Net,
    states: &[(Config, u32, u32)],
    last: usize,
    budget: &Budget,
) -> Result<Run, Stop> {
    let mut markings = vec![last];
    while states[markings[markings.len() - 1]].1 != u32::MAX {
        budget.steps(1)?;
        markings.push(states[markings[markings.len() - 1]].1 as usize);
    }
    markings.reverse();
    let mut run = Run::new(states[markings[0]].0.clone());
    for pair in markings.windows(2) {
        budget.steps(1)?;
        let (after, _, t) = &states[pair[1]];
        let choice = choice_between(net, &states[pair[0]].0, *t, after, budget)?;
        run.push(*t, choice);
    }
    Ok(run)
}

/// What the tokens chose when `t` led from one marking to another.
fn choice_between(
    net: &Net,
    before: &Config,
    t: u32,
    after: &Config,
    budget: &Budget,
) -> Result<Vec<Moved>, Stop> {
    let t = &net.transitions[t as usize];
    if t.has_choice() {
        for choice in Choices::new(before, t) {
            budget.poll()?;
            if net.fire_with(before, t, &choice)? == *after {
                return Ok(choice);
            }
        }
    }
    Ok(Vec::new())
}
