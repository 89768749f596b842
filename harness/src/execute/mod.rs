//! Running a plan: worker processes and the rows they measure.
//!
//! [`run`] is one session; `schedule` hands blocks to the `pool` of [`worker`] processes; a worker asks the
//! [kind](crate::kinds) of the experiment for every row. `ledger` knows which rows are done.

pub(crate) mod estimate;
pub(crate) mod ledger;
pub(crate) mod pool;
pub(crate) mod progress;
pub mod replay;
pub mod run;
pub(crate) mod schedule;
pub(crate) mod signals;
pub mod worker;
