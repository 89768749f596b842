//! What a growth law is fitted to, and how it is drawn anew for a bootstrap: every state by itself, or the median of each size.
//!
//! Times of a search with backtracking have a long tail: a few states of every size meet a limit, however large the limit
//! is. A fit over states has to end where the first of them does, since the lucky ones of larger sizes alone would
//! bend the curve down. The median of a size is known as long as fewer than half of its states met a limit (the idea of
//! Powell's censored quantile regression, Journal of Econometrics 32, 1986, for many states a size), so that a fit to
//! medians goes on to sizes several times as large; states are drawn anew within each size. Cost: O(n) a resample.
//! Known weakness: it tells of the typical state and nothing of the mean or the tail; of medians of fewer than
//! some twelve states intervals are too narrow.

use crate::growth::Points;
use crate::order::median;
use crate::verdict::{FEWEST_STATES, small_sample};
use crate::{Law, Observation};
use pidlab_random::Rng;

/// More states than this are not drawn for a resample.
const SUBSAMPLE: usize = 1000;
/// Sizes closer together than this factor count as one.
const SAME_SIZE: f64 = 1.05;
/// From this share of states at a limit on, a size and all larger ones are left out: resamples of its states would
/// often have no median.
const MOST_AT_LIMIT: f64 = 0.25;

/// States of about one size.
#[derive(Clone, Debug)]
pub struct SizeGroup {
    /// The middle one of their sizes.
    pub size: f64,
    /// Their times, infinite where a limit was met.
    pub times: Vec<f64>,
}

impl SizeGroup {
    fn of(states: &[Observation]) -> SizeGroup {
        let mut sizes: Vec<f64> = states.iter().map(|state| state.size).collect();
        SizeGroup { size: median(&mut sizes), times: states.iter().map(|s| s.time).collect() }
    }

    fn typical(&self) -> Observation {
        Observation { size: self.size, time: median(&mut self.times.clone()) }
    }

    /// The median of as many states drawn from these; that of all where it is none.
    fn drawn(&self, draws: &mut Rng) -> Observation {
        let n = self.times.len();
        let mut times: Vec<f64> = (0..n).map(|_| self.times[draws.index(n)]).collect();
        match median(&mut times) {
            time if time.is_finite() => Observation { size: self.size, time },
            _ => self.typical(),
        }
    }
}

/// Whether so many of these times are of limits that their median is not to be relied on.
pub fn mostly_at_limit(times: &[f64]) -> bool {
    let met = times.iter().filter(|time| !time.is_finite()).count();
    met as f64 >= MOST_AT_LIMIT * times.len() as f64
}

/// What is fitted.
pub enum Sample {
    /// States with a time.
    States(Vec<Observation>),
    /// The median of each group.
    Medians(Vec<SizeGroup>),
}

impl Sample {
    /// The states that have a time; `None` with too few.
    pub fn of_states(observations: &[Observation]) -> Option<Sample> {
        let good = |o: &&Observation| o.size > 0.0 && o.time > 0.0 && o.time.is_finite();
        let usable: Vec<Observation> = observations.iter().filter(good).copied().collect();
        (usable.len() >= FEWEST_STATES).then_some(Sample::States(usable))
    }

    /// Groups of states of about one size, up to the first of which too many met a limit; `None` with too few.
    pub fn of_medians(observations: &[Observation]) -> Option<Sample> {
        let cut = typical_cut(observations).unwrap_or(f64::INFINITY);
        let mut groups = by_size(observations);
        groups.retain(|group| group.size < cut);
        let enough = groups.iter().map(|group| group.times.len()).sum::<usize>() >= FEWEST_STATES;
        enough.then_some(Sample::Medians(groups))
    }

    /// The points of a fit.
    pub fn points(&self, law: Law) -> Points {
        match self {
            Sample::States(states) => Points::new(law, states),
            Sample::Medians(groups) => {
                Points::new(law, &groups.iter().map(SizeGroup::typical).collect::<Vec<_>>())
            }
        }
    }

    /// The points of a resample; `points` are those of [`Sample::points`].
    pub fn drawn(&self, points: &Points, draws: &mut Rng) -> Points {
        match self {
            Sample::States(states) => {
                let n = states.len();
                let numbers: Vec<usize> = (0..n.min(SUBSAMPLE)).map(|_| draws.index(n)).collect();
                points.select(&numbers)
            }
            Sample::Medians(groups) => {
                let drawn: Vec<Observation> =
                    groups.iter().map(|group| group.drawn(draws)).collect();
                Points::new(points.law(), &drawn)
            }
        }
    }

    /// By what deviations of resamples are multiplied: small samples of states make too small ones, and of many states
    /// only a part is drawn. Medians are drawn within their sizes, whose states are many.
    pub fn scale(&self) -> f64 {
        match self {
            Sample::States(states) => {
                let n = states.len();
                (n.min(SUBSAMPLE) as f64 / n as f64).sqrt() * small_sample(n, 3)
            }
            Sample::Medians(groups) => {
                small_sample(groups.iter().map(|group| group.times.len()).sum(), 3)
            }
        }
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        match self {
            Sample::States(states) => states.len(),
            Sample::Medians(groups) => groups.iter().map(|group| group.times.len()).sum(),
        }
    }

    /// Smallest and largest size, and how many sizes are apart.
    pub fn extent(&self) -> (f64, f64, usize) {
        let mut sizes: Vec<f64> = match self {
            Sample::States(states) => states.iter().map(|state| state.size).collect(),
            Sample::Medians(groups) => groups.iter().map(|group| group.size).collect(),
        };
        sizes.sort_unstable_by(f64::total_cmp);
        let (mut last, mut different) = (0.0, 0);
        for &size in &sizes {
            if size > SAME_SIZE * last {
                (last, different) = (size, different + 1);
            }
        }
        (sizes[0], sizes[sizes.len() - 1], different)
    }
}

/// The first size of which too many states met a limit for a median.
pub fn typical_cut(observations: &[Observation]) -> Option<f64> {
    by_size(observations).iter().find(|group| mostly_at_limit(&group.times)).map(|group| group.size)
}

/// Groups of at least [`FEWEST_STATES`] states, in order of size: one a size where there are enough of each.
fn by_size(observations: &[Observation]) -> Vec<SizeGroup> {
    let good = |o: &&Observation| o.size > 0.0 && o.time > 0.0;
    let mut states: Vec<Observation> = observations.iter().filter(good).copied().collect();
    states.sort_by(|a, b| a.size.total_cmp(&b.size));
    let (mut groups, mut rest) = (Vec::new(), states.as_slice());
    while !rest.is_empty() {
        let (group, after) = rest.split_at(end_of_group(rest));
        groups.push(SizeGroup::of(group));
        rest = after;
    }
    groups
}

/// Where the first group of sorted states ends; too few states left over belong to it.
fn end_of_group(states: &[Observation]) -> usize {
    let end = (FEWEST_STATES..states.len()).find(|&i| states[i].size > SAME_SIZE * states[0].size);
    end.filter(|end| states.len() - end >= FEWEST_STATES).unwrap_or(states.len())
}
