//! The readable form of states, in the notation of SACS'10, section 5 (files `.pst`).
//!
//! ```text
//! L  : <2:2, 2> <3, 2.1:0>
//! L' : <1:0, 3, 4:0> <2.2:0>
//! ```
//! A location, a colon, its vectors. `2.1:0` is an active pid with the number of children it has
//! created, `@2.1` a pid without (inactive, or counted elsewhere); what is neither is data. The full
//! grammar is in docs/state-text.md.

mod reader;
mod writer;

pub use reader::{TextError, TextProblem, parse_state, parse_state_within};
pub use writer::{state_to_string, write_state};

/// A name that needs no quotes, as location or as data.
fn is_bare(text: &str) -> bool {
    text.starts_with(starts_bare) && text.chars().all(continues_bare)
}

fn starts_bare(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_bare(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'' | '-')
}

#[cfg(test)]
mod tests;
