//! nauty and Traces (McKay, Piperno, "Practical graph isomorphism, II", J. Symbolic Computation 60,
//! 2014) in process.
//!
//! [`canonical_labeling`] takes an undirected graph with ordered colour classes and gives an order of
//! its vertices: two graphs are isomorphic iff their relabelled graphs are equal. Time and memory
//! limits hold within the thread. If the C sources could not be fetched or compiled, [`unavailable`]
//! says why and nothing else works.
//!
//! ```
//! use pidlab_nauty::{Labeler, LabelingLimits, SparseGraph, canonical_labeling, unavailable};
//!
//! // two paths of three vertices, numbered differently
//! let mut one = SparseGraph::new(vec![0; 3], &[(0, 1), (1, 2)])?;
//! let mut other = SparseGraph::new(vec![0; 3], &[(0, 2), (2, 1)])?;
//! if unavailable().is_none() {
//!     let limits = LabelingLimits::default();
//!     let first = canonical_labeling(Labeler::Traces, &mut one, limits)?;
//!     let second = canonical_labeling(Labeler::Traces, &mut other, limits)?;
//!     // the middle of the one path is at the place of the middle of the other
//!     assert_eq!(first.iter().position(|&v| v == 1), second.iter().position(|&v| v == 2));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

#[cfg(have_nauty)]
mod ffi;
mod graph;
#[cfg(have_nauty)]
mod thread;

pub use graph::{GraphError, SparseGraph};
use std::time::Duration;
use thiserror::Error;
#[cfg(have_nauty)]
pub use thread::in_own_thread;

/// Which program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Labeler {
    /// Traces (Piperno).
    Traces,
    /// nauty (McKay) on sparse graphs.
    Nauty,
    /// nauty with the random Schreier method for pruning by automorphisms.
    NautySchreier,
}

/// What a call may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct LabelingLimits {
    /// How long the call may take.
    pub time: Option<Duration>,
    /// Bytes that the program may hold in this thread.
    pub memory: Option<u64>,
    /// Set in a thread that, once a limit was reached, makes no further call but [`free_buffers`], as
    /// [`in_own_thread`] sees to it: then the program can be left at any point, else only between nodes
    /// of its search tree.
    pub own_thread: bool,
}

/// Why there is no labelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Stopped {
    /// [`LabelingLimits::time`] was used up.
    #[error("the time limit was reached")]
    Time,
    /// [`LabelingLimits::memory`] was used up.
    #[error("the memory limit was reached")]
    Memory,
    /// The C code ended with an error code.
    #[error("nauty reported an error")]
    Failed,
    /// Built without the C sources: see [`unavailable`].
    #[error("nauty is not available")]
    Unavailable,
}

/// The order of an automorphism group as both programs give it, rounded: mantissa · 10^exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupSize {
    /// Below 10^10.
    pub mantissa: f64,
    /// Of ten.
    pub exponent: std::ffi::c_int,
}

/// Why nauty and Traces cannot be used; `None` if they can.
pub fn unavailable() -> Option<&'static str> {
    if cfg!(have_nauty) {
        None
    } else {
        Some(include_str!(concat!(env!("OUT_DIR"), "/reason.txt")))
    }
}

/// The vertices in canonical order, colour classes first come first.
#[cfg(have_nauty)]
pub fn canonical_labeling(
    program: Labeler,
    graph: &mut SparseGraph,
    limits: LabelingLimits,
) -> Result<Vec<u32>, Stopped> {
    ffi::canonical_labeling(program, graph, limits).map(|(order, _)| order)
}

/// The order of the group of automorphisms that keep colours.
#[cfg(have_nauty)]
pub fn group_size(
    program: Labeler,
    graph: &mut SparseGraph,
    limits: LabelingLimits,
) -> Result<GroupSize, Stopped> {
    ffi::canonical_labeling(program, graph, limits).map(|(_, group)| group)
}

/// Always refuses: see [`unavailable`].
#[cfg(not(have_nauty))]
pub fn group_size(
    _program: Labeler,
    _graph: &mut SparseGraph,
    _limits: LabelingLimits,
) -> Result<GroupSize, Stopped> {
    Err(Stopped::Unavailable)
}

/// Always refuses: see [`unavailable`].
#[cfg(not(have_nauty))]
pub fn canonical_labeling(
    _program: Labeler,
    _graph: &mut SparseGraph,
    _limits: LabelingLimits,
) -> Result<Vec<u32>, Stopped> {
    Err(Stopped::Unavailable)
}

/// Always refuses: see [`unavailable`].
#[cfg(not(have_nauty))]
pub fn in_own_thread<T>(
    _stack: usize,
    _time: Option<Duration>,
    _work: impl FnOnce() -> Result<T, Stopped>,
) -> Result<T, Stopped> {
    Err(Stopped::Unavailable)
}

/// Gives back the buffers that the programs keep in this thread for the next call; a thread that ends
/// calls this, or they are lost.
pub fn free_buffers() {
    #[cfg(have_nauty)]
    ffi::free_buffers();
}
