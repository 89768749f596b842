//! Text to tokens. `//` and `/* */` are comments.

use crate::source::{Diagnostic, Source, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'s> {
    Name(&'s str),
    Number(i64),
    /// A keyword of the language.
    Key(&'static str),
    Symbol(&'static str),
    End,
}

pub const KEYWORDS: &[&str] = &[
    "system",
    "const",
    "top",
    "record",
    "extends",
    "thread",
    "main",
    "loc",
    "when",
    "do",
    "goto",
    "return",
    "atomic",
    "boolean",
    "int",
    "lock",
    "set",
    "table",
    "new",
    "null",
    "true",
    "false",
    "start",
    "assert",
    "if",
    "else",
    "while",
    "instanceof",
    "as",
    "choose",
];

/// Longest first, so that a prefix never wins.
const SYMBOLS: &[&str] = &[
    ":=", "==", "!=", "<=", ">=", "&&", "||", "..", "{", "}", "(", ")", "[", "]", ";", ":", ",",
    ".", "<", ">", "=", "+", "-", "*", "/", "%", "!",
];

/// All tokens with their places; the last is [`Token::End`].
pub fn tokens(source: &Source) -> Result<Vec<(Token<'_>, Span)>, Diagnostic> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = skip_blank(source, at)? {
        source.poll(found.len(), Span { start, end: start })?;
        let (token, length) = token(source, start)?;
        at = start + length;
        found.push((token, Span { start, end: at }));
    }
    let end = source.text.len();
    found.push((Token::End, Span { start: end, end }));
    Ok(found)
}

/// Start of the next token, past blanks and comments.
fn skip_blank(source: &Source, mut at: usize) -> Result<Option<usize>, Diagnostic> {
    loop {
        let rest = &source.text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            at += trimmed.find('\n').unwrap_or(trimmed.len());
        } else if trimmed.starts_with("/*") {
            let Some(length) = trimmed.find("*/") else {
                let span = Span { start: at, end: at + 2 };
                return Err(source.error(span, "this comment is never closed; expected `*/`"));
            };
            at += length + 2;
        } else {
            return Ok((!trimmed.is_empty()).then_some(at));
        }
    }
}

fn token(source: &Source, start: usize) -> Result<(Token<'_>, usize), Diagnostic> {
    let rest = &source.text[start..];
    if let Some(length) = word_length(rest) {
        let word = &rest[..length];
        let keyword = KEYWORDS.iter().find(|&&keyword| keyword == word);
        return Ok((keyword.map_or(Token::Name(word), |keyword| Token::Key(keyword)), length));
    }
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        return number(source, start);
    }
    if let Some(symbol) = SYMBOLS.iter().find(|&&symbol| rest.starts_with(symbol)) {
        return Ok((Token::Symbol(symbol), symbol.len()));
    }
    let wrong = rest.chars().next().unwrap_or(' ');
    let span = Span { start, end: start + wrong.len_utf8() };
    Err(source.error(span, format!("the character {wrong:?} has no meaning here")))
}

fn word_length(text: &str) -> Option<usize> {
    let part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let first = |c: char| part(c) && !c.is_ascii_digit();
    text.starts_with(first).then(|| text.find(|c| !part(c)).unwrap_or(text.len()))
}

fn number(source: &Source, start: usize) -> Result<(Token<'_>, usize), Diagnostic> {
    let rest = &source.text[start..];
    let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    match rest[..length].parse::<i64>() {
        Ok(value) if value <= i64::from(i32::MAX) => Ok((Token::Number(value), length)),
        _ => {
            let span = Span { start, end: start + length };
            Err(source.error(span, format!("integers go up to {}", i32::MAX)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Token<'_>> {
        let source = Box::leak(Box::new(Source::new("t.bir", text)));
        tokens(source).unwrap().into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn words_numbers_symbols_and_comments() {
        use Token::*;
        let expected = vec![Key("loc"), Name("a1"), Symbol(":="), Number(12), Symbol(".."), End];
        assert_eq!(kinds("loc a1 // gone\n := /* gone */ 12.."), expected);
    }

    #[test]
    fn errors_name_the_place() {
        let error = |text: &str| tokens(&Source::new("t.bir", text)).unwrap_err();
        assert_eq!((error("a\n  #").line, error("a\n  #").column), (2, 3));
        assert!(error("/* open").message.contains("never closed"));
        assert!(error("99999999999999999999").message.contains("2147483647"));
    }
}
