//! Which path to follow, by probing.
//!
//! Several paths are laid, and for each the size of the search that follows it is estimated as Knuth
//! does (1975, "Estimating the efficiency of backtrack programs"): a random walk down the tree, here
//! that of the path's own graph, counts how many of a few candidates share the path's trace at each
//! level. The least estimate wins. Half of the paths take nauty's target cells; the others, for inputs
//! in which cells hardly help each other, take those that split most for the choices they leave.
//! Cost: about a hundred paths' worth of work, so it is for searches that have taken longer already.

use super::path::{Path, SearchSide};
use crate::budget::Exhausted;
use crate::hash::mix;

/// Paths laid.
const PATHS: usize = 4;
/// Cells tried where the one that splits most is sought, for an effort of 1.
const CELLS: usize = 4;
/// Vertices of a cell of which the most telling one is taken.
const VERTICES: usize = 8;
/// Walks down for each path, and candidates tried at each level.
const WALKS: usize = 2;
const CANDIDATES: usize = 4;

/// Numbers that look random; the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 += 1;
        (mix(mix(self.0, 0x9806), 0) % n as u64) as usize
    }

    /// Items at equal distances, from a random one on.
    fn sample(&mut self, items: &[u32], count: usize) -> Vec<u32> {
        let first = self.below(items.len());
        let stride = items.len().div_ceil(count);
        (first..first + items.len()).step_by(stride).map(|i| items[i % items.len()]).collect()
    }
}

impl SearchSide<'_> {
    /// A path with at most half as much to search for those who follow it as `path`, if one is found.
    pub fn better_path(&mut self, path: &Path, effort: usize) -> Result<Option<Path>, Exhausted> {
        let mut random = Random(effort as u64);
        let mut best = (self.estimate(path, &mut random)? / 2.0, None);
        for i in 0..PATHS {
            let path = self.lay_path(|side| {
                let target = match i % 2 {
                    0 => side.usual_target(),
                    _ => side.most_splitting(CELLS * effort, &mut random)?,
                };
                Ok((target, side.most_telling(target, &mut random)?))
            })?;
            let estimate = self.estimate(&path, &mut random)?;
            if estimate < best.0 {
                best = (estimate, Some(path));
            }
        }
        Ok(best.1)
    }

    /// Of some cells, the one that splits the others most, for the number of choices it leaves.
    fn most_splitting(&mut self, cells: usize, random: &mut Random) -> Result<u32, Exhausted> {
        let length = |start: u32| self.partition.length[start as usize];
        let open: Vec<u32> = self.partition.starts().filter(|&start| length(start) > 1).collect();
        let mut best = (0.0, 0);
        for target in random.sample(&open, cells) {
            let choices = f64::from(self.partition.length[target as usize]);
            let before = self.partition.cells;
            let (cells, _) = self.outcome_of(self.partition.order[target as usize])?;
            let gain = (cells - before) as f64 / choices.log2();
            if gain > best.0 {
                best = (gain, target);
            }
        }
        Ok(best.1)
    }

    /// Of some vertices of a cell, the one whose trace differs soonest from those of the others.
    fn most_telling(&mut self, target: u32, random: &mut Random) -> Result<u32, Exhausted> {
        let sampled = random.sample(self.partition.members(target), VERTICES);
        let mut traces = Vec::new();
        for &vertex in &sampled {
            traces.push(self.outcome_of(vertex)?.1);
        }
        let alike = |a: &[u64], b: &[u64]| a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let likeness = |trace: &Vec<u64>| -> usize {
            let all: usize = traces.iter().map(|other| alike(trace, other)).sum();
            all - trace.len()
        };
        let best = sampled.iter().zip(&traces).min_by_key(|(_, trace)| likeness(trace));
        Ok(best.map_or(sampled[0], |(&vertex, _)| vertex))
    }

    /// The mean of some estimates of the work of searching this graph for leaves like the path's.
    fn estimate(&mut self, path: &Path, random: &mut Random) -> Result<f64, Exhausted> {
        let mut sum = 0.0;
        for _ in 0..WALKS {
            sum += self.walk(path, random)?;
        }
        Ok(sum / WALKS as f64)
    }

    fn walk(&mut self, path: &Path, random: &mut Random) -> Result<f64, Exhausted> {
        let root = self.partition.mark();
        let (mut nodes, mut work) = (1.0, 0.0);
        for (level, &target) in path.targets.iter().enumerate() {
            let choices = self.partition.length[target as usize] as usize;
            let tried = random.sample(self.partition.members(target), CANDIDATES);
            let before = self.refiner.work;
            let mut alike = Vec::new();
            for &vertex in &tried {
                let mark = self.partition.mark();
                if self.follow(path, level, vertex)? {
                    alike.push(vertex);
                }
                self.partition.undo(mark);
            }
            let each = nodes * choices as f64 / tried.len() as f64;
            work += each * (self.refiner.work - before) as f64;
            nodes = each * alike.len() as f64;
            if alike.is_empty() {
                break;
            }
            self.follow(path, level, alike[random.below(alike.len())])?;
        }
        self.partition.undo(root);
        Ok(work)
    }
}
