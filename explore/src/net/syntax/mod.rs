//! The text of a net: tree and parser. The grammar is in `docs/tnet.md`.

mod expressions;
pub mod parser;
pub mod tree;

pub use crate::source::{Diagnostic, Source, Span};
pub use parser::{parse_expr, parse_net, parse_property};
