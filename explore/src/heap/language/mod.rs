//! The text of a program: tokens, syntax tree, parser. The grammar is in `docs/bir.md`.

pub(super) mod ast;
mod expressions;
mod lexer;
pub(super) mod parser;
