//! Errors of JSON texts with a caret.
//!
//! serde_json says in which line it stopped and at which byte; what is wrong is the word, string or sign there.

use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};
use crate::words::serde_words;

/// What is wrong with a text, by the error that reading it as JSON gave.
pub fn json_error(source: &Source, error: &serde_json::Error) -> Diagnostic {
    if error.is_eof() {
        return source.error(source.end(), message(error));
    }
    let start = line_start(&source.text, error.line().saturating_sub(1));
    let line = source.text[start..].lines().next().unwrap_or("").as_bytes();
    let message = message(error);
    let part = part_at(line, byte_of(line, error.column(), &message));
    let span = Span { start: start + part.start, end: start + part.end };
    source.error(span, message)
}

/// The byte that an error is about. A list or object where something else is expected is not read any more: the column
/// is that of what stands before it.
fn byte_of(line: &[u8], column: usize, message: &str) -> usize {
    let at = column.saturating_sub(1);
    let is_unread = [", found sequence", ", found map"].iter().any(|end| message.ends_with(end));
    if !is_unread || matches!(line.get(at), Some(b'[' | b'{')) {
        return at;
    }
    let blanks = line.iter().skip(column).take_while(|byte| byte.is_ascii_whitespace());
    column + blanks.count()
}

/// Where a line begins, counted from 0; a line past the end begins at the end.
fn line_start(text: &str, line: usize) -> usize {
    match line.checked_sub(1) {
        None => 0,
        Some(before) => {
            text.match_indices('\n').nth(before).map_or(text.len(), |(newline, _)| newline + 1)
        }
    }
}

/// The string, number or word that a byte of a line belongs to, or the byte alone.
fn part_at(line: &[u8], at: usize) -> Span {
    let mut start = 0;
    while start < line.len() {
        let end = start + part_len(&line[start..]);
        if at < end {
            return Span { start, end };
        }
        start = end;
    }
    Span { start: line.len(), end: line.len() }
}

fn part_len(rest: &[u8]) -> usize {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
    match rest[0] {
        b'"' => string_len(rest),
        byte if is_word(&byte) => rest.iter().take_while(|byte| is_word(byte)).count(),
        _ => 1,
    }
}

fn string_len(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != b'"' {
        at += 1 + usize::from(rest[at] == b'\\');
    }
    rest.len().min(at + 1)
}

/// What serde_json says, without the place, which the diagnostic has.
fn message(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let said = whole.strip_suffix(&place).unwrap_or(&whole);
    match said {
        "expected value" => "expected a value".into(),
        "expected ident" => "expected a value; the words of JSON are true, false and null".into(),
        "trailing characters" => "expected the end of the text".into(),
        "trailing comma" => "expected another item after the comma".into(),
        "key must be a string" => "expected the name of a field as a string".into(),
        _ => match said.strip_prefix("EOF while parsing ") {
            Some(what) => format!("expected the rest of {what}, found the end of the text"),
            None => serde_words(said),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Pair {
        #[serde(rename = "a")]
        _a: u8,
    }

    fn shown(text: &str) -> String {
        let error = serde_json::from_str::<Pair>(text).unwrap_err();
        json_error(&Source::new("a.json", text).starting_at(7), &error).to_string()
    }

    #[test]
    fn the_caret_stands_below_what_is_wrong() {
        for (text, expected) in [
            (
                "{\"a\": 1, \"ü\": 2}",
                "a.json:7:10: unknown field `ü`, expected `a`\n 7 | {\"a\": 1, \"ü\": 2}\n   |          ^^^",
            ),
            (
                "{\"a\": 300}",
                "a.json:7:7: expected a whole number from 0 to 255, found integer `300`\n 7 | {\"a\": 300}\n   |       ^^^",
            ),
            (
                "{\"a\":\n  nil}",
                "a.json:8:3: expected a value; the words of JSON are true, false and null\n 8 |   nil}\n   |   ^^^",
            ),
            (
                "{\"a\": 1} x",
                "a.json:7:10: expected the end of the text\n 7 | {\"a\": 1} x\n   |          ^",
            ),
            (
                "{\"a\":[1]}",
                "a.json:7:6: expected a whole number from 0 to 255, found sequence\n 7 | {\"a\":[1]}\n   |      ^",
            ),
            (
                "{\"a\": [\"\\\"}\", 1",
                "a.json:7:7: expected a whole number from 0 to 255, found sequence\n 7 | {\"a\": [\"\\\"}\", 1\n   |       ^",
            ),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_that_ends_too_early_is_wrong_at_its_end() {
        for (text, place) in
            [("", "7:1"), ("{\"a\"", "7:5"), ("{\"a\": 1,\n", "7:9"), ("{\"a", "7:4")]
        {
            let found = shown(text);
            assert!(found.starts_with(&format!("a.json:{place}: expected ")), "{text}: {found}");
            assert!(found.contains("found the end of the text"), "{text}: {found}");
        }
    }
}
