//! Parameterised coverability of local/global machines and Petri nets.
//!
//! A library used by any number of anonymous threads (Ball, Chaki, Rajamani: "Parameterized
//! verification of multithreaded software libraries", TACAS 2001), a thread transition system and a
//! Petri net are one model here: [`Net`], counters per place with ω for "any number". The question
//! is whether a marking above a target can be reached. The data flows one way:
//!
//! | step | module |
//! |---|---|
//! | text → net, and net → text | [`parse`], [`emit()`] |
//! | counters with ω, the net, per-thread choices | `config`, `net`, `choice` |
//! | pairs of places, control states, inequalities: what holds of every reachable marking | `invariants/` |
//! | a smaller net with the same answer | `reduce/` |
//! | the algorithms, by name in [`registry`] | `algorithms/` |
//! | what they found, and documents that others can check | `answer` |
//! | the checker | [`check`] |
//! | runs without the loops they do not need | `shorten` |
//! | all that can be covered, without a target | [`coverability_set`] |
//! | everything together, the portfolio `auto` | [`solve()`] |
//!
//! **The checker is independent**: [`check`] uses the documents of `answer`, the net as data, and
//! nothing of `parse`, `invariants`, `reduce` or `algorithms`; a test reads its files to make sure.
//!
//! # Safe, with a certificate
//! One lock and any number of threads: never two inside. The certificate is checked here once more,
//! through its JSON form, as a reader of the document would.
//!
//! ```
//! use pidlab_cover::{Budget, CoverVerdict, Document, SolveOptions, check, parse, solve};
//!
//! let options = SolveOptions { algorithm: "auto".into(), budget: Budget::unlimited(), reduce: true };
//! let mutex = "
//!     lgfsm 1
//!     shared 2
//!     local 2
//!     init 0 0
//!     0 0 -> 1 1     # take the lock and enter
//!     1 1 -> 0 0     # leave and release it
//!     error 1|1,1    # two threads inside
//! ";
//! let net = parse::lgfsm::parse(mutex)?;
//! let answer = solve(&net, &options)?;
//! assert_eq!(answer.verdict, CoverVerdict::Safe);
//! assert!(answer.certificate.is_some());
//! let read: Document = serde_json::from_str(&serde_json::to_string(&answer)?)?;
//! assert!(check::check_document(&net, &read)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Unsafe, with a trace
//! The same question of a boolean program that tests and sets its lock in two steps.
//!
//! ```
//! # use pidlab_cover::{Budget, CoverVerdict, SolveOptions, check, parse, solve};
//! # let options = SolveOptions { algorithm: "auto".into(), budget: Budget::unlimited(), reduce: true };
//! let racy = "
//!     shared taken, inside;
//!     thread {
//!         assume(!taken);
//!         taken := true;
//!         assert(!inside);
//!         inside := true;
//!         inside := false;
//!         taken := false;
//!     }
//! ";
//! let net = parse::bp::parse(racy)?;
//! let answer = solve(&net, &options)?;
//! assert_eq!(answer.verdict, CoverVerdict::Unsafe);
//! assert!(check::check_document(&net, &answer)?);
//! let trace = answer.trace.ok_or("no trace")?;
//! assert_eq!(trace.steps.len(), 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod algorithms;
mod answer;
pub mod check;
mod choice;
mod config;
mod emit;
#[allow(missing_docs, reason = "each variant carries its message")]
mod error;
mod invariants;
mod names;
mod net;
pub mod parse;
mod reduce;
mod set;
mod set_document;
mod shorten;
mod solve;
mod story;
mod stress;

pub use algorithms::registry;
pub use answer::{
    Certificate, Counter, CoverVerdict, Document, FORMAT, FusedControl, Inequality, PairTable,
    RunReport, Step, ThreadMove, Trace,
};
pub use config::{Config, OMEGA};
pub use emit::{EmitError, EmitFormat, Emitted, emit};
pub use error::Stop;
pub use net::{EnabledIndex, Net, System, Transition, collect_entries};
pub use pidlab_budget as budget;
pub use pidlab_budget::{Budget, Exhausted};
pub use pidlab_syntax::{Diagnostic, Source};
pub use set::coverability_set;
pub use set_document::{DerivationStep, SET_FORMAT, SetDocument};
pub use solve::{SolveError, SolveOptions, solve, solve_question};
pub use stress::{FINKEL_NET, ScheduleReport, StressOptions, StressReport, random_machine, stress};
