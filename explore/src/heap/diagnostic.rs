//! Errors in a program's text: file, line, column, the line itself and a caret under the place.

use std::fmt;

/// A place in a source text: byte offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }
}

/// A program's text and where it came from.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub text: String,
}

impl Source {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into() }
    }

    /// Line number, from 1, of a byte offset.
    pub fn line(&self, offset: u32) -> u32 {
        1 + self.text.bytes().take(offset as usize).filter(|&byte| byte == b'\n').count() as u32
    }

    pub fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        let start = floor_boundary(&self.text, span.start as usize);
        let end = floor_boundary(&self.text, span.end as usize).max(start);
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        Diagnostic {
            file: self.name.clone(),
            line: self.line(start as u32),
            column: self.text[line_start..start].chars().count() as u32 + 1,
            width: self.text[start..end.min(line_end)].chars().count().max(1) as u32,
            text: self.text[line_start..line_end].replace('\t', " "),
            message: message.into(),
        }
    }
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// One error with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub file: String,
    pub line: u32,
    pub column: u32,
    width: u32,
    text: String,
    pub message: String,
}

impl std::error::Error for Diagnostic {}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        let margin = self.line.to_string();
        writeln!(f, " {margin} | {}", self.text)?;
        let blank = " ".repeat(margin.len());
        let indent = " ".repeat(self.column as usize - 1);
        write!(f, " {blank} | {indent}{}", "^".repeat(self.width as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_place() {
        let source = Source::new("a.bir", "one\n  twö three\n");
        let shown = source.error(Span { start: 11, end: 16 }, "no").to_string();
        assert_eq!(shown, "a.bir:2:7: no\n 2 |   twö three\n   |       ^^^^^");
    }

    #[test]
    fn a_place_past_the_end_is_the_last_line() {
        let source = Source::new("a.bir", "one");
        assert_eq!(source.error(Span { start: 9, end: 12 }, "no").line, 1);
    }
}
