//! Which two places can be marked together: an inductive over-approximation by pairs.
//!
//! The thread-modular abstraction with two tokens: a transition may fire when its input places can
//! pairwise be marked together, and what it puts can stand beside everything that can stand beside
//! all of its inputs. The result contains dead places and dead transitions (sign analysis; Geffroy,
//! Leroux, Sutre 2016), mutual exclusion and one-token sets. A transfer moves every pair that can stand
//! beside the inputs. Cost: O(transitions · places / 64) per round, and for transfers the pairs they
//! move. Weakness: it does not count beyond two.

use crate::budget::{Budget, Exhausted};
use crate::config::{Config, Entry, OMEGA};
use crate::error::Stop;
use crate::net::{Net, Transition};

/// Above this many places the matrix would not fit; every pair is then taken as possible.
pub const MAX_MATRIX: usize = 24_000;

/// Pairs that transfers may move, in all rounds, until every pair is taken as possible.
const MAX_MOVED: usize = 200_000_000;

/// From this many places on a marking is compared with whole rows.
const WIDE: usize = 64;

/// Pairs of places that may be marked together; the diagonal means two tokens on one place.
pub struct PairInvariant {
    words: usize,
    rows: Vec<u64>,
    live: Vec<bool>,
    fires: Vec<bool>,
    trivial: bool,
}

impl PairInvariant {
    /// Everything is possible.
    fn trivial(net: &Net) -> PairInvariant {
        PairInvariant {
            words: 0,
            rows: Vec::new(),
            live: vec![true; net.places.len()],
            fires: vec![true; net.transitions.len()],
            trivial: true,
        }
    }

    /// The analysis, or the trivial one where it would take too long or its matrix would not fit.
    pub fn analyze(net: &Net, budget: &Budget) -> Result<PairInvariant, Stop> {
        let words = net.places.len().div_ceil(64);
        let fits = || budget.reserve::<u64>(words * net.places.len()) != Err(Exhausted::Memory);
        if net.places.len() > MAX_MATRIX || !fits() {
            return Ok(PairInvariant::trivial(net));
        }
        let mut pairs = PairInvariant {
            words,
            rows: vec![0; words * net.places.len()],
            live: vec![false; net.places.len()],
            fires: vec![false; net.transitions.len()],
            trivial: false,
        };
        pairs.add_product(net.initial.entries(), budget)?;
        let done = pairs.close(net, budget)?;
        Ok(if done { pairs } else { PairInvariant::trivial(net) })
    }

    /// Rounds over all transitions until nothing changes; a round skips those whose inputs did not.
    /// Whether it came to an end.
    fn close(&mut self, net: &Net, budget: &Budget) -> Result<bool, Stop> {
        let mut dirty = vec![true; net.places.len()];
        let mut changed = Vec::new();
        let mut moved = 0;
        loop {
            let mut next = vec![false; net.places.len()];
            for (i, t) in net.transitions.iter().enumerate() {
                budget.steps(1 + t.pre.len())?;
                // A transition without inputs puts its tokens beside everything that is live, and a
                // transfer moves pairs that its inputs do not tell of.
                let local = !t.pre.is_empty() && t.transfers.is_empty();
                let quiet = local && !t.pre.iter().any(|e| dirty[e.0 as usize]);
                let stale = self.fires[i] && quiet;
                if stale || !self.admits(&t.pre) {
                    continue;
                }
                budget.poll()?;
                self.fires[i] = true;
                moved += self.apply(t, &mut changed, budget)?;
                if moved > MAX_MOVED {
                    return Ok(false);
                }
                for place in changed.drain(..) {
                    next[place as usize] = true;
                    dirty[place as usize] = true;
                }
            }
            if !next.contains(&true) {
                return Ok(true);
            }
            dirty = next;
        }
    }

    /// Adds what firing `t` makes possible and lists the places whose rows changed. Returns the number
    /// of pairs that it moved.
    fn apply(
        &mut self,
        t: &Transition,
        changed: &mut Vec<u32>,
        budget: &Budget,
    ) -> Result<usize, Stop> {
        let mut context = self.context(&t.pre);
        let mut moved = 0;
        if !t.transfers.is_empty() {
            moved = self.move_pairs(t, &context, changed, budget)?;
            context = self.after_moves(t, &context, changed);
        }
        for &(place, count) in &t.post {
            budget.steps(1 + self.words + t.post.len())?;
            let mut grew = !self.live[place as usize];
            self.live[place as usize] = true;
            for (word, &bits) in context.iter().enumerate() {
                let new = bits & !self.rows[place as usize * self.words + word];
                if new != 0 {
                    grew = true;
                    self.rows[place as usize * self.words + word] |= new;
                    self.mirror(place, word, new, changed);
                }
            }
            if count >= 2 {
                grew |= self.set(place, place);
            }
            for &(other, _) in t.post.iter().filter(|e| e.0 != place) {
                grew |= self.set(place, other);
            }
            if grew {
                changed.push(place);
            }
        }
        Ok(moved)
    }

    /// Two tokens that can stand together beside the inputs can stand together where they move to.
    fn move_pairs(
        &mut self,
        t: &Transition,
        context: &[u64],
        changed: &mut Vec<u32>,
        budget: &Budget,
    ) -> Result<usize, Stop> {
        let mut moved = 0;
        for group in t.transfers.chunk_by(|a, b| a.0 == b.0) {
            let from = group[0].0;
            if context[from as usize / 64] & (1 << (from % 64)) == 0 {
                continue;
            }
            let beside: Vec<u64> = context.iter().zip(self.row(from)).map(|(a, b)| a & b).collect();
            budget.steps(beside.len())?;
            for other in bits(&beside) {
                let stays = [(other, other)];
                let arcs = t.moves_of(other);
                let arcs = if arcs.is_empty() { &stays } else { arcs };
                budget.steps(group.len() * arcs.len())?;
                moved += group.len() * arcs.len();
                for (&(_, a), &(_, b)) in
                    group.iter().flat_map(|a| arcs.iter().map(move |b| (a, b)))
                {
                    if self.set(a, b) | self.set(b, a) {
                        changed.extend([a, b]);
                    }
                }
            }
        }
        Ok(moved)
    }

    /// The places that are marked once the tokens of `context` have moved, which are live then.
    fn after_moves(&mut self, t: &Transition, context: &[u64], changed: &mut Vec<u32>) -> Vec<u64> {
        let mut after = context.to_vec();
        t.transfers.iter().for_each(|arc| after[arc.0 as usize / 64] &= !(1 << (arc.0 % 64)));
        for &(from, to) in &t.transfers {
            if context[from as usize / 64] & (1 << (from % 64)) != 0 {
                after[to as usize / 64] |= 1 << (to % 64);
                if !std::mem::replace(&mut self.live[to as usize], true) {
                    changed.push(to);
                }
            }
        }
        after
    }

    fn mirror(&mut self, place: u32, word: usize, new: u64, changed: &mut Vec<u32>) {
        for bit in bits(&[new]) {
            let other = (word * 64) as u32 + bit;
            if self.set(other, place) {
                changed.push(other);
            }
        }
    }

    /// The places that can stand beside all of `pre`.
    fn context(&self, pre: &[Entry]) -> Vec<u64> {
        let mut rows = pre.iter().map(|e| self.row(e.0));
        let Some(first) = rows.next() else {
            return self.live_bits();
        };
        let mut context = first.to_vec();
        for row in rows {
            context.iter_mut().zip(row).for_each(|(a, b)| *a &= b);
        }
        context
    }

    fn live_bits(&self) -> Vec<u64> {
        let mut bits = vec![0; self.words];
        for place in self.live.iter().enumerate().filter(|(_, live)| **live).map(|(p, _)| p) {
            bits[place / 64] |= 1 << (place % 64);
        }
        bits
    }

    fn row(&self, place: u32) -> &[u64] {
        &self.rows[place as usize * self.words..][..self.words]
    }

    fn set(&mut self, a: u32, b: u32) -> bool {
        let word = &mut self.rows[a as usize * self.words + b as usize / 64];
        let bit = 1 << (b % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    fn add_product(&mut self, entries: &[Entry], budget: &Budget) -> Result<(), Stop> {
        for &(a, count) in entries {
            budget.steps(entries.len())?;
            self.live[a as usize] = true;
            for &(b, _) in entries {
                if a != b || count >= 2 || count == OMEGA {
                    self.set(a, b);
                }
            }
        }
        Ok(())
    }

    pub fn may_coexist(&self, a: u32, b: u32) -> bool {
        self.trivial || self.row(a)[b as usize / 64] & (1 << (b % 64)) != 0
    }

    /// Whether a transition can fire at all.
    pub fn is_live(&self, transition: usize) -> bool {
        self.fires[transition]
    }

    /// Whether a marking with these tokens is not excluded.
    pub fn admits(&self, entries: &[Entry]) -> bool {
        if entries.len() > WIDE.max(self.words) {
            return self.trivial || self.admits_wide(entries);
        }
        self.trivial
            || entries.iter().enumerate().all(|(i, &(a, count))| {
                self.live[a as usize]
                    && (count < 2 || self.may_coexist(a, a))
                    && entries[i + 1..].iter().all(|&(b, _)| self.may_coexist(a, b))
            })
    }

    /// The same row by row, which is faster for many places.
    fn admits_wide(&self, entries: &[Entry]) -> bool {
        let mut wanted = vec![0u64; self.words];
        entries.iter().for_each(|e| wanted[e.0 as usize / 64] |= 1 << (e.0 % 64));
        entries.iter().all(|&(a, count)| {
            let (own, bit) = (a as usize / 64, 1u64 << (a % 64));
            let beside = |(word, (wanted, row)): (usize, (&u64, &u64))| {
                let spared = if count < 2 && word == own { bit } else { 0 };
                wanted & !row & !spared == 0
            };
            self.live[a as usize] && wanted.iter().zip(self.row(a)).enumerate().all(beside)
        })
    }

    pub fn admits_config(&self, config: &Config) -> bool {
        self.admits(config.entries())
    }

    pub fn is_trivial(&self) -> bool {
        self.trivial
    }

    /// The live places, and for each a row of hexadecimal digits: bit i says "may stand beside the
    /// i-th live place".
    pub fn to_rows(&self, budget: &Budget) -> Result<(Vec<u32>, Vec<String>), Stop> {
        let live: Vec<u32> =
            (0..self.live.len() as u32).filter(|&p| self.live[p as usize]).collect();
        let word = |place: u32, others: &[u32]| {
            let bit = |(i, &other): (usize, &u32)| u64::from(self.may_coexist(place, other)) << i;
            others.iter().enumerate().map(bit).sum::<u64>()
        };
        let row = |&place: &u32| -> Result<String, Stop> {
            budget.steps(live.len())?;
            Ok(live.chunks(64).map(|others| format!("{:016x}", word(place, others))).collect())
        };
        let rows = live.iter().map(row).collect::<Result<_, _>>()?;
        Ok((live, rows))
    }
}

/// The numbers of the bits that are set.
fn bits(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    let of_word = |(word, &bits): (usize, &u64)| {
        let rest = std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)));
        let rest = rest.take_while(|bits| *bits != 0);
        rest.map(move |bits| (word * 64) as u32 + bits.trailing_zeros())
    };
    words.iter().enumerate().flat_map(of_word)
}
