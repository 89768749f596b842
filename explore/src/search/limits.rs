//! What ends a search early: states, time, memory, or the user.
//!
//! Time, memory and interruption are the budget of the whole command; the number of states is the
//! search's own.

use pidlab_budget::{Budget, Exhausted};
use serde::Serialize;

/// What a search may use.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Largest number of stored states.
    pub states: Option<u64>,
    /// Everything else.
    pub budget: Budget,
}

/// Why a search ended before everything was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    MaxStates,
    Memory,
    Time,
    Interrupted,
    /// A property found what it looks for.
    Found,
    /// A state without successor, where the search was told to stop there.
    Deadlock,
}

impl From<Exhausted> for StopReason {
    fn from(what: Exhausted) -> StopReason {
        match what {
            Exhausted::Time => StopReason::Time,
            Exhausted::Memory => StopReason::Memory,
            Exhausted::Cancelled | Exhausted::Interrupted => StopReason::Interrupted,
        }
    }
}

impl StopReason {
    /// Whether the question stays open: a limit was reached and nothing was found.
    pub fn is_limit(self) -> bool {
        !matches!(self, StopReason::Found | StopReason::Deadlock)
    }
}
