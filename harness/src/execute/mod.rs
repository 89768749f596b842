//! Running a plan: worker processes and the rows they measure.
//!
//! [`run`] is one session; [`schedule`] hands blocks to the [`pool`] of [`worker`] processes; a worker asks the
//! [kind](crate::kinds) of the experiment for every row. [`ledger`] knows which rows are done.

pub mod ledger;
pub mod pool;
pub mod progress;
pub mod replay;
pub mod run;
pub mod schedule;
pub mod signals;
pub mod worker;
