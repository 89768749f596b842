//! The base of all model languages: texts, tokens, a cursor to parse with, errors that point.
//!
//! A [`Source`] is a named text with the budget that reading it may use. Languages made of tokens
//! describe themselves as a [`Language`] and are parsed by recursive descent over a [`Cursor`];
//! languages made of lines use [`Source::lines`], XML is read event by event with an [`XmlReader`], and what serde_json has
//! against a JSON text is shown by [`json_error`]. Whatever is wrong becomes a [`Diagnostic`]: file,
//! line, column, the line itself with a caret, and "expected X, found `Y`".
//!
//! Cost: one pass over the text, no allocation for a token; a line and a column are computed only
//! when an error is shown. A limit that is reached is a diagnostic, too ([`Diagnostic::limit`]).
//! Nesting is bounded ([`Cursor::enter`]), so that no text can exhaust the stack.
//!
//! ```
//! use pidlab_syntax::{Cursor, Language, Parsed, Source, Token};
//!
//! /// `let NAME = NUMBER + NUMBER + …;`, comments from `#` to the end of the line.
//! const SUMS: Language = Language {
//!     comments: &["#"],
//!     keywords: &["let"],
//!     ..Language::PLAIN
//! };
//!
//! fn sums(source: &Source) -> Parsed<Vec<(&str, u64)>> {
//!     let mut cursor = Cursor::new(source, &SUMS);
//!     let mut found = Vec::new();
//!     while cursor.peek() != Token::End {
//!         cursor.expect("let")?;
//!         let name = cursor.name("the name of a sum")?;
//!         cursor.expect("=")?;
//!         let mut sum = cursor.number("a number")?;
//!         while cursor.accept("+") {
//!             sum += cursor.number("a number")?;
//!         }
//!         cursor.expect(";")?;
//!         found.push((name, sum));
//!     }
//!     Ok(found)
//! }
//!
//! assert_eq!(sums(&Source::new("a.sum", "let x = 1 + 2; # three")).unwrap(), [("x", 3)]);
//! let wrong = sums(&Source::new("b.sum", "let x = 1;\nlet let = 2;")).unwrap_err();
//! assert_eq!(
//!     wrong.to_string(),
//!     "b.sum:2:5: expected the name of a sum, found `let`, which is a keyword\n \
//!      2 | let let = 2;\n   |     ^^^"
//! );
//! ```
#![warn(missing_docs)]

mod cursor;
mod diagnostic;
mod json;
mod lexer;
mod source;
mod words;
mod xml;

pub use cursor::Cursor;
pub use diagnostic::{Diagnostic, Parsed, Report, quoted};
pub use json::json_error;
pub use lexer::{Language, Token};
pub use source::{Line, LineCounter, Source, Span};
pub use words::serde_words;
pub use xml::{XmlEvent, XmlReader, XmlTag};
