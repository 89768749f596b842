//! The experimental harness: plan → execute → store → analyse → claims → figures → report.
//!
//! Walk: [`experiment`] (the file) → [`plan`] (the grid: a row's number says everything) → [`execute`]
//! (worker processes) and [`kinds`] (how one row is measured and checked) → [`store`] (the row log, the manifest,
//! the table) → [`mod@analyse`] → [`claims`] → [`figures`] → [`report`]; [`pipeline`] is the way from a
//! finished run to its report. Beside it [`compare`] (two programs or runs), [`history`] (runs of many
//! commits) and [`tournament`] (ranks of backends).
//!
//! A program that uses the harness says once, in [`built_in`], what comes with it. Errors say in words what would
//! help; a program that has options for it finds the [`Remedy`].
//!
//! An experiment is a text, and its rows are known before anything is measured:
//!
//! ```
//! use pidlab_harness::experiment::{Experiment, ScaleName};
//! use pidlab_harness::plan::Plan;
//!
//! let text = r#"
//! name = "mine"
//! title = "Two backends on renamed states"
//! source = "ours"
//! claim = "none"
//! backends = ["canon", "vf2"]
//! figures = ["density"]
//!
//! [[states]]
//! label = "random"
//! random = { locations = 3 }
//!
//! [[transformations]]
//! label = "rename"
//! steps = [{ kind = "rename" }]
//!
//! [scale]
//! smoke = { sizes = [10, 20, 40], states = 5, seconds = 1 }
//! small = { sizes = [10, 20, 40], states = 50, seconds = 10 }
//! paper = { sizes = { from = 10, to = 400, count = 40 }, states = 50, seconds = 200 }
//! "#;
//! let experiment = Experiment::parse(text, "mine.toml".as_ref())?;
//! let plan = Plan::new(experiment, text, ScaleName::Smoke, None)?;
//! assert_eq!(plan.rows(), 3 * 5 * 2); // sizes, states of each, backends
//! assert_eq!(plan.backends[plan.place(7).backend], "vf2");
//! # Ok::<(), anyhow::Error>(())
//! ```

#![warn(missing_docs)]
// what a program without experiments shares is part of a whole
#![cfg_attr(not(feature = "experiments"), allow(dead_code))]

#[macro_use]
pub mod note;

#[cfg(feature = "experiments")]
pub mod analyse;
#[cfg(feature = "experiments")]
pub mod built_in;
#[cfg(feature = "experiments")]
pub mod claims;
#[cfg(feature = "experiments")]
mod clock;
#[cfg(feature = "experiments")]
pub mod compare;
#[cfg(feature = "experiments")]
mod distinct;
#[cfg(feature = "experiments")]
pub mod execute;
#[cfg(feature = "experiments")]
pub mod experiment;
#[cfg(feature = "experiments")]
pub mod figures;
#[cfg(feature = "experiments")]
pub mod grid;
#[cfg(feature = "experiments")]
pub mod history;
#[cfg(feature = "experiments")]
pub mod inputs;
#[cfg(feature = "experiments")]
pub mod kinds;
#[cfg(feature = "experiments")]
mod memory;
#[cfg(feature = "experiments")]
pub mod merge;
#[cfg(feature = "experiments")]
mod names;
#[cfg(feature = "experiments")]
pub mod pipeline;
#[cfg(feature = "experiments")]
pub mod plan;
pub mod question;
mod remedy;
#[cfg(feature = "experiments")]
pub mod report;
#[cfg(feature = "experiments")]
pub mod shard;
#[cfg(feature = "experiments")]
pub mod store;
#[cfg(feature = "experiments")]
pub mod tournament;

#[cfg(feature = "experiments")]
pub use names::shell_word;
pub use remedy::Remedy;

/// Without experiments only single files are written.
#[cfg(not(feature = "experiments"))]
pub mod store {
    pub mod single;
}
