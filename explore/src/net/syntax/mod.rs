//! The text of a net: source positions, tokens, tree, parser. The grammar is in `docs/tnet.md`.

mod expressions;
pub mod lexer;
pub mod parser;
pub mod source;
pub mod tree;

pub use parser::{parse_expr, parse_net, parse_property};
pub use source::{Diagnostic, Source, Span};
