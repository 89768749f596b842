//! Inputs for experiments: random consistent states, the papers' transformations, hard families.
//!
//! Everything random takes an [`Rng`]; the same seed and stream give the same bytes. What the way a
//! pair was made says about its equivalence is its [`Guarantee`].
//!
//! ```
//! use pidlab_core::Relations;
//! use pidlab_generators::{Expected, RandomParams, Rng, Transformation, apply, hard, random_state};
//!
//! let mut rng = Rng::new(2010, 0);
//! let state = random_state(&RandomParams { pids: 30, ..RandomParams::default() }, &mut rng)?;
//! assert_eq!(state.pid_count(), 30);
//! let renamed = apply(&["rename".parse::<Transformation>()?], &state, &mut rng)?;
//! assert_eq!(renamed.guarantee.expected(Relations::ALL), Expected::Equivalent);
//! let twin = hard::instance(hard::Family::Cfi, 10, hard::Variant::Twin, 1)?;
//! assert_eq!(twin.guarantee.expected(Relations::NONE), Expected::NotEquivalent);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod digest;
mod draft;
mod guarantee;
pub mod hard;
mod names;
mod random;
pub mod transform;
mod tree;

pub use draft::{Draft, DraftComponent};
pub use guarantee::{Expected, Guarantee};
pub use names::PidNames;
pub use pidlab_random::Rng;
pub use random::{ParamError, RandomParams, random_state};
pub use transform::{Generated, TransformKind, Transformation, apply};
