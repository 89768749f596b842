//! Who does what in a run: threads are anonymous in a net, and get numbers here; where a net has no threads, what is
//! marked after each step.
//!
//! Threads are numbered in the order of the local states they start in, those that are started later after
//! them. A step that takes one thread is that thread's; what a broadcast moves are any of those that are
//! there. Cost: a pass over the run, and the threads of a place for each broadcast; runs with very many
//! threads are not told.

use crate::answer::Run;
use crate::budget::Budget;
use crate::config::Entry;
use crate::error::Stop;
use crate::net::{Net, System};
use std::collections::BTreeMap;

/// Runs with more threads have no story.
const MOST_THREADS: u64 = 10_000;

/// Longer runs of nets without threads have no markings.
const MOST_MARKINGS: usize = 1_000;

/// A thread, and the local states that it leaves and enters.
pub type Journey = (u64, Option<u32>, Option<u32>);

/// What a step is about.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The threads that take part, with the places they leave and reach; a thread that is new leaves none.
    pub threads: Vec<Journey>,
    /// The threads that a broadcast takes from one place to another, in the same form.
    pub carried: Vec<Journey>,
    /// The shared state afterwards.
    pub shared: Option<u32>,
    /// What is marked afterwards, of a net without threads.
    pub marking: Vec<Entry>,
}

/// The story of a run, one entry a step; `None` if it has too many threads, or too many steps without any.
pub fn tell(net: &Net, run: &Run, budget: &Budget) -> Result<Option<Vec<Told>>, Stop> {
    if net.systems.is_empty() {
        return markings(net, run, budget);
    }
    let threads: u64 = run.initial.entries().iter().map(|e| u64::from(e.1)).sum();
    if threads > MOST_THREADS {
        return Ok(None);
    }
    let mut teller = Teller { net, at: BTreeMap::new(), next: 1 };
    for &(place, count) in run.initial.entries() {
        if teller.is_local(place) {
            (0..count).for_each(|_| teller.enter(place));
        }
    }
    let mut story = Vec::with_capacity(run.steps.len());
    for (number, &t) in run.steps.iter().enumerate() {
        budget.steps(8)?;
        story.push(teller.step(number, t, run, budget)?);
    }
    Ok(Some(story))
}

/// What is marked after each step of a net without threads.
fn markings(net: &Net, run: &Run, budget: &Budget) -> Result<Option<Vec<Told>>, Stop> {
    if run.steps.len() > MOST_MARKINGS {
        return Ok(None);
    }
    let mut at = run.initial.clone();
    let mut story = Vec::with_capacity(run.steps.len());
    for (number, &t) in run.steps.iter().enumerate() {
        budget.steps(8 + at.entries().len())?;
        let choice = run.choices.get(&number).map_or(&[][..], |moves| moves);
        at = net.fire_with(&at, &net.transitions[t as usize], choice)?;
        story.push(Told { marking: at.entries().to_vec(), ..Told::default() });
    }
    Ok(Some(story))
}

struct Teller<'a> {
    net: &'a Net,
    /// The threads on each local place.
    at: BTreeMap<u32, Vec<u64>>,
    next: u64,
}

impl Teller<'_> {
    fn is_local(&self, place: u32) -> bool {
        self.net.systems.iter().any(|system| system.local.contains(&place))
    }

    fn enter(&mut self, place: u32) {
        self.at.entry(place).or_default().push(self.next);
        self.next += 1;
    }

    fn step(&mut self, number: usize, t: u32, run: &Run, budget: &Budget) -> Result<Told, Stop> {
        let transition = &self.net.transitions[t as usize];
        let is_shared = |systems: &[System], p: u32| systems.iter().any(|s| s.shared.contains(&p));
        let shared = transition.post.iter().map(|e| e.0);
        let shared = shared.into_iter().find(|&p| is_shared(&self.net.systems, p));
        let left = self.locals(&transition.pre);
        let mut reached = self.locals(&transition.post);
        let mut threads = Vec::new();
        for place in left {
            let thread = self.at.get_mut(&place).and_then(Vec::pop).unwrap_or_default();
            // one that can stay stays
            let to =
                reached.iter().position(|&p| p == place).or((!reached.is_empty()).then_some(0));
            threads.push((thread, Some(place), to.map(|i| reached.remove(i))));
        }
        let mut carried = Vec::new();
        if !transition.transfers.is_empty() {
            carried = self.broadcast(number, t, run, budget)?;
        }
        for place in reached {
            threads.push((self.next, None, Some(place)));
            self.next += 1;
        }
        for &(thread, _, to) in &threads {
            if let Some(place) = to {
                self.at.entry(place).or_default().push(thread);
            }
        }
        Ok(Told { threads, carried, shared, ..Told::default() })
    }

    fn locals(&self, entries: &[Entry]) -> Vec<u32> {
        let local = entries.iter().filter(|e| self.is_local(e.0));
        local.flat_map(|&(place, count)| std::iter::repeat_n(place, count as usize)).collect()
    }

    /// All threads that are left move at once; those that get to another place.
    fn broadcast(
        &mut self,
        number: usize,
        t: u32,
        run: &Run,
        budget: &Budget,
    ) -> Result<Vec<Journey>, Stop> {
        let transition = &self.net.transitions[t as usize];
        let chosen = run.choices.get(&number).map_or(&[][..], |moves| moves);
        let mut moved: Vec<(u64, u32, u32)> = Vec::new();
        for moves in transition.transfers.chunk_by(|a, b| a.0 == b.0) {
            let Some(threads) = self.at.remove(&moves[0].0) else { continue };
            budget.steps(1 + threads.len())?;
            let mut ends = Vec::new();
            for choice in chosen.iter().filter(|m| m.from == moves[0].0 && moves.len() > 1) {
                ends.extend(std::iter::repeat_n(choice.to, choice.count as usize));
            }
            ends.resize(threads.len(), moves[0].1);
            let from = moves[0].0;
            moved.extend(threads.into_iter().zip(ends).map(|(thread, to)| (thread, from, to)));
        }
        for &(thread, _, to) in &moved {
            self.at.entry(to).or_default().push(thread);
        }
        moved.sort_unstable();
        moved.retain(|(_, from, to)| from != to);
        Ok(moved.into_iter().map(|(thread, from, to)| (thread, Some(from), Some(to))).collect())
    }
}
