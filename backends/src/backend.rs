//! The one interface of all backends, and what they answer.

use crate::budget::{Budget, Exhausted};
use pidlab_core::forest::PidId;
use pidlab_core::{Relations, State};
use std::time::{Duration, Instant};

/// Which of a backend's answers can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// Answers "equivalent" and "not equivalent", both right.
    Exact,
    /// "Not equivalent" is right; "equivalent" is never said.
    Heuristic,
}

/// Which layered graph stands for a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GraphKind {
    /// With `next` arcs: isomorphism is Definition 1 for every Ω*.
    #[default]
    Corrected,
    /// As printed in SACS'10, section 4: too coarse without `parent` or `ancestor`.
    Published,
}

/// What the registry says of a backend.
#[derive(Clone, Debug)]
pub struct Info {
    /// The name in the registry, on the command line and in result tables.
    pub name: String,
    /// Whether both its answers can be relied on.
    pub exactness: Exactness,
    /// Where the algorithm or program comes from.
    pub source: String,
    /// Why the backend cannot be used here and what to do about it; `None` if it can.
    pub unavailable: Option<String>,
}

/// Two states to compare.
#[derive(Clone, Copy)]
pub struct Problem<'s> {
    /// The first state.
    pub q: &'s State,
    /// The second state.
    pub r: &'s State,
    /// Ω*, the relations that a bijection has to preserve.
    pub relations: Relations,
    /// Which graph stands for a state, for backends that work on layered graphs.
    pub graph: GraphKind,
}

/// A bijection from the pids of q to those of r, by number; next-pids follow their creators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness(pub Vec<PidId>);

/// What a backend says of two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Equivalent, and this bijection proves it: `pidlab-check` can be asked to confirm it.
    Equivalent(Witness),
    /// No bijection satisfies Definition 1.
    NotEquivalent,
    /// A heuristic that sees no difference, or a limit that was reached.
    Undecided(Undecided),
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// A limit of the budget was reached.
    Exhausted(Exhausted),
    /// The backend finds no difference but cannot prove that there is none.
    NoDifferenceFound,
    /// The backend cannot take this input, or its program failed.
    Failed(String),
}

/// A verdict and what it took.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The answer.
    pub verdict: Verdict,
    /// From states to the backend's own structure, both sides.
    pub build: Duration,
    /// From that structure to the verdict.
    pub decide: Duration,
    /// Vertices and arcs of the structure of q.
    pub vertices: usize,
    /// Arcs or edges of the structure of q.
    pub arcs: usize,
}

impl Decision {
    /// A verdict reached just now, after a structure that was `built` since `begin`.
    pub fn of(verdict: Verdict, begin: Instant, built: Instant) -> Decision {
        Decision { verdict, build: built - begin, decide: built.elapsed(), vertices: 0, arcs: 0 }
    }
}

/// An algorithm that decides equivalence.
pub trait Backend: Send + Sync {
    /// Name, exactness, source, and whether it can be used here.
    fn info(&self) -> Info;

    /// Sees to what must be there before a clock starts: a program of its own is started here, so
    /// that its start is not taken for the time of a decision. Never needed for a right answer.
    fn ready(&self) {}

    /// Decides within the budget; a limit reached is a verdict, not an error.
    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision;
}

impl From<Exhausted> for Verdict {
    fn from(exhausted: Exhausted) -> Verdict {
        Verdict::Undecided(Undecided::Exhausted(exhausted))
    }
}
