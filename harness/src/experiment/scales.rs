//! The scales of an experiment: how many states of which sizes, and how long that takes.
//!
//! An experiment needs only `sizes`: the usual scale then has them all with a few states each, the smoke
//! test the two smallest with one, and the paper's as many states as a fit wants.

use super::models::Explorer;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// Base states for each size at the scales that a file does not have.
const STATES: [u32; 3] = [1, 3, 20];
/// Sizes of a smoke test.
const SMOKE_SIZES: usize = 2;

/// The sizes of an experiment.
///
/// One that the file does not have is made of the experiment's `sizes`.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Listed")]
pub struct Scales {
    /// Seconds: does it work?
    pub smoke: Scale,
    /// Minutes: what does it look like?
    pub small: Scale,
    /// As much as the paper.
    pub paper: Scale,
}

/// How much of everything at one scale.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Sizes of the base states.
    #[serde(default = "no_sizes")]
    pub sizes: Sizes,
    /// Base states for each size and each set of parameters; random machines for each set of them.
    #[serde(default = "one")]
    pub states: u32,
    /// Labels of the models or instances that take part; all if not given.
    pub only: Option<Vec<String>>,
    /// Other configurations than the experiment's.
    pub explorer: Option<Explorer>,
    /// Variants of a base state for each transformation.
    #[serde(default = "one")]
    pub variants: u32,
    /// Duration on two idle cores: measured at smoke and small, extrapolated at paper; 0 if nobody knows.
    #[serde(default)]
    pub seconds: f64,
    /// Another list of backends than the experiment's.
    pub backends: Option<Vec<String>>,
}

/// A list, or a range in equal steps.
#[derive(Clone, Debug)]
pub enum Sizes {
    /// These.
    List(Vec<u32>),
    /// Equal steps.
    Range(SizeRange),
}

/// Sizes in equal steps.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeRange {
    /// The first.
    pub from: u32,
    /// The last.
    pub to: u32,
    /// How many.
    pub count: u32,
    spacing: Option<Spacing>,
}

/// What equal steps are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spacing {
    /// Equal differences.
    Linear,
    /// Equal ratios.
    Log,
}

/// The scales that a file has.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    smoke: Option<Scale>,
    small: Option<Scale>,
    paper: Option<Scale>,
}

impl From<Listed> for Scales {
    fn from(listed: Listed) -> Scales {
        let [smoke, small, paper] = STATES.map(Scale::of_states);
        Scales {
            smoke: listed.smoke.unwrap_or(smoke),
            small: listed.small.unwrap_or(small),
            paper: listed.paper.unwrap_or(paper),
        }
    }
}

impl Default for Scales {
    fn default() -> Scales {
        Listed::default().into()
    }
}

impl Scales {
    /// Scales without sizes get those of another one.
    pub fn share_sizes(&mut self) {
        let all = [&self.small, &self.smoke, &self.paper].map(|scale| &scale.sizes);
        let given = all.into_iter().find(|sizes| !sizes.is_empty()).cloned();
        if let Some(sizes) = given {
            self.take_sizes(&sizes);
        }
    }

    /// Scales without sizes get these, a smoke test the smallest of them.
    pub fn take_sizes(&mut self, sizes: &Sizes) {
        let mut smallest = sizes.values();
        smallest.sort_unstable();
        smallest.truncate(SMOKE_SIZES);
        self.smoke.sizes.or(&Sizes::List(smallest));
        self.small.sizes.or(sizes);
        self.paper.sizes.or(sizes);
    }
}

impl Scale {
    fn of_states(states: u32) -> Scale {
        Scale {
            sizes: no_sizes(),
            states,
            only: None,
            explorer: None,
            variants: 1,
            seconds: 0.0,
            backends: None,
        }
    }
}

fn no_sizes() -> Sizes {
    Sizes::List(Vec::new())
}

fn one() -> u32 {
    1
}

/// By hand, so that an error says what was expected and not how the program names it.
impl<'de> Deserialize<'de> for Sizes {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<Sizes, D::Error> {
        de.deserialize_any(SizesVisitor)
    }
}

struct SizesVisitor;

impl<'de> Visitor<'de> for SizesVisitor {
    type Value = Sizes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "sizes: a list such as [10, 20, 50], or a range such as { from = 10, to = 200, count = 10 }",
        )
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Sizes, A::Error> {
        let sizes = Vec::deserialize(SeqAccessDeserializer::new(list))?;
        if sizes.is_empty() {
            return Err(A::Error::invalid_length(0, &"at least one size"));
        }
        Ok(Sizes::List(sizes))
    }

    fn visit_map<A: MapAccess<'de>>(self, range: A) -> Result<Sizes, A::Error> {
        SizeRange::deserialize(MapAccessDeserializer::new(range)).map(Sizes::Range)
    }
}

impl Sizes {
    fn is_empty(&self) -> bool {
        matches!(self, Sizes::List(none) if none.is_empty())
    }

    /// Others if there are none.
    fn or(&mut self, others: &Sizes) {
        if self.is_empty() {
            *self = others.clone();
        }
    }

    /// The sizes themselves.
    pub fn values(&self) -> Vec<u32> {
        match self {
            Sizes::List(sizes) => sizes.clone(),
            Sizes::Range(SizeRange { from, to, count, spacing }) => (0..*count)
                .map(|i| {
                    let at = f64::from(i) / f64::from((*count).max(2) - 1);
                    let (low, high) = (f64::from(*from), f64::from(*to));
                    let size = match spacing {
                        Some(Spacing::Log) => low * (high / low).powf(at),
                        _ => low + (high - low) * at,
                    };
                    size.round() as u32
                })
                .collect(),
        }
    }
}
