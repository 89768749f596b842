//! The text of a program: tokens, syntax tree, parser. The grammar is in `docs/bir.md`.

pub(super) mod ast;
mod expressions;
pub(super) mod parser;
