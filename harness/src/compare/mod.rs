//! `pidlab compare`: did it get slower?
//!
//! Walk: [`subject`] (runs, programs, commits; `checkout` builds the latter) → `rounds` of `duel`s
//! (both programs on the same rows in turn) → `matched` (rows of both sides on the same states) →
//! [`judge`] (verdicts) → a rerun of what looks slower → [`instructions`] → [`present`].

mod checkout;
mod duel;
pub mod instructions;
pub mod judge;
pub(crate) mod matched;
pub mod present;
mod rounds;
pub mod runs;
pub mod session;
pub mod subject;

use judge::{Judged, Standing};
use std::path::PathBuf;

/// Why suspects were not measured again.
const NO_RERUN: &str = "no rerun was asked for";

/// What a comparison came to.
pub struct Comparison {
    /// What was compared with.
    pub base: String,
    /// What was compared.
    pub new: String,
    /// A verdict for every group.
    pub judged: Vec<Judged>,
    /// How suspects were measured again, or why they were not.
    pub confirmation: String,
    /// The counter of instructions, or why there is none.
    pub instructions: String,
    /// What else may explain a difference.
    pub notes: Vec<String>,
    /// Questions to which base and new gave different answers.
    pub contradictions: Vec<String>,
    /// Rows that both sides have.
    pub rows: usize,
    /// Rounds of measuring.
    pub rounds: usize,
    /// How long it took.
    pub seconds: f64,
    /// Where measurements are kept.
    pub out: Option<PathBuf>,
}

/// What comparing ended with.
pub enum Ended {
    /// A comparison.
    Complete(Box<Comparison>),
    /// The folder holds what was measured; the same command continues.
    Interrupted(PathBuf),
    /// Shrunk pairs on which a program contradicts itself or the truth.
    Disagreement(Vec<PathBuf>),
}

impl Comparison {
    /// The groups with a standing.
    pub fn with(&self, standing: Standing) -> Vec<&Judged> {
        self.judged.iter().filter(|one| one.standing == standing).collect()
    }

    /// The whole in a few words.
    pub fn verdict(&self) -> &'static str {
        use pidlab_stats::paired::Change;
        let any = |wanted: Standing| self.judged.iter().any(|one| one.standing == wanted);
        let all = |wanted: Change| self.judged.iter().all(|one| one.change == wanted);
        if !self.contradictions.is_empty() {
            "disagreement"
        } else if any(Standing::Regression) {
            "regression"
        } else if any(Standing::Unconfirmed) {
            "no regression: not confirmed by the rerun"
        } else if any(Standing::Improvement) {
            "improvement"
        } else if all(Change::Same) {
            "same"
        } else {
            "no regression"
        }
    }
}
