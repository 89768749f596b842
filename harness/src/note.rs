//! What the harness tells while it works: lines on standard error.

use pidlab_core::printable::printable;
use std::fmt;
use std::io::Write;

/// Prints a line to standard error, control characters made visible; a failure has nobody left to be told.
#[macro_export]
macro_rules! note {
    ($($argument:tt)*) => { $crate::note::line(format_args!($($argument)*)) };
}

/// Prints a line to standard error; use the macro.
pub fn line(text: fmt::Arguments<'_>) {
    let line = format!("{text}\n");
    let _ = std::io::stderr().lock().write_all(printable(&line).as_bytes());
}
