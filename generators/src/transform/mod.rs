//! The papers' transformations (ISCIS'09, section 4; SACS'10, section 5): a state similar to a given
//! one, equivalent to it or not.
//!
//! Each has a strength, the share of vectors, components or pids that it touches, and says what it
//! guarantees. Where the kind of change leaves that open, a cheap invariant of both states is
//! compared: a difference proves that they are not equivalent. A result that is not a consistent thread
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
use pidlab_core::State;
use pidlab_core::state::{BuildError, Inconsistent};
use pidlab_random::Rng;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// What a transformation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransformKind {
    /// Other names for all pids; every relation is kept.
    Rename,
    /// Another order of the vectors of each location.
    ShuffleVectors,
    /// Another order of the components of a vector.
    ShuffleComponents,
    /// Data values change places.
    ExchangeData,
    /// Pids change places.
    ExchangePids,
    /// Components of both kinds change places.
    ExchangeBoth,
    /// Data values replaced by others.
    ReplaceData,
    /// Pids replaced by others.
    ReplacePids,
    /// Active pids have created more children.
    IncrementCounters,
    /// Integers of pids made larger.
    ShiftIntegers,
    /// Pids moved among their siblings.
    ShiftPids,
    /// The least change that may make a difference: two pids of two vectors exchanged.
    NearMiss,
}

/// A kind for the command line and the documentation.
pub struct TransformInfo {
    /// Which transformation this is about.
    pub kind: TransformKind,
    /// The name in files and on the command line.
    pub name: &'static str,
    /// The passage that it stands for.
    pub source: &'static str,
    /// What it changes, in a few words.
    pub about: &'static str,
    /// What it guarantees in general; [`apply`] often knows more.
    pub guarantee: &'static str,
}

const fn entry(
    kind: TransformKind,
    name: &'static str,
    source: &'static str,
    about: &'static str,
    guarantee: &'static str,
) -> TransformInfo {
    TransformInfo { kind, name, source, about, guarantee }
}

const BY_CHECK: &str = "unknown until checked";
const BY_ADJACENCY: &str = "equivalent without adjacent-sibling; with it, equivalent or not, known";

/// All transformations, in the papers' order.
#[rustfmt::skip]
pub const REGISTRY: [TransformInfo; 12] = [
    entry(TransformKind::Rename, "rename", "SACS'10 sec. 5, 1st; ISCIS'09 sec. 4 (i)", "other roots, shifted counters, deeper prefixes; all relations kept", "equivalent"),
    entry(TransformKind::ShuffleVectors, "shuffle-vectors", "SACS'10 sec. 5, 2nd; ISCIS'09 sec. 4 (ii)", "vectors change places between locations", BY_CHECK),
    entry(TransformKind::ShuffleComponents, "shuffle-components", "SACS'10 sec. 5, 3rd; ISCIS'09 sec. 4 (iii)", "components change places within their vector", BY_CHECK),
    entry(TransformKind::ExchangeData, "exchange-data", "SACS'10 sec. 5, 4th; ISCIS'09 sec. 4 (iv)", "data components change places between vectors", BY_CHECK),
    entry(TransformKind::ExchangePids, "exchange-pids", "SACS'10 sec. 5, 4th; ISCIS'09 sec. 4 (iv)", "pid components change places between vectors", BY_CHECK),
    entry(TransformKind::ExchangeBoth, "exchange-both", "SACS'10 sec. 5, 4th; ISCIS'09 sec. 4 (iv)", "data among data and pids among pids", BY_CHECK),
    entry(TransformKind::ReplaceData, "replace-data", "ISCIS'09 sec. 4, data replacement", "data components get other values", BY_CHECK),
    entry(TransformKind::ReplacePids, "replace-pids", "SACS'10 sec. 5, 5th; ISCIS'09 sec. 4, pids replacement", "pids get unrelated names and counters, some the same", BY_CHECK),
    entry(TransformKind::IncrementCounters, "increment-counters", "SACS'10 sec. 5, 6th", "active pids have created more children", BY_ADJACENCY),
    entry(TransformKind::ShiftIntegers, "shift-integers", "ISCIS'09 sec. 4, shifting of integers", "younger siblings move up, with all their descendants", BY_ADJACENCY),
    entry(TransformKind::ShiftPids, "shift-pids", "ISCIS'09 sec. 4, shifting of integers", "one integer of a pid changes, its descendants stay", BY_CHECK),
    entry(TransformKind::NearMiss, "near-miss", "ours", "one exchange of two pids that keeps where each pid occurs", "not equivalent where proved, else unknown"),
];

impl TransformKind {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        REGISTRY.iter().find(|entry| entry.kind == self).map_or("", |entry| entry.name)
    }
}

/// A kind with its strength.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transformation {
    /// What is changed.
    pub kind: TransformKind,
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
    /// The new state, consistent.
    pub state: State,
    /// For which relations it is equivalent to the one before, and for which it is not.
    pub guarantee: Guarantee,
}

/// Why a state could not be transformed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TransformError {
    /// The transformations are defined on consistent states.
    #[error("the state to transform is not a consistent thread configuration: {0}")]
    Base(Inconsistent),
    /// A strength that is not a share.
    #[error("strength {0} of a transformation, expected a share between 0 and 1")]
    Strength(f64),
    /// The state lacks what the transformation changes.
    #[error("{kind} is not possible: {reason}")]
    Impossible {
        /// The transformation.
        kind: TransformKind,
        /// What is missing.
        reason: &'static str,
    },
    /// Chance did not give a consistent state.
    #[error("{kind} gave an inconsistent state in {draws} draws; lower its strength. Last: {last}")]
    Redrawn {
        /// The transformation.
        kind: TransformKind,
        /// How often it was tried.
        draws: usize,
        /// What was wrong the last time.
        last: Inconsistent,
    },
    /// What a state builder refuses.
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
            TransformKind::Rename => rename::rename(draft, self.strength, rng),
            TransformKind::ShuffleVectors => exchange::shuffle_vectors(draft, self.strength, rng),
            TransformKind::ShuffleComponents => {
                exchange::shuffle_components(draft, self.strength, rng)
            }
            TransformKind::ExchangeData => exchange::exchange_data(draft, self.strength, rng),
            TransformKind::ExchangePids => exchange::exchange_pids(draft, self.strength, rng),
            TransformKind::ExchangeBoth => {
                exchange::exchange_data(draft, self.strength, rng);
                exchange::exchange_pids(draft, self.strength, rng)
            }
            TransformKind::ReplaceData => replace::replace_data(draft, self.strength, rng),
            TransformKind::ReplacePids => replace::replace_pids(draft, self.strength, rng),
            TransformKind::IncrementCounters => counters::increment(draft, self.strength, rng),
            TransformKind::ShiftIntegers => counters::shift(draft, self.strength, rng),
            TransformKind::ShiftPids => replace::shift_pids(draft, self.strength, rng),
            TransformKind::NearMiss => {
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

impl fmt::Display for TransformKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that does not name a transformation, or not with a strength.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a transformation; write NAME or NAME:STRENGTH with one of {names}", names = names())]
pub struct UnknownTransformation(pub String);

fn names() -> String {
    REGISTRY.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ")
}

impl FromStr for TransformKind {
    type Err = UnknownTransformation;
    fn from_str(text: &str) -> Result<TransformKind, UnknownTransformation> {
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
