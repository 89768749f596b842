//! Texts of TOML, with errors that point: file, line, column, a caret, and no names of Rust's types.

use pidlab_syntax::{Diagnostic, Source, Span, serde_words};
use serde::de::DeserializeOwned;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// Reads the text of a file.
pub fn read_toml<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, Diagnostic> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let span = error.span().unwrap_or(0..0);
        // what a table lacks is said where the table begins
        let span = Span { start: span.start, end: span.end };
        Source::new(path.display().to_string(), text).error(span, serde_words(error.message()))
    })
}

/// A problem with a value, which TOML itself cannot see, at the field that it names first in backquotes; nothing where the
/// text has no such field.
pub fn at_field(path: &Path, text: &str, problem: &str) -> Option<Diagnostic> {
    let field = problem.split('`').nth(1)?;
    let document = DeTable::parse(text).ok()?;
    let mut table = document.get_ref();
    let mut span = None;
    // a field that is left out is missed in the table that could have it
    for name in field.split('.') {
        let Some(value) = table.get(name) else { break };
        span = Some(value.span());
        let DeValue::Table(inner) = value.get_ref() else { break };
        table = inner;
    }
    let span = span.map(|span| Span { start: span.start, end: span.end })?;
    Some(Source::new(path.display().to_string(), text).error(span, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_shown_where_the_field_stands() {
        let text = "name = \"x\"\n[scale.small]\nstates = 3\nsizes = { from = 9, to = 2 }\n";
        let shown = |problem| at_field(Path::new("x.toml"), text, problem).map(|d| d.to_string());
        let from = shown("`scale.small.sizes.from` is 9: a range goes up").unwrap();
        assert!(from.starts_with("x.toml:4:18: `scale.small.sizes.from` is 9"), "{from}");
        let variants = shown("`scale.small.variants` is 0").unwrap();
        assert!(variants.starts_with("x.toml:2:1: "), "{variants}");
        assert!(shown("nothing is asked").is_none() && shown("`orders` is 0").is_none());
    }
}
