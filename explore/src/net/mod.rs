//! Petri nets whose tokens carry pids: ICTAC'08 and section 6 of SACS'10.
//!
//! [`compile`] reads `.tnet` text and makes a [`Net`] of it, [`NetModel`] fires its transitions on
//! [`Marking`]s and [`NetCanonizer`] merges equivalent ones; the search loop does the rest. No pid is
//! ever written down on the way: a marking holds what Ω* can see of its threads. [`explore()`] is
//! all of it in one call, with the net's properties answered and runs with pids ([`NetTrace`]) to what
//! was found; [`export`] writes the reduced graph. [`lint()`] tests the assumptions that make merging
//! right, [`explore_pairwise`] is the papers' own method.

mod bijection;
pub(crate) mod canon;
mod compile;
pub(crate) mod compiled;
mod domain;
mod explore;
pub mod export;
mod expr;
mod firing;
mod lint;
mod locality;
pub(crate) mod marking;
mod mistake;
mod model;
mod named;
mod pairwise;
mod plain;
mod pnml;
mod portable;
mod serve;
pub(crate) mod syntax;
mod trace;
mod trees;
mod watch;

pub use crate::property::PropertyAnswer;
pub use bijection::Orders;
pub use canon::NetCanonizer;
pub use compile::{Setting, compile};
pub use compiled::{Faulty, Net};
pub use explore::{
    ExploreError, NetExploration, NetOptions, PropertyVerdict, explore, explore_by, search_classes,
};
pub use lint::{LintReport, LintSettings, LintTest, lint};
pub use locality::is_local;
pub use marking::Marking;
pub use model::NetModel;
pub use named::Named;
pub use pairwise::{
    PairwiseComparison, PairwiseReport, PairwiseSettings, comparisons, explore_pairwise,
};
pub use pnml::{pnml_of, tnet_of};
pub use serve::serve;
pub use trace::{NetTrace, NetTraceStep, each_step};
pub use trees::Classes;
