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

#[macro_use]
pub mod note;

pub mod analyse;
pub mod built_in;
pub mod claims;
mod clock;
pub mod compare;
mod distinct;
pub mod execute;
pub mod experiment;
pub mod figures;
pub mod grid;
pub mod history;
pub mod kinds;
mod memory;
pub mod merge;
mod names;
pub mod pipeline;
pub mod plan;
pub mod question;
mod remedy;
pub mod report;
pub mod shard;
pub mod store;
pub mod tournament;

pub use remedy::Remedy;
