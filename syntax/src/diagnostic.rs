//! What is wrong, where: an error that shows its line with a caret.
//!
//! Long lines and long names are cut, so that no text makes a message longer than a few lines.

use crate::source::{Source, Span};
use pidlab_budget::Exhausted;
use std::fmt;

/// What a reader gives.
pub type Parsed<T> = Result<T, Diagnostic>;

/// What is wrong, where. One pointer wide, so that results which hold one stay small; the parts are
/// those of [`Report`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic(Box<Report>);

/// The parts of a [`Diagnostic`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The name of the source; empty if the error is not at a place.
    pub file: String,
    /// From 1; 0 if the error is not at a place.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// How many characters the caret is wide.
    pub width: usize,
    /// The source line.
    pub text: String,
    /// What is wrong.
    pub message: String,
    /// Nothing is known to be wrong: a limit was reached first.
    pub limit: Option<Exhausted>,
}

impl Diagnostic {
    pub(crate) fn new(source: &Source, span: Span, message: String) -> Diagnostic {
        let (line, column) = source.line_column(span.start);
        let text = source.line_text(line).to_string();
        let start = source.floor(span.start);
        let covered = source.text[start..source.floor(span.end).max(start)].chars();
        let width = covered.take_while(|&c| c != '\n').count().max(1);
        let file = source.name.clone();
        Diagnostic(Box::new(Report { file, line, column, width, text, message, limit: None }))
    }

    /// A limit was reached at a place.
    pub(crate) fn limited(source: &Source, span: Span, what: Exhausted) -> Diagnostic {
        let message = format!("{what} before the model was read up to here");
        let mut diagnostic = Diagnostic::new(source, span, message);
        diagnostic.0.limit = Some(what);
        diagnostic
    }
}

/// A limit that was reached nowhere in particular.
impl From<Exhausted> for Diagnostic {
    fn from(what: Exhausted) -> Diagnostic {
        let report = Report { message: what.to_string(), limit: Some(what), ..Report::default() };
        Diagnostic(Box::new(report))
    }
}

impl std::ops::Deref for Diagnostic {
    type Target = Report;

    fn deref(&self) -> &Report {
        &self.0
    }
}

impl std::error::Error for Diagnostic {}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            return f.write_str(&self.message);
        }
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

/// Characters of a word that a message repeats.
const QUOTED: usize = 40;

impl Report {
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

/// A part of a text for a message: in quotation marks, a long one cut.
pub fn quoted(part: &str) -> String {
    match part.char_indices().nth(QUOTED) {
        None => format!("`{part}`"),
        Some((end, _)) => format!("`{}…`", &part[..end]),
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
    fn a_part_of_a_file_has_the_lines_of_the_file() {
        let source = Source::new("a.jsonl", "one two").starting_at(7);
        let shown = source.error(Span { start: 4, end: 7 }, "no").to_string();
        assert_eq!(shown, "a.jsonl:7:5: no\n 7 | one two\n   |     ^^^");
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

    #[test]
    fn long_words_are_cut() {
        assert_eq!(quoted("word"), "`word`");
        assert_eq!(quoted(&"ü".repeat(QUOTED)).chars().count(), QUOTED + 2);
        assert_eq!(quoted(&"ü".repeat(10_000)).chars().count(), QUOTED + 3);
    }

    #[test]
    fn a_limit_without_a_place_is_told_without_one() {
        let stopped = Diagnostic::from(Exhausted::Memory);
        assert_eq!(stopped.to_string(), "the memory limit was reached");
        assert_eq!(size_of::<Parsed<()>>(), size_of::<usize>());
    }
}
