//! One worker's share of a level: what expanding its states came to, and where it must end.
//!
//! One process takes the states of a level in order and may end in the middle of it: at a property
//! that finds what it looks for, at a deadlock, at the largest number of states, or because the model
//! fails. Workers take their states in order as well, so that the least such event of all of them is
//! the one that one process would have come to. Shares keep what each state came to as long as the
//! level may have to be cut there.

use crate::expand::Source;
use crate::part::{Order, order, rank_of};
use pidlab_explore::search::{Options, StopReason};
use serde::{Deserialize, Serialize};

/// What expanding some states came to.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    pub expanded: u64,
    pub edges: u64,
    pub transitions: u64,
    pub deadlocks: u64,
    pub ends: u64,
}

impl Counts {
    pub fn add(&mut self, other: &Counts) {
        self.expanded += other.expanded;
        self.edges += other.edges;
        self.transitions += other.transitions;
        self.deadlocks += other.deadlocks;
        self.ends += other.ends;
    }

    fn note(&mut self, source: &Source, ends: u64) {
        self.expanded += 1;
        self.edges += u64::from(source.edges);
        self.transitions += source.transitions;
        if source.is_deadlock() {
            self.deadlocks += 1;
            self.ends += u64::from(source.findings & ends != 0);
        }
    }
}

/// Why a level ends at a state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Event {
    Found,
    Deadlock,
    Failure(String),
}

impl Event {
    /// Where a level ends that has the event at a rank: before the successors, or after.
    pub fn cut(&self, rank: u32) -> Order {
        order(rank, if *self == Event::Deadlock { u32::MAX } else { 0 })
    }

    /// Why the search ends there, or the failure that it ends with.
    pub fn reason(&self) -> Result<StopReason, String> {
        match self {
            Event::Found => Ok(StopReason::Found),
            Event::Deadlock => Ok(StopReason::Deadlock),
            Event::Failure(text) => Err(text.clone()),
        }
    }
}

/// Limits that end a search, by their number in messages.
const LIMITS: [StopReason; 3] = [StopReason::Time, StopReason::Memory, StopReason::Interrupted];

#[derive(Default)]
pub struct Share {
    pub counts: Counts,
    /// States one by one, if the level may have to be cut.
    sources: Vec<Source>,
    keep: bool,
    ends: u64,
    /// The least rank where each bit was found.
    found: Vec<(u32, u32)>,
    deadlock: Option<u32>,
    stuck: Option<u32>,
    event: Option<(u32, Event)>,
    limit: Option<u8>,
    /// States above this rank need not be expanded.
    pub bound: u32,
}

/// The same, as it is told to the other workers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Summary {
    pub worker: usize,
    /// New states of the next level, by the worker that ranks them.
    pub new: Vec<u64>,
    pub counts: Counts,
    pub found: Vec<(u32, u32)>,
    pub deadlock: Option<u32>,
    pub stuck: Option<u32>,
    pub event: Option<(u32, Event)>,
    limit: Option<u8>,
    /// It is time for a checkpoint.
    pub checkpoint: bool,
}

impl Summary {
    pub fn limit(&self) -> Option<StopReason> {
        self.limit.and_then(|limit| LIMITS.get(usize::from(limit)).copied())
    }
}

impl Share {
    pub fn new(options: &Options<'_>) -> Share {
        let keep =
            options.stop_at != 0 || options.stop_at_deadlock || options.limits.states.is_some();
        Share { keep, ends: options.ends, bound: u32::MAX, ..Share::default() }
    }

    /// Forgets a level.
    pub fn clear(&mut self) {
        let sources = std::mem::take(&mut self.sources);
        *self = Share {
            sources,
            keep: self.keep,
            ends: self.ends,
            bound: u32::MAX,
            ..Share::default()
        };
        self.sources.clear();
    }

    /// Takes note of an expanded state; `true` if the worker has come to an event.
    #[inline]
    pub fn note(&mut self, source: Source, options: &Options<'_>) -> bool {
        self.counts.note(&source, self.ends);
        if self.keep {
            self.sources.push(source);
        }
        if source.findings == 0 && !source.is_deadlock() {
            return false;
        }
        self.note_findings(&source);
        if source.stopped {
            self.end_at(source.rank, Event::Found);
        } else if source.is_deadlock() && source.findings & self.ends == 0 {
            self.stuck.get_or_insert(source.rank);
            if options.stop_at_deadlock {
                self.end_at(source.rank, Event::Deadlock);
            }
        }
        self.event.is_some()
    }

    fn note_findings(&mut self, source: &Source) {
        for bit in (0..u64::BITS).filter(|bit| source.findings >> bit & 1 == 1) {
            if self.found.iter().all(|&(known, _)| known != bit) {
                self.found.push((bit, source.rank));
            }
        }
        if source.is_deadlock() {
            self.deadlock.get_or_insert(source.rank);
        }
    }

    pub fn end_at(&mut self, rank: u32, event: Event) {
        self.event.get_or_insert((rank, event));
        self.bound = self.bound.min(rank);
    }

    /// A limit was reached: nothing more is expanded or stored.
    pub fn give_up(&mut self, limit: StopReason) {
        let number = LIMITS.iter().position(|&known| known == limit).unwrap_or(0);
        self.limit.get_or_insert(number as u8);
        self.bound = 0;
    }

    pub fn has_given_up(&self) -> bool {
        self.limit.is_some()
    }

    pub fn summary(&self, worker: usize, new: Vec<u64>, checkpoint: bool) -> Summary {
        Summary {
            worker,
            new,
            counts: self.counts,
            found: self.found.clone(),
            deadlock: self.deadlock,
            stuck: self.stuck,
            event: self.event.clone(),
            limit: self.limit,
            checkpoint,
        }
    }

    /// What the share comes to before a cut; the state that is cut in two is expanded, but its
    /// transitions are left to the caller.
    pub fn before(&self, cut: Order) -> (Counts, Option<u32>) {
        let mut counts = Counts::default();
        let mut divided = None;
        for source in self.sources.iter().take_while(|source| order(source.rank, 0) <= cut) {
            if source.rank < rank_of(cut) || cut == Event::Deadlock.cut(source.rank) {
                counts.note(source, self.ends);
            } else {
                counts.expanded += 1;
                divided = Some(source.rank);
            }
        }
        (counts, divided)
    }
}
