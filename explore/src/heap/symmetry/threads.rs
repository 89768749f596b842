//! Which states are taken for one: the thread symmetries of Bogor'03 and the exact one.

use super::kbots::{compare_threads, stable_sort};
use crate::heap::machine::layout::{Layout, Word};
use std::fmt;
use std::str::FromStr;

/// Which orders of threads are taken for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThreadSymmetry {
    /// Threads stay in order of creation (NTS in the paper).
    #[default]
    None,
    /// Sorted by program counter (PCS).
    Pc,
    /// Sorted by kBOTS; `usize::MAX` is unbounded (∞-BOTS).
    Kbots(usize),
    /// Canonical form of the whole shape graph.
    Exact,
}

impl ThreadSymmetry {
    /// Numbers of the threads in the order of the key; not for [`ThreadSymmetry::Exact`].
    pub fn sort(self, layout: &Layout, words: &[Word], starts: &[u32], order: &mut Vec<u32>) {
        order.clear();
        order.extend(0..words[0]);
        let start = |thread: u32| starts[thread as usize] as usize;
        match self {
            ThreadSymmetry::None | ThreadSymmetry::Exact => {}
            ThreadSymmetry::Pc => {
                stable_sort(order, |a, b| words[start(a)].cmp(&words[start(b)]));
            }
            ThreadSymmetry::Kbots(k) => {
                stable_sort(order, |a, b| compare_threads(layout, words, start(a), start(b), k));
            }
        }
    }
}

impl FromStr for ThreadSymmetry {
    type Err = String;

    fn from_str(text: &str) -> Result<ThreadSymmetry, String> {
        match text {
            "none" => Ok(ThreadSymmetry::None),
            "pc" => Ok(ThreadSymmetry::Pc),
            "exact" => Ok(ThreadSymmetry::Exact),
            "kbots:inf" => Ok(ThreadSymmetry::Kbots(usize::MAX)),
            _ => text
                .strip_prefix("kbots:")
                .and_then(|k| k.parse().ok())
                .map(ThreadSymmetry::Kbots)
                .ok_or_else(|| {
                    format!("unknown thread symmetry {text:?}; use none, pc, kbots:<k>, kbots:inf or exact")
                }),
        }
    }
}

impl fmt::Display for ThreadSymmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ThreadSymmetry::None => f.write_str("none"),
            ThreadSymmetry::Pc => f.write_str("pc"),
            ThreadSymmetry::Kbots(usize::MAX) => f.write_str("kbots:inf"),
            ThreadSymmetry::Kbots(k) => write!(f, "kbots:{k}"),
            ThreadSymmetry::Exact => f.write_str("exact"),
        }
    }
}
