//! Texts, places in them, and lines for languages that are made of lines.

use crate::diagnostic::{Diagnostic, Parsed, quoted};
use pidlab_budget::Budget;

/// A range of bytes of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// From the start of this to the end of another.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }
}

/// A named text, and what reading and compiling it may use.
#[derive(Clone, Debug)]
pub struct Source {
    /// What messages call it, as a rule the path of the file.
    pub name: String,
    /// The text.
    pub text: String,
    budget: Budget,
    /// The number of the first line of the text.
    first_line: usize,
}

/// Steps of a front end between two looks at the limits.
const POLL_EVERY: usize = 1 << 8;

/// What some editors put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl Source {
    /// A text without limits.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into(), budget: Budget::unlimited(), first_line: 1 }
    }

    /// The text of a file, which is UTF-8, also behind a byte order mark; lines that `may_be_anything` (comments) have a `?` for each byte that is not.
    pub fn of_bytes(
        name: impl Into<String>,
        mut bytes: Vec<u8>,
        may_be_anything: impl Fn(&[u8]) -> bool,
    ) -> Parsed<Source> {
        if bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        let bytes = match String::from_utf8(bytes) {
            Ok(text) => return Ok(Source::new(name, text)),
            Err(other) => other.into_bytes(),
        };
        let (mut text, mut wrong) = (String::new(), None);
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let is_free = may_be_anything(line);
            for chunk in line.utf8_chunks() {
                text.push_str(chunk.valid());
                if !is_free && !chunk.invalid().is_empty() {
                    wrong.get_or_insert(text.len());
                }
                text.extend(chunk.invalid().iter().map(|_| '?'));
            }
        }
        let source = Source::new(name, text);
        match wrong {
            Some(start) => {
                let span = Span { start, end: start + 1 };
                Err(source.error(span, "this byte is not text; expected UTF-8"))
            }
            None => Ok(source),
        }
    }

    /// The same, to be read and compiled within limits.
    pub fn within(self, budget: Budget) -> Source {
        Source { budget, ..self }
    }

    /// The same, where the text is a part of a file that begins with a line, counted from 1.
    pub fn starting_at(self, first_line: usize) -> Source {
        Source { first_line, ..self }
    }

    /// The line of the text, without what follows it, where a line of the file stands.
    pub(crate) fn line_text(&self, line: usize) -> &str {
        self.text.lines().nth(line - self.first_line).unwrap_or("")
    }

    /// What reading and compiling may use.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// For compilers, which count their own steps: an error if a limit is reached, looked at once in
    /// many steps.
    #[inline]
    pub fn poll(&self, step: usize, span: Span) -> Parsed<()> {
        if !step.is_multiple_of(POLL_EVERY) {
            return Ok(());
        }
        self.budget.poll().map_err(|what| Diagnostic::limited(self, span, what))
    }

    /// Line and column, both from 1, of a byte.
    pub fn line_column(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..self.floor(at)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = newlines(before) + self.first_line;
        (line, before[line_start..].chars().count() + 1)
    }

    /// A character by its line and column, both from 1, of a text that begins with line 1.
    pub fn character(&self, line: usize, column: usize) -> Span {
        let text = self.text.lines().nth(line.saturating_sub(1)).unwrap_or("");
        let start = text.char_indices().nth(column.saturating_sub(1));
        let after = &text[text.len()..];
        self.span_of(start.map_or(after, |(start, c)| &text[start..start + c.len_utf8()]))
    }

    /// The line, from 1, where a span starts.
    pub fn line_of(&self, span: Span) -> usize {
        self.line_column(span.start).0
    }

    /// Where a part of the text stands, such as a word of a line. Found by its address, so it costs
    /// nothing to remember; what is not a part of the text stands at its end.
    pub fn span_of(&self, part: &str) -> Span {
        let start = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        match start.checked_add(part.len()) {
            Some(end) if end <= self.text.len() => Span { start, end },
            _ => self.end(),
        }
    }

    /// The place after the last character that is not a blank.
    pub fn end(&self) -> Span {
        let end = self.text.trim_end().len();
        Span { start: end, end }
    }

    /// An error at a place.
    pub fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self, span, message.into())
    }

    /// "expected X, found `Y`", where Y is a part of the text.
    pub fn expected(&self, what: &str, part: &str) -> Diagnostic {
        let found = if part.is_empty() { "nothing".into() } else { quoted(part) };
        self.error(self.span_of(part), format!("expected {what}, found {found}"))
    }

    /// Lines with content, without what follows `comment`. Looks at the limits on the way.
    pub fn lines<'s>(&'s self, comment: char) -> impl Iterator<Item = Parsed<Line<'s>>> {
        let content = move |(i, line): (usize, &'s str)| {
            self.budget.steps(1 + line.len() / 16)?;
            let text = line.split(comment).next().unwrap_or_default().trim_ascii();
            Ok(Line { number: number(i + 1), text })
        };
        let lines = self.text.lines().enumerate().map(content);
        lines.filter(|line| !matches!(line, Ok(Line { text: "", .. })))
    }

    /// The largest place not after a byte where a character starts.
    pub(crate) fn floor(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

/// A line with content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'s> {
    /// From 1.
    pub number: u32,
    /// Without comment and without blanks at either end.
    pub text: &'s str,
}

/// Numbers of lines for places that come one after the other: all of them cost one pass.
#[derive(Clone, Debug)]
pub struct LineCounter<'s> {
    text: &'s str,
    at: usize,
    line: usize,
}

impl<'s> LineCounter<'s> {
    /// At the start of a text.
    pub fn new(source: &'s Source) -> LineCounter<'s> {
        LineCounter { text: &source.text, at: 0, line: 1 }
    }

    /// The line of a byte that is not before the one asked for last.
    pub fn line_of(&mut self, at: usize) -> u32 {
        if let Some(between) = self.text.as_bytes().get(self.at..at) {
            self.line += between.iter().filter(|&&byte| byte == b'\n').count();
            self.at = at;
        }
        number(self.line)
    }
}

fn number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_budget::Exhausted;
    use std::time::Duration;

    #[test]
    fn bytes_that_are_not_text_are_named_by_their_place() {
        let bytes = b"c Erd\xf6s\np edge 1 0\n".to_vec();
        let is_comment = |line: &[u8]| line.starts_with(b"c ");
        let source = Source::of_bytes("a.col", bytes.clone(), is_comment).unwrap();
        assert_eq!(source.text, "c Erd?s\np edge 1 0\n");
        let wrong = Source::of_bytes("a.tnet", bytes, |_| false).unwrap_err().to_string();
        assert!(wrong.starts_with("a.tnet:1:6: ") && wrong.contains("expected UTF-8"), "{wrong}");
    }

    #[test]
    fn lines_without_comments_and_where_their_words_stand() {
        let source = Source::new("a.tts", "# all\n\n 2 3 # sizes\r\n0 0 -> 1 ü\n");
        let lines: Vec<Line> = source.lines('#').map(Result::unwrap).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], Line { number: 3, text: "2 3" });
        let word = lines[1].text.split_ascii_whitespace().last().unwrap();
        let wrong = source.expected("a number", word);
        assert_eq!((wrong.line, wrong.column, wrong.width), (4, 10, 1));
        assert_eq!(wrong.message, "expected a number, found `ü`");
        assert_eq!(source.expected("a line", "").message, "expected a line, found nothing");
    }

    #[test]
    fn what_is_not_a_part_stands_at_the_end() {
        let source = Source::new("a", "x\n\n");
        assert_eq!(source.expected("more", "").line, 1);
        assert_eq!(source.end(), Span { start: 1, end: 1 });
    }

    #[test]
    fn a_counter_agrees_with_counting_anew() {
        let source = Source::new("a", "one\ntwo\n\nthree");
        let mut counter = LineCounter::new(&source);
        for at in 0..=source.text.len() {
            assert_eq!(counter.line_of(at) as usize, source.line_column(at).0, "byte {at}");
        }
        assert_eq!(counter.line_of(1000), 4);
    }

    #[test]
    fn limits_reach_lines_and_steps() {
        let spent = Budget::new(Some(Duration::ZERO), None);
        let source = Source::new("a", "x\n".repeat(5000)).within(spent);
        let stopped = source.lines('#').find_map(Result::err).unwrap();
        assert_eq!(stopped.limit, Some(Exhausted::Time));
        assert!(source.poll(1, Span::default()).is_ok());
        let stopped = source.poll(0, Span { start: 2, end: 3 }).unwrap_err();
        assert_eq!((stopped.limit, stopped.line), (Some(Exhausted::Time), 2));
    }
}
