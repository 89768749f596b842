//! Readers of graph files, and how a graph becomes a state.
//!
//! A [`Format`] is found by the ending of a file or by its first bytes; [`Format::records`] says where in a file
//! its graphs are (a graph6 file has one a line, the others hold one), and [`Format::parse`] reads one of them
//! into a [`Graph`]. What is wrong is a diagnostic with line, column and caret.
//!
//! [`Graph::to_state`]: two graphs are isomorphic iff their states are equivalent with Ω* empty.
//!
//! ```
//! use pidlab_graphs::{Format, Source};
//!
//! let triangle = Format::Dimacs.read_one(&Source::new("k3.col", "p edge 3 3\ne 1 2\ne 2 3\ne 1 3\n")).unwrap();
//! let same = Format::Graph6.read_one(&Source::new("k3.g6", "Bw\n")).unwrap();
//! assert_eq!(triangle, same);
//! assert_eq!(triangle.to_state().unwrap().vector_count(), 3 + 2 * 3);
//!
//! let wrong = Format::Dimacs.read_one(&Source::new("a.col", "p edge 3 3\ne 1 4\n")).unwrap_err();
//! assert_eq!(
//!     wrong.to_string(),
//!     "a.col:2:5: expected a vertex from 1 to 3, found `4`\n 2 | e 1 4\n   |     ^"
//! );
//! ```
#![warn(missing_docs)]

mod dimacs;
mod edge_list;
mod format;
mod graph;
mod graph6;
mod graphml;
mod state_file;

pub use format::Format;
pub use graph::{EdgeKind, Graph, GraphBuilder};
pub use pidlab_syntax::{Diagnostic, Source, json_error};
pub use state_file::{state_of_json, state_of_text};

/// A file may not announce more vertices than this: memory is taken before any of them is read, and a line of
/// twenty bytes must not take all there is.
pub const MAX_VERTICES: usize = 1 << 22;
