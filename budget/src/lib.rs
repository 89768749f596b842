//! What a computation may use: time, memory, and the wish of others that it goes on.
//!
//! A command makes one [`Budget`] when it starts, and every phase — reading, compiling, searching,
//! writing a proof down, checking it — polls it, so that all of them end together. Whoever runs a
//! computation inside another hands it a share: [`Budget::slice`], [`Budget::part`],
//! [`Budget::to_present`].
//!
//! Time is a point in time. Memory is what the system says that the process holds beyond what it
//! held when the budget was made, so that everything counts: the text of a model, the tables of a
//! search, the proof. What is allocated before the next look asks first ([`Budget::reserve`]). Where
//! the system does not tell, what callers count ([`Budget::allocate`], [`Budget::hold`]) must do.
//!
//! Cost: a step is an addition and a comparison. The clock is read about every twenty microseconds
//! of work, the memory at most once in a millisecond.
//!
//! ```
//! use pidlab_budget::{Budget, Exhausted};
//! use std::time::Duration;
//!
//! fn count_for_ever(budget: &Budget) -> Result<u64, Exhausted> {
//!     let mut n = 0_u64;
//!     loop {
//!         budget.step()?;
//!         n += 1;
//!     }
//! }
//!
//! let budget = Budget::new(Some(Duration::from_millis(5)), None);
//! assert_eq!(count_for_ever(&budget), Err(Exhausted::Time));
//! assert_eq!(budget.describe(Exhausted::Time), "time limit of 5ms reached");
//! ```
#![warn(missing_docs)]

mod budget;
mod interrupt;
mod memory;

pub use budget::{Budget, Exhausted, SLACK};
pub use interrupt::Interrupt;
pub use memory::resident_bytes;
