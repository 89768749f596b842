//! What the properties of every kind of model come to.

use serde::Serialize;

/// What a property came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PropertyAnswer {
    /// Everywhere that can be reached.
    Holds,
    /// Not in some state; a run to it is at hand.
    Violated,
    /// A state that was asked for can be reached.
    Reached,
    /// A state that was asked for cannot be reached.
    Unreachable,
    /// A limit ended the search before an answer was found.
    Unknown,
}

impl PropertyAnswer {
    /// Whether something is wrong with the model.
    pub fn is_bad(self) -> bool {
        matches!(self, PropertyAnswer::Violated | PropertyAnswer::Unreachable)
    }
}
