//! A place in a text, between two tokens: what recursive-descent parsers are written with.

use crate::diagnostic::{Diagnostic, Parsed, quoted};
use crate::lexer::{Language, Lexeme, Lexer, Token};
use crate::source::{LineCounter, Source, Span};

/// Where a parser is, and what comes next.
#[derive(Clone, Debug)]
pub struct Cursor<'s> {
    lexer: Lexer<'s>,
    here: Lexeme<'s>,
    /// Tokens after this one that were asked for already.
    ahead: Vec<Lexeme<'s>>,
    last: Span,
    lines: LineCounter<'s>,
    depth: u32,
}

impl<'s> Cursor<'s> {
    /// At the start of a text.
    pub fn new(source: &'s Source, language: &'static Language) -> Cursor<'s> {
        let mut lexer = Lexer::new(source, language);
        let here = lexer.next();
        let lines = LineCounter::new(source);
        Cursor { lexer, here, ahead: Vec::new(), last: Span::default(), lines, depth: 0 }
    }

    /// The text.
    pub fn source(&self) -> &'s Source {
        self.lexer.source
    }

    /// The next token.
    #[inline]
    pub fn peek(&self) -> Token<'s> {
        self.here.0
    }

    /// The token that comes so many tokens after the next.
    pub fn peek_after(&mut self, tokens: usize) -> Token<'s> {
        if tokens == 0 {
            return self.here.0;
        }
        while self.ahead.len() < tokens {
            self.ahead.push(self.lexer.next());
        }
        self.ahead[tokens - 1].0
    }

    /// Where the next token stands.
    pub fn span(&self) -> Span {
        self.here.1
    }

    /// Where the token before it stands.
    pub fn last_span(&self) -> Span {
        self.last
    }

    /// The line of the next token, from 1; all of them together cost one pass.
    pub fn line(&mut self) -> u32 {
        self.lines.line_of(self.here.1.start)
    }

    /// Takes the next token; the end stays.
    #[inline]
    pub fn advance(&mut self) -> Token<'s> {
        let (token, span) = self.here;
        if !matches!(token, Token::End | Token::Wrong) {
            self.last = span;
            self.here = match self.ahead.is_empty() {
                true => self.lexer.next(),
                false => self.ahead.remove(0),
            };
        }
        token
    }

    /// Whether a word or sign comes next.
    #[inline]
    pub fn at(&self, text: &str) -> bool {
        matches!(self.here.0, Token::Name(t) | Token::Key(t) | Token::Sign(t) if t == text)
    }

    /// Takes a word or sign if it comes next.
    #[inline]
    pub fn accept(&mut self, text: &str) -> bool {
        let is_here = self.at(text);
        if is_here {
            self.advance();
        }
        is_here
    }

    /// Takes a word or sign that must come next.
    #[inline]
    pub fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.accept(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    /// Takes a name, which must not be a keyword; `what` says what it stands for.
    pub fn name(&mut self, what: &str) -> Parsed<&'s str> {
        match self.here.0 {
            Token::Name(name) => {
                self.advance();
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Takes a word, be it a keyword or not.
    pub fn word(&mut self, what: &str) -> Parsed<&'s str> {
        match self.here.0 {
            Token::Name(word) | Token::Key(word) => {
                self.advance();
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Takes a number.
    pub fn number(&mut self, what: &str) -> Parsed<u64> {
        match self.here.0 {
            Token::Number(value) => {
                self.advance();
                Ok(value)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// An error unless everything was read.
    pub fn expect_end(&self) -> Parsed<()> {
        match self.here.0 {
            Token::End => Ok(()),
            _ => Err(self.expected("the end of the text")),
        }
    }

    /// "expected X, found `Y`" at the next token. What is not a token has an error of its own.
    #[cold]
    pub fn expected(&self, what: &str) -> Diagnostic {
        let (token, span) = self.here;
        if let (Token::Wrong, Some(wrong)) = (token, &self.lexer.wrong) {
            return wrong.clone();
        }
        let part = &self.source().text[span.start..span.end];
        let (span, found) = match token {
            Token::End | Token::Wrong => (self.source().end(), "the end of the text".into()),
            Token::Key(word) => (span, format!("`{word}`, which is a keyword")),
            _ => (span, quoted(part)),
        };
        self.error(span, format!("expected {what}, found {found}"))
    }

    /// An error at a place.
    #[cold]
    pub fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.source().error(span, message)
    }

    /// An error at the next token.
    pub fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(self.error(self.here.1, message))
    }

    /// Counts a step of the parser's own; an error if a limit is reached.
    #[inline]
    pub fn step(&self) -> Parsed<()> {
        let limited = |what| Diagnostic::limited(self.source(), self.here.1, what);
        self.source().budget().step().map_err(limited)
    }

    /// Goes one level deeper; an error if a limit is reached, or the depth that the language allows.
    /// Goes with [`leave`](Self::leave).
    pub fn enter(&mut self) -> Parsed<()> {
        self.step()?;
        let deepest = self.lexer.language.depth;
        if self.depth == deepest {
            return self.fail(format!("nested more than {deepest} levels deep"));
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back from a deeper level.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Language =
        Language { signs: &["->"], keywords: &["if"], depth: 2, ..Language::PLAIN };

    #[test]
    fn tokens_are_taken_one_by_one() {
        let source = Source::new("t", "a -> if\n7");
        let mut cursor = Cursor::new(&source, &SMALL);
        assert_eq!(cursor.peek_after(2), Token::Key("if"));
        assert_eq!(cursor.name("a name").unwrap(), "a");
        assert!(!cursor.accept("if"));
        cursor.expect("->").unwrap();
        assert_eq!((cursor.word("a word").unwrap(), cursor.line()), ("if", 2));
        assert_eq!(cursor.last_span(), Span { start: 5, end: 7 });
        assert!(cursor.expect_end().is_err());
        assert_eq!(cursor.number("a number").unwrap(), 7);
        assert_eq!((cursor.advance(), cursor.peek_after(3)), (Token::End, Token::End));
        cursor.expect_end().unwrap();
    }

    #[test]
    fn errors_say_what_was_expected_and_found() {
        let message = |text: &str| {
            let source = Source::new("t", text);
            let mut cursor = Cursor::new(&source, &SMALL);
            cursor.name("a name").unwrap_err().message.clone()
        };
        assert_eq!(message("->"), "expected a name, found `->`");
        assert_eq!(message("07"), "expected a name, found `07`");
        assert_eq!(message("if"), "expected a name, found `if`, which is a keyword");
        assert_eq!(message(""), "expected a name, found the end of the text");
        assert_eq!(message("5x"), "expected a number or a name, found `5x`");
    }

    #[test]
    fn nesting_is_bounded() {
        let source = Source::new("t", "x");
        let mut cursor = Cursor::new(&source, &SMALL);
        cursor.enter().unwrap();
        cursor.enter().unwrap();
        assert_eq!(cursor.enter().unwrap_err().message, "nested more than 2 levels deep");
        cursor.leave();
        cursor.enter().unwrap();
    }
}
