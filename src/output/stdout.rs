//! Standard output: the one way out for every command.
//!
//! Nothing here panics: the first failure is remembered, what follows it is dropped, and [`finish`] at the
//! end of `main` makes an exit code of it. `note!` is the harness's, for standard error, where a failure
//! has nobody left to be told.
//!
//! Text for people may quote files and programs of others, so control characters in it are shown and
//! not sent (see [`pidlab_core::printable`]).

use super::color;
use pidlab_core::printable::printable;
use std::io::{ErrorKind, Result, StdoutLock, Write};
use std::sync::{Mutex, PoisonError};

/// Why standard output did not take everything.
#[derive(Debug)]
pub enum Failure {
    /// Its reader has gone away, such as `head` after its lines.
    Closed,
    Failed(std::io::Error),
}

static FAILURE: Mutex<Option<Failure>> = Mutex::new(None);

/// Standard output as a writer; a failure is remembered and nothing is written after it.
pub struct Stdout;

impl Stdout {
    fn attempt<T>(act: impl FnOnce(&mut StdoutLock<'_>) -> Result<T>) -> Result<T> {
        let mut failure = FAILURE.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.is_some() {
            return Err(std::io::Error::new(ErrorKind::BrokenPipe, "standard output has failed"));
        }
        let result = act(&mut std::io::stdout().lock());
        if let Err(error) = &result {
            let copy = || std::io::Error::new(error.kind(), error.to_string());
            *failure = match error.kind() {
                // a signal came; whoever writes tries again
                ErrorKind::Interrupted => None,
                ErrorKind::BrokenPipe => Some(Failure::Closed),
                _ => Some(Failure::Failed(copy())),
            };
        }
        result
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        Stdout::attempt(|out| out.write(bytes))
    }

    fn flush(&mut self) -> Result<()> {
        Stdout::attempt(|out| out.flush())
    }
}

/// Passes text on with its control characters made visible. The writers of JSON and of lines hand over
/// whole pieces of text; what is not text goes on as it is.
pub struct Visible<W>(pub W);

impl<W: Write> Visible<W> {
    fn write_text(&mut self, text: &str) -> Result<()> {
        match color::current() {
            Some(color) => write!(self.0, "{color}{text}{}", color::PLAIN),
            None => self.0.write_all(text.as_bytes()),
        }
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.write_text(&printable(text))?,
            Err(_) => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}

/// Whether nothing that is printed from now on will be seen.
pub fn has_failed() -> bool {
    FAILURE.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// Sends what is waiting; whether standard output took everything that was ever printed.
pub fn finish() -> std::result::Result<(), Failure> {
    let _ = Stdout.flush();
    match FAILURE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}
