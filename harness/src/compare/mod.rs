//! `pidlab compare`: did it get slower?
//!
//! Walk: [`subject`] (runs, programs, commits; [`checkout`] builds the latter) → [`rounds`] of [`duel`]s
//! (both programs on the same rows in turn) → [`matched`] (rows of both sides on the same states) →
//! [`judge`] (verdicts) → a rerun of what looks slower → [`instructions`] → [`present`].

pub mod checkout;
pub mod duel;
pub mod instructions;
pub mod judge;
pub mod matched;
pub mod present;
pub mod rounds;
pub mod runs;
pub mod session;
pub mod subject;

use judge::{Judged, Standing};
use std::path::PathBuf;

/// What a comparison came to.
pub struct Comparison {
    pub base: String,
    pub new: String,
    pub judged: Vec<Judged>,
    /// How suspects were measured again, or why they were not.
    pub confirmation: String,
    /// The counter of instructions, or why there is none.
    pub instructions: String,
    pub notes: Vec<String>,
    /// Questions to which base and new gave different answers.
    pub contradictions: Vec<String>,
    pub rows: usize,
    pub rounds: usize,
    pub seconds: f64,
    pub out: Option<PathBuf>,
}

/// What comparing ended with.
pub enum Ended {
    Complete(Box<Comparison>),
    /// The folder holds what was measured; the same command continues.
    Interrupted(PathBuf),
    /// Shrunk pairs on which a program contradicts itself or the truth.
    Disagreement(Vec<PathBuf>),
}

impl Comparison {
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
