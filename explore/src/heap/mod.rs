//! Programs with heaps and threads: the language BIR, its machine, symmetry and compression.
//!
//! After Robby, Dwyer, Hatcliff and Iosif, "Space-Reduction Strategies for Model Checking Dynamic
//! Software" (2003), Bogor'03 for short. A program goes through the folders in this order, and none
//! of them uses one further down:
//!
//! | step | folder |
//! |---|---|
//! | text → syntax tree | `language/` |
//! | checked and compiled to a [`HeapProgram`] | `compile/` |
//! | states as vectors of words ([`layout`]), the stack machine, locks, collections, violations | `machine/` |
//! | garbage and heap symmetry ([`Numbering`]); thread symmetry by heuristics and exactly ([`Exact`]) | `symmetry/` |
//! | the program as a model of the search loop ([`HeapModel`]) | `model` |
//! | keys of the visited set, compressed visited sets | `store/` |
//! | pairs of states for experiments ([`pairwise`]) | `pairwise` |
//! | names, traces ([`HeapTrace`]), collapse tables ([`explain`]) | `report/` |
//! | everything together | [`explore()`] |

mod compile;
mod explore;
mod language;
mod machine;
mod model;
pub mod pairwise;
mod report;
mod store;
mod symmetry;

pub use compile::program::HeapProgram;
pub use compile::{compile, compile_with};
pub use explore::{Compression, HeapExploration, HeapOptions, HeapVerdict, explore, explore_by};
pub use machine::layout::{self, Layout, Word};
pub use model::HeapModel;
pub use report::explain::{CollapseRow, CollapseTable, ExplainError, explain};
pub use report::trace::{HeapTrace, HeapTraceStep};
pub use symmetry::exact::Exact;
pub use symmetry::numbering::{HeapOrder, Numbering};
pub use symmetry::threads::ThreadSymmetry;
