//! Errors of the input languages: what is wrong, on which line; and why a run ends without an answer.

use crate::budget::{Budget, Exhausted};

/// A file that is no model: the line (from 1) and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    pub line: u32,
    pub message: String,
}

impl ParseError {
    pub fn new(line: u32, message: impl Into<String>) -> ParseError {
        ParseError { line, message: message.into() }
    }
}

/// Why a model was not read: it is wrong, or a limit was reached on the way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Parse(#[from] ParseError),
    #[error(transparent)]
    Stopped(#[from] Exhausted),
}

/// Why a run ended without an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    #[error(transparent)]
    Limit(#[from] Exhausted),
    #[error("counter overflow: place {0} would exceed 4294967294 tokens")]
    Overflow(String),
    #[error("does not apply: {0}")]
    Inapplicable(String),
    #[error("{0}")]
    Incomplete(String),
}

impl Stop {
    /// The reason with the limit that was given.
    pub fn describe(&self, budget: &Budget) -> String {
        match self {
            Stop::Limit(Exhausted::Cancelled) => "another algorithm answered first".into(),
            Stop::Limit(what) => budget.describe(*what),
            other => other.to_string(),
        }
    }
}
