//! Forgetting what needs no counting, and numbering the places that are left.
//!
//! A place that starts with any number of tokens holds, with enough of them, as many as a run needs:
//! nothing depends on how many it has. A place is of use if a target asks for it or if a transition that
//! raises such a place takes from it. The rest is forgotten; transitions that differ only in forgotten
//! places become one, and those that then only lose tokens are left out. A run of what is left is a run
//! of the whole once the places of any number start with what it takes from them. That a proof about
//! what is left is a proof about the whole the checker knows by itself: it is an image of the net.
//!
//! The net that comes out has no other places, so that tables of pairs and the like are as small as what
//! there is to say.

use super::merge::useful_places;
use crate::answer::Run;
use crate::budget::Budget;
use crate::config::{Config, Entry, OMEGA, leq};
use crate::error::Stop;
use crate::net::{Net, Transition};
use rustc_hash::{FxHashMap, FxHashSet};

/// A smaller net and the way back.
pub struct Slice {
    pub net: Net,
    /// Places of the larger net that were in use and are not here.
    pub forgotten: Vec<u32>,
    /// Per transition: one of the larger net that it stands for.
    transition_of: Vec<u32>,
}

const GONE: u32 = u32::MAX;

impl Slice {
    /// `None` if every place stays.
    pub fn new(net: &Net, budget: &Budget) -> Result<Option<Slice>, Stop> {
        let any = |p: u32| net.initial.get(p) == OMEGA;
        let useful = useful_places(net, any, budget)?;
        let stays = |p: u32| useful[p as usize] && !any(p);
        let mut number = vec![GONE; net.places.len()];
        let mut kept = Vec::new();
        let mut forgotten = Vec::new();
        for place in used_places(net, budget)? {
            if stays(place) {
                number[place as usize] = kept.len() as u32;
                kept.push(place);
            } else {
                forgotten.push(place);
            }
        }
        if kept.len() == net.places.len() {
            return Ok(None);
        }
        let (transitions, transition_of) = image(net, &number, budget)?;
        let map = |entries: &[Entry]| rename(entries, &number);
        let smaller = Net {
            places: kept.iter().map(|&p| &net.places[p as usize]).collect(),
            transitions,
            initial: Config::from_sorted(map(net.initial.entries())),
            at_least: Vec::new(),
            targets: net.targets.iter().map(|t| Config::from_sorted(map(t.entries()))).collect(),
            ..Net::default()
        };
        Ok(Some(Slice { net: smaller, forgotten, transition_of }))
    }

    /// Follows a run step by step; where a place of any number has too few, the start gets more.
    pub fn lift(&self, larger: &Net, run: &Run, budget: &Budget) -> Result<Run, Stop> {
        let bounds = larger.lower_bounds();
        let mut any: FxHashMap<u32, Supply> = FxHashMap::default();
        for &(place, _) in larger.initial.entries().iter().filter(|e| e.1 == OMEGA) {
            let start = i64::from(bounds.get(&place).copied().unwrap_or(0));
            any.insert(place, Supply { start, level: start });
        }
        let steps: Vec<u32> = run.steps.iter().map(|&t| self.transition_of[t as usize]).collect();
        for &t in &steps {
            let t = &larger.transitions[t as usize];
            budget.steps(1 + t.pre.len() + t.post.len())?;
            t.pre.iter().for_each(|e| take(&mut any, *e));
            for &(place, count) in &t.post {
                any.entry(place).and_modify(|supply| supply.level += i64::from(count));
            }
        }
        // The end must still have what the target asks for; with several targets, what all of them do.
        let mut asked: FxHashMap<u32, u32> = FxHashMap::default();
        for &(place, count) in larger.targets.iter().flat_map(|target| target.entries()) {
            let most = asked.entry(place).or_default();
            *most = count.max(*most);
        }
        asked.into_iter().for_each(|entry| take(&mut any, entry));
        let count = |&(place, count): &Entry| match any.get(&place) {
            Some(supply) => match u32::try_from(supply.start) {
                Ok(start) if start != OMEGA => Ok((place, start)),
                _ => Err(Stop::Overflow(larger.places[place as usize].to_string())),
            },
            None => Ok((place, count)),
        };
        let initial = larger.initial.entries().iter().map(count).collect::<Result<_, Stop>>()?;
        Ok(Run { steps, ..Run::new(Config::new(initial)) })
    }
}

/// What a place of any number starts with, and what it has now.
struct Supply {
    start: i64,
    level: i64,
}

fn take(any: &mut FxHashMap<u32, Supply>, (place, count): Entry) {
    if let Some(supply) = any.get_mut(&place) {
        supply.level -= i64::from(count);
        let missing = (-supply.level).max(0);
        supply.start += missing;
        supply.level += missing;
    }
}

/// Places that a transition, the start or a target names, in ascending order.
fn used_places(net: &Net, budget: &Budget) -> Result<Vec<u32>, Stop> {
    let mut used = vec![false; net.places.len()];
    let named = net.targets.iter().chain([&net.initial]);
    named.flat_map(|c| c.entries()).for_each(|e| used[e.0 as usize] = true);
    for t in &net.transitions {
        budget.steps(1 + t.pre.len() + t.post.len())?;
        t.pre.iter().chain(&t.post).for_each(|e| used[e.0 as usize] = true);
    }
    Ok((0..net.places.len() as u32).filter(|&p| used[p as usize]).collect())
}

/// The transitions that still do something, and for each one that it stands for.
fn image(net: &Net, number: &[u32], budget: &Budget) -> Result<(Vec<Transition>, Vec<u32>), Stop> {
    let mut seen: FxHashSet<(Vec<Entry>, Vec<Entry>)> = FxHashSet::default();
    let (mut transitions, mut origins) = (Vec::new(), Vec::new());
    for (i, t) in net.transitions.iter().enumerate() {
        budget.steps(1 + t.pre.len() + t.post.len())?;
        let (pre, post) = (rename(&t.pre, number), rename(&t.post, number));
        if !leq(&post, &pre) && seen.insert((pre.clone(), post.clone())) {
            transitions.push(Transition { pre, post, transfers: Vec::new(), line: t.line });
            origins.push(i as u32);
        }
    }
    Ok((transitions, origins))
}

/// The entries of places that stay; numbers keep their order.
fn rename(entries: &[Entry], number: &[u32]) -> Vec<Entry> {
    let renamed = entries.iter().map(|&(p, n)| (number[p as usize], n));
    renamed.filter(|e| e.0 != GONE).collect()
}
