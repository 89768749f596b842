//! Which growth law the times follow, with a cluster bootstrap over states.
//!
//! For each law g the model t = a + b·g(x)·x^ε is fitted and the interval of ε bootstrapped; the law is
//! rejected when the interval leaves 0 out. What is left decides: one law, consistent with it; none,
//! growth above, below or between laws; several, inconclusive, and then the number of states and the sizes that would
//! tell them apart are estimated from the width of the interval. Picking the law of least error instead
//! is wrong in one run out of five between p and p log p (`tests/known_laws.rs` shows it).
//!
//! Few sizes do not determine overhead and exponent together: then, and when the estimate lies outside its own
//! interval (the resamples found another optimum), the growth is not [`determined`](Growth::determined) and no
//! law is named.
//!
//! A true overhead of nearly nothing lies at the edge of what a ≥ 0 allows, and there percentiles of resamples miss the
//! exponent in 10 to 15 runs of 100: a little overhead that is not there makes it too large. So where resamples do
//! without overhead often enough for that to be the truth, the interval also holds that of the fit without overhead.
//!
//! Deviations of the resamples are widened by Student's t over the normal quantile and by √(n/(n−3)), because
//! plain percentiles of small samples are too narrow. Cost: laws × resamples × O(min(n, 1000)). For more than
//! 1,000 states an m-out-of-n bootstrap is taken and its deviations scaled by √(m/n). Known weakness: an
//! interval is only as good as the assumption that states are drawn alike over the whole range of sizes.

use crate::growth::{Fit, Points};
use crate::order::quantile_sorted;
use crate::sample::Sample;
use crate::{Interval, Law, Observation};
use pidlab_random::Rng;
use serde::{Deserialize, Serialize};

/// Resamples of a bootstrap.
pub const RESAMPLES: usize = 400;
/// Fewer states than this say nothing.
pub const FEWEST_STATES: usize = 12;
/// Fewer different sizes than this determine no overhead beside an exponent.
pub const FEWEST_SIZES: usize = 6;
/// Larger sizes than so many times the largest one are not proposed.
const FARTHEST: f64 = 100.0;

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
    /// Times grow more slowly than every law.
    GrowsSlowerThan {
        /// The law of slowest growth.
        law: Law,
    },
    /// Times grow faster than every law.
    GrowsFasterThan {
        /// The law of fastest growth.
        law: Law,
    },
    /// All laws are rejected, and growth is between two of them.
    Between {
        /// Times grow faster than this.
        above: Law,
        /// Times grow more slowly than this.
        below: Law,
    },
    /// Several laws are left.
    Inconclusive {
        /// The laws that are left.
        candidates: Vec<Law>,
        /// About how many states would decide; `None` if more states of these sizes would not.
        states_needed: Option<usize>,
        /// About how large states would decide, in the same number.
        size_needed: Option<f64>,
    },
    /// The sizes do not determine overhead and exponent.
    Undetermined {
        /// How many different sizes there are.
        sizes: usize,
    },
}

/// The whole answer about one series.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Growth {
    /// What the size is called: p, vectors, a·v.
    pub variable: String,
    /// States that were used.
    pub states: usize,
    /// Different sizes among them.
    pub sizes: usize,
    /// Smallest size among them.
    pub smallest: f64,
    /// Largest size among them.
    pub largest: f64,
    /// The free exponent of the size, 95 % interval.
    pub exponent: Interval,
    /// Whether the sizes determine it and the estimate lies in its interval.
    pub determined: bool,
    /// Each law on its own.
    pub laws: Vec<LawTest>,
    /// What they say together.
    pub verdict: LawVerdict,
}

impl Growth {
    /// The verdict as a part of a sentence about times.
    pub fn text(&self) -> String {
        let of = |law: &Law| law.of(&self.variable);
        match &self.verdict {
            LawVerdict::ConsistentWith { law } => format!("consistent with growth as {}", of(law)),
            LawVerdict::GrowsSlowerThan { law } => format!("grows slower than {}", of(law)),
            LawVerdict::GrowsFasterThan { law } => format!("grows faster than {}", of(law)),
            LawVerdict::Between { above, below } => {
                format!("grows faster than {}, slower than {}", of(above), of(below))
            }
            LawVerdict::Inconclusive { candidates, states_needed, size_needed } => {
                let names: Vec<String> = candidates.iter().map(of).collect();
                format!(
                    "inconclusive between {} ({}; {})",
                    listed(&names),
                    self.there_is(),
                    self.would_decide(*states_needed, *size_needed)
                )
            }
            LawVerdict::Undetermined { .. } => format!(
                "inconclusive: overhead and exponent cannot be told apart ({}; at least {} different sizes over a \
                 factor of 20 or more would decide)",
                self.there_is(),
                FEWEST_SIZES.max(self.sizes + 1)
            ),
        }
    }

    fn there_is(&self) -> String {
        format!(
            "{} states of {} sizes, {} {:.0} to {:.0}",
            self.states, self.sizes, self.variable, self.smallest, self.largest
        )
    }

    fn would_decide(&self, states: Option<usize>, size: Option<f64>) -> String {
        let within = |size: &f64| *size <= FARTHEST * self.largest;
        match (states, size.filter(within)) {
            (Some(states), Some(size)) => format!(
                "about {states} states, or sizes up to {} = {size:.0}, would decide",
                self.variable
            ),
            (Some(states), None) => format!("about {states} states would decide"),
            (None, _) => "larger sizes would decide".to_string(),
        }
    }
}

/// `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        names => names.concat(),
    }
}

/// Fits all laws, slowest growth first, and decides; `variable` is what the size is called. `None` with too
/// few states.
pub fn growth(
    observations: &[Observation],
    laws: &[Law],
    variable: &str,
    seed: u64,
) -> Option<Growth> {
    Some(growth_of(&Sample::of_states(observations)?, laws, variable, seed))
}

/// The same of any sample.
pub fn growth_of(sample: &Sample, laws: &[Law], variable: &str, seed: u64) -> Growth {
    let tests: Vec<LawTest> =
        laws.iter().map(|&law| test_law(law, sample, RESAMPLES, seed)).collect();
    let exponent = match tests.iter().find(|test| test.law == Law::LINEAR) {
        Some(test) => test.surplus,
        None => test_law(Law::LINEAR, sample, RESAMPLES, seed).surplus,
    };
    let exponent = exponent.map(|e| e + 1.0);
    let (smallest, largest, sizes) = sample.extent();
    let inside = tests.iter().all(|test| test.surplus.contains(test.surplus.value));
    let determined = sizes >= FEWEST_SIZES && inside && exponent.contains(exponent.value);
    let states = sample.states();
    let verdict = match determined {
        true => decide(&tests, states, (smallest, largest)),
        false => LawVerdict::Undetermined { sizes },
    };
    let variable = variable.to_string();
    Growth {
        variable,
        states,
        sizes,
        smallest,
        largest,
        exponent,
        determined,
        laws: tests,
        verdict,
    }
}

/// The free exponent alone, for forest plots; `None` with too few states or sizes.
pub fn exponent(observations: &[Observation], resamples: usize, seed: u64) -> Option<Interval> {
    exponent_of(&Sample::of_states(observations)?, resamples, seed)
}

/// The same of any sample.
pub fn exponent_of(sample: &Sample, resamples: usize, seed: u64) -> Option<Interval> {
    let found = test_law(Law::LINEAR, sample, resamples, seed).surplus.map(|e| e + 1.0);
    let told = sample.extent().2 >= FEWEST_SIZES && found.contains(found.value);
    told.then_some(found)
}

fn test_law(law: Law, sample: &Sample, resamples: usize, seed: u64) -> LawTest {
    let points = sample.points(law);
    let free = points.fit_free();
    let surplus = bootstrap(sample, &points, &free, resamples, seed);
    LawTest { law, fit: points.fit_law(), surplus, rejected: !surplus.contains(0.0) }
}

/// Share of resamples without overhead from which on there may be none.
pub(crate) const MAY_BE_NONE: f64 = 0.025;

fn bootstrap(
    sample: &Sample,
    points: &Points,
    full: &Fit,
    resamples: usize,
    seed: u64,
) -> Interval {
    let (scale, plain) = (sample.scale(), points.slope());
    let (mut deviations, mut of_plain) = (Vec::new(), Vec::new());
    let mut without = 0;
    let mut draws = Rng::for_analysis(seed, 0xB007);
    for _ in 0..resamples {
        let drawn = sample.drawn(points, &mut draws);
        let fit = drawn.refit_free(full);
        without += usize::from(drawn.has_no_overhead(&fit));
        deviations.push((fit.epsilon - full.epsilon) * scale);
        of_plain.push((drawn.slope() - plain) * scale);
    }
    let found = around(full.epsilon, deviations);
    if (without as f64) < MAY_BE_NONE * resamples as f64 {
        return found;
    }
    let plain = around(plain, of_plain);
    Interval { value: found.value, low: found.low.min(plain.low), high: found.high.max(plain.high) }
}

/// The 95 % interval of a value from the deviations of resamples.
pub(crate) fn around(value: f64, mut deviations: Vec<f64>) -> Interval {
    deviations.sort_unstable_by(f64::total_cmp);
    let at = |q: f64| value + quantile_sorted(&deviations, q);
    Interval { value, low: at(0.025), high: at(0.975) }
}

/// How much wider than its percentiles the interval of a fit with so many parameters is: Student's quantile over the
/// normal one (first term of its expansion), and the residuals' lost degrees of freedom.
pub(crate) fn small_sample(n: usize, parameters: usize) -> f64 {
    let freedom = n.saturating_sub(parameters).max(1) as f64;
    let z: f64 = 1.959_964;
    let student = z + (z.powi(3) + z) / (4.0 * freedom);
    student / z * (n as f64 / freedom).sqrt()
}

fn decide(laws: &[LawTest], states: usize, sizes: (f64, f64)) -> LawVerdict {
    let open: Vec<&LawTest> = laws.iter().filter(|test| !test.rejected).collect();
    match open.as_slice() {
        [only] => LawVerdict::ConsistentWith { law: only.law },
        [] => place(laws),
        several => {
            let candidates: Vec<Law> = several.iter().map(|test| test.law).collect();
            let (states_needed, size_needed) = to_separate(several, states, sizes).unzip();
            LawVerdict::Inconclusive { candidates, states_needed, size_needed }
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
                None => LawVerdict::GrowsSlowerThan { law: test.law },
            };
        }
        above = Some(test.law);
    }
    LawVerdict::GrowsFasterThan { law: above.unwrap_or(Law::SQUARE) }
}

/// The interval must shrink to half the gap between the two nearest candidates. It shrinks with the root of the
/// number of states, and with the range of log x.
fn to_separate(open: &[&LawTest], states: usize, sizes: (f64, f64)) -> Option<(usize, f64)> {
    let gap = (open[0].surplus.value - open[1].surplus.value).abs();
    let width = open[0].surplus.half_width();
    (gap > 1e-3 && width > 0.0).then(|| {
        let factor = (2.0 * width / gap).max(1.05);
        let needed = (states as f64 * factor.powi(2)).min(1e9).ceil() as usize;
        (needed, (sizes.0 * (sizes.1 / sizes.0).powf(factor)).min(1e12))
    })
}
