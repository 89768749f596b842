//! Parameterised coverability of local/global machines and Petri nets.
//!
//! A library used by any number of anonymous threads (Ball, Chaki, Rajamani: "Parameterized
//! verification of multithreaded software libraries", TACAS 2001), a thread transition system and a
//! Petri net are one model here: [`net::Net`], counters per place with ω for "any number". The
//! question is whether a marking above a target can be reached. The data flows one way: [`parse`] →
//! [`net`] → [`reduce`] → an algorithm of [`registry`] → [`answer`] → [`check`].

pub mod answer;
mod backward;
mod beacon;
mod bounded;
pub mod check;
mod check_backward;
mod check_fire;
mod check_fuse;
mod check_spec;
mod check_tts;
mod choice;
pub mod config;
mod control;
pub mod error;
mod forward;
mod fuse;
mod index;
mod karp_miller;
mod linear;
mod mp;
pub mod names;
pub mod net;
mod pairs;
pub mod parse;
mod reduce;
pub mod registry;
mod simplex;
pub mod solve;
pub mod stress;
mod tree;

pub use pidlab_budget as budget;
pub use pidlab_syntax::{Diagnostic, Source};
