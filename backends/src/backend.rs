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
    /// Both answers are right where there is one; some questions stay open.
    Partial,
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

/// Which part of a backend a verdict comes from. Times of different parts are times of different algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// Counts compared before there was anything to search.
    PreCheck,
    /// Building the structure showed a difference; the solver was never asked.
    Encoder,
    /// The algorithm or program that the backend is named after.
    Solver,
}

/// Where a decision was made, and with that whose CPU time it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In this process.
    Here,
    /// In a program that says what CPU time building and deciding took.
    Reported(Duration),
    /// In a program whose CPU time, from the question to the answer, the system has counted.
    Counted(Duration),
    /// In a program whose CPU time is not known.
    Unknown,
}

/// A verdict and what it took.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The answer.
    pub verdict: Verdict,
    /// From states to the backend's own structure, both sides; wall time.
    pub build: Duration,
    /// From that structure to the verdict; wall time.
    pub decide: Duration,
    /// Vertices and arcs of the structure of q.
    pub vertices: usize,
    /// Arcs or edges of the structure of q.
    pub arcs: usize,
    /// Which part of the backend gave the answer.
    pub decided_by: DecidedBy,
    /// Where its work was done, and on which clock.
    pub place: Place,
}

impl Decision {
    /// A verdict of the solver that took so long, in this process.
    pub fn took(verdict: Verdict, build: Duration, decide: Duration) -> Decision {
        let (decided_by, place) = (DecidedBy::Solver, Place::Here);
        Decision { verdict, build, decide, vertices: 0, arcs: 0, decided_by, place }
    }

    /// A verdict reached just now, after a structure that was `built` since `begin`.
    pub fn of(verdict: Verdict, begin: Instant, built: Instant) -> Decision {
        Decision::took(verdict, built - begin, built.elapsed())
    }

    /// A verdict reached while building.
    pub fn unbuilt(verdict: Verdict, build: Duration) -> Decision {
        Decision::took(verdict, build, Duration::ZERO).by(DecidedBy::Encoder)
    }

    /// The same, given by another part of the backend.
    pub fn by(self, decided_by: DecidedBy) -> Decision {
        Decision { decided_by, ..self }
    }

    /// The same with the size of the structure of q.
    pub fn sized(self, vertices: usize, arcs: usize) -> Decision {
        Decision { vertices, arcs, ..self }
    }
}

/// An algorithm that decides equivalence.
pub trait Backend: Send + Sync {
    /// Name, exactness, source, and whether it can be used here.
    fn info(&self) -> Info;

    /// Sees to what must be there before a clock starts: a program of its own is started here, so
    /// that its start is not taken for the time of a decision. One that has not greeted after `patience` is given
    /// up. Never needed for a right answer.
    fn ready(&self, _patience: Duration) {}

    /// Whether several threads that ask at once are answered at once.
    fn is_parallel(&self) -> bool {
        true
    }

    /// Decides within the budget; a limit reached is a verdict, not an error.
    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision;
}

impl From<Exhausted> for Verdict {
    fn from(exhausted: Exhausted) -> Verdict {
        Verdict::Undecided(Undecided::Exhausted(exhausted))
    }
}
