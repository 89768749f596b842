//! Petri nets whose tokens carry pids: ICTAC'08 and section 6 of SACS'10.
//!
//! [`syntax`] reads `.tnet` text, [`compile`] makes a [`Net`] of it, [`NetModel`] fires its
//! transitions on [`Marking`]s and [`NetCanoniser`] merges equivalent ones; the search loop does the
//! rest. No pid is ever written down on the way: a marking holds what Ω* can see of its threads.

pub mod bijection;
pub mod canon;
pub mod compile;
pub mod compiled;
pub mod explore;
pub mod export;
pub mod expr;
pub mod firing;
pub mod grove;
pub mod lint;
pub mod locality;
pub mod marking;
pub mod model;
pub mod named;
pub mod pairwise;
pub mod plain;
mod portable;
pub mod syntax;
pub mod trace;
pub mod watch;

pub use canon::NetCanoniser;
pub use compile::compile;
pub use compiled::Net;
pub use marking::Marking;
pub use model::NetModel;
pub use named::Named;
