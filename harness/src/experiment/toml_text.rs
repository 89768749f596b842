//! Texts of TOML, with errors that point: file, line, column, a caret, and no names of Rust's types.

use pidlab_syntax::{Diagnostic, Source, Span, serde_words};
use serde::de::DeserializeOwned;
use std::ops::Range;
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

/// A problem with a value, which TOML itself cannot see, at the field that it names first in backquotes: by its path, or
/// by its name if the text has just one of that name. Nothing where there is no such field.
pub fn at_field(path: &Path, text: &str, problem: &str) -> Option<Diagnostic> {
    // a label in front is no field
    let named = problem.strip_prefix("states `").and_then(|rest| rest.split_once("`: "));
    let field = named.map_or(problem, |(_, rest)| rest).split('`').nth(1)?;
    let document = DeTable::parse(text).ok()?;
    let table = document.get_ref();
    let span = at_path(table, field).or_else(|| {
        let mut found = Vec::new();
        collect(table, field.rsplit('.').next()?, &mut found);
        (found.len() == 1).then(|| found.remove(0))
    })?;
    let span = Span { start: span.start, end: span.end };
    Some(Source::new(path.display().to_string(), text).error(span, problem))
}

/// Where a path leads, as far as the text has it: a field that is left out is missed in the table that could have it.
fn at_path(mut table: &DeTable<'_>, path: &str) -> Option<Range<usize>> {
    let mut span = None;
    for name in path.split('.') {
        let Some(value) = table.get(name) else { break };
        span = Some(value.span());
        let DeValue::Table(inner) = value.get_ref() else { break };
        table = inner;
    }
    span
}

/// The values of all fields of a name.
fn collect(table: &DeTable<'_>, name: &str, found: &mut Vec<Range<usize>>) {
    for (key, value) in table.iter() {
        if key.get_ref() == name {
            found.push(value.span());
        }
        collect_within(value.get_ref(), name, found);
    }
}

fn collect_within(value: &DeValue<'_>, name: &str, found: &mut Vec<Range<usize>>) {
    match value {
        DeValue::Table(table) => collect(table, name, found),
        DeValue::Array(items) => {
            items.iter().for_each(|item| collect_within(item.get_ref(), name, found));
        }
        _ => {}
    }
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
        // by its name alone, if there is just one
        assert!(shown("`variations` of `from`").is_none());
        let share = "[[states]]\nrandom = { pid_share = 8 }\n";
        let shown_there =
            at_field(Path::new("x.toml"), share, "states `name`: `pid_share` is 8").unwrap();
        assert!(shown_there.to_string().starts_with("x.toml:2:24: "), "{shown_there}");
        assert!(shown("nothing is asked").is_none() && shown("`orders` is 0").is_none());
    }
}
