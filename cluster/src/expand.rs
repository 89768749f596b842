//! One worker's tools to expand states: successors, keys, who is to be told of them.

use crate::exchange::Exchange;
use crate::outgoing::Outgoing;
use crate::part::{Candidate, order};
use pidlab_budget::Budget;
use pidlab_explore::search::{
    Canonizer, Failure, Label, Model, Options, Successors, Timing, key_hash,
};
use std::time::{Duration, Instant};

pub struct Expander<'r, M: Model, C: Canonizer<M::State>> {
    model: &'r M,
    canonizer: &'r C,
    moves: M::Worker,
    keys: C::Worker,
    state: M::State,
    successors: Successors<M::State>,
    key: Vec<u8>,
    packed: Vec<u8>,
    /// Keys of all successors, one after another.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Hash, index and label of each successor, sorted.
    sorted: Vec<(u64, u32, Label)>,
    budget: Budget,
    expanded: u64,
    pub timing: Timing,
}

/// What is known of an expanded state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Source {
    pub rank: u32,
    pub findings: u64,
    pub transitions: u64,
    pub edges: u32,
    /// Nothing was generated: the findings end the search here.
    pub stopped: bool,
}

impl Source {
    pub fn is_deadlock(&self) -> bool {
        self.edges == 0 && !self.stopped
    }
}

/// Where a state to expand comes from.
pub enum From<'b> {
    Key(&'b [u8]),
    Packed(&'b [u8]),
}

impl<'r, M: Model, C: Canonizer<M::State>> Expander<'r, M, C> {
    pub fn new(model: &'r M, canonizer: &'r C, options: &Options<'_>) -> Expander<'r, M, C> {
        let budget = &options.limits.budget;
        let (mut keys, mut moves) = (canonizer.worker(), model.worker());
        canonizer.allow(&mut keys, budget);
        model.allow(&mut moves, budget);
        Expander {
            model,
            canonizer,
            moves,
            keys,
            state: M::State::default(),
            successors: Successors::new(),
            key: Vec::new(),
            packed: Vec::new(),
            bytes: Vec::new(),
            ends: Vec::new(),
            sorted: Vec::new(),
            budget: budget.clone(),
            expanded: 0,
            timing: Timing::default(),
        }
    }

    /// Sends the initial states to their owners.
    pub fn initial(&mut self, out: &mut Outgoing, to: &mut Exchange) -> Result<(), Failure> {
        self.successors.clear();
        self.model.initial(&mut self.moves, &mut self.successors)?;
        self.find_keys()?;
        self.send_distinct(0, out, to)?;
        Ok(())
    }

    /// Generates the successors of a state and sends them to their owners.
    #[inline]
    pub fn expand(
        &mut self,
        from: From<'_>,
        rank: u32,
        stop_at: u64,
        out: &mut Outgoing,
        to: &mut Exchange,
    ) -> Result<Source, Failure> {
        let mut clock = self.expanded.is_multiple_of(Timing::EVERY).then(Instant::now);
        self.expanded += 1;
        let findings = self.generate(from, stop_at)?;
        lap(&mut clock, &mut self.timing.generate);
        let stopped = findings & stop_at != 0;
        self.find_keys()?;
        lap(&mut clock, &mut self.timing.canonize);
        let (edges, transitions) = self.send_distinct(rank, out, to)?;
        lap(&mut clock, &mut self.timing.store);
        Ok(Source { rank, findings, transitions, edges, stopped })
    }

    /// The successors of a state, and what the properties find there; none if the search ends there.
    fn generate(&mut self, from: From<'_>, stop_at: u64) -> Result<u64, Failure> {
        match from {
            From::Key(key) => self.canonizer.decode(&mut self.keys, key, &mut self.state),
            From::Packed(bytes) if self.model.unpack(bytes, &mut self.state) => {}
            From::Packed(_) => return Err(no_concrete_states()),
        }
        self.successors.clear();
        let findings = self.model.inspect(&mut self.moves, &self.state)?;
        if findings & stop_at == 0 {
            self.model.successors(&mut self.moves, &self.state, &mut self.successors)?;
        }
        Ok(findings)
    }

    #[inline]
    fn find_keys(&mut self) -> Result<(), Failure> {
        self.bytes.clear();
        self.ends.clear();
        self.sorted.clear();
        for index in 0..self.successors.len() {
            self.canonizer.key(&mut self.keys, self.successors.state(index), &mut self.key)?;
            self.budget.spend(self.key.len() as u64)?;
            self.bytes.extend_from_slice(&self.key);
            self.ends.push(self.bytes.len());
            self.sorted.push((key_hash(&self.key), index as u32, self.successors.label(index)));
        }
        Ok(())
    }

    fn key(&self, index: u32) -> &[u8] {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// Sends every distinct successor once, by the first way into it; counts the distinct pairs of
    /// label and successor, and all transitions.
    fn send_distinct(
        &mut self,
        rank: u32,
        out: &mut Outgoing,
        to: &mut Exchange,
    ) -> Result<(u32, u64), Failure> {
        self.sorted.sort_unstable();
        let (mut edges, mut transitions) = (0, 0);
        let mut packed = std::mem::take(&mut self.packed);
        for at in 0..self.sorted.len() {
            let (hash, index, label) = self.sorted[at];
            transitions += u64::from(self.successors.weight(index as usize));
            let (mut known, mut known_edge) = (false, false);
            for &(_, other, other_label) in
                self.sorted[..at].iter().rev().take_while(|earlier| earlier.0 == hash)
            {
                let same = self.key(other) == self.key(index);
                known |= same;
                if same && other_label == label {
                    known_edge = true;
                    break;
                }
            }
            edges += u32::from(!known_edge);
            if !known && !out.is_sent(self.key(index), hash) {
                let state = self.successors.state(index as usize);
                if out.with_states() && !self.model.pack(state, &mut packed) {
                    return Err(no_concrete_states());
                }
                let order = order(rank, index);
                let candidate = Candidate { order, label, key: self.key(index), state: &packed };
                out.add(&candidate, hash, to);
            }
        }
        self.packed = packed;
        Ok((edges, transitions))
    }

    /// How many transitions lead to successors before a position.
    pub fn transitions_before(&mut self, from: From<'_>, end: u32) -> Result<u64, Failure> {
        self.generate(from, 0)?;
        let before = 0..self.successors.len().min(end as usize);
        Ok(before.map(|index| u64::from(self.successors.weight(index))).sum())
    }
}

#[inline]
fn lap(clock: &mut Option<Instant>, to: &mut Duration) {
    if let Some(start) = clock {
        let now = Instant::now();
        *to += now - *start;
        *start = now;
    }
}

fn no_concrete_states() -> Failure {
    Failure::Setup("states of this model cannot travel between processes; search in one".into())
}
