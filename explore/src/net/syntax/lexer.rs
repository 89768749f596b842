//! Text to tokens.

use crate::source::{Diagnostic, Source, Span};

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A name or a keyword.
    Word(String),
    Int(i64),
    Text(String),
    /// Punctuation or operator.
    Sign(&'static str),
    End,
}

/// Longest first.
const SIGNS: [&str; 24] = [
    "..", "==", "!=", "<=", ">=", "(", ")", "{", "}", "[", "]", ",", ":", "=", "<", ">", "+", "-",
    "*", "/", "%", "@", "|", ";",
];

/// Names with a hyphen; elsewhere it is a minus.
const HYPHENATED: [&str; 3] = ["adjacent-sibling", "elder-sibling", "t-net"];

pub fn tokens(source: &Source) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut lexer = Lexer { source, at: 0 };
    let mut out = Vec::new();
    loop {
        lexer.skip_blank();
        let start = lexer.at;
        source.poll(out.len(), Span { start, end: start })?;
        let token = lexer.next()?;
        let done = token == Token::End;
        out.push((token, Span { start, end: lexer.at }));
        if done {
            return Ok(out);
        }
    }
}

struct Lexer<'s> {
    source: &'s Source,
    at: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.source.text[self.at..]
    }

    /// White space, and comments from `#` to the end of the line.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            if blank > 0 {
                self.at += blank;
            } else if rest.starts_with('#') {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else {
                return;
            }
        }
    }

    fn next(&mut self) -> Result<Token, Diagnostic> {
        let Some(first) = self.rest().chars().next() else { return Ok(Token::End) };
        if first.is_ascii_digit() {
            return self.number();
        }
        if first == '"' {
            return self.text();
        }
        if first.is_alphabetic() || first == '_' {
            return Ok(self.word());
        }
        if let Some(sign) = SIGNS.into_iter().find(|sign| self.rest().starts_with(sign)) {
            self.at += sign.len();
            return Ok(Token::Sign(sign));
        }
        let span = Span { start: self.at, end: self.at + first.len_utf8() };
        Err(self.source.error(span, format!("`{first}` has no meaning in a net")))
    }

    fn number(&mut self) -> Result<Token, Diagnostic> {
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let span = Span { start: self.at, end: self.at + len };
        let value = rest[..len].parse().map_err(|_| {
            self.source.error(span, "this integer is too large; data are 32-bit integers")
        })?;
        self.at += len;
        Ok(Token::Int(value))
    }

    fn text(&mut self) -> Result<Token, Diagnostic> {
        let body = &self.rest()[1..];
        match body.find(['"', '\n']) {
            Some(len) if body[len..].starts_with('"') => {
                let text = body[..len].to_string();
                self.at += len + 2;
                Ok(Token::Text(text))
            }
            _ => {
                let span = Span { start: self.at, end: self.at + 1 };
                Err(self.source.error(span, "this string has no closing \" on its line"))
            }
        }
    }

    fn word(&mut self) -> Token {
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let hyphenated = HYPHENATED.into_iter().find(|name| {
            let after = rest.get(name.len()..).and_then(|tail| tail.chars().next());
            rest.starts_with(name) && !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
        });
        let word = hyphenated.unwrap_or(&rest[..len]).to_string();
        self.at += word.len();
        Token::Word(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hyphen_is_a_minus_but_in_three_names() {
        let words = |text: &str| -> Vec<Token> {
            let source = Source::new("t", text);
            tokens(&source).unwrap().into_iter().map(|(token, _)| token).collect()
        };
        let word = |w: &str| Token::Word(w.into());
        assert_eq!(
            words("a-b elder-sibling t-nets # x\n..\"y\""),
            [
                word("a"),
                Token::Sign("-"),
                word("b"),
                word("elder-sibling"),
                word("t"),
                Token::Sign("-"),
                word("nets"),
                Token::Sign(".."),
                Token::Text("y".into()),
                Token::End
            ]
        );
    }

    #[test]
    fn errors_point_at_the_text() {
        for (text, message) in
            [("a ? b", "no meaning"), ("\"abc", "closing"), ("99999999999999999999", "too large")]
        {
            let error = tokens(&Source::new("t", text)).unwrap_err();
            assert!(error.message.contains(message), "{error}");
        }
    }
}
