//! One worker's search: level by level, three rounds of messages a level.
//!
//! | round | sends | then |
//! |---|---|---|
//! | expand | successors of its states, to the owners of their keys | the owners know the new states |
//! | collect | orders of its new states to who ranks them, a summary to all | all know how it goes on |
//! | rank | ranks, to the owners of the states | the next level can be expanded in order |
//!
//! Timely's timestamp counts rounds, so that its depth in the search is a third of it; the end of a
//! round, and so of a level, is found by progress tracking. States are expanded in the order of their
//! ranks, a few at a time; in between, what has arrived is stored.

use crate::checkpoint::{Keeper, Resumed};
use crate::exchange::Exchange;
use crate::expand::{Expander, From};
use crate::finish::Outcome;
use crate::guard::Guard;
use crate::message::{self, Kind, garbled};
use crate::outgoing::Outgoing;
use crate::parcel::Parcel;
use crate::part::{Concrete, Order, Part, rank_of};
use crate::rank::{self, Ranking};
use crate::share::{Counts, Event, Share, Summary};
use crate::totals::{Next, Totals};
use pidlab_explore::search::{Canonizer, Continue, Failure, Id, Model, Options, StopReason, Store};
use std::time::{Duration, Instant};

/// States expanded between two looks at what has arrived.
const CHUNK: usize = 128;

pub struct Run<'r, M: Model, C: Canonizer<M::State>, S> {
    pub exchange: Exchange,
    options: &'r Options<'r>,
    guard: Guard,
    pub expander: Expander<'r, M, C>,
    pub part: Part<S>,
    pub outgoing: Outgoing,
    share: Share,
    pub totals: Totals,
    /// The states of the level that is expanded, by rank.
    frontier: Vec<(u32, Id)>,
    concrete: Concrete,
    key: Vec<u8>,
    keeper: Option<Keeper>,
    /// Time spent on storing what arrived.
    pub stored: Duration,
}

/// How a search ended.
pub struct End {
    pub stopped: Option<StopReason>,
    /// The model failed.
    pub failure: Option<String>,
    /// States of the last level, over all workers, if it was not ranked.
    pub last: u64,
}

impl<'r, M: Model, C: Canonizer<M::State>, S: Store> Run<'r, M, C, S> {
    pub fn new(
        exchange: Exchange,
        (model, canonizer): (&'r M, &'r C),
        store: S,
        options: &'r Options<'r>,
    ) -> Run<'r, M, C, S> {
        let is_concrete = options.from == Continue::Concrete;
        let outgoing = Outgoing::new(exchange.peers(), is_concrete);
        Run {
            exchange,
            options,
            guard: Guard::new(options.limits.budget.clone()),
            expander: Expander::new(model, canonizer, options),
            part: Part::new(store, is_concrete),
            outgoing,
            share: Share::new(options),
            totals: Totals::default(),
            frontier: Vec::new(),
            concrete: Concrete::default(),
            key: Vec::new(),
            keeper: None,
            stored: Duration::ZERO,
        }
    }

    /// The whole search, from the beginning or a checkpoint to what everybody did.
    pub fn whole(
        &mut self,
        started: Instant,
        keeper: Option<Keeper>,
        resumed: Option<&Resumed>,
    ) -> Result<Outcome, Failure> {
        self.keeper = keeper;
        if let Some(resumed) = resumed {
            self.resume(resumed)?;
        }
        let end = self.search()?;
        let outcome = self.finish(end, started.elapsed())?;
        self.exchange.finish()?;
        Ok(outcome)
    }

    /// Goes on where a checkpoint was made.
    fn resume(&mut self, resumed: &Resumed) -> Result<(), Failure> {
        let (index, peers) = (self.exchange.index(), self.exchange.peers());
        self.concrete = resumed.load(&mut self.part, index, peers)?;
        let level = self.part.level(resumed.totals().level() as usize);
        self.frontier = level.map(|id| (self.part.ranks[id], id as Id)).collect();
        self.frontier.sort_unstable();
        self.totals = resumed.totals().clone();
        Ok(())
    }

    /// Searches until everything was seen or something ends it.
    fn search(&mut self) -> Result<End, Failure> {
        loop {
            self.expand_level()?;
            self.collect()?;
            let ordered = self.part.ordered();
            let (summaries, ranking) = self.tell(&ordered)?;
            match self.totals.next(&summaries, self.options.limits.states) {
                Next::Level => self.enter_level(&ordered, &summaries, ranking)?,
                end => return self.end(end, &ordered, &summaries, ranking),
            }
        }
    }

    /// Expands the states of the level; at the very beginning the initial states are generated.
    fn expand_level(&mut self) -> Result<(), Failure> {
        if self.totals.sizes.is_empty() {
            if self.exchange.index() == 0 {
                let made = self.expander.initial(&mut self.outgoing, &mut self.exchange);
                self.note_failure(0, made)?;
            }
        } else {
            let frontier = std::mem::take(&mut self.frontier);
            for chunk in frontier.chunks(CHUNK) {
                self.expand_chunk(chunk)?;
                self.take_in_arrived()?;
                if chunk.last().is_some_and(|&(rank, _)| rank >= self.share.bound) {
                    break;
                }
            }
        }
        self.outgoing.flush(&mut self.exchange);
        Ok(())
    }

    fn expand_chunk(&mut self, chunk: &[(u32, Id)]) -> Result<(), Failure> {
        self.look_at_limits()?;
        for &(rank, id) in chunk {
            if rank > self.share.bound || self.share.has_given_up() {
                return Ok(());
            }
            let stop_at = self.options.stop_at;
            let from = source(&self.part, &self.concrete, id, &mut self.key);
            let (out, to) = (&mut self.outgoing, &mut self.exchange);
            match self.expander.expand(from, rank, stop_at, out, to) {
                Ok(source) if self.share.note(source, self.options) => self.send_stop()?,
                Ok(_) => {}
                Err(failure) => self.note_failure(rank, Err(failure))?,
            }
        }
        Ok(())
    }

    /// A failure of the model ends the search at its rank, a limit ends it here.
    fn note_failure(&mut self, rank: u32, made: Result<(), Failure>) -> Result<(), Failure> {
        match made {
            Ok(()) => return Ok(()),
            Err(Failure::Limit(what)) => self.share.give_up(what.into()),
            Err(Failure::Model(text)) => self.share.end_at(rank, Event::Failure(text)),
            Err(other) => return Err(other),
        }
        self.send_stop()
    }

    fn look_at_limits(&mut self) -> Result<(), Failure> {
        if let Err(limit) = self.guard.check() {
            return self.give_up(limit);
        }
        Ok(())
    }

    fn give_up(&mut self, limit: StopReason) -> Result<(), Failure> {
        if self.share.has_given_up() {
            return Ok(());
        }
        self.share.give_up(limit);
        self.send_stop()
    }

    /// Tells the others up to which rank states must be expanded.
    fn send_stop(&mut self) -> Result<(), Failure> {
        let message = message::write(Kind::Stop, &self.share.bound)?;
        self.exchange.broadcast(&message);
        Ok(())
    }

    /// Stores what has arrived so far.
    fn take_in_arrived(&mut self) -> Result<(), Failure> {
        loop {
            self.exchange.step()?;
            while let Some(parcel) = self.exchange.receive() {
                self.take_in(parcel)?;
            }
            // a network that is slower than this worker would have messages fill the memory
            if !self.exchange.is_congested() {
                return Ok(());
            }
        }
    }

    fn take_in(&mut self, parcel: Parcel) -> Result<(), Failure> {
        let (kind, reader) = message::open(&parcel)?;
        match kind {
            Kind::Stop => self.share.bound = self.share.bound.min(message::read(reader)?),
            Kind::Candidates if self.share.has_given_up() => {}
            Kind::Candidates if self.guard.has_room(&self.part.store, parcel.len()) => {
                let start = Instant::now();
                self.part.take_in(reader).ok_or_else(garbled)?;
                self.stored += start.elapsed();
            }
            Kind::Candidates => self.give_up(StopReason::Memory)?,
            _ => return Err(garbled()),
        }
        self.exchange.recycle(parcel);
        Ok(())
    }

    /// Stores what is still to arrive.
    fn collect(&mut self) -> Result<(), Failure> {
        self.take_in_arrived()?;
        self.exchange.close()?;
        while let Some(parcel) = self.exchange.arriving()? {
            self.take_in_late(parcel)?;
        }
        Ok(())
    }

    /// The round is closed: a limit that is reached now is told by the summary.
    fn take_in_late(&mut self, parcel: Parcel) -> Result<(), Failure> {
        if let Err(limit) = self.guard.check() {
            self.share.give_up(limit);
        }
        let has_room = self.guard.has_room(&self.part.store, parcel.len());
        if !has_room {
            self.share.give_up(StopReason::Memory);
        }
        self.take_in(parcel)
    }

    /// Tells all what the level came to, and those who rank about the new states; returns what the
    /// others tell.
    fn tell(&mut self, ordered: &[(Order, Id)]) -> Result<(Vec<Summary>, Ranking), Failure> {
        let sources = self.totals.sizes.last().copied().unwrap_or(1);
        let bounds = rank::bounds(ordered, sources, self.exchange.peers());
        let new = bounds.windows(2).map(|range| (range[1] - range[0]) as u64).collect();
        let due = self.keeper.as_ref().is_some_and(Keeper::is_due);
        let summary = self.share.summary(self.exchange.index(), new, due);
        self.exchange.broadcast(&message::write(Kind::Summary, &summary)?);
        rank::send_orders(ordered, &bounds, &mut self.exchange);
        self.exchange.close()?;
        let (mut summaries, mut ranking) = (Vec::new(), Ranking::default());
        while let Some(parcel) = self.exchange.arriving()? {
            match message::open(&parcel)? {
                (Kind::Summary, reader) => summaries.push(message::read::<Summary>(reader)?),
                (Kind::Orders, reader) => ranking.take_in(reader).ok_or_else(garbled)?,
                _ => return Err(garbled()),
            }
            self.exchange.recycle(parcel);
        }
        summaries.sort_by_key(|summary| summary.worker);
        Ok((summaries, ranking))
    }

    /// New states of the ranges before one's own.
    fn base(&self, summaries: &[Summary]) -> u64 {
        let before = 0..self.exchange.index();
        before.map(|range| summaries.iter().map(|s| s.new[range]).sum::<u64>()).sum()
    }

    /// The new states get their ranks and become the level to expand.
    fn enter_level(
        &mut self,
        ordered: &[(Order, Id)],
        summaries: &[Summary],
        mut ranking: Ranking,
    ) -> Result<(), Failure> {
        ranking.send_ranks(self.base(summaries), None, &mut self.exchange);
        drop(ranking);
        self.exchange.close()?;
        self.concrete = self.part.settle(self.totals.sizes.is_empty());
        self.receive_ranks(ordered)?;
        self.totals.note(summaries, u32::MAX);
        self.totals.add(summaries);
        self.totals.sizes.push(summaries.iter().flat_map(|summary| &summary.new).sum());
        self.share.clear();
        if let Some(progress) = self.options.progress {
            progress(&self.totals.counters(0));
        }
        if summaries.iter().any(|summary| summary.checkpoint) {
            self.write_checkpoint()?;
        }
        Ok(())
    }

    fn receive_ranks(&mut self, ordered: &[(Order, Id)]) -> Result<(), Failure> {
        let sources = self.totals.sizes.last().copied().unwrap_or(1);
        let mut next = rank::bounds(ordered, sources, self.exchange.peers());
        self.frontier.clear();
        self.frontier.resize(ordered.len(), (0, 0));
        while let Some(parcel) = self.exchange.arriving()? {
            let (kind, reader) = message::open(&parcel)?;
            if kind == Kind::Ranks {
                let (frontier, ranks) = (&mut self.frontier, &mut self.part.ranks);
                let read = rank::read_ranks(reader, |from, rank| {
                    let at = next[from];
                    next[from] += 1;
                    if let Some(&(_, id)) = ordered.get(at) {
                        frontier[at] = (rank, id);
                        ranks[id as usize] = rank;
                    }
                });
                read.ok_or_else(garbled)?;
            }
            self.exchange.recycle(parcel);
        }
        Ok(())
    }

    fn write_checkpoint(&mut self) -> Result<(), Failure> {
        let Some(keeper) = &mut self.keeper else { return Ok(()) };
        keeper.write(&self.part, &self.concrete, &self.totals, &mut self.exchange)
    }

    fn end(
        &mut self,
        next: Next,
        ordered: &[(Order, Id)],
        summaries: &[Summary],
        ranking: Ranking,
    ) -> Result<End, Failure> {
        let event = |summary: &Summary| summary.event.clone();
        let (cut, reason) = match next {
            Next::Level | Next::Done => return Ok(self.end_whole(None, summaries)),
            Next::Stopped(limit) => return Ok(self.end_whole(Some(limit), summaries)),
            Next::Cut(cut, reason) => (cut, reason),
            Next::TooMany { allowed } => {
                let cut = self.find_cut(summaries, ranking, allowed)?;
                let least = summaries.iter().filter_map(event).min();
                match least.filter(|(rank, event)| event.cut(*rank) < cut) {
                    Some((rank, event)) => (event.cut(rank), event.reason()),
                    None => (cut, Ok(StopReason::MaxStates)),
                }
            }
        };
        match reason {
            Ok(reason) => {
                let last = self.end_at(cut, ordered, summaries)?;
                Ok(End { stopped: Some(reason), failure: None, last })
            }
            Err(failure) => Ok(End { stopped: None, failure: Some(failure), last: 0 }),
        }
    }

    /// The whole level counts, as far as it was expanded.
    fn end_whole(&mut self, stopped: Option<StopReason>, summaries: &[Summary]) -> End {
        self.totals.note(summaries, u32::MAX);
        self.totals.add(summaries);
        let last = summaries.iter().flat_map(|summary| &summary.new).sum();
        End { stopped, failure: None, last }
    }

    /// The order of the first state that must not be stored.
    fn find_cut(
        &mut self,
        summaries: &[Summary],
        mut ranking: Ranking,
        allowed: u64,
    ) -> Result<Order, Failure> {
        let base = self.base(summaries);
        let found = ranking.send_ranks(base, Some(allowed), &mut self.exchange);
        if let Some(order) = found {
            self.exchange.broadcast(&message::write(Kind::Cut, &order)?);
        }
        self.exchange.close()?;
        let mut cut = Order::MAX;
        while let Some(parcel) = self.exchange.arriving()? {
            if let (Kind::Cut, reader) = message::open(&parcel)? {
                cut = message::read(reader)?;
            }
            self.exchange.recycle(parcel);
        }
        Ok(cut)
    }

    /// Counts what lies before a cut, and hears what the others count.
    fn end_at(
        &mut self,
        cut: Order,
        ordered: &[(Order, Id)],
        summaries: &[Summary],
    ) -> Result<u64, Failure> {
        let (mut counts, divided) = self.share.before(cut);
        if let Some(rank) = divided.filter(|_| cut as u32 > 0) {
            counts.transitions += self.transitions_before(rank, cut as u32)?;
        }
        let new = ordered.partition_point(|&(own, _)| own < cut) as u64;
        self.exchange.broadcast(&message::write(Kind::Cut, &(counts, new))?);
        self.exchange.close()?;
        let mut last = 0;
        self.totals.note(summaries, rank_of(cut));
        while let Some(parcel) = self.exchange.arriving()? {
            let (_, reader) = message::open(&parcel)?;
            let (counts, new): (Counts, u64) = message::read(reader)?;
            self.totals.counts.add(&counts);
            last += new;
        }
        Ok(last)
    }

    /// Transitions of the state with a rank into its first successors.
    fn transitions_before(&mut self, rank: u32, end: u32) -> Result<u64, Failure> {
        let level = self.part.level(self.totals.level() as usize);
        let Some(id) = level.clone().find(|&id| self.part.ranks[id] == rank) else { return Ok(0) };
        let from = source(&self.part, &self.concrete, id as Id, &mut self.key);
        self.expander.transitions_before(from, end)
    }
}

/// What a state is expanded from.
fn source<'b, S: Store>(
    part: &'b Part<S>,
    concrete: &'b Concrete,
    id: Id,
    key: &'b mut Vec<u8>,
) -> From<'b> {
    if part.concrete.is_some() {
        let start = part.starts[part.starts.len() - 2];
        return From::Packed(concrete.get(id as usize - start));
    }
    part.store.read(id, key);
    From::Key(key)
}
