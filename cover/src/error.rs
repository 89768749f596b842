//! Why a run ends without an answer.

use crate::budget::{Budget, Exhausted};

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
