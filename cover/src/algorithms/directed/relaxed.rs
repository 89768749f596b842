//! How far a marking is from a target: the additive heuristic of planning (Bonet and Geffner 2001),
//! with counters.
//!
//! In the relaxed net nothing is used up. One more token on p costs one step of the cheapest transition
//! that raises p, and what its inputs lack; a marking costs what the target lacks. The costs are found
//! in ascending order (Knuth 1977: Dijkstra's algorithm on functions that never go below their
//! arguments), in O(arcs · log places) per marking. If the cost is infinite no run leads there. The
//! transitions of a cheapest relaxed plan that are enabled are the ones worth trying first (Hoffmann
//! and Nebel 2001).

use crate::budget::Budget;
use crate::config::{Config, Entry, OMEGA, count_of};
use crate::error::Stop;
use crate::net::Net;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A cost that no sum of costs reaches.
pub const UNREACHABLE: u64 = u64::MAX;

const NONE: u32 = u32::MAX;

/// A way to raise places: a transition, or one of its transfers.
struct Way {
    transition: u32,
    pre: Box<[Entry]>,
    raises: Box<[u32]>,
}

/// The relaxed net with scratch space for one marking at a time.
pub struct Relaxed {
    ways: Vec<Way>,
    /// Per place the ways that take from it.
    takers: Vec<Vec<u32>>,
    /// Ways without inputs.
    free: Vec<u32>,
    targets: Vec<Config>,
    /// Tokens of the marking looked at.
    marked: Vec<u32>,
    /// Per place: what one more token costs, and the way that gives it.
    cost: Vec<u64>,
    by: Vec<u32>,
    settled: Vec<bool>,
    /// Per way: inputs that lack tokens and are not settled.
    lacking: Vec<u32>,
    touched_ways: Vec<u32>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

/// What is known of a marking.
pub struct Estimate {
    /// Cost of the cheapest target, or [`UNREACHABLE`].
    pub cost: u64,
    /// Transitions of the relaxed plan that are enabled, in ascending order.
    pub helpful: Vec<u32>,
}

impl Relaxed {
    pub fn new(net: &Net, keep: impl Fn(usize) -> bool, budget: &Budget) -> Result<Relaxed, Stop> {
        budget.reserve::<[u64; 10]>(net.places.len())?;
        let places = net.places.len();
        let mut relaxed = Relaxed {
            ways: Vec::new(),
            takers: vec![Vec::new(); places],
            free: Vec::new(),
            targets: net.targets.clone(),
            marked: vec![0; places],
            cost: vec![UNREACHABLE; places],
            by: vec![NONE; places],
            settled: vec![false; places],
            lacking: Vec::new(),
            touched_ways: Vec::new(),
            heap: BinaryHeap::new(),
        };
        for (i, t) in net.transitions.iter().enumerate().filter(|(i, _)| keep(*i)) {
            budget.steps(1 + t.pre.len() + t.post.len() + t.transfers.len())?;
            let raised = t.post.iter().filter(|e| e.1 > count_of(&t.pre, e.0)).map(|e| e.0);
            relaxed.push(i as u32, t.pre.clone(), raised.collect());
            for &(from, to) in t.transfers.iter().filter(|arc| arc.0 != arc.1) {
                let more = t.pre.iter().copied().chain([(from, 1)]);
                let pre = crate::net::collect_entries(more).unwrap_or_default();
                relaxed.push(i as u32, pre, vec![to]);
            }
        }
        relaxed.lacking = vec![NONE; relaxed.ways.len()];
        Ok(relaxed)
    }

    fn push(&mut self, transition: u32, pre: Vec<Entry>, raises: Vec<u32>) {
        if raises.is_empty() {
            return;
        }
        let number = self.ways.len() as u32;
        pre.iter().for_each(|e| self.takers[e.0 as usize].push(number));
        if pre.is_empty() {
            self.free.push(number);
        }
        self.ways.push(Way {
            transition,
            pre: pre.into_boxed_slice(),
            raises: raises.into_boxed_slice(),
        });
    }

    /// The cost of a marking and what to try first.
    pub fn estimate(&mut self, config: &Config, budget: &Budget) -> Result<Estimate, Stop> {
        config.entries().iter().for_each(|e| self.marked[e.0 as usize] = e.1);
        let result = self.settle_all(config, budget).map(|()| self.cheapest());
        config.entries().iter().for_each(|e| self.marked[e.0 as usize] = 0);
        self.clear();
        result
    }

    fn clear(&mut self) {
        self.heap.clear();
        self.cost.fill(UNREACHABLE);
        self.by.fill(NONE);
        self.settled.fill(false);
        self.touched_ways.drain(..).for_each(|way| self.lacking[way as usize] = NONE);
    }

    /// Costs of all places that a target may ask for, cheapest first.
    fn settle_all(&mut self, config: &Config, budget: &Budget) -> Result<(), Stop> {
        for number in 0..self.free.len() {
            self.use_way(self.free[number]);
        }
        for &(place, _) in config.entries() {
            budget.steps(self.takers[place as usize].len())?;
            for number in 0..self.takers[place as usize].len() {
                let way = self.takers[place as usize][number];
                if self.lacks(way) == 0 {
                    self.use_way(way);
                }
            }
        }
        while let Some(Reverse((cost, place))) = self.heap.pop() {
            if self.settled[place as usize] || cost > self.cost[place as usize] {
                continue;
            }
            self.settled[place as usize] = true;
            budget.steps(1 + self.takers[place as usize].len())?;
            for number in 0..self.takers[place as usize].len() {
                let way = self.takers[place as usize][number];
                let wanted = count_of(&self.ways[way as usize].pre, place);
                // Where the marking has enough the way did not wait for this place.
                if wanted <= self.marked[place as usize] {
                    continue;
                }
                let left = self.lacks(way) - 1;
                self.lacking[way as usize] = left;
                if left == 0 {
                    self.use_way(way);
                }
            }
        }
        Ok(())
    }

    /// Inputs that still lack tokens.
    fn lacks(&mut self, way: u32) -> u32 {
        let known = &mut self.lacking[way as usize];
        if *known == NONE {
            let short = |e: &&Entry| self.marked[e.0 as usize] < e.1;
            *known = self.ways[way as usize].pre.iter().filter(short).count() as u32;
            self.touched_ways.push(way);
        }
        *known
    }

    fn use_way(&mut self, way: u32) {
        let cost = self.missing(&self.ways[way as usize].pre).saturating_add(1);
        for &place in &self.ways[way as usize].raises {
            if cost < self.cost[place as usize] {
                self.cost[place as usize] = cost;
                self.by[place as usize] = way;
                self.heap.push(Reverse((cost, place)));
            }
        }
    }

    /// What it costs to have these tokens.
    fn missing(&self, entries: &[Entry]) -> u64 {
        let cost = |&(place, count): &Entry| {
            let missing = u64::from(count.saturating_sub(self.marked[place as usize]));
            if missing == 0 { 0 } else { missing.saturating_mul(self.cost[place as usize]) }
        };
        entries.iter().map(cost).fold(0, u64::saturating_add)
    }

    fn cheapest(&mut self) -> Estimate {
        let costs = self.targets.iter().map(|target| self.missing(target.entries()));
        let Some((cost, target)) = costs.zip(&self.targets).min_by_key(|c| c.0) else {
            return Estimate { cost: UNREACHABLE, helpful: Vec::new() };
        };
        if cost == UNREACHABLE {
            return Estimate { cost, helpful: Vec::new() };
        }
        let mut wanted: Vec<u32> = self.short_of(target.entries()).collect();
        let mut helpful = Vec::new();
        while let Some(place) = wanted.pop() {
            let way = std::mem::replace(&mut self.by[place as usize], NONE);
            if way == NONE {
                continue;
            }
            let way = &self.ways[way as usize];
            let before = wanted.len();
            wanted.extend(self.short_of(&way.pre));
            if wanted.len() == before {
                helpful.push(way.transition);
            }
        }
        helpful.sort_unstable();
        helpful.dedup();
        Estimate { cost, helpful }
    }

    fn short_of<'e>(&'e self, entries: &'e [Entry]) -> impl Iterator<Item = u32> + 'e {
        let short =
            |e: &&Entry| self.marked[e.0 as usize] != OMEGA && self.marked[e.0 as usize] < e.1;
        entries.iter().filter(short).map(|e| e.0)
    }
}
