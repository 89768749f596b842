//! The papers' transformations (ISCIS'09, section 4; SACS'10, section 5): a state similar to a given
//! one, equivalent to it or not.
//!
//! Each has a strength, the share of vectors, components or pids that it touches, and says what it
//! guarantees. Where the kind of change leaves that open, a cheap invariant of both states is
//! compared: a difference proves that they are not equivalent. A result that is no consistent thread
//! configuration is redrawn.

mod counters;
mod exchange;
mod near_miss;
mod rename;
mod replace;
#[cfg(test)]
mod sacs_example;

use crate::digest::digest;
use crate::draft::Draft;
use crate::guarantee::Guarantee;
use crate::random::share_of;
use crate::rng::Rng;
use pidlab_core::State;
use pidlab_core::state::{BuildError, Inconsistent};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// What a transformation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Rename,
    ShuffleVectors,
    ShuffleComponents,
    ExchangeData,
    ExchangePids,
    ExchangeBoth,
    ReplaceData,
    ReplacePids,
    IncrementCounters,
    ShiftIntegers,
    ShiftPids,
    NearMiss,
}

/// A kind for the command line and the documentation.
pub struct Entry {
    pub kind: Kind,
    pub name: &'static str,
    /// The passage that it stands for.
    pub source: &'static str,
    pub about: &'static str,
    /// What it guarantees in general; [`apply`] often knows more.
    pub guarantee: &'static str,
}

const fn entry(
    kind: Kind,
    name: &'static str,
    source: &'static str,
    about: &'static str,
    guarantee: &'static str,
) -> Entry {
    Entry { kind, name, source, about, guarantee }
}

const BY_CHECK: &str = "unknown until checked";
const BY_ADJACENCY: &str = "equivalent without adjacent-sibling; with it, equivalent or not, known";

/// All transformations, in the papers' order.
#[rustfmt::skip]
pub const REGISTRY: [Entry; 12] = [
    entry(Kind::Rename, "rename", "SACS'10 sec. 5, 1st; ISCIS'09 sec. 4 (i)", "other roots, shifted counters, deeper prefixes; all relations kept", "equivalent"),
    entry(Kind::ShuffleVectors, "shuffle-vectors", "SACS'10 sec. 5, 2nd; ISCIS'09 sec. 4 (ii)", "vectors change places between locations", BY_CHECK),
    entry(Kind::ShuffleComponents, "shuffle-components", "SACS'10 sec. 5, 3rd; ISCIS'09 sec. 4 (iii)", "components change places within their vector", BY_CHECK),
    entry(Kind::ExchangeData, "exchange-data", "SACS'10 sec. 5, 4th; ISCIS'09 sec. 4 (iv)", "data components change places between vectors", BY_CHECK),
    entry(Kind::ExchangePids, "exchange-pids", "SACS'10 sec. 5, 4th; ISCIS'09 sec. 4 (iv)", "pid components change places between vectors", BY_CHECK),
    entry(Kind::ExchangeBoth, "exchange-both", "SACS'10 sec. 5, 4th; ISCIS'09 sec. 4 (iv)", "data among data and pids among pids", BY_CHECK),
    entry(Kind::ReplaceData, "replace-data", "ISCIS'09 sec. 4, data replacement", "data components get other values", BY_CHECK),
    entry(Kind::ReplacePids, "replace-pids", "SACS'10 sec. 5, 5th; ISCIS'09 sec. 4, pids replacement", "pids get unrelated names and counters, some the same", BY_CHECK),
    entry(Kind::IncrementCounters, "increment-counters", "SACS'10 sec. 5, 6th", "active pids have created more children", BY_ADJACENCY),
    entry(Kind::ShiftIntegers, "shift-integers", "ISCIS'09 sec. 4, shifting of integers", "younger siblings move up, with all their descendants", BY_ADJACENCY),
    entry(Kind::ShiftPids, "shift-pids", "ISCIS'09 sec. 4, shifting of integers", "one integer of a pid changes, its descendants stay", BY_CHECK),
    entry(Kind::NearMiss, "near-miss", "ours", "one exchange of two pids that keeps where each pid occurs", "not equivalent where proved, else unknown"),
];

impl Kind {
    pub fn name(self) -> &'static str {
        REGISTRY.iter().find(|entry| entry.kind == self).map_or("", |entry| entry.name)
    }
}

/// A kind with its strength.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transformation {
    pub kind: Kind,
    /// Share of vectors, components or pids to touch, between 0 and 1.
    #[serde(default = "full_strength")]
    pub strength: f64,
}

fn full_strength() -> f64 {
    1.0
}

/// A transformed state, and what is known of it and the one it came from.
#[derive(Clone, Debug)]
pub struct Generated {
    pub state: State,
    pub guarantee: Guarantee,
}

#[derive(Clone, Debug, PartialEq, Error)]
pub enum TransformError {
    #[error("the state to transform is not a consistent thread configuration: {0}")]
    Base(Inconsistent),
    #[error("strength {0} of a transformation, expected a share between 0 and 1")]
    Strength(f64),
    #[error("{kind} is not possible: {reason}")]
    Impossible { kind: Kind, reason: &'static str },
    #[error("{kind} gave an inconsistent state in {draws} draws; lower its strength. Last: {last}")]
    Redrawn { kind: Kind, draws: usize, last: Inconsistent },
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Applies transformations one after another.
pub fn apply(
    steps: &[Transformation],
    state: &State,
    rng: &mut Rng,
) -> Result<Generated, TransformError> {
    state.check_consistent().map_err(TransformError::Base)?;
    let mut draft = Draft::of(state);
    let mut result = Generated { state: state.clone(), guarantee: Guarantee::equivalent() };
    for step in steps {
        let (next, changed, guarantee) = step.draw(&draft, rng)?;
        draft = changed;
        result = Generated { state: next, guarantee: result.guarantee.then(&guarantee) };
    }
    Ok(result)
}

const DRAWS: usize = 100;

impl Transformation {
    /// Draws until the result is consistent.
    fn draw(
        &self,
        draft: &Draft,
        rng: &mut Rng,
    ) -> Result<(State, Draft, Guarantee), TransformError> {
        if !(0.0..=1.0).contains(&self.strength) {
            return Err(TransformError::Strength(self.strength));
        }
        let mut last = None;
        for _ in 0..DRAWS {
            let mut changed = draft.clone();
            let guarantee = self.change(draft, &mut changed, rng)?;
            let state = changed.to_state()?;
            if state.is_consistent() {
                return Ok((state, changed, guarantee));
            }
            last = state.check_consistent().err();
        }
        match last {
            Some(last) => Err(TransformError::Redrawn { kind: self.kind, draws: DRAWS, last }),
            None => Err(TransformError::Impossible { kind: self.kind, reason: "no draw was made" }),
        }
    }

    /// Changes `draft`, which is a copy of `base`.
    fn change(
        &self,
        base: &Draft,
        draft: &mut Draft,
        rng: &mut Rng,
    ) -> Result<Guarantee, TransformError> {
        let known = match self.kind {
            Kind::Rename => rename::rename(draft, self.strength, rng),
            Kind::ShuffleVectors => exchange::shuffle_vectors(draft, self.strength, rng),
            Kind::ShuffleComponents => exchange::shuffle_components(draft, self.strength, rng),
            Kind::ExchangeData => exchange::exchange_data(draft, self.strength, rng),
            Kind::ExchangePids => exchange::exchange_pids(draft, self.strength, rng),
            Kind::ExchangeBoth => {
                exchange::exchange_data(draft, self.strength, rng);
                exchange::exchange_pids(draft, self.strength, rng)
            }
            Kind::ReplaceData => replace::replace_data(draft, self.strength, rng),
            Kind::ReplacePids => replace::replace_pids(draft, self.strength, rng),
            Kind::IncrementCounters => counters::increment(draft, self.strength, rng),
            Kind::ShiftIntegers => counters::shift(draft, self.strength, rng),
            Kind::ShiftPids => replace::shift_pids(draft, self.strength, rng),
            Kind::NearMiss => {
                near_miss::near_miss(draft, rng).ok_or(TransformError::Impossible {
                    kind: self.kind,
                    reason: near_miss::NO_PAIR,
                })?
            }
        };
        Ok(if !self.is_open() {
            known
        } else if same(base, draft) {
            Guarantee::equivalent()
        } else if digest(base, ROUNDS) != digest(draft, ROUNDS) {
            Guarantee::different()
        } else {
            known
        })
    }

    /// Whether the kind leaves the guarantee open, so that the states must be compared.
    fn is_open(&self) -> bool {
        REGISTRY.iter().any(|entry| entry.kind == self.kind && entry.guarantee == BY_CHECK)
    }
}

/// Rounds of refinement spent on telling a result from its base.
const ROUNDS: usize = 2;

fn same(a: &Draft, b: &Draft) -> bool {
    a.cells == b.cells && a.location == b.location && a.pids == b.pids && a.eta == b.eta
}

/// How many of `items` a strength touches: at least one unless it is 0.
fn touched(strength: f64, items: usize) -> usize {
    if strength <= 0.0 { 0 } else { share_of(strength, items).max(1).min(items) }
}

/// As [`touched`], but an exchange needs two.
fn exchanged(strength: f64, items: usize) -> usize {
    if strength <= 0.0 { 0 } else { share_of(strength, items).max(2).min(items) }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a transformation; write NAME or NAME:STRENGTH with one of {names}", names = names())]
pub struct UnknownTransformation(pub String);

fn names() -> String {
    REGISTRY.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ")
}

impl FromStr for Kind {
    type Err = UnknownTransformation;
    fn from_str(text: &str) -> Result<Kind, UnknownTransformation> {
        REGISTRY
            .iter()
            .find(|entry| entry.name == text)
            .map(|entry| entry.kind)
            .ok_or_else(|| UnknownTransformation(text.to_string()))
    }
}

/// `rename` or `exchange-pids:0.25`.
impl FromStr for Transformation {
    type Err = UnknownTransformation;
    fn from_str(text: &str) -> Result<Transformation, UnknownTransformation> {
        let (name, strength) = match text.split_once(':') {
            None => (text, Ok(1.0)),
            Some((name, strength)) => (name, strength.parse()),
        };
        let strength = strength.map_err(|_| UnknownTransformation(text.to_string()))?;
        Ok(Transformation { kind: name.parse()?, strength })
    }
}
