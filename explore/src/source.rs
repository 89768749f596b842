//! Model texts of both languages: positions, and errors that show the line with a caret.

use pidlab_budget::{Budget, Exhausted};
use std::fmt;

/// A range of bytes of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }
}

/// A named text, and what reading and compiling it may use.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub text: String,
    budget: Budget,
}

/// Steps of a front end between two looks at the limits.
const POLL_EVERY: usize = 1 << 8;

impl Source {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into(), budget: Budget::unlimited() }
    }

    /// The same, to be read and compiled within limits.
    pub fn within(self, budget: Budget) -> Source {
        Source { budget, ..self }
    }

    /// For front ends: an error if a limit is reached, looked at once in many steps.
    #[inline]
    pub fn poll(&self, step: usize, span: Span) -> Result<(), Diagnostic> {
        if step.is_multiple_of(POLL_EVERY) { self.look(span) } else { Ok(()) }
    }

    fn look(&self, span: Span) -> Result<(), Diagnostic> {
        self.budget.poll().map_err(|what| Diagnostic {
            limit: Some(what),
            ..self.error(span, format!("{what} before the model was compiled up to here"))
        })
    }

    /// Line and column, both from 1, of a byte.
    pub fn line_column(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..self.floor(at)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }

    pub fn line_of(&self, span: Span) -> usize {
        self.line_column(span.start).0
    }

    fn floor(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    pub fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        let (line, column) = self.line_column(span.start);
        let text = self.text.lines().nth(line - 1).unwrap_or("").to_string();
        let start = self.floor(span.start);
        let covered = self.text[start..self.floor(span.end).max(start)].chars();
        let width = covered.take_while(|&c| c != '\n').count().max(1);
        let (file, message) = (self.name.clone(), message.into());
        Diagnostic { file, line, column, width, text, message, limit: None }
    }
}

/// What is wrong, where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub file: String,
    pub line: usize,
    pub column: usize,
    pub width: usize,
    /// The source line.
    pub text: String,
    pub message: String,
    /// Nothing is known to be wrong: a limit was reached first.
    pub limit: Option<Exhausted>,
}

impl std::error::Error for Diagnostic {}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let (text, column) = self.excerpt();
        // tabs stay tabs so that the caret stands below its place
        let blank = |c| if c == '\t' { '\t' } else { ' ' };
        let lead: String = text.chars().take(column).map(blank).collect();
        let room = text.chars().count().saturating_sub(column).max(1);
        writeln!(f, " {number} | {text}")?;
        write!(f, " {margin} | {lead}{}", "^".repeat(self.width.min(room)))
    }
}

/// Characters of a line that are shown on either side of the place.
const SHOWN: usize = 80;

impl Diagnostic {
    /// The source line, or of a long one the part around the place, and where in it the place is.
    fn excerpt(&self) -> (String, usize) {
        let start = (self.column - 1).saturating_sub(SHOWN);
        let mut rest = self.text.chars().skip(start);
        let mut text: String = rest.by_ref().take(2 * SHOWN).collect();
        if rest.next().is_some() {
            text.push('…');
        }
        match start {
            0 => (text, self.column - 1),
            _ => (format!("…{text}"), self.column - start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_below_its_place() {
        let source = Source::new("a.tnet", "net x\n\tplace ü(pid)\n");
        let error = source.error(Span { start: 13, end: 15 }, "odd name");
        assert_eq!(error.to_string(), "a.tnet:2:8: odd name\n 2 | \tplace ü(pid)\n   | \t      ^");
        let source = Source::new("a.bir", "one\n  twö three\n");
        let shown = source.error(Span { start: 11, end: 16 }, "no").to_string();
        assert_eq!(shown, "a.bir:2:7: no\n 2 |   twö three\n   |       ^^^^^");
    }

    #[test]
    fn of_a_long_line_only_the_part_around_the_place_is_shown() {
        let source = Source::new("a.tnet", format!("{}?{}", "a".repeat(500), "b".repeat(500)));
        let shown = source.error(Span { start: 500, end: 900 }, "no").to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() < 200), "{shown}");
        let at = |line: &str, what| line.chars().position(|c| c == what);
        assert_eq!(at(lines[1], '?'), at(lines[2], '^'));
    }

    #[test]
    fn a_place_past_the_end_is_the_end() {
        let source = Source::new("a.tnet", "net x\n");
        let end = source.error(Span { start: 99, end: 120 }, "end");
        assert_eq!((end.line, end.width), (2, 1));
    }
}
