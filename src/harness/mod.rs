//! The experimental harness: run → store → analyse → plot → report.
//!
//! Walk: [`experiment`] (the file) → [`plan`] (the grid) → [`schedule`] and [`pool`] (worker processes) →
//! [`worker`] → [`inputs`] (pairs) → [`decide`] (one row and its check) → [`record`], [`segment`],
//! [`store`] (the row log) → [`export`] (the table) → [`series`], [`analyse`] → [`claims`] → [`plot`] →
//! [`report`]. Everything is written through [`folder`]. Beside it [`tournament`] (ranks of backends),
//! [`compare`] (two programs or runs) and [`history`] (runs of many commits).

pub mod analyse;
pub mod backend_pool;
mod bounds;
pub mod claims;
pub mod clock;
pub mod compare;
pub mod decide;
pub mod doubles;
pub mod experiment;
pub mod explain;
pub mod explored;
pub mod export;
pub mod failures;
pub mod finding;
pub mod folder;
pub mod history;
pub mod inputs;
pub mod ledger;
pub mod legacy;
pub mod library;
pub mod machine;
pub mod manifest;
mod mapped;
mod memory;
mod messages;
mod names;
pub mod overhead;
pub mod pipeline;
pub mod plan;
pub mod plot;
pub mod pool;
pub mod progress;
pub mod provenance;
pub mod record;
pub mod replay;
pub mod report;
pub mod run;
pub mod schedule;
pub mod segment;
pub mod series;
pub mod shrink;
pub mod signals;
pub mod single;
pub mod slowdown;
pub mod store;
pub mod table;
pub mod tournament;
pub mod worker;
