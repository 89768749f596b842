//! Which format a file has, and where its graphs are.

use crate::graph::Graph;
use crate::{dimacs, edge_list, graph6, graphml};
use pidlab_syntax::{Parsed, Source};
use std::io::Read;
use std::ops::Range;
use std::path::Path;

/// Bytes of a file that may say what it is.
const LOOKED_AT: u64 = 1 << 16;

/// A format of graph files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `p edge N M`, `n V COLOUR`, `e U V`.
    Dimacs,
    /// graph6, sparse6 and digraph6, told apart line by line.
    Graph6,
    /// XML.
    GraphMl,
    /// A line an undirected edge.
    Edges,
    /// A line a directed edge.
    Arcs,
}

impl Format {
    /// All of them with their names and the endings of their files.
    pub const ALL: [(Format, &str, &[&str]); 5] = [
        (Format::Dimacs, "dimacs", &["col", "dimacs", "bliss"]),
        (Format::Graph6, "graph6", &["g6", "graph6", "s6", "sparse6", "d6", "digraph6"]),
        (Format::GraphMl, "graphml", &["graphml"]),
        (Format::Edges, "edges", &["edges", "edgelist"]),
        (Format::Arcs, "arcs", &["arcs"]),
    ];

    /// By its name.
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.iter().find(|(_, known, _)| *known == name).map(|&(format, ..)| format)
    }

    /// By the ending of a file.
    pub fn of_path(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        let ends_so = |endings: &&[&str]| endings.contains(&ending.as_str());
        Format::ALL.iter().find(|(.., endings)| ends_so(endings)).map(|&(format, ..)| format)
    }

    /// The text of a file; comments of DIMACS may be in any encoding.
    pub fn source(self, name: String, bytes: Vec<u8>) -> Parsed<Source> {
        Source::of_bytes(name, bytes, |line| {
            self == Format::Dimacs
                && matches!(line, [b'c', b' ' | b'\t' | b'\n' | b'\r', ..] | [b'c'])
        })
    }

    /// By the ending of a file, or by its beginning: files of many collections have no ending, or one of their own.
    pub fn of_file(path: &Path) -> Option<Format> {
        Format::of_path(path).or_else(|| {
            let mut start = Vec::new();
            let file = std::fs::File::open(path).ok()?;
            file.take(LOOKED_AT).read_to_end(&mut start).ok()?;
            Format::of_contents(&start)
        })
    }

    /// By the beginning of a file, where it leaves no doubt.
    pub fn of_contents(start: &[u8]) -> Option<Format> {
        let start = start.trim_ascii_start();
        let headers = [&b">>graph6<<"[..], b">>sparse6<<", b">>digraph6<<"];
        if headers.iter().any(|header| start.starts_with(header)) {
            Some(Format::Graph6)
        } else if start.starts_with(b"<graphml")
            || (start.starts_with(b"<?xml") && has(start, b"<graphml"))
        {
            Some(Format::GraphMl)
        } else {
            is_dimacs(start).then_some(Format::Dimacs)
        }
    }

    /// Where the graphs of a file are.
    pub fn records(self, text: &str) -> Vec<Range<usize>> {
        match self {
            Format::Graph6 => graph6::records(text),
            _ => std::iter::once(0..text.len()).collect(),
        }
    }

    /// One of the graphs of a file; the range is one of [`records`](Self::records).
    pub fn parse(self, source: &Source, record: Range<usize>) -> Parsed<Graph> {
        match self {
            Format::Dimacs => dimacs::parse(source),
            Format::Graph6 => graph6::parse(source, record),
            Format::GraphMl => graphml::parse(source),
            Format::Edges => edge_list::parse(source, false),
            Format::Arcs => edge_list::parse(source, true),
        }
    }

    /// The graph of a file that must hold exactly one.
    pub fn read_one(self, source: &Source) -> Parsed<Graph> {
        match &*self.records(&source.text) {
            [record] => self.parse(source, record.clone()),
            [] => Err(source.expected("a graph", "")),
            [_, second, ..] => {
                let span = pidlab_syntax::Span { start: second.start, end: second.end };
                Err(source.error(span, "a second graph; one is expected here"))
            }
        }
    }
}

fn has(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Comments and then a problem line.
fn is_dimacs(start: &[u8]) -> bool {
    let first_word = |line: &&[u8]| {
        line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).map(<[u8]>::to_vec)
    };
    let mut lines = start.split(|&byte| byte == b'\n');
    let problem = lines.find(|line| !matches!(first_word(line).as_deref(), None | Some(b"c")));
    let mut words =
        problem.unwrap_or_default().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next() == Some(b"p") && matches!(words.next(), Some(b"edge" | b"col"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_by_ending_and_by_contents() {
        assert_eq!(Format::of_path(Path::new("a/b.G6")), Some(Format::Graph6));
        assert_eq!(Format::of_path(Path::new("a.json")), None);
        assert_eq!(Format::of_contents(b"c a comment\np edge 1 0\n"), Some(Format::Dimacs));
        assert_eq!(Format::of_contents(b"p edge 1 0\n"), Some(Format::Dimacs));
        assert_eq!(Format::of_contents(b">>sparse6<<:@"), Some(Format::Graph6));
        assert_eq!(Format::of_contents(b"<?xml version='1.0'?>"), None);
        assert_eq!(Format::of_contents(b"<?xml version='1.0'?><graphml/>"), Some(Format::GraphMl));
        assert_eq!(Format::of_contents(b"c or d\n"), None);
        assert_eq!(Format::of_contents(b"{\"sigma\": {}}"), None);
        assert_eq!(Format::of_contents(b"column1"), None);
    }

    #[test]
    fn one_graph_is_one() {
        let wrong = Format::Graph6.read_one(&Source::new("a.g6", "Bw\nBw\n")).unwrap_err();
        assert_eq!((wrong.line, &*wrong.message), (2, "a second graph; one is expected here"));
        assert!(Format::Graph6.read_one(&Source::new("a.g6", "\n")).is_err());
    }
}
