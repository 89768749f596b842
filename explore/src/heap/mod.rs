//! Programs with heaps and threads: the language BIR, its machine, symmetry and compression.
//!
//! After Robby, Dwyer, Hatcliff and Iosif, "Space-Reduction Strategies for Model Checking Dynamic
//! Software" (2003), Bogor'03 for short. The way of a program:
//!
//! | step | module |
//! |---|---|
//! | text → syntax tree | [`parser`], [`ast`] |
//! | checked and compiled | [`types`], `scope`, [`compile`], [`program`] |
//! | states as words, steps of threads | [`layout`], [`machine`], [`monitor`], [`collections`], [`moves`] |
//! | garbage, heap symmetry | [`numbering`] |
//! | thread symmetry: heuristics, exact | [`kbots`], [`symmetry`], [`traversal`], [`rigid`], [`shape`], [`exact`] |
//! | keys of the visited set | [`keys`], [`pack`], [`bits`] |
//! | everything together; traces | [`run`], [`trace`], [`naming`], [`explain`] |
//! | compressed visited sets | [`tree`], [`collapse`], [`gzip`] |
pub mod ast;
pub mod bits;
pub mod collapse;
pub mod collections;
pub mod compile;
mod compile_expr;
pub mod exact;
pub mod explain;
pub mod gzip;
pub mod kbots;
pub mod keys;
pub mod layout;
pub mod machine;
pub mod monitor;
pub mod moves;
pub mod naming;
pub mod numbering;
pub mod pack;
mod parse_expr;
pub mod parser;
pub mod program;
pub mod rigid;
pub mod run;
mod scope;
pub mod shape;
pub mod symmetry;
pub mod trace;
pub mod traversal;
pub mod tree;
pub mod types;
pub mod violation;
