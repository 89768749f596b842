//! Text to tokens, one at a time, after the description of a language.

use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};

/// What the tokens of a language look like; write what differs from [`Language::PLAIN`].
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// What starts a comment that ends with its line.
    pub comments: &'static [&'static str],
    /// What encloses a comment of any length.
    pub block_comments: Option<(&'static str, &'static str)>,
    /// Signs of several characters, the longer of two with the same start first. Every other
    /// character is a sign by itself, so that the parser can say what it expects in its place.
    pub signs: &'static [&'static str],
    /// Words that cannot be names.
    pub keywords: &'static [&'static str],
    /// Names with a hyphen; elsewhere it is a sign.
    pub hyphenated: &'static [&'static str],
    /// Whether letters and blanks beyond ASCII are letters and blanks.
    pub unicode: bool,
    /// Whether a `$` may be part of a word, though not its first character.
    pub dollars: bool,
    /// Whether there are texts in quotation marks, which end on their line.
    pub texts: bool,
    /// The largest number.
    pub largest: u64,
    /// How deep constructs may be nested.
    pub depth: u32,
}

impl Language {
    /// Words, numbers and signs of one character, without comments.
    pub const PLAIN: Language = Language {
        comments: &[],
        block_comments: None,
        signs: &[],
        keywords: &[],
        hyphenated: &[],
        unicode: false,
        dollars: false,
        texts: false,
        largest: u64::MAX,
        depth: 100,
    };

    fn is_part_of_word(&self, c: char) -> bool {
        let ascii = c == '_' || c.is_ascii_alphanumeric() || self.dollars && c == '$';
        ascii || self.unicode && c.is_alphanumeric()
    }

    fn starts_word(&self, c: char) -> bool {
        c == '_' || c.is_ascii_alphabetic() || self.unicode && c.is_alphabetic()
    }
}

/// The smallest part of a text that means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'s> {
    /// A word that is not a keyword.
    Name(&'s str),
    /// A keyword of the language.
    Key(&'s str),
    /// Digits.
    Number(u64),
    /// What stands between quotation marks.
    Text(&'s str),
    /// One of the language's signs, or any other character.
    Sign(&'s str),
    /// Something that is not a token, or a limit; the cursor knows what is wrong with it.
    Wrong,
    /// The end of the text.
    End,
}

/// A token and its place.
pub(crate) type Lexeme<'s> = (Token<'s>, Span);

/// The state of reading: what is left of a text.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'s> {
    pub source: &'s Source,
    pub language: &'static Language,
    at: usize,
    /// What is wrong with the token that is [`Token::Wrong`]; the text ends there.
    pub wrong: Option<Diagnostic>,
}

impl<'s> Lexer<'s> {
    pub fn new(source: &'s Source, language: &'static Language) -> Lexer<'s> {
        Lexer { source, language, at: 0, wrong: None }
    }

    fn rest(&self) -> &'s str {
        &self.source.text[self.at..]
    }

    fn span(&self, length: usize) -> Span {
        Span { start: self.at, end: self.at + length }
    }

    pub fn next(&mut self) -> Lexeme<'s> {
        if self.wrong.is_some() {
            return (Token::Wrong, self.span(0));
        }
        match self.skip_blank().and_then(|()| self.token()) {
            Ok(lexeme) => lexeme,
            Err(wrong) => {
                self.wrong = Some(wrong);
                (Token::Wrong, self.span(0))
            }
        }
    }

    fn fail<T>(&self, length: usize, message: impl Into<String>) -> Result<T, Diagnostic> {
        Err(self.source.error(self.span(length), message))
    }

    /// Past blanks and comments.
    fn skip_blank(&mut self) -> Result<(), Diagnostic> {
        loop {
            self.skip_white_space();
            let rest = self.rest();
            if self.language.comments.iter().any(|mark| rest.starts_with(mark)) {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some((open, close)) = self.language.block_comments
                && rest.starts_with(open)
            {
                let Some(length) = rest[open.len()..].find(close) else {
                    let message = format!("expected `{close}`, found the end of the text");
                    return self.fail(open.len(), message);
                };
                self.at += open.len() + length + close.len();
            } else {
                return Ok(());
            }
        }
    }

    fn skip_white_space(&mut self) {
        let rest = self.rest();
        let trimmed = match self.language.unicode {
            true => rest.trim_start(),
            false => rest.trim_ascii_start(),
        };
        self.at += rest.len() - trimmed.len();
    }

    fn token(&mut self) -> Result<Lexeme<'s>, Diagnostic> {
        let budget = self.source.budget();
        budget.step().map_err(|what| Diagnostic::limited(self.source, self.span(0), what))?;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok((Token::End, self.span(0))) };
        let (token, length) = if self.language.starts_word(first) {
            self.word(rest)
        } else if first.is_ascii_digit() {
            self.number(rest)?
        } else if first == '"' && self.language.texts {
            self.text(rest)?
        } else {
            let first_byte = rest.as_bytes()[0];
            let is_here =
                |sign: &&&str| sign.as_bytes()[0] == first_byte && rest.starts_with(**sign);
            let sign = self.language.signs.iter().find(is_here);
            let length = sign.map_or(first.len_utf8(), |sign| sign.len());
            (Token::Sign(&rest[..length]), length)
        };
        let span = self.span(length);
        self.at += length;
        Ok((token, span))
    }

    /// How much of a text is a word, or the rest of one.
    fn word_length(&self, text: &str) -> usize {
        let dollar = |byte: &u8| self.language.dollars && *byte == b'$';
        let ascii = |byte: &u8| *byte == b'_' || byte.is_ascii_alphanumeric() || dollar(byte);
        let length = text.bytes().position(|byte| !ascii(&byte)).unwrap_or(text.len());
        if !self.language.unicode || text.as_bytes().get(length).is_none_or(u8::is_ascii) {
            return length;
        }
        text.find(|c: char| !self.language.is_part_of_word(c)).unwrap_or(text.len())
    }

    fn word(&self, rest: &'s str) -> (Token<'s>, usize) {
        let hyphenated = self.language.hyphenated.iter().find(|name| {
            let after = rest.get(name.len()..).and_then(|tail| tail.chars().next());
            rest.starts_with(**name) && !after.is_some_and(|c| self.language.is_part_of_word(c))
        });
        let length = hyphenated.map_or_else(|| self.word_length(rest), |name| name.len());
        let word = &rest[..length];
        match self.language.keywords.contains(&word) {
            true => (Token::Key(word), length),
            false => (Token::Name(word), length),
        }
    }

    /// Digits; a word must not follow them at once.
    fn number(&self, rest: &'s str) -> Result<(Token<'s>, usize), Diagnostic> {
        let digits = rest.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        let length = self.word_length(rest);
        if length > digits {
            let found = crate::quoted(&rest[..length]);
            return self.fail(length, format!("expected a number or a name, found {found}"));
        }
        let largest = self.language.largest;
        match rest[..digits].parse() {
            Ok(value) if value <= largest => Ok((Token::Number(value), digits)),
            _ => self.fail(digits, format!("this number is too large: the largest is {largest}")),
        }
    }

    fn text(&self, rest: &'s str) -> Result<(Token<'s>, usize), Diagnostic> {
        let body = &rest[1..];
        match body.find(['"', '\n']) {
            Some(length) if body[length..].starts_with('"') => {
                Ok((Token::Text(&body[..length]), length + 2))
            }
            _ => self.fail(1, "expected a closing `\"` on this line, found its end"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYTHING: Language = Language {
        comments: &["#", "//"],
        block_comments: Some(("/*", "*/")),
        signs: &["->", ".."],
        keywords: &["loc"],
        hyphenated: &["elder-sibling", "t-net"],
        unicode: true,
        dollars: true,
        texts: true,
        largest: 99,
        depth: 3,
    };

    fn tokens(text: &str) -> Vec<Token<'static>> {
        let source = Box::leak(Box::new(Source::new("t", text)));
        let mut lexer = Lexer::new(source, &EVERYTHING);
        let mut all = Vec::new();
        while !matches!(all.last(), Some(Token::End | Token::Wrong)) {
            all.push(lexer.next().0);
        }
        all
    }

    fn wrong(text: &str) -> Diagnostic {
        let source = Source::new("t", text);
        let mut lexer = Lexer::new(&source, &EVERYTHING);
        while lexer.next().0 != Token::Wrong {}
        lexer.wrong.unwrap()
    }

    #[test]
    fn words_numbers_signs_and_comments() {
        use Token::*;
        assert_eq!(
            tokens("loc a1 // gone\n-> /* gone\n */ 12..\"y z\" ?# gone"),
            [
                Key("loc"),
                Name("a1"),
                Sign("->"),
                Number(12),
                Sign(".."),
                Text("y z"),
                Sign("?"),
                End
            ]
        );
        assert_eq!(tokens("größe é\u{a0}_"), [Name("größe"), Name("é"), Name("_"), End]);
    }

    #[test]
    fn a_hyphen_is_a_sign_but_in_listed_names() {
        use Token::*;
        assert_eq!(
            tokens("a-b elder-sibling t-nets"),
            [
                Name("a"),
                Sign("-"),
                Name("b"),
                Name("elder-sibling"),
                Name("t"),
                Sign("-"),
                Name("nets"),
                End
            ]
        );
    }

    #[test]
    fn without_unicode_a_letter_beyond_ascii_is_a_sign() {
        let source = Source::new("t", "aé");
        let mut lexer = Lexer::new(&source, &Language::PLAIN);
        assert_eq!(lexer.next().0, Token::Name("a"));
        assert_eq!(lexer.next().0, Token::Sign("é"));
        assert_eq!(lexer.next().0, Token::End);
    }

    #[test]
    fn what_is_not_a_token_says_why_and_where() {
        for (text, message) in [
            ("\"abc\nd\"", "expected a closing"),
            ("100", "the largest is 99"),
            ("99999999999999999999999", "too large"),
            ("a 12ab", "found `12ab`"),
            ("/* open", "expected `*/`"),
        ] {
            assert!(wrong(text).message.contains(message), "{}", wrong(text));
        }
        assert_eq!((wrong("a\n  12b").line, wrong("a\n  12b").column), (2, 3));
    }
}
