//! The kinds of experiments: what a row asks, who answers it, and what is counted on the way.
//!
//! The kind follows from what the file lists: `[[states]]`, `[[models]]` or `[[instances]]`. Everything from the
//! plan to the report is the same for all; how one row is measured is in [`kinds`](crate::kinds).

/// What a row asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two states and a backend: are they equivalent?
    Pairs,
    /// A model and a configuration of the explorer: what is its state space?
    Models,
    /// A coverability question and an algorithm: can the target be covered?
    Instances,
}

impl Kind {
    /// Names of the counts of a row, the size of the question first.
    pub fn counts(self) -> &'static [&'static str] {
        match self {
            Kind::Pairs => &["p", "vectors", "vertices", "arcs"],
            Kind::Models => &["states", "edges", "seen", "deadlocks", "bytes"],
            Kind::Instances => &["places", "transitions", "explored", "kept", "threads", "steps"],
        }
    }

    /// What "yes" and "no" mean.
    pub fn answers(self) -> [&'static str; 2] {
        match self {
            Kind::Pairs => ["equivalent", "not-equivalent"],
            Kind::Models => ["holds", "violated"],
            Kind::Instances => ["safe", "unsafe"],
        }
    }

    /// What a block of rows is about, in the plural.
    pub fn subjects(self) -> &'static str {
        match self {
            Kind::Pairs => "base states",
            Kind::Models => "models",
            Kind::Instances => "instances",
        }
    }
}
