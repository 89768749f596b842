//! `pidlab track`: runs of many commits, and where they changed.
//!
//! Walk: [`entry`] (a run brought down to one time a state, one Parquet file) → [`folder`] (the directory,
//! one subfolder a machine) → [`series`] (one value a commit, change points) → [`page`] and [`present`].
//!
//! ```text
//! HISTORY/amd-epyc-2-cores/20261116T031028Z-b1b914864f63-5c1d0a3e.parquet
//! ```
//! A file is named after when its commit was made, the commit and the run, and is never changed: two
//! branches that both add files merge without conflict.

pub mod entry;
pub mod folder;
pub mod page;
pub mod present;
pub mod series;

pub use entry::Snapshot;
