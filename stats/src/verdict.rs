//! Which growth law the times follow, with a cluster bootstrap over states.
//!
//! For each law g the model t = a + b·g(p)·p^ε is fitted and the interval of ε bootstrapped; the law is
//! rejected when the interval leaves 0 out. What is left decides: one law, consistent with it; none,
//! faster, slower or between two; several, inconclusive, and then the number of states that would
//! tell them apart is estimated from the width of the interval. Picking the law of least error instead
//! is wrong in one run out of five between p and p log p (`tests/known_laws.rs` shows it).
//!
//! Cost: laws × resamples × O(min(n, 1000)). For more than 1,000 states an m-out-of-n bootstrap is
//! taken and its deviations scaled by √(m/n). Known weakness: an interval is only as good as the
//! assumption that states are drawn alike over the whole range of sizes.

use crate::growth::{Fit, Points};
use crate::order::quantile_sorted;
use crate::{Interval, Law, Observation};
use pidlab_random::Rng;
use serde::{Deserialize, Serialize};

/// Resamples of a bootstrap.
pub const RESAMPLES: usize = 300;
const SUBSAMPLE: usize = 1000;
/// Fewer states than this say nothing.
pub const FEWEST_STATES: usize = 12;

/// What is known about one law.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LawTest {
    /// Which law.
    pub law: Law,
    /// The law as it stands, without a surplus exponent.
    pub fit: Fit,
    /// Surplus exponent over the law, 95 % interval.
    pub surplus: Interval,
    /// Whether the interval leaves 0 out.
    pub rejected: bool,
}

/// What is left when the rejected laws are gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum LawVerdict {
    /// One law is left.
    ConsistentWith {
        /// The law.
        law: Law,
    },
    /// Grows less than p.
    FasterThan {
        /// The law of slowest growth, which is rejected too.
        law: Law,
    },
    /// Grows more than p².
    SlowerThan {
        /// The law of fastest growth, which is rejected too.
        law: Law,
    },
    /// All laws are rejected, and the exponent is between those of two of them.
    Between {
        /// Times grow more than this.
        above: Law,
        /// Times grow less than this.
        below: Law,
    },
    /// Several laws are left, or there are too few states.
    Inconclusive {
        /// The laws that are left.
        candidates: Vec<Law>,
        /// States there are.
        states: usize,
        /// About how many would decide; `None` if more states of these sizes would not.
        states_needed: Option<usize>,
    },
}

impl LawVerdict {
    /// The verdict as a part of a sentence.
    pub fn text(&self) -> String {
        match self {
            LawVerdict::ConsistentWith { law } => format!("consistent with {law}"),
            LawVerdict::FasterThan { law } => format!("faster than {law}"),
            LawVerdict::SlowerThan { law } => format!("slower than {law}"),
            LawVerdict::Between { above, below } => format!("between {above} and {below}"),
            LawVerdict::Inconclusive { candidates, states, states_needed } => {
                let names: Vec<&str> = candidates.iter().map(|law| law.name()).collect();
                let open =
                    if names.is_empty() { "too few states".into() } else { names.join(" or ") };
                let need = match states_needed {
                    Some(n) => format!("needs about {n} states or a wider range of p"),
                    None => "needs a wider range of p".to_string(),
                };
                format!("inconclusive ({open}; {states} states, {need})")
            }
        }
    }
}

/// The whole answer about one series.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Growth {
    /// States that were used.
    pub states: usize,
    /// Smallest size among them.
    pub smallest: f64,
    /// Largest size among them.
    pub largest: f64,
    /// The free exponent of p, 95 % interval.
    pub exponent: Interval,
    /// Each law on its own.
    pub laws: Vec<LawTest>,
    /// What they say together.
    pub verdict: LawVerdict,
}

/// Fits all laws and decides. `None` with too few states.
pub fn growth(observations: &[Observation], seed: u64) -> Option<Growth> {
    let usable = usable(observations)?;
    let laws: Vec<LawTest> =
        Law::ALL.into_iter().map(|law| test_law(law, &usable, RESAMPLES, seed)).collect();
    let exponent = laws[0].surplus.map(|e| e + 1.0);
    let sizes = || usable.iter().map(|o| o.size);
    Some(Growth {
        states: usable.len(),
        smallest: sizes().fold(f64::INFINITY, f64::min),
        largest: sizes().fold(0.0, f64::max),
        exponent,
        verdict: decide(&laws, usable.len()),
        laws,
    })
}

/// The free exponent alone, for forest plots.
pub fn exponent(observations: &[Observation], resamples: usize, seed: u64) -> Option<Interval> {
    let usable = usable(observations)?;
    Some(test_law(Law::Linear, &usable, resamples, seed).surplus.map(|e| e + 1.0))
}

fn usable(observations: &[Observation]) -> Option<Vec<Observation>> {
    let good = |o: &&Observation| o.size > 0.0 && o.time > 0.0 && o.time.is_finite();
    let usable: Vec<Observation> = observations.iter().filter(good).copied().collect();
    (usable.len() >= FEWEST_STATES).then_some(usable)
}

fn test_law(law: Law, observations: &[Observation], resamples: usize, seed: u64) -> LawTest {
    let points = Points::new(law, observations);
    let free = points.fit_free();
    let surplus = bootstrap(&points, &free, resamples, seed);
    LawTest { law, fit: points.fit_law(), surplus, rejected: !surplus.contains(0.0) }
}

fn bootstrap(points: &Points, full: &Fit, resamples: usize, seed: u64) -> Interval {
    let n = points.len();
    let m = n.min(SUBSAMPLE);
    let scale = (m as f64 / n as f64).sqrt();
    let mut draws = Rng::for_analysis(seed, 0xB007);
    let mut deviations: Vec<f64> = (0..resamples)
        .map(|_| {
            let numbers: Vec<usize> = (0..m).map(|_| draws.index(n)).collect();
            let sample = points.select(&numbers).refit_free(full);
            (sample.epsilon - full.epsilon) * scale
        })
        .collect();
    deviations.sort_unstable_by(f64::total_cmp);
    Interval {
        value: full.epsilon,
        low: full.epsilon + quantile_sorted(&deviations, 0.025),
        high: full.epsilon + quantile_sorted(&deviations, 0.975),
    }
}

fn decide(laws: &[LawTest], states: usize) -> LawVerdict {
    let open: Vec<&LawTest> = laws.iter().filter(|test| !test.rejected).collect();
    match open.as_slice() {
        [only] => LawVerdict::ConsistentWith { law: only.law },
        [] => place(laws),
        several => {
            let candidates: Vec<Law> = several.iter().map(|test| test.law).collect();
            let states_needed = states_to_separate(several, states);
            LawVerdict::Inconclusive { candidates, states, states_needed }
        }
    }
}

/// Where the times lie when every law is rejected.
fn place(laws: &[LawTest]) -> LawVerdict {
    let mut above = None;
    for test in laws {
        if test.surplus.value < 0.0 {
            return match above {
                Some(above) => LawVerdict::Between { above, below: test.law },
                None => LawVerdict::FasterThan { law: test.law },
            };
        }
        above = Some(test.law);
    }
    LawVerdict::SlowerThan { law: Law::Square }
}

/// The interval must shrink to half the gap between the two nearest candidates.
fn states_to_separate(open: &[&LawTest], states: usize) -> Option<usize> {
    let gap = (open[0].surplus.value - open[1].surplus.value).abs();
    let width = open[0].surplus.half_width();
    (gap > 1e-3 && width > 0.0).then(|| {
        let factor = (2.0 * width / gap).powi(2).max(1.1);
        (states as f64 * factor).min(1e9).ceil() as usize
    })
}
