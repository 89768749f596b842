//! Pids, relations, states, layered graphs and their file formats.
//!
//! Data flows one way: [`Pid`] → [`State`] (σ, η over a pid [`Forest`]) → [`Structure`] (what
//! Definition 1 of SACS'10 preserves) or [`graph::LayeredGraph`] (the papers' drawings of it). Nothing
//! here decides equivalence; that is the backends' work.
//!
//! ```
//! use pidlab_core::{Relation, json, text};
//!
//! // two listeners; the first has created one child, which handles a request
//! let state = text::parse_state("L : <1:1> <2:0>  H : <1.1:0, 7>")?;
//! assert!(state.check_consistent().is_ok());
//! assert_eq!((state.pid_count(), state.vector_count()), (3, 3));
//! assert_eq!(state.next_pid(0).map(|pid| pid.to_string()), Some("1.2".into()));
//! assert!(Relation::Parent.holds(&[1], &[1, 1]));
//! let same = json::parse_state(&json::state_to_string(&state))?;
//! assert_eq!(text::state_to_string(&same), text::state_to_string(&state));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`graph`], [`json`] and [`text`] are the formats; [`tuples`] and [`vectors`] are how the engine reads
//! states without branches; [`escape`] and [`printable`](fn@printable) make text of others safe to show.

#![warn(missing_docs)]

pub mod datum;
pub mod escape;
pub mod forest;
pub mod graph;
pub mod json;
pub mod mix;
pub mod pairs;
pub mod pid;
pub mod printable;
pub mod relation;
pub mod state;
pub mod structure;
pub mod text;
pub mod tuples;
pub mod vectors;

pub use datum::Datum;
pub use forest::{Forest, NONE, PidId, PidNumbering, Trie, TrieNode};
pub use mix::{mix, mix_bytes};
pub use pid::{Pid, PidError, excerpt, parse_segments, write_segments};
pub use printable::printable;
pub use relation::{Relation, Relations, UnknownRelation};
pub use state::{
    BuildError, Component, ComponentKind, Hashes, INACTIVE, Inconsistent, LARGEST_ETA, LocationKey,
    NewComponent, State, StateBuilder,
};
pub use structure::{NextPids, Structure, Upward};
