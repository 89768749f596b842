//! Running a plan: worker processes, the pairs they make, the decisions they time and check.
//!
//! [`run`] is one session; [`schedule`] hands blocks to the [`pool`] of [`worker`] processes; a worker takes
//! its pairs from [`inputs`] and lets [`decide`] make a row of each. [`ledger`] knows which rows are done.

pub mod backend_pool;
pub mod decide;
pub mod doubles;
pub mod explored;
pub mod finding;
pub mod inputs;
pub mod ledger;
pub mod pool;
pub mod progress;
pub mod replay;
pub mod run;
pub mod schedule;
pub mod shrink;
pub mod signals;
pub mod slowdown;
pub mod worker;
