//! The experimental harness: plan → execute → store → analyse → claims → figures → report.
//!
//! Walk: [`experiment`] (the file) → [`plan`] (the grid: a row's number says everything) → [`execute`]
//! (worker processes) and [`kinds`] (how one row is measured and checked) → [`store`] (the row log, the manifest,
//! the table) → [`mod@analyse`] → [`claims`] → [`figures`] → [`report`]; [`pipeline`] is the way from a
//! finished run to its report. Beside it [`compare`] (two programs or runs), [`history`] (runs of many
//! commits) and [`tournament`] (ranks of backends).
//!
//! A program that uses the harness says once, in [`built_in`], what comes with it.

#[macro_use]
pub mod note;

pub mod analyse;
pub mod built_in;
pub mod claims;
pub mod clock;
pub mod compare;
pub mod execute;
pub mod experiment;
pub mod figures;
pub mod grid;
pub mod history;
pub mod kinds;
mod memory;
mod names;
pub mod pipeline;
pub mod plan;
pub mod question;
pub mod report;
pub mod store;
pub mod tournament;
