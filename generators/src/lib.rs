//! Inputs for experiments: random consistent states, the papers' transformations, hard families.
//!
//! Everything random takes an [`Rng`]; the same seed and stream give the same bytes. What the way a
//! pair was made says about its equivalence is its [`Guarantee`].

mod digest;
mod draft;
mod guarantee;
pub mod hard;
mod names;
mod random;
mod rng;
pub mod transform;
mod tree;

pub use draft::{Cell, Draft};
pub use guarantee::{Expected, Guarantee};
pub use names::Names;
pub use random::{ParamError, RandomParams, random_state};
pub use rng::Rng;
pub use transform::{Generated, Kind, Transformation, apply};
