//! The kinds of experiments: what a row asks, who answers it, and what is counted on the way.
//!
//! The kind follows from what the file lists: `[[states]]`, `[[models]]` or `[[instances]]`. Everything from the
//! plan to the report is the same for all; how one row is measured is in [`kinds`](crate::kinds).

/// What a row asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionKind {
    /// Two states and a backend: are they equivalent?
    Pairs,
    /// A model and a configuration of the explorer: what is its state space?
    Models,
    /// A coverability question and an algorithm: can the target be covered?
    Instances,
}

impl QuestionKind {
    /// Names of the counts of a row, the size of the question first.
    pub fn counts(self) -> &'static [&'static str] {
        match self {
            QuestionKind::Pairs => &["p", "vectors", "vertices", "arcs"],
            QuestionKind::Models => &["states", "edges", "seen", "deadlocks", "bytes"],
            QuestionKind::Instances => {
                &["places", "transitions", "explored", "kept", "threads", "steps"]
            }
        }
    }

    /// What "yes" and "no" mean.
    pub fn answers(self) -> [&'static str; 2] {
        match self {
            QuestionKind::Pairs => ["equivalent", "not-equivalent"],
            QuestionKind::Models => ["holds", "violated"],
            QuestionKind::Instances => ["safe", "unsafe"],
        }
    }

    /// Who answers, in the plural.
    pub fn answerers(self) -> &'static str {
        match self {
            QuestionKind::Pairs => "backends",
            QuestionKind::Models => "configurations",
            QuestionKind::Instances => "algorithms",
        }
    }

    /// What a tournament counts as one class.
    pub fn classes(self) -> &'static str {
        match self {
            QuestionKind::Pairs => "family × size × kind of pair",
            QuestionKind::Models => "the models",
            QuestionKind::Instances => "the instances of a set",
        }
    }

    /// What a block of rows is about, in the plural.
    pub fn subjects(self) -> &'static str {
        match self {
            QuestionKind::Pairs => "base states",
            QuestionKind::Models => "models",
            QuestionKind::Instances => "instances",
        }
    }
}
