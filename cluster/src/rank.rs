//! Ranks of new states: their positions among all new states of a level, by order.
//!
//! Every worker ranks the states whose sources have ranks in a range of its own. Owners send it the
//! orders of their states, sorted, as differences; it merges the lists, counts on from the states of
//! the ranges before, which it knows from the summaries, and sends the ranks back. Two messages of
//! about two bytes a state each, and two sorts of what are runs already.

use crate::codec::{Reader, put};
use crate::exchange::Exchange;
use crate::message::Kind;
use crate::part::{Order, order, rank_of};
use pidlab_explore::search::Id;

/// Bytes at which a message is sent.
const FULL: usize = 1 << 18;

/// The worker that ranks states with a source; `sources` is the size of the level of sources.
pub fn ranker(order: Order, sources: u64, peers: usize) -> usize {
    (u64::from(rank_of(order)) * peers as u64 / sources.max(1)) as usize
}

/// Where the states of each ranker begin in a sorted list, and where the last ends.
pub fn bounds(ordered: &[(Order, Id)], sources: u64, peers: usize) -> Vec<usize> {
    let starts = (0..peers).map(|worker| {
        ordered.partition_point(|&(order, _)| ranker(order, sources, peers) < worker)
    });
    starts.chain([ordered.len()]).collect()
}

/// Sends sorted orders to those who rank them.
pub fn send_orders(ordered: &[(Order, Id)], bounds: &[usize], exchange: &mut Exchange) {
    for (to, range) in bounds.windows(2).enumerate() {
        let mut batch = Numbers::new(Kind::Orders, to);
        let mut last = 0;
        for &(own, _) in &ordered[range[0]..range[1]] {
            let (rank, index) = (rank_of(own), own as u32);
            batch.open(exchange, &mut last);
            let further = rank - rank_of(last);
            let before = if further == 0 { last as u32 } else { 0 };
            put(&mut batch.bytes, further.into());
            put(&mut batch.bytes, u64::from(index - before));
            last = own;
            batch.send_if_full(exchange);
        }
        batch.send(exchange);
    }
}

/// The orders of all owners in one range.
#[derive(Default)]
pub struct Ranking {
    orders: Vec<(Order, u32)>,
}

impl Ranking {
    /// Takes in a message from an owner.
    pub fn take_in(&mut self, mut reader: Reader<'_>) -> Option<()> {
        let owner = reader.small()?;
        let mut last: Order = 0;
        while !reader.is_empty() {
            let (further, index) = (reader.small()?, reader.small()?);
            let before = if further == 0 { last as u32 } else { 0 };
            last = order(rank_of(last).checked_add(further)?, before.checked_add(index)?);
            self.orders.push((last, owner));
        }
        Some(())
    }

    /// Sends everybody the ranks of their states, which begin at `base`; returns the order that has
    /// the rank `wanted`.
    pub fn send_ranks(
        &mut self,
        base: u64,
        wanted: Option<u64>,
        exchange: &mut Exchange,
    ) -> Option<Order> {
        self.orders.sort();
        let mut batches: Vec<_> =
            (0..exchange.peers()).map(|to| (Numbers::new(Kind::Ranks, to), 0)).collect();
        for (&(_, owner), rank) in self.orders.iter().zip(base..) {
            let Some((batch, last)) = batches.get_mut(owner as usize) else { continue };
            batch.open(exchange, last);
            put(&mut batch.bytes, rank - *last);
            *last = rank;
            batch.send_if_full(exchange);
        }
        batches.iter_mut().for_each(|(batch, _)| batch.send(exchange));
        let wanted = wanted?.checked_sub(base)?;
        self.orders.get(usize::try_from(wanted).ok()?).map(|&(order, _)| order)
    }
}

/// Reads ranks and hands each to `assign`, with the worker that sent it.
pub fn read_ranks(mut reader: Reader<'_>, mut assign: impl FnMut(usize, u32)) -> Option<()> {
    let from = reader.small()? as usize;
    let mut rank = 0_u32;
    while !reader.is_empty() {
        rank = rank.checked_add(reader.small()?)?;
        assign(from, rank);
    }
    Some(())
}

/// A message of numbers under way; a full one is sent and the next begins where it ended.
struct Numbers {
    kind: Kind,
    to: usize,
    bytes: Vec<u8>,
}

impl Numbers {
    fn new(kind: Kind, to: usize) -> Numbers {
        Numbers { kind, to, bytes: Vec::new() }
    }

    /// Begins a message if none is under way: differences are to 0 again.
    fn open(&mut self, exchange: &mut Exchange, last: &mut u64) {
        if self.bytes.is_empty() {
            self.bytes = exchange.buffer();
            self.bytes.push(self.kind as u8);
            put(&mut self.bytes, exchange.index() as u64);
            *last = 0;
        }
    }

    fn send_if_full(&mut self, exchange: &mut Exchange) {
        if self.bytes.len() >= FULL {
            self.send(exchange);
        }
    }

    fn send(&mut self, exchange: &mut Exchange) {
        if !self.bytes.is_empty() {
            exchange.send(self.to, std::mem::take(&mut self.bytes));
        }
    }
}
