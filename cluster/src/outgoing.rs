//! Candidates on their way to the workers that own them, one batch a worker.
//!
//! A candidate is: how much greater the rank of its source is than that of the one before, its
//! position among the successors, label, key, and the concrete state if the search goes on from that.

use crate::codec::{put, put_bytes};
use crate::exchange::Exchange;
use crate::message::Kind;
use crate::part::{Candidate, rank_of};

/// Bytes at which a batch is sent.
const FULL: usize = 1 << 15;

pub struct Outgoing {
    batches: Vec<Batch>,
    with_states: bool,
    /// Bytes of all batches that were sent to others.
    pub sent: u64,
}

#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    rank: u32,
}

impl Outgoing {
    pub fn new(peers: usize, with_states: bool) -> Outgoing {
        let batches = std::iter::repeat_with(Batch::default).take(peers).collect();
        Outgoing { batches, with_states, sent: 0 }
    }

    /// Whether concrete states travel with the keys.
    pub fn with_states(&self) -> bool {
        self.with_states
    }

    /// The worker that owns the keys with a hash.
    #[inline]
    pub fn owner(&self, hash: u64) -> usize {
        owner(hash, self.batches.len())
    }

    #[inline]
    pub fn add(&mut self, to: usize, candidate: &Candidate<'_>, exchange: &mut Exchange) {
        let batch = &mut self.batches[to];
        let rank = rank_of(candidate.order);
        if batch.bytes.is_empty() {
            batch.bytes = exchange.buffer();
            batch.bytes.push(Kind::Candidates as u8);
            batch.rank = 0;
        }
        put(&mut batch.bytes, u64::from(rank.wrapping_sub(batch.rank)));
        batch.rank = rank;
        put(&mut batch.bytes, candidate.order & u64::from(u32::MAX));
        put(&mut batch.bytes, candidate.label.into());
        put_bytes(&mut batch.bytes, candidate.key);
        if self.with_states {
            put_bytes(&mut batch.bytes, candidate.state);
        }
        if batch.bytes.len() >= FULL {
            self.send(to, exchange);
        }
    }

    fn send(&mut self, to: usize, exchange: &mut Exchange) {
        let bytes = std::mem::take(&mut self.batches[to].bytes);
        if to != exchange.index() {
            self.sent += bytes.len() as u64;
        }
        exchange.send(to, bytes);
    }

    /// Sends what is left.
    pub fn flush(&mut self, exchange: &mut Exchange) {
        for to in 0..self.batches.len() {
            if !self.batches[to].bytes.is_empty() {
                self.send(to, exchange);
            }
        }
    }
}

/// The worker that owns the keys with a hash. The tables of the stores use both ends of the hash, so
/// the range that a worker owns is one of the hash multiplied.
#[inline]
pub fn owner(hash: u64, peers: usize) -> usize {
    let mixed = hash.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32;
    ((mixed * peers as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_explore::search::key_hash;

    #[test]
    fn keys_are_spread_evenly() {
        for peers in [1, 2, 3, 7, 64] {
            let mut counts = vec![0_u32; peers];
            for key in 0..100_000_u32 {
                counts[owner(key_hash(&key.to_le_bytes()), peers)] += 1;
            }
            let fair = 100_000 / peers as u32;
            assert!(counts.iter().all(|&count| count.abs_diff(fair) < fair / 5), "{counts:?}");
        }
    }
}
