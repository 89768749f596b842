//! What all workers know of the search: counts, sizes of levels, and where things were found first.
//!
//! Every worker hears the same summaries and comes to the same conclusions; there is no coordinator.

use crate::part::Order;
use crate::share::{Counts, Summary};
use pidlab_explore::search::{Counters, StopReason};
use serde::{Deserialize, Serialize};

/// Where a state is: its level, and its rank among the states of that level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    pub level: u32,
    pub rank: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    pub counts: Counts,
    /// Sizes of the levels that have been ranked.
    pub sizes: Vec<u64>,
    /// For every bit of the findings: the first state where it was set.
    pub found: Vec<(u32, Place)>,
    pub first_deadlock: Option<Place>,
    pub first_stuck: Option<Place>,
}

/// How a search goes on after a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    Level,
    /// Everything was seen.
    Done,
    /// A limit was reached; the last level is as far as each worker came.
    Stopped(StopReason),
    /// The search ends at an order within the level.
    Cut(Order, Result<StopReason, String>),
    /// More states than may be stored: where the last one is, ranking will tell.
    TooMany {
        allowed: u64,
    },
}

/// Largest number of states of a level: ranks have 32 bits, and one is taken.
const MOST_OF_LEVEL: u64 = u32::MAX as u64 - 1;

impl Totals {
    pub fn states(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// The level that is expanded, or collected if nothing has been expanded.
    pub fn level(&self) -> u32 {
        self.sizes.len().saturating_sub(1) as u32
    }

    /// Number of a place in the order of one process.
    pub fn number(&self, place: Place) -> u64 {
        self.sizes[..place.level as usize].iter().sum::<u64>() + u64::from(place.rank)
    }

    /// What the summaries of a level mean for the search.
    pub fn next(&self, summaries: &[Summary], most_states: Option<u64>) -> Next {
        let new: u64 = summaries.iter().flat_map(|summary| &summary.new).sum();
        let least = summaries.iter().filter_map(|summary| summary.event.as_ref()).min();
        let allowed = most_states.unwrap_or(u64::MAX).saturating_sub(self.states());
        if new > allowed {
            return Next::TooMany { allowed };
        }
        if let Some((rank, event)) = least {
            return Next::Cut(event.cut(*rank), event.reason());
        }
        if let Some(limit) = summaries.iter().find_map(Summary::limit) {
            return Next::Stopped(limit);
        }
        if new > MOST_OF_LEVEL {
            let text = format!("a level has more than {MOST_OF_LEVEL} states");
            return Next::Cut(Order::MAX, Err(text));
        }
        if new == 0 { Next::Done } else { Next::Level }
    }

    /// Takes note of the findings of a level up to a rank.
    pub fn note(&mut self, summaries: &[Summary], most: u32) {
        let level = self.level();
        let place = |rank: u32| (rank <= most).then_some(Place { level, rank });
        let found = summaries.iter().flat_map(|summary| &summary.found);
        for &(bit, rank) in found {
            let Some(place) = place(rank) else { continue };
            match self.found.iter_mut().find(|(known, _)| *known == bit) {
                Some((_, first)) => *first = place.min(*first),
                None => self.found.push((bit, place)),
            }
        }
        let least = |ranks: &mut dyn Iterator<Item = u32>| ranks.filter_map(place).min();
        let deadlock = least(&mut summaries.iter().filter_map(|summary| summary.deadlock));
        let stuck = least(&mut summaries.iter().filter_map(|summary| summary.stuck));
        self.first_deadlock = self.first_deadlock.or(deadlock);
        self.first_stuck = self.first_stuck.or(stuck);
    }

    /// Adds what a whole level came to.
    pub fn add(&mut self, summaries: &[Summary]) {
        summaries.iter().for_each(|summary| self.counts.add(&summary.counts));
    }

    /// The counts as one process reports them; `last` are states of a level that was not ranked.
    pub fn counters(&self, last: u64) -> Counters {
        let Counts { expanded, edges, transitions, deadlocks, ends } = self.counts;
        let states = self.states() + last;
        let initial = self.sizes.first().copied().unwrap_or(last);
        let seen = transitions.saturating_sub(states - initial);
        Counters { states, edges, seen, deadlocks, ends, expanded, transitions }
    }
}
