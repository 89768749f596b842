//! Texts of TOML, with errors that point: file, line, column, a caret, and no names of Rust's types.

use pidlab_syntax::{Diagnostic, Source, Span, serde_words};
use serde::de::DeserializeOwned;
use std::path::Path;

/// Reads the text of a file.
pub fn read_toml<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, Diagnostic> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let span = error.span().unwrap_or(0..0);
        // what a table lacks is said where the table begins
        let span = Span { start: span.start, end: span.end };
        Source::new(path.display().to_string(), text).error(span, serde_words(error.message()))
    })
}
