//! Candidates on their way to the workers that own them, one batch a worker.
//!
//! A candidate is: how much greater the rank of its source is than that of the one before, its
//! position among the successors, label, key, and the concrete state if the search goes on from that.
//!
//! A key that this worker has sent before is not sent again: sources are expanded in the order of their
//! ranks, so that the first way into a state is the least of this worker's. Only some of the last keys are
//! remembered ([`Recent`]); what is forgotten is sent twice, and the owner knows it.

use crate::codec::{put, put_bytes};
use crate::exchange::Exchange;
use crate::message::Kind;
use crate::part::{Candidate, rank_of};

/// Bytes at which a batch is sent. With a quarter of it the threads that write and read take turns with the workers
/// nearly twice as often.
const FULL: usize = 1 << 17;

pub struct Outgoing {
    batches: Vec<Batch>,
    recent: Recent,
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
        Outgoing { batches, recent: Recent::new(), with_states, sent: 0 }
    }

    /// Whether concrete states travel with the keys.
    pub fn with_states(&self) -> bool {
        self.with_states
    }

    /// Whether a key with its hash was sent before, as far as is remembered; it counts as sent from now on.
    #[inline]
    pub fn is_sent(&mut self, key: &[u8], hash: u64) -> bool {
        self.recent.swap(key, hash)
    }

    /// A candidate for the worker that owns keys with its hash.
    #[inline]
    pub fn add(&mut self, candidate: &Candidate<'_>, hash: u64, exchange: &mut Exchange) {
        let to = owner(hash, self.batches.len());
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

/// Keys that were sent lately, each in the one place that its hash allows, which it shares with others.
struct Recent(Box<[Slot]>);

/// A line of the processor's cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Slot {
    hash: u64,
    /// Of the key; [`VACANT`] if there is none.
    length: u8,
    key: [u8; LONGEST],
}

/// Longest key that is remembered. Twice as much, which the philosophers' keys need, saves them a third of the bytes
/// and no time on one machine.
const LONGEST: usize = 55;
const VACANT: u8 = u8::MAX;
/// So many that they stay in the second level of the processor's cache.
const SLOTS: usize = 1 << 13;

impl Recent {
    fn new() -> Recent {
        Recent(vec![Slot { hash: 0, length: VACANT, key: [0; LONGEST] }; SLOTS].into())
    }

    /// Puts a key in its place; says whether it was there.
    #[inline]
    fn swap(&mut self, key: &[u8], hash: u64) -> bool {
        if key.len() > LONGEST {
            return false;
        }
        let (slot, length) = (&mut self.0[hash as usize % SLOTS], key.len() as u8);
        if slot.hash == hash && slot.length == length && slot.key[..key.len()] == *key {
            return true;
        }
        (slot.hash, slot.length) = (hash, length);
        slot.key[..key.len()].copy_from_slice(key);
        false
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
    fn a_key_is_known_until_another_takes_its_place() {
        let mut recent = Recent::new();
        let (one, other, long) = ([1; LONGEST], [2; LONGEST], [3; LONGEST + 1]);
        assert_eq!([0, 1].map(|_| recent.swap(&one, 7)), [false, true]);
        assert!(!recent.swap(&one[1..], 7), "the same hash and the beginning");
        assert!(!recent.swap(&other, 7) && !recent.swap(&one, 7), "the same hash");
        assert!(!recent.swap(&[], 0) && recent.swap(&[], 0), "an empty key");
        assert_eq!([0, 1].map(|_| recent.swap(&long, 9)), [false, false]);
    }

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
