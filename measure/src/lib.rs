//! Backends against each other, and explorers, in one run on one machine.
//!
//! Not the harness: no rows are kept, nothing is fitted but a growth exponent. It answers "how much
//! faster is `canon`, and on what" in minutes. [`engine`] measures random states of growing size, [`hard`]
//! the hard families; both with the [`clock`], which lets backends take turns. [`peers`] is
//! about explorers: ours beside Spin and Stateright; [`scaling`] predicts searches by many machines.
//!
//! ```
//! use pidlab_measure::{clock, engine};
//!
//! let backends = clock::backends(Some(vec!["canon".into(), "refine".into()]))?;
//! let options = engine::Options { sizes: vec![20], pairs: 1, ..Default::default() };
//! let rows = std::cell::RefCell::new(Vec::new());
//! engine::measure(&options, &backends, &|size| rows.borrow_mut().extend(size.rows))?;
//! assert_eq!(rows.borrow().len(), 4); // two backends, two kinds of pairs
//! assert!(rows.borrow().iter().all(|row| row.status == "ok" && !row.wrong));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

pub mod clock;
pub mod engine;
pub mod hard;
pub mod peers;
pub mod scaling;

use pidlab_generators::ParamError;
use pidlab_generators::hard::HardError;
use pidlab_generators::transform::TransformError;

/// Why there is nothing to measure.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// A random state cannot be made.
    #[error(transparent)]
    Random(#[from] ParamError),
    /// A pair of a kind cannot be made of a random state.
    #[error("no {kind} pair of {size} pids ({source}); try another seed")]
    Pair {
        /// Kind of the pair.
        kind: &'static str,
        /// Number of pids.
        size: usize,
        /// What is wrong.
        source: TransformError,
    },
    /// An instance of a family cannot be made.
    #[error(transparent)]
    Hard(#[from] HardError),
}
