//! What a command came to, and the exit code that says so.
//!
//! The codes are part of the program's contract: scripts rely on them.

use std::process::ExitCode;

/// The result of a command that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Yes, done, safe, equivalent: exit code 0.
    Yes,
    /// Not equivalent, unsafe, deadlock or violation or regression found: exit code 1.
    No,
    /// Undecided within the time or memory given: exit code 3.
    Undecided,
    /// Two exact methods differ, or a checker rejected a result: exit code 4.
    Disagreement,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(match outcome {
            Outcome::Yes => 0,
            Outcome::No => 1,
            Outcome::Undecided => 3,
            Outcome::Disagreement => 4,
        })
    }
}

/// Exit code for bad input or usage; every `Err` that reaches `main` ends with it.
pub const BAD_INPUT: u8 = 2;

/// Exit code where the reader of standard output went away before the end: 128 + SIGPIPE, as shells
/// count it. Not 0, which would be a verdict.
pub const READER_GONE: u8 = 141;
