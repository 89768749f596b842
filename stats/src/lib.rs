//! Statistics of run times: plain slices in, verdicts out.
//!
//! Nothing here knows where a number came from. The unit is an [`Observation`]: one base state with
//! the median time over its variants, because variants of one state are not independent.
//!
//! Walk: [`order`] (medians) → [`law`] → [`mod@growth`] (one fit) → [`sample`] (states, or the median of each size) →
//! [`verdict`] (bootstrap and decision);
//! beside it [`published`] (the segment procedure of SACS'10, section 5), [`mod@trend`] (the same made
//! rigorous), [`mixture`] (automatic split into components), [`effect`] (ratios and factors), [`paired`] (the same work
//! before and after a change) and [`changepoint`] (a history of commits).
//!
//! ```
//! use pidlab_stats::{Law, LawVerdict, Observation, growth};
//!
//! // times that grow as p², with some noise that repeats every seven states
//! let observations: Vec<Observation> = (0..200)
//!     .map(|i| (20.0 + 4.0 * i as f64, 1.0 + 0.02 * ((i % 7) as f64 - 3.0)))
//!     .map(|(size, noise)| Observation { size, time: 1e-7 * size * size * noise })
//!     .collect();
//! let found = growth(&observations, &Law::PAPERS, "p", 1).expect("there are enough states");
//! assert_eq!(found.verdict, LawVerdict::ConsistentWith { law: Law::SQUARE });
//! assert!(found.determined && found.exponent.contains(2.0));
//! assert_eq!(found.text(), "consistent with growth as p²");
//! ```

#![warn(missing_docs)]

pub mod changepoint;
mod descent;
pub mod effect;
pub mod growth;
pub mod histogram;
pub mod law;
pub mod mixture;
pub mod order;
pub mod paired;
pub mod published;
pub mod regression;
pub mod sample;
pub mod trend;
pub mod verdict;

pub use changepoint::{ChangePoint, change_points};
pub use effect::{FactorEffect, Factored, bootstrap, factor_effect, ratio};
pub use growth::{Fit, Points};
pub use histogram::Histogram;
pub use law::Law;
pub use mixture::{Mixture, MixtureLine, Stability};
pub use order::{median, median_of, quantile};
pub use paired::{Change, PairedRatio};
pub use published::{DividingLine, Procedure, SegmentAnalysis};
pub use regression::{Regressed, regression, regression_of_medians};
pub use sample::Sample;
pub use trend::{Drift, Trend, trend};
pub use verdict::{Growth, LawTest, LawVerdict, exponent, exponent_of, growth, growth_of};

/// One base state: its size and its median time in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Number of pids, or another measure of size.
    pub size: f64,
    /// Median over the variants, in seconds; infinite where a limit was reached.
    pub time: f64,
}

/// A value with a confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Interval {
    /// The estimate.
    #[serde(deserialize_with = "or_nan")]
    pub value: f64,
    /// Lower end.
    #[serde(deserialize_with = "or_nan")]
    pub low: f64,
    /// Upper end.
    #[serde(deserialize_with = "or_nan")]
    pub high: f64,
}

/// JSON has no NaN: it is written as null.
fn or_nan<'de, D: serde::Deserializer<'de>>(de: D) -> Result<f64, D::Error> {
    <Option<f64> as serde::Deserialize>::deserialize(de).map(|x| x.unwrap_or(f64::NAN))
}

impl Interval {
    /// Whether a value lies within, ends included.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// Half the distance of the ends.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The interval of a monotone function of the value.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Interval {
        let (a, b) = (f(self.low), f(self.high));
        Interval { value: f(self.value), low: a.min(b), high: a.max(b) }
    }
}

impl std::fmt::Display for Interval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} [{:.3}, {:.3}]", self.value, self.low, self.high)
    }
}
