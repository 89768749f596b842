//! How long a run will still take: steady and honest, though rows differ in cost by factors of thousands.
//!
//! Rows are weighed by what they are expected to cost. Blocks of one entry and size are alike, so a block that
//! is still to come costs what those of its group cost so far; a group without a finished block takes the
//! nearest finished size of its entry, in proportion to the sizes, or else the mean of all, which also counts as one block of every group. The time left
//! is the cost that is left at the speed so far, which counts workers, load and overhead by itself. What is
//! shown is the expected end, smoothed over a tenth of the time that has passed: it moves slowly, and the
//! time left goes down by a second a second in between.
//!
//! Known weakness: an entry that is much slower than all before it is noticed when its first block is done.

use pidlab_figures::count;
use std::collections::BTreeMap;
use std::time::Duration;

/// Entry of the experiment and size: blocks that cost about the same.
pub type GroupKey = (usize, u32);

/// No estimate before this: it would be a guess.
const SILENT: f64 = 2.0;
/// Nor with fewer blocks than these, a twentieth of all, unless more time has passed.
const FEWEST_BLOCKS: u64 = 5;
const FEWEST_SHARE: u64 = 20;
const PATIENCE: f64 = 20.0;
/// The mean of all blocks counts as so many blocks of every group: one that ran into its limit says little.
const PRIOR: f64 = 1.0;
/// The end is smoothed over so much of the time that has passed, and at least so many seconds.
const SMOOTHING: f64 = 0.1;
const LEAST_SMOOTHING: f64 = 2.0;

#[derive(Clone, Copy, Debug, Default)]
struct Group {
    open: u64,
    done: u64,
    cost: f64,
}

impl Group {
    fn mean(&self) -> Option<f64> {
        (self.done > 0).then(|| self.cost / self.done as f64)
    }
}

/// What is known of the cost of a run.
#[derive(Default)]
pub struct Estimate {
    groups: BTreeMap<GroupKey, Group>,
    blocks: u64,
    all: u64,
    cost: f64,
    /// The most that a block has cost.
    most: f64,
    /// When the run is expected to end, in seconds since it began, and when that was last thought about.
    end: Option<(f64, f64)>,
    /// Blocks done when a block was last seen to end, and when that was.
    moved: (u64, f64),
}

impl Estimate {
    /// A run of these blocks.
    pub fn of(blocks: impl IntoIterator<Item = GroupKey>) -> Estimate {
        let mut estimate = Estimate::default();
        for key in blocks {
            estimate.groups.entry(key).or_default().open += 1;
            estimate.all += 1;
        }
        estimate
    }

    /// A block is done; its cost in any unit.
    pub fn finish(&mut self, key: GroupKey, cost: f64) {
        let group = self.groups.entry(key).or_default();
        group.open = group.open.saturating_sub(1);
        group.done += 1;
        group.cost += cost;
        self.blocks += 1;
        self.cost += cost;
        self.most = self.most.max(cost);
    }

    /// The time left after so much time; nothing while it would be a guess.
    pub fn left(&mut self, elapsed: Duration) -> Option<Duration> {
        let now = elapsed.as_secs_f64();
        let few = self.blocks < FEWEST_BLOCKS.max(self.all / FEWEST_SHARE);
        let too_early = now < SILENT || (few && now < PATIENCE);
        if too_early || self.cost <= 0.0 {
            return None;
        }
        let end = now + now * self.cost_left() / self.cost;
        let end = match self.end {
            None => end,
            Some((before, when)) => {
                let over = (SMOOTHING * now).max(LEAST_SMOOTHING);
                before + (end - before) * (1.0 - (-(now - when) / over).exp())
            }
        };
        self.end = Some((end, now));
        if self.moved.0 != self.blocks {
            self.moved = (self.blocks, now);
        }
        // blocks at work for long may be at work for as long again, whatever others took
        let at_least = now - self.moved.1;
        Duration::try_from_secs_f64((end - now).max(at_least)).ok()
    }

    fn cost_left(&self) -> f64 {
        let mean = self.cost / self.blocks.max(1) as f64;
        let cost = |(key, group): (&GroupKey, &Group)| {
            let known = group.mean().map(|own| (own, group.done)).or_else(|| self.nearest(*key));
            let (own, blocks) = known.unwrap_or_default();
            let each = (own * blocks as f64 + mean * PRIOR) / (blocks as f64 + PRIOR);
            group.open as f64 * each
        };
        self.groups.iter().filter(|(_, group)| group.open > 0).map(cost).sum()
    }

    /// By the nearest size of the same entry of which blocks are done, and by how many; never more than a
    /// block has cost so far.
    fn nearest(&self, (entry, size): GroupKey) -> Option<(f64, u64)> {
        let known =
            |(&(_, other), group): (&GroupKey, &Group)| Some((other, group.mean()?, group.done));
        let below = self.groups.range((entry, 0)..(entry, size)).rev().find_map(known);
        let above = self.groups.range((entry, size)..=(entry, u32::MAX)).find_map(known);
        let nearest = match (below, above) {
            (Some(low), Some(high)) if size - low.0 > high.0 - size => Some(high),
            (low, high) => low.or(high),
        };
        let scaled = |(other, mean, done): (u32, f64, u64)| {
            let cost = mean * f64::from(size) / f64::from(other.max(1));
            (cost.min(self.most), done)
        };
        nearest.map(scaled)
    }
}

/// A time as people say it, no finer than it is known.
pub fn rounded(time: Duration) -> String {
    match time.as_secs() {
        s if s < 1 => "under a second".to_string(),
        s if s < 60 => format!("{s} s"),
        s if s < 600 => format!("{} min {:02} s", s / 60, s % 60 / 10 * 10),
        s if s < 7200 => format!("{} min", (s + 30) / 60),
        s if s < 172_800 => format!("{} h {:02} min", s / 3600, s % 3600 / 600 * 10),
        s => format!("{} days", (s + 43_200) / 86_400),
    }
}

/// Rows in a second, or in a minute where that is less than one.
pub fn rate(rows: u64, time: Duration) -> String {
    let per_second = rows as f64 / time.as_secs_f64().max(1e-9);
    match per_second {
        r if r >= 10.0 => format!("{}/s", count(r.round() as usize)),
        r if r >= 1.0 => format!("{r:.1}/s"),
        r => format!("{:.0}/min", r * 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_random::Rng;

    #[test]
    fn a_block_that_takes_long_may_take_as_long_again() {
        let mut estimate = Estimate::of((0..20).map(|block| (0, block)));
        (0..19).for_each(|block| estimate.finish((0, block), 1.0));
        let at = |seconds: u64| Duration::from_secs(seconds);
        assert!(estimate.left(at(20)).unwrap() < at(5));
        assert!(estimate.left(at(50)).unwrap() >= at(30), "30 seconds without an end of a block");
        estimate.finish((0, 19), 30.0);
        assert!(estimate.left(at(51)).unwrap() < at(5));
    }

    /// Sizes 10 to 1,000, two entries of which one is ten times slower, and one block in fifty that runs
    /// into its limit: costs spread over a factor of 100,000.
    fn costs(rng: &mut Rng) -> Vec<(GroupKey, f64)> {
        let mut blocks = Vec::new();
        for entry in 0..2 {
            for size in [10u32, 30, 100, 300, 1000] {
                for _ in 0..80 {
                    let noise = 0.5 + rng.index(1000) as f64 / 1000.0;
                    let slow = if entry == 1 { 10.0 } else { 1.0 };
                    let usual = f64::from(size) * 1e-4 * slow * noise;
                    blocks.push(((entry, size), if rng.index(50) == 0 { 2.0 } else { usual }));
                }
            }
        }
        for i in (1..blocks.len()).rev() {
            blocks.swap(i, rng.index(i + 1));
        }
        blocks
    }

    #[test]
    fn the_time_left_is_near_the_truth_and_does_not_jump() {
        for seed in 0..20 {
            let blocks = costs(&mut Rng::for_analysis(seed, 9));
            let whole: f64 = blocks.iter().map(|(_, cost)| cost).sum();
            let mut estimate = Estimate::of(blocks.iter().map(|(key, _)| *key));
            let (mut now, mut before) = (0.0, None::<(f64, f64)>);
            for (key, cost) in blocks {
                now += cost;
                estimate.finish(key, cost);
                let Some(left) = estimate.left(Duration::from_secs_f64(now)) else { continue };
                let (left, truth) = (left.as_secs_f64(), whole - now);
                if now > whole / 4.0 {
                    let allowed = 0.7 * truth + 10.0;
                    assert!((left - truth).abs() < allowed, "seed {seed}: {left} not {truth}");
                }
                // beyond the time that passed, the end moves by a fraction of what is left
                if let Some((end, when)) = before.filter(|(_, when)| now - when < 1.0) {
                    let step = (now + left - end).abs();
                    assert!(step < 0.25 * whole, "seed {seed}: {step} at {now} after {when}");
                }
                before = Some((now + left, now));
            }
            assert!(before.is_some());
        }
    }

    #[test]
    fn sizes_without_a_block_are_guessed_from_the_nearest() {
        let mut estimate = Estimate::of([(0, 10), (0, 10), (0, 40), (1, 20), (1, 20)]);
        estimate.finish((0, 10), 1.0);
        estimate.finish((1, 20), 3.0);
        // four times the size, but not more than any block has cost
        assert_eq!(estimate.nearest((0, 40)), Some((3.0, 1)));
        assert_eq!(estimate.nearest((2, 5)), None);
        // each with the mean, 2, as one more block: (1 + 2) / 2, (3 + 2) / 2, (3 + 2) / 2
        assert!((estimate.cost_left() - 6.5).abs() < 1e-9);
        assert_eq!(estimate.left(Duration::from_secs(1)), None);
        assert_eq!(estimate.left(Duration::from_secs(40)), Some(Duration::from_secs(65)));
    }

    #[test]
    fn numbers_as_people_say_them() {
        let said = [0, 59, 61, 601, 7201, 200_000].map(|s| rounded(Duration::from_secs(s)));
        assert_eq!(
            said,
            ["under a second", "59 s", "1 min 00 s", "10 min", "2 h 00 min", "2 days"]
        );
        let second = Duration::from_secs(1);
        assert_eq!(rate(9530, second), "9,530/s");
        assert_eq!(rate(15, Duration::from_secs(10)), "1.5/s");
        assert_eq!(rate(1, Duration::from_secs(20)), "3/min");
    }
}
