//! A cursor over the JSON of one line.
//!
//! States come by the hundred thousand a second, so nothing is built on the way: strings are parts of
//! the line unless they hold escapes, and numbers are read where they stand. What is wrong is a
//! [`Wrong`] with a range of bytes, which becomes a diagnostic with a caret where the line is known.

use pidlab_syntax::{Span, quoted};
use std::borrow::Cow;

/// What is wrong in a line, and where.
#[derive(Debug)]
pub struct Wrong {
    pub span: Span,
    pub message: String,
}

/// What reading a part of a line gives; one pointer wide where it fails.
pub type Read<T> = Result<T, Box<Wrong>>;

/// A line and the place up to which it was read.
#[derive(Clone, Debug)]
pub struct Text<'t> {
    line: &'t str,
    at: usize,
}

impl<'t> Text<'t> {
    pub fn new(line: &'t str) -> Text<'t> {
        Text { line, at: 0 }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    /// The next byte that is not a blank; 0 at the end.
    #[inline]
    pub fn peek(&mut self) -> u8 {
        let bytes = self.line.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return byte;
            }
            self.at += 1;
        }
        0
    }

    #[inline]
    pub fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.at += usize::from(found);
        found
    }

    #[inline]
    pub fn expect(&mut self, byte: u8, what: &str) -> Read<()> {
        match self.accept(byte) {
            true => Ok(()),
            false => Err(self.expected(what)),
        }
    }

    /// Nothing but blanks may follow.
    pub fn end(&mut self) -> Read<()> {
        self.peek();
        match self.at == self.line.len() {
            true => Ok(()),
            false => Err(self.expected("the end of the line")),
        }
    }

    /// An error at bytes of the line.
    #[cold]
    pub fn wrong(&self, start: usize, end: usize, message: impl Into<String>) -> Box<Wrong> {
        Box::new(Wrong { span: Span { start, end }, message: message.into() })
    }

    /// "expected X, found `Y`", where Y is what comes next.
    #[cold]
    pub fn expected(&mut self, what: &str) -> Box<Wrong> {
        self.peek();
        let rest = &self.line[self.at..];
        let word = rest.find([',', ':', ']', '}', ' ']).map_or(rest.len(), |end| end.max(1));
        let word = rest.char_indices().map(|(i, c)| i + c.len_utf8()).find(|&end| end >= word);
        let word = &rest[..word.unwrap_or(0)];
        let found = if word.is_empty() { "the end of the line".into() } else { quoted(word) };
        self.wrong(self.at, self.at + word.len(), format!("expected {what}, found {found}"))
    }

    /// A string.
    #[inline]
    pub fn string(&mut self, what: &str) -> Read<Cow<'t, str>> {
        self.expect(b'"', what)?;
        let (start, bytes) = (self.at, self.line.as_bytes());
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(Cow::Borrowed(&self.line[start..self.at - 1]));
                }
                b'\\' | 0..0x20 => break,
                _ => self.at += 1,
            }
        }
        self.escaped(start)
    }

    /// A string with escapes: serde knows them.
    #[cold]
    fn escaped(&mut self, start: usize) -> Read<Cow<'t, str>> {
        let bytes = self.line.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(0x20..) => self.at += 1,
                Some(_) => {
                    return Err(self.wrong(self.at, self.at + 1, "expected control characters in strings to be written as escapes, such as \\n"));
                }
                None => {
                    self.at = self.line.len();
                    return Err(self.wrong(start - 1, self.at, "expected the end of this string"));
                }
            }
        }
        self.at += 1;
        let text = serde_json::from_str::<String>(&self.line[start - 1..self.at]);
        text.map(Cow::Owned).map_err(|_| {
            self.wrong(start - 1, self.at, "expected escapes as JSON has them in this string")
        })
    }

    /// An integer of at most 64 bits, with or without sign.
    #[inline]
    pub fn integer(&mut self, what: &str) -> Read<i128> {
        self.peek();
        let (start, bytes) = (self.at, self.line.as_bytes());
        let negative = bytes.get(start) == Some(&b'-');
        let mut at = start + usize::from(negative);
        let (first, mut value) = (at, 0i128);
        while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
            value = value.saturating_mul(10).saturating_add(i128::from(digit - b'0'));
            at += 1;
        }
        if at == first {
            return Err(self.expected(what));
        }
        let value = if negative { -value } else { value };
        let fits = (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value);
        let is_whole = !matches!(bytes.get(at), Some(b'.' | b'e' | b'E'));
        let canonical = bytes[first] != b'0' || at == first + 1;
        if !(fits && is_whole && canonical) {
            let end = at + self.line[at..].find([',', ']', '}', ' ']).unwrap_or(0);
            let text = "expected an integer of at most 64 bits without leading zeros; write other numbers as strings";
            return Err(self.wrong(start, end, text));
        }
        self.at = at;
        Ok(value)
    }

    pub fn boolean(&mut self, what: &str) -> Read<bool> {
        self.peek();
        for (word, value) in [("true", true), ("false", false)] {
            if self.line[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.expected(what))
    }

    /// An object; `field` reads the value of each field, whose name stands at the bytes given.
    #[inline]
    pub fn object(
        &mut self,
        what: &str,
        mut field: impl FnMut(&mut Text<'t>, &str, Span) -> Read<()>,
    ) -> Read<()> {
        self.expect(b'{', what)?;
        if self.accept(b'}') {
            return Ok(());
        }
        loop {
            self.peek();
            let start = self.at;
            let name = self.string("the name of a field")?;
            let span = Span { start, end: self.at };
            self.expect(b':', "`:`")?;
            field(self, &name, span)?;
            if !self.accept(b',') {
                return self.expect(b'}', "`,` or `}`");
            }
        }
    }

    /// A list; `item` reads each of its items.
    #[inline]
    pub fn list(
        &mut self,
        what: &str,
        mut item: impl FnMut(&mut Text<'t>) -> Read<()>,
    ) -> Read<()> {
        self.expect(b'[', what)?;
        if self.accept(b']') {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.accept(b',') {
                return self.expect(b']', "`,` or `]`");
            }
        }
    }
}

/// The fields of an object that were seen, as bits, for objects whose fields are known.
#[derive(Default)]
pub struct Seen(u32);

impl Seen {
    /// The number of a known field; an error for others and for those seen before.
    pub fn field(
        &mut self,
        text: &Text<'_>,
        names: &[&str],
        name: &str,
        span: Span,
    ) -> Read<usize> {
        let Some(number) = names.iter().position(|known| *known == name) else {
            let message = format!("unknown field {}; expected {}", quoted(name), names.join(", "));
            return Err(text.wrong(span.start, span.end, message));
        };
        if self.0 >> number & 1 == 1 {
            let message = format!("field {} occurs twice", quoted(name));
            return Err(text.wrong(span.start, span.end, message));
        }
        self.0 |= 1 << number;
        Ok(number)
    }

    /// An error if a field is missing; `start` is where the object begins.
    pub fn require(
        &self,
        text: &Text<'_>,
        names: &[&str],
        number: usize,
        start: usize,
    ) -> Read<()> {
        match self.0 >> number & 1 {
            1 => Ok(()),
            _ => {
                let message = format!("expected a field {}", quoted(names[number]));
                Err(text.wrong(start, text.at(), message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_with_and_without_escapes() {
        let mut text = Text::new(r#" "ab" "a\"\u00fc" "#);
        assert_eq!(text.string("a").unwrap(), "ab");
        assert_eq!(text.string("a").unwrap(), "a\"ü");
        assert!(text.end().is_ok());
        for bad in ["\"", "\"\\", "\"a\u{1}\"", "\"\\x\"", "\"\\u12\"", "", "x"] {
            assert!(Text::new(bad).string("a string").is_err(), "{bad}");
        }
    }

    #[test]
    fn integers_have_64_bits() {
        for (good, value) in [("0", 0), ("-7", -7), ("18446744073709551615", i128::from(u64::MAX))]
        {
            assert_eq!(Text::new(good).integer("i").unwrap(), value);
        }
        let huge = "9".repeat(60);
        for bad in ["", "-", "01", "1.5", "1e3", "18446744073709551616", &huge, "ü"] {
            assert!(Text::new(bad).integer("an integer").is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_found_is_told() {
        let mut text = Text::new("  {\"a\": nothing}");
        let wrong =
            text.object("o", |text, _, _| text.integer("a number").map(|_| ())).unwrap_err();
        assert_eq!(wrong.message, "expected a number, found `nothing`");
        assert_eq!((wrong.span.start, wrong.span.end), (8, 15));
    }
}
