//! Process identifiers: finite non-empty sequences of positive integers (SACS'10, section 2).
//!
//! A [`Pid`] is the owned, printable form used at the edges of the program. Inside a state, pids
//! are numbers into a [`Forest`](crate::forest::Forest): no hot path touches this type.

use std::fmt;
use thiserror::Error;

/// A pid such as `2.3.1`; ordered lexicographically by its integers.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pid(Box<[u64]>);

/// Why a text is not a pid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PidError {
    /// Nothing, or nothing between two dots.
    #[error(
        "pid `{0}` is empty or has an empty part; write positive integers joined by dots, such as 2.3.1"
    )]
    Empty(String),
    /// Children count from 1.
    #[error(
        "pid `{0}` has a part that is 0; the parts of a pid are positive (children count from 1)"
    )]
    Zero(String),
    /// `01` and `1` would be two names of one pid.
    #[error("pid `{0}` has a part with a leading zero; write it without")]
    LeadingZero(String),
    /// Something else than digits and dots.
    #[error(
        "pid `{pid}` has `{found}` where a digit or dot is expected; a data string that starts with @ is written with @@"
    )]
    NotANumber {
        /// The text that was read.
        pid: String,
        /// The first character that cannot stand there.
        found: char,
    },
    /// A part that does not fit into 64 bits.
    #[error("pid `{0}` has a part of 2^64 or more; the largest is 18446744073709551615")]
    TooLarge(String),
}

impl Pid {
    /// A pid from its integers; `None` if there are none or one is 0.
    pub fn new(segments: &[u64]) -> Option<Pid> {
        (!segments.is_empty() && !segments.contains(&0)).then(|| Pid(segments.into()))
    }

    /// Reads `2.3.1`.
    pub fn parse(text: &str) -> Result<Pid, PidError> {
        let mut segments = Vec::new();
        parse_segments(text, &mut segments)?;
        Ok(Pid(segments.into()))
    }

    /// The integers, root first; never empty.
    pub fn segments(&self) -> &[u64] {
        &self.0
    }

    /// The i-th child, π.i.
    pub fn child(&self, index: u64) -> Pid {
        let mut segments = self.0.to_vec();
        segments.push(index);
        Pid(segments.into())
    }

    /// The pid that created this one; `None` for a root.
    pub fn parent(&self) -> Option<Pid> {
        Pid::new(&self.0[..self.0.len() - 1])
    }
}

/// Appends the integers of a dotted pid to `segments`, which is cleared first.
pub fn parse_segments(text: &str, segments: &mut Vec<u64>) -> Result<(), PidError> {
    segments.clear();
    for part in text.split('.') {
        segments.push(parse_part(part, text)?);
    }
    Ok(())
}

fn parse_part(part: &str, pid: &str) -> Result<u64, PidError> {
    if let Some(found) = part.chars().find(|c| !c.is_ascii_digit()) {
        return Err(PidError::NotANumber { pid: excerpt(pid), found });
    }
    match part.as_bytes() {
        [] => Err(PidError::Empty(excerpt(pid))),
        [b'0'] => Err(PidError::Zero(excerpt(pid))),
        [b'0', ..] => Err(PidError::LeadingZero(excerpt(pid))),
        _ => part.parse().map_err(|_| PidError::TooLarge(excerpt(pid))),
    }
}

/// The start of a long pid: messages stay readable when a pid is 10,000 deep.
pub fn excerpt(text: &str) -> String {
    const KEEP: usize = 60;
    match text.char_indices().nth(KEEP) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_segments(&self.0, f)
    }
}

impl fmt::Debug for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{self}")
    }
}

/// Writes integers joined by dots.
pub fn write_segments(segments: &[u64], out: &mut dyn fmt::Write) -> fmt::Result {
    for (i, segment) in segments.iter().enumerate() {
        if i > 0 {
            out.write_char('.')?;
        }
        match segment {
            // nearly all of them
            0..10 => out.write_char(char::from(b'0' + *segment as u8))?,
            _ => write!(out, "{segment}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_prints() {
        for text in ["1", "2.3.1", "18446744073709551615"] {
            assert_eq!(Pid::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn refuses_what_is_no_pid() {
        assert!(matches!(Pid::parse(""), Err(PidError::Empty(_))));
        assert!(matches!(Pid::parse("1..2"), Err(PidError::Empty(_))));
        assert!(matches!(Pid::parse("1.0"), Err(PidError::Zero(_))));
        assert!(matches!(Pid::parse("01"), Err(PidError::LeadingZero(_))));
        assert!(matches!(Pid::parse("1.x"), Err(PidError::NotANumber { .. })));
        assert!(matches!(Pid::parse("-1"), Err(PidError::NotANumber { .. })));
        assert!(matches!(Pid::parse("18446744073709551616"), Err(PidError::TooLarge(_))));
    }
}
