//! Backward coverability (Abdulla, Čerāns, Jonsson, Tsay 1996) with pruning.
//!
//! The markings that can reach a target form an upward-closed set with a finite basis. Starting
//! from the targets, minimal predecessors are added until nothing new comes; the answer is "unsafe"
//! when an element lies below the initial configuration. Predecessors that no reachable marking can
//! be above are thrown away: excluded pairs of places ([`crate::invariants::pairs`]) and inductive inequalities
//! from the state equation ([`crate::invariants::linear`]; Blondin et al. 2016, Geffroy et al. 2016). Complete
//! for nets with transfers too. Weak on machines with many shared states, where nearly everything
//! can reach the target.

use super::index::UpSet;
use super::needs::{add_pre, beyond_post, concretize};
use crate::answer::{BackwardProof, Finding, Proof, Run, Stats};
use crate::budget::Budget;
use crate::choice::{self, Moved};
use crate::config::{Config, Entry, count_of};
use crate::error::Stop;
use crate::invariants::linear::LinearPruner;
use crate::invariants::pairs::PairInvariant;
use crate::net::{Net, Transition};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Runs the search; `pairs` must be the analysis of `net`.
pub fn run(
    net: &Net,
    pairs: &PairInvariant,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Finding, Stop> {
    let mut search = BackwardSearch::new(net, pairs, budget)?;
    let result = search.run(budget, stats);
    stats.kept = search.basis.len() as u64;
    result
}

struct BackwardSearch<'a> {
    net: &'a Net,
    pairs: &'a PairInvariant,
    linear: LinearPruner<'a>,
    /// Transitions that raise a place, by that place.
    producers: Vec<Vec<u32>>,
    /// Transitions with transfers: their effect depends on the whole marking.
    movers: Vec<u32>,
    basis: UpSet,
    /// Per element of the basis: the transition that leads on, and the element it leads to.
    origin: Vec<Option<(u32, u32)>>,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
}

impl<'a> BackwardSearch<'a> {
    fn new(
        net: &'a Net,
        pairs: &'a PairInvariant,
        budget: &Budget,
    ) -> Result<BackwardSearch<'a>, Stop> {
        budget.reserve::<Vec<u32>>(net.places.len())?;
        let mut producers = vec![Vec::new(); net.places.len()];
        let mut movers = Vec::new();
        for (i, t) in net.transitions.iter().enumerate().filter(|(i, _)| pairs.is_live(*i)) {
            budget.steps(1 + t.pre.len() + t.post.len())?;
            if !t.transfers.is_empty() {
                movers.push(i as u32);
                continue;
            }
            for &(place, _) in t.post.iter().filter(|e| e.1 > count_of(&t.pre, e.0)) {
                producers[place as usize].push(i as u32);
            }
        }
        Ok(BackwardSearch {
            net,
            pairs,
            linear: LinearPruner::new(net, pairs, budget)?,
            producers,
            movers,
            basis: UpSet::new(net.places.len(), budget)?,
            origin: Vec::new(),
            queue: BinaryHeap::new(),
        })
    }

    fn run(&mut self, budget: &Budget, stats: &mut Stats) -> Result<Finding, Stop> {
        for target in &self.net.targets {
            if let Some(found) = self.consider(target.clone(), None, budget, stats)? {
                return Ok(found);
            }
        }
        while let Some(Reverse((_, id))) = self.queue.pop() {
            if !self.basis.is_alive(id) {
                continue;
            }
            let element = self.basis.get(id).clone();
            for t in self.useful(&element) {
                for before in predecessors(self.net, t, &element, budget)? {
                    let found = self.consider(before, Some((t, id)), budget, stats)?;
                    if let Some(found) = found {
                        return Ok(found);
                    }
                }
            }
        }
        Ok(Finding::Safe(self.proof(budget)?))
    }

    /// Transitions that raise a place the element asks for; all others give larger predecessors.
    fn useful(&self, element: &Config) -> Vec<u32> {
        let places = element.entries().iter();
        let mut useful: Vec<u32> =
            places.flat_map(|e| self.producers[e.0 as usize].iter().copied()).collect();
        useful.extend(&self.movers);
        useful.sort_unstable();
        useful.dedup();
        useful
    }

    /// Adds a predecessor unless it is known or unreachable; a run if it is initial.
    fn consider(
        &mut self,
        config: Config,
        origin: Option<(u32, u32)>,
        budget: &Budget,
        stats: &mut Stats,
    ) -> Result<Option<Finding>, Stop> {
        budget.poll()?;
        stats.explored += 1;
        if !self.pairs.admits_config(&config) || self.basis.covers(&config, budget)? {
            return Ok(None);
        }
        let initial = config.leq(&self.net.initial);
        if !initial && self.linear.excludes(&config, budget)? {
            return Ok(None);
        }
        let size = config.size();
        let id = self.basis.insert(config);
        self.origin.push(origin);
        self.queue.push(Reverse((size, id)));
        if initial {
            self.trace(id, budget).map(|run| Some(Finding::Unsafe(run)))
        } else {
            Ok(None)
        }
    }

    /// The run from an initial element along the origins. Where tokens choose, those that the next
    /// element asks for go as they did in its predecessor, and the others anywhere.
    fn trace(&self, id: u32, budget: &Budget) -> Result<Run, Stop> {
        let mut run = Run::new(concretize(self.net, self.basis.get(id)));
        let choosing = self.net.transitions.iter().any(Transition::has_choice);
        let mut marking = run.initial.clone();
        let mut at = id;
        while let Some((t, next)) = self.origin[at as usize] {
            budget.steps(1)?;
            let mut choice = Vec::new();
            if choosing {
                let transition = &self.net.transitions[t as usize];
                let needed = self.moves_between(at, transition, next, budget)?;
                choice = choice::completed(&marking, transition, &needed, budget)?;
                budget.steps(marking.entries().len() + choice.len())?;
                marking = self.net.fire_with(&marking, transition, &choice)?;
            }
            run.push(t, choice);
            at = next;
        }
        Ok(run)
    }

    /// How tokens move from one element of the basis to the next.
    fn moves_between(
        &self,
        before: u32,
        t: &Transition,
        next: u32,
        budget: &Budget,
    ) -> Result<Vec<Moved>, Stop> {
        if !t.has_choice() {
            return Ok(Vec::new());
        }
        for way in ways(t, self.basis.get(next), budget)? {
            budget.steps(1 + way.len())?;
            if add_pre(self.net, sources(&way), t)? == *self.basis.get(before) {
                return Ok(way);
            }
        }
        Err(Stop::Incomplete("a step cannot be followed".into()))
    }

    fn proof(&mut self, budget: &Budget) -> Result<Proof, Stop> {
        let pairs = (!self.pairs.is_trivial()).then(|| self.pairs.to_rows(budget));
        Ok(Proof::Backward(BackwardProof {
            basis: self.basis.elements().cloned().collect(),
            linear: self.linear.used(),
            pairs: pairs.transpose()?,
        }))
    }
}

/// The minimal markings from which firing transition `t` gives something above `after`.
pub fn predecessors(
    net: &Net,
    t: u32,
    after: &Config,
    budget: &Budget,
) -> Result<Vec<Config>, Stop> {
    let t = &net.transitions[t as usize];
    if t.transfers.is_empty() {
        return Ok(vec![add_pre(net, beyond_post(t, after), t)?]);
    }
    let mut found = BTreeSet::new();
    for way in ways(t, after, budget)? {
        budget.steps(1 + way.len())?;
        found.insert(add_pre(net, sources(&way), t)?);
    }
    Ok(found.into_iter().collect())
}

/// All ways in which tokens can have moved to what `after` asks for. Each token it asks for was one
/// token before, on its own place or one with an arc to it, and which one is free: tokens choose
/// their arcs independently. So the ways are the products of the ways of each place.
fn ways(t: &Transition, after: &Config, budget: &Budget) -> Result<Vec<Vec<Moved>>, Stop> {
    let mut ways: Vec<Vec<Moved>> = vec![Vec::new()];
    for (place, count) in beyond_post(t, after) {
        budget.steps(1 + t.transfers.len())?;
        let sources = sources_of(t, place);
        let mut wider = Vec::new();
        for base in &ways {
            distribute(base, &sources, place, count, &mut wider, budget)?;
        }
        ways = wider;
    }
    Ok(ways)
}

fn sources(way: &[Moved]) -> Vec<Entry> {
    way.iter().map(|m| (m.from, m.count)).collect()
}

/// Where tokens on `place` after the transfers can have been before.
fn sources_of(t: &Transition, place: u32) -> Vec<u32> {
    let stays = t.moves_of(place).is_empty();
    let moved = t.transfers.iter().filter(|arc| arc.1 == place).map(|arc| arc.0);
    stays.then_some(place).into_iter().chain(moved).collect()
}

/// All ways to take `count` tokens for `to` from the sources, on top of `base`: source by source,
/// the last one gives what is left. There can be very many.
fn distribute(
    base: &[Moved],
    sources: &[u32],
    to: u32,
    count: u32,
    out: &mut Vec<Vec<Moved>>,
    budget: &Budget,
) -> Result<(), Stop> {
    let Some((&last, others)) = sources.split_last() else {
        return Ok(());
    };
    let with = |moves: &[Moved], from: u32, count: u32| -> Vec<Moved> {
        moves.iter().copied().chain([Moved { from, to, count }]).collect()
    };
    let mut partial = vec![(base.to_vec(), count)];
    for &source in others {
        let mut next = Vec::new();
        for (moves, left) in &partial {
            for here in 0..=*left {
                budget.steps(1 + moves.len())?;
                next.push((with(moves, source, here), left - here));
            }
        }
        partial = next;
    }
    for (moves, left) in partial {
        budget.steps(1 + moves.len())?;
        out.push(with(&moves, last, left));
    }
    Ok(())
}
