//! Finding comparable configurations fast.
//!
//! [`UpSet`] is the basis of an upward-closed set (an antichain): is there an element below v?
//! [`DownSet`] holds the configurations of a forward search: is there one above v, which are below?
//! Both reject most candidates by one 64-bit support mask before they compare entries. A look takes
//! time in proportion to what is held, so looks poll the budget.

use crate::budget::Budget;
use crate::config::Config;
use crate::error::Stop;
use crate::invariants::control::Control;
use rustc_hash::FxHashMap;

/// Candidates looked at between two polls.
const CHUNK: usize = 1024;

/// An antichain of minimal elements. Each is listed under one of its places (the least crowded when
/// it came); a query looks only under the places it marks itself.
pub struct UpSet {
    watch: Vec<Vec<(u64, u32)>>,
    occurrences: Vec<Vec<(u64, u32)>>,
    elements: Vec<Config>,
    alive: Vec<bool>,
    live: usize,
    everything: bool,
}

impl UpSet {
    pub fn new(places: usize, budget: &Budget) -> Result<UpSet, Stop> {
        budget.reserve::<[Vec<u32>; 2]>(places)?;
        Ok(UpSet {
            watch: vec![Vec::new(); places],
            occurrences: vec![Vec::new(); places],
            elements: Vec::new(),
            alive: Vec::new(),
            live: 0,
            everything: false,
        })
    }

    pub fn len(&self) -> usize {
        self.live
    }

    pub fn get(&self, id: u32) -> &Config {
        &self.elements[id as usize]
    }

    pub fn is_alive(&self, id: u32) -> bool {
        self.alive[id as usize]
    }

    /// Whether some element is below `config`.
    pub fn covers(&self, config: &Config, budget: &Budget) -> Result<bool, Stop> {
        if self.everything {
            return Ok(true);
        }
        let mask = config.mask();
        let below = |&(m, id): &(u64, u32)| {
            m & !mask == 0 && self.alive[id as usize] && self.elements[id as usize].leq(config)
        };
        for chunk in config.entries().iter().flat_map(|e| self.watch[e.0 as usize].chunks(CHUNK)) {
            budget.steps(chunk.len())?;
            if chunk.iter().any(below) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds an element that is not covered, drops those above it, and returns its number.
    pub fn insert(&mut self, config: Config) -> u32 {
        let mask = config.mask();
        self.remove_above(&config, mask);
        let id = self.elements.len() as u32;
        match config.entries().iter().min_by_key(|e| self.watch[e.0 as usize].len()) {
            Some(e) => self.watch[e.0 as usize].push((mask, id)),
            None => self.everything = true,
        }
        for e in config.entries() {
            self.occurrences[e.0 as usize].push((mask, id));
        }
        self.elements.push(config);
        self.alive.push(true);
        self.live += 1;
        id
    }

    fn remove_above(&mut self, config: &Config, mask: u64) {
        let Some(place) = config
            .entries()
            .iter()
            .map(|e| e.0)
            .min_by_key(|&p| self.occurrences[p as usize].len())
        else {
            self.alive.fill(false);
            self.live = 0;
            return;
        };
        let UpSet { occurrences, elements, alive, live, .. } = self;
        occurrences[place as usize].retain(|&(m, id)| {
            let above = mask & !m == 0 && alive[id as usize] && config.leq(&elements[id as usize]);
            if above {
                alive[id as usize] = false;
                *live -= 1;
            }
            alive[id as usize]
        });
    }

    /// The minimal elements.
    pub fn elements(&self) -> impl Iterator<Item = &Config> {
        self.elements.iter().zip(&self.alive).filter(|(_, alive)| **alive).map(|(e, _)| e)
    }
}

/// Configurations of a forward search in buckets by control state.
pub struct DownSet<'a> {
    control: &'a Control,
    buckets: FxHashMap<u64, Vec<(u64, u32)>>,
}

impl<'a> DownSet<'a> {
    pub fn new(control: &'a Control) -> DownSet<'a> {
        DownSet { control, buckets: FxHashMap::default() }
    }

    pub fn insert(&mut self, config: &Config, id: u32) {
        self.buckets.entry(self.control.key(config)).or_default().push((config.mask(), id));
    }

    pub fn remove(&mut self, config: &Config, id: u32, budget: &Budget) -> Result<(), Stop> {
        if let Some(bucket) = self.buckets.get_mut(&self.control.key(config)) {
            budget.steps(bucket.len())?;
            bucket.retain(|entry| entry.1 != id);
        }
        Ok(())
    }

    /// A configuration above `config`.
    pub fn find_above<'c>(
        &self,
        config: &Config,
        get: impl Fn(u32) -> &'c Config,
        budget: &Budget,
    ) -> Result<Option<u32>, Stop> {
        let mask = config.mask();
        let hit = |&&(m, id): &&(u64, u32)| mask & !m == 0 && config.leq(get(id));
        for chunk in self.bucket(config).rchunks(CHUNK) {
            budget.steps(chunk.len())?;
            if let Some(found) = chunk.iter().rev().find(hit) {
                return Ok(Some(found.1));
            }
        }
        Ok(None)
    }

    fn bucket(&self, config: &Config) -> &[(u64, u32)] {
        self.buckets.get(&self.control.key(config)).map_or(&[], Vec::as_slice)
    }

    /// Whether another configuration than `config` itself (number `own`) is above it.
    pub fn below_strictly<'c>(
        &self,
        config: &Config,
        own: u32,
        get: impl Fn(u32) -> &'c Config,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let mask = config.mask();
        let above = |&(m, id): &(u64, u32)| id != own && mask & !m == 0 && config.leq(get(id));
        for chunk in self.bucket(config).chunks(CHUNK) {
            budget.steps(chunk.len())?;
            if chunk.iter().any(above) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// All configurations below `config`.
    pub fn below<'c>(
        &self,
        config: &Config,
        get: impl Fn(u32) -> &'c Config,
        budget: &Budget,
    ) -> Result<Vec<u32>, Stop> {
        let mask = config.mask();
        let hit = |&&(m, id): &&(u64, u32)| m & !mask == 0 && get(id).leq(config);
        let mut found = Vec::new();
        for chunk in self.bucket(config).chunks(CHUNK) {
            budget.steps(chunk.len())?;
            found.extend(chunk.iter().filter(hit).map(|e| e.1));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_set_keeps_the_minimal_elements() {
        let budget = Budget::unlimited();
        let mut set = UpSet::new(4, &budget).unwrap();
        set.insert(Config::new(vec![(0, 2), (1, 1)]));
        set.insert(Config::new(vec![(2, 1), (3, 1)]));
        assert!(set.covers(&Config::new(vec![(0, 3), (1, 1), (3, 1)]), &budget).unwrap());
        assert!(!set.covers(&Config::new(vec![(0, 1), (1, 1), (3, 1)]), &budget).unwrap());
        set.insert(Config::new(vec![(0, 1)]));
        assert_eq!(set.len(), 2);
        set.insert(Config::default());
        assert_eq!(set.elements().count(), 1);
        assert!(set.covers(&Config::default(), &budget).unwrap());
    }
}
