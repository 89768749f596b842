//! Independent checker of Definition 1 (SACS'10) on raw states.
//!
//! Given two states, a set of relations Ω* and a bijection, it says whether the bijection proves
//! the states equivalent. It looks at nothing but the states and shares no code with the backends,
//! so a mistake in a backend cannot hide here.
//!
//! Idea: on a finite set of pids each of the four relations is given by one partial function (the
//! parent, the nearest ancestor, the adjacent sibling, the next younger sibling), and a bijection
//! preserves a relation both ways iff it commutes with that function. So four passes over
//! the pids replace a quadratic number of comparisons. Cost: O(n log n) for sorting siblings and
//! vectors, with n the total length of the state; no recursion. Known weakness: none in what is
//! decided; only the first violation found is reported, in the order of the definition's points.
//!
//! States that are not consistent thread configurations are checked by the same definition: the
//! elements are the pids of σ, the active pids and the next-pids; `parent` and `ancestor` are
//! compared between pids of σ, the sibling relations between all elements.
//!
//! ```
//! use pidlab_check::{Violation, verify, verify_named};
//! use pidlab_core::{Relation, Relations, text};
//!
//! let q = text::parse_state("L : <1:1> <2:0>  H : <1.1:0>")?;
//! let r = text::parse_state("L : <1:0> <2:1>  H : <2.1:0>")?;
//! // pids are numbered in order: 1, 1.1, 2 and 1, 2, 2.1
//! assert!(verify(&q, &r, Relations::default(), &[1, 2, 0]).is_ok());
//! let found = verify(&q, &r, Relations::ALL, &[1, 2, 0]);
//! assert!(matches!(found, Err(Violation::Relation { relation: Relation::AdjacentSibling, .. })));
//! let names = [("@1", "@2"), ("@2", "@1")].map(|(from, to)| (from.to_string(), to.to_string()));
//! assert!(matches!(verify_named(&q, &r, Relations::NONE, &names), Err(Violation::Missing { .. })));
//! # Ok::<(), pidlab_core::text::TextError>(())
//! ```

#![warn(missing_docs)]

mod bijection;
mod elements;
pub mod enumeration;
mod named;
mod sigma;
mod violation;
pub mod witness;

use elements::Elements;
use pidlab_core::forest::PidId;
use pidlab_core::{Relations, State};
pub use violation::{StateSide, Violation};

/// Checks a witness that maps pid number i of `q` to pid number `witness[i]` of `r`; the next-pid of
/// an active pid goes with its creator.
pub fn verify(
    q: &State,
    r: &State,
    relations: Relations,
    witness: &[PidId],
) -> Result<(), Violation> {
    let (q, r) = (Elements::of(q), Elements::of(r));
    let h = bijection::from_numbers(&q, &r, witness)?;
    bijection::check(&q, &r, relations, &h)
}

/// Checks a witness by name: every pid and next-pid of `q` exactly once, each with its image, such
/// as `("@1", "@2")`; the `@` may be left out.
pub fn verify_named(
    q: &State,
    r: &State,
    relations: Relations,
    witness: &[(String, String)],
) -> Result<(), Violation> {
    let (q, r) = (Elements::of(q), Elements::of(r));
    let h = named::from_names(&q, &r, witness)?;
    bijection::check(&q, &r, relations, &h)
}
