//! Isomorphism and canonical forms of states behind one trait.
//!
//! A [`Backend`] decides whether two states are equivalent (SACS'10, Definition 1, relations
//! restricted to Ω*). It sees two states and a budget, never where they came from. The
//! [`registry`] lists all backends and says which are exact; [`external`] makes a backend of any program.
//!
//! A checker that stores one state of every class needs this crate alone:
//!
//! ```
//! use pidlab_backends::{Budget, Relations, WitnessMap, canonical_form, decide, explain, parse_state};
//!
//! let q = parse_state(r#"{"sigma": {"L": [["@1"], ["@2"]], "H": [["@1.1", 7]]}, "eta": {"1": 1, "2": 0, "1.1": 0}}"#)?;
//! let r = parse_state(r#"{"sigma": {"L": [["@1"], ["@2"]], "H": [["@2.1", 7]]}, "eta": {"1": 0, "2": 1, "2.1": 0}}"#)?;
//! let parent = Relations::default();
//! let verdict = decide(&q, &r, parent);
//! let witness = WitnessMap::of(&verdict, &q, &r).expect("the states are equivalent");
//! assert!(witness.entries().any(|(from, to)| (from.to_string(), to.to_string()) == ("@1".into(), "@2".into())));
//! let form = |state| canonical_form(state, parent, &Budget::unlimited());
//! assert_eq!(form(&q)?.hash, form(&r)?.hash);
//! // with sibling relations the second listener is not the first
//! let reason = explain(&q, &r, Relations::ALL);
//! assert_eq!(reason.equivalent_without, Vec::<&str>::new(), "{}", reason.text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

pub mod backend;
pub mod canon;
pub mod difference;
mod digraph;
mod encoding;
mod exact;
pub mod external;
mod group;
mod hash;
mod multigraph;
mod nauty;
mod petgraph;
mod refine;
pub mod registry;
mod solver;
mod vf2;
mod witness;
mod wl;

#[cfg(test)]
mod collisions;

pub use backend::{
    Backend, DecidedBy, Decision, Exactness, GraphKind, Info, Problem, Undecided, Verdict, Witness,
};
pub use budget::{Budget, Exhausted};
pub use canon::{
    Canon, CanonicalForm, Contents, FormError, Listing, StructureCanonizer, canonical_form,
};
pub use difference::{Reason, ReasonKind};
pub use group::{AutomorphismGroup, GroupOrder, Moves, automorphism_group, plain_graph};
pub use multigraph::{ColoredEdge, Multigraph};
pub use pidlab_budget as budget;
pub use pidlab_core::json::parse_state;
pub use pidlab_core::{Relations, State};
pub use witness::{PidName, WitnessMap};

/// Decides equivalence (SACS'10, Definition 1, relations restricted to Ω*) with the default backend and no limits.
pub fn decide(q: &State, r: &State, relations: Relations) -> Verdict {
    let problem = Problem { q, r, relations, graph: GraphKind::Corrected };
    canon::Canon.decide(problem, &Budget::unlimited()).verdict
}

/// Why two states that are not equivalent are not.
pub fn explain(q: &State, r: &State, relations: Relations) -> Reason {
    let problem = Problem { q, r, relations, graph: GraphKind::Corrected };
    difference::explain(problem, &canon::Canon, &Budget::unlimited())
}
