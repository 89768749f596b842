//! Labelled transition systems of other people's making, modulo equivalence: SACS'10, section 3.
//!
//! A system comes as a file of states and transitions or from a program that gives successors on demand
//! (docs/lts.md); either is a client of the one search loop. Data flow: [`text`](self) (bytes of a line) →
//! `read` (states, labels, lines) → `state` (pids by name, links, a marking) → `keys` (canonical forms,
//! automorphisms) → `classes` → `file` or `program` (models of the search) → `check` and `steps` (Assumptions 1 to 3)
//! → `quotient` (classes, edges, the reduced system).

mod check;
mod classes;
mod file;
mod keys;
mod label;
mod name;
mod program;
mod quotient;
mod read;
mod requests;
mod schema;
mod state;
mod steps;
mod text;
mod write;

pub use check::Assumption;
pub use quotient::{Quotient, QuotientOptions, ReadCounts, reduce_file, reduce_program};
pub(crate) use requests::Requests;
pub(crate) use schema::Schema;
pub(crate) use state::LtsState;
pub(crate) use write::write_string;

use crate::search::Failure;
use pidlab_syntax::Diagnostic;
use thiserror::Error;

/// Why there is no reduced system.
#[derive(Debug, Error)]
pub enum LtsError {
    /// A line is wrong.
    #[error("{0}")]
    Wrong(Diagnostic),
    /// A line names a state that no line of the file describes. The line is no longer there to be shown.
    #[error("{name}:{line}: {message}")]
    Dangling {
        /// The file.
        name: String,
        /// Counted from 1.
        line: usize,
        /// What was expected.
        message: String,
    },
    /// The file as a whole lacks something.
    #[error("{0}")]
    Missing(String),
    /// The search could not go on.
    #[error(transparent)]
    Failure(#[from] Failure),
}
