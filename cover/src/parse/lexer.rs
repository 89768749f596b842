//! Tokens with line numbers, shared by the `.spec` and `.bp` parsers.

use crate::budget::Budget;
use crate::error::{ParseError, ReadError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    Name(&'a str),
    Number(&'a str),
    /// An operator or bracket.
    Sign(&'a str),
}

impl Token<'_> {
    fn text(&self) -> &str {
        match self {
            Token::Name(t) | Token::Number(t) | Token::Sign(t) => t,
        }
    }
}

/// Signs of two characters; every other sign is one character.
const PAIRS: [&str; 8] = [">=", "->", "<=", ":=", "==", "!=", "&&", "||"];

/// The tokens of a file and a cursor over them.
pub struct Tokens<'a> {
    tokens: Vec<(Token<'a>, u32)>,
    at: usize,
    last_line: u32,
}

impl<'a> Tokens<'a> {
    /// `#` and `//` start a comment that ends with the line.
    pub fn new(text: &'a str, budget: &Budget) -> Result<Tokens<'a>, ReadError> {
        let mut tokens = Vec::new();
        let mut last_line = 1;
        for (number, line) in text.lines().enumerate() {
            last_line = u32::try_from(number + 1).unwrap_or(u32::MAX);
            scan_line(line, last_line, &mut tokens, budget)?;
        }
        Ok(Tokens { tokens, at: 0, last_line })
    }

    pub fn peek(&self) -> Option<&Token<'a>> {
        self.tokens.get(self.at).map(|t| &t.0)
    }

    pub fn peek_second(&self) -> Option<&Token<'a>> {
        self.tokens.get(self.at + 1).map(|t| &t.0)
    }

    /// Line of the next token, or of the end of the file.
    pub fn line(&self) -> u32 {
        self.tokens.get(self.at).map_or(self.last_line, |t| t.1)
    }

    pub fn take(&mut self) -> Option<Token<'a>> {
        let token = self.tokens.get(self.at).map(|t| t.0.clone());
        self.at += 1;
        token
    }

    pub fn take_sign(&mut self, sign: &str) -> bool {
        self.take_if(|t| matches!(t, Token::Sign(s) if *s == sign))
    }

    pub fn take_word(&mut self, word: &str) -> bool {
        self.take_if(|t| matches!(t, Token::Name(n) if *n == word))
    }

    pub fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Name(n)) if *n == word)
    }

    fn take_if(&mut self, test: impl Fn(&Token) -> bool) -> bool {
        let hit = self.peek().is_some_and(test);
        self.at += usize::from(hit);
        hit
    }

    pub fn expect_sign(&mut self, sign: &str) -> Result<(), ParseError> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    pub fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.take_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    pub fn expect_name(&mut self, what: &str) -> Result<&'a str, ParseError> {
        match self.peek() {
            Some(&Token::Name(name)) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    pub fn expect_number(&mut self) -> Result<u32, ParseError> {
        match self.peek() {
            Some(&Token::Number(digits)) => {
                let line = self.line();
                self.at += 1;
                super::counter(digits, line)
            }
            _ => Err(self.expected("a number")),
        }
    }

    /// "expected X, found Y" at the cursor.
    pub fn expected(&self, what: &str) -> ParseError {
        let found = self.peek().map_or("the end of the file".into(), |t| format!("`{}`", t.text()));
        ParseError::new(self.line(), format!("expected {what}, found {found}"))
    }
}

fn scan_line<'a>(
    line: &'a str,
    number: u32,
    tokens: &mut Vec<(Token<'a>, u32)>,
    budget: &Budget,
) -> Result<(), ReadError> {
    let mut rest = line.trim_ascii_start();
    while let Some(first) = rest.chars().next() {
        budget.steps(1)?;
        if first == '#' || rest.starts_with("//") {
            break;
        }
        let length = token_length(rest, first);
        let Some(text) = rest.get(..length) else {
            return Err(ParseError::new(number, format!("unexpected character `{first}`")).into());
        };
        tokens.push((classify(text, first, number)?, number));
        rest = rest[length..].trim_ascii_start();
    }
    Ok(())
}

fn token_length(rest: &str, first: char) -> usize {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if word(first) {
        rest.find(|c| !word(c)).unwrap_or(rest.len())
    } else if PAIRS.iter().any(|pair| rest.starts_with(pair)) {
        2
    } else {
        first.len_utf8()
    }
}

fn classify<'a>(text: &'a str, first: char, line: u32) -> Result<Token<'a>, ParseError> {
    if text.bytes().all(|b| b.is_ascii_digit()) {
        Ok(Token::Number(text))
    } else if first.is_ascii_digit() {
        Err(ParseError::new(line, format!("`{text}` is neither a number nor a name")))
    } else if first.is_ascii_alphabetic() || first == '_' {
        Ok(Token::Name(text))
    } else if first.is_ascii_graphic() {
        Ok(Token::Sign(text))
    } else {
        Err(ParseError::new(line, format!("unexpected character `{first}`")))
    }
}
