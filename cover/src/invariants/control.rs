//! Control states: sets of places of which exactly one is ever marked, with one token.
//!
//! The shared states of a local/global machine are such a set by construction; nets from other
//! tools hide them (program counters, lock bits). Two comparable reachable configurations agree on
//! every control set, so the sets split a search into independent buckets.

use super::pairs::PairInvariant;
use crate::budget::Budget;
use crate::config::Config;
use crate::error::Stop;
use crate::net::Net;

/// Disjoint control sets of a net.
#[derive(Default)]
pub struct Control {
    /// Per place: number of its control set plus one, or 0.
    set_of: Vec<u32>,
    pub sets: Vec<Vec<u32>>,
}

/// How many sets are worth looking for, and how many places a set may have.
const MAX_SETS: usize = 64;

impl Control {
    /// Control sets found from the places that start with one token, using the knowledge which
    /// places can be marked together.
    pub fn detect(net: &Net, pairs: &PairInvariant, budget: &Budget) -> Result<Control, Stop> {
        let arcs = Arcs::new(net, pairs, budget)?;
        let mut control = Control { set_of: vec![0; net.places.len()], sets: Vec::new() };
        for &(place, count) in net.initial.entries() {
            let free = control.set_of[place as usize] == 0;
            if count != 1 || !free || pairs.may_coexist(place, place) {
                continue;
            }
            if let Some(set) = arcs.grow(place, &control.set_of, pairs, net, budget)? {
                control.add(set);
            }
            if control.sets.len() == MAX_SETS {
                break;
            }
        }
        Ok(control)
    }

    /// One set that is known to be a control set.
    pub fn of_set(set: Vec<u32>, places: usize) -> Control {
        let mut control = Control { set_of: vec![0; places], sets: Vec::new() };
        control.add(set);
        control
    }

    fn add(&mut self, set: Vec<u32>) {
        let number = self.sets.len() as u32 + 1;
        set.iter().for_each(|&p| self.set_of[p as usize] = number);
        self.sets.push(set);
    }

    pub fn is_control(&self, place: u32) -> bool {
        self.set_of.get(place as usize).is_some_and(|&s| s != 0)
    }

    /// Equal for configurations in the same control state.
    pub fn key(&self, config: &Config) -> u64 {
        config.entries().iter().filter(|e| self.is_control(e.0)).fold(0, |key: u64, e| {
            (key.rotate_left(5) ^ u64::from(e.0 + 1)).wrapping_mul(0x517C_C1B7_2722_0A95)
        })
    }
}

/// Live transitions by place, for growing a set.
struct Arcs {
    consumers: Vec<Vec<u32>>,
    producers: Vec<Vec<u32>>,
}

impl Arcs {
    fn new(net: &Net, pairs: &PairInvariant, budget: &Budget) -> Result<Arcs, Stop> {
        budget.reserve::<[Vec<u32>; 2]>(net.places.len())?;
        let mut consumers = vec![Vec::new(); net.places.len()];
        let mut producers = vec![Vec::new(); net.places.len()];
        for (i, t) in net.transitions.iter().enumerate().filter(|(i, _)| pairs.is_live(*i)) {
            budget.steps(t.pre.len() + t.post.len())?;
            t.pre.iter().for_each(|e| consumers[e.0 as usize].push(i as u32));
            t.post.iter().for_each(|e| producers[e.0 as usize].push(i as u32));
        }
        Ok(Arcs { consumers, producers })
    }

    /// Closes `{start}` so that every transition takes as many tokens from the set as it puts there,
    /// at most one. Greedy: the first admissible place is taken, a dead end gives up.
    fn grow(
        &self,
        start: u32,
        taken: &[u32],
        pairs: &PairInvariant,
        net: &Net,
        budget: &Budget,
    ) -> Result<Option<Vec<u32>>, Stop> {
        let mut set = vec![start];
        let mut member = rustc_hash::FxHashSet::from_iter([start]);
        let mut next = 0;
        while next < set.len() {
            let place = set[next] as usize;
            next += 1;
            for &t in self.consumers[place].iter().chain(&self.producers[place]) {
                let t = &net.transitions[t as usize];
                budget.steps(t.pre.len() + t.post.len())?;
                let ins = t.pre.iter().filter(|e| member.contains(&e.0)).count();
                let outs = t.post.iter().filter(|e| member.contains(&e.0)).count();
                if ins > 1 || outs > 1 {
                    return Ok(None);
                }
                if ins == outs {
                    continue;
                }
                let side = if ins == 0 { &t.pre } else { &t.post };
                let fits = |p: u32| {
                    taken[p as usize] == 0
                        && net.initial.get(p) == 0
                        && !pairs.may_coexist(p, p)
                        && set.iter().all(|&q| !pairs.may_coexist(p, q))
                };
                budget.steps(set.len())?;
                let Some(found) = side.iter().map(|e| e.0).find(|&p| fits(p)) else {
                    return Ok(None);
                };
                set.push(found);
                member.insert(found);
            }
        }
        Ok(Some(set))
    }
}
