//! `[measure]`: how rows are measured, and who can have decided them.

use serde::Deserialize;

/// How rows are measured.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Measure {
    /// Whether a backend may answer from counts, or while building, without asking its solver.
    pub pre_checks: bool,
}

impl Default for Measure {
    fn default() -> Measure {
        Measure { pre_checks: true }
    }
}

/// Who gives an answer, as `decided_by` of the result table names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decider {
    /// Counts that differ.
    PreCheck,
    /// Building the graphs showed a difference.
    Encoder,
    /// The algorithm itself.
    Solver,
}

impl Decider {
    /// As the result table spells it.
    pub fn name(self) -> &'static str {
        match self {
            Decider::PreCheck => "pre-check",
            Decider::Encoder => "encoder",
            Decider::Solver => "solver",
        }
    }
}
