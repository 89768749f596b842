//! Edge lists: an edge a line, `NAME NAME` or `NAME NAME COLOUR`; `NAME` alone is a vertex without edges.
//!
//! Names are words of any kind without control characters, separated by blanks or commas; lines that start with `#`, `%` or `//` are comments. A
//! colour is an integer or a word. An edge that is given several times (of undirected ones in either direction) counts
//! once, as collections of such files do not agree on giving both directions. Cost: one hash lookup a name.

use crate::MAX_VERTICES;
use crate::graph::{Graph, GraphBuilder};
use pidlab_core::datum::Datum;
use pidlab_syntax::{Parsed, Source};
use rustc_hash::FxHashMap;

pub fn parse(source: &Source, directed: bool) -> Parsed<Graph> {
    let mut graph = GraphBuilder::default();
    let mut known: FxHashMap<&str, u32> = FxHashMap::default();
    let mut words = Vec::new();
    for line in source.text.lines() {
        source.budget().steps(1 + line.len() / 16)?;
        let line = line.trim_start_matches('\u{feff}').trim_ascii();
        if ["#", "%", "//"].iter().any(|comment| line.starts_with(comment)) {
            continue;
        }
        words.clear();
        let parts = line.split(|c: char| c.is_ascii_whitespace() || c == ',');
        words.extend(parts.filter(|word| !word.is_empty()).take(4));
        // a file that is not text at all would be a graph
        if let Some(word) = words.iter().find(|word| word.contains(char::is_control)) {
            return Err(source.expected("a name without control characters", word));
        }
        let mut vertex = |name| match known.get(name) {
            Some(&vertex) => Ok(vertex),
            None if known.len() == MAX_VERTICES => {
                Err(source.expected(&format!("at most {MAX_VERTICES} vertices"), name))
            }
            None => {
                known.insert(name, graph.vertex());
                Ok(graph.vertex_count() as u32 - 1)
            }
        };
        let (from, to, color) = match *words {
            [] => continue,
            [name] => {
                vertex(name)?;
                continue;
            }
            [from, to] => (vertex(from)?, vertex(to)?, None),
            [from, to, color] => (vertex(from)?, vertex(to)?, Some(datum(color))),
            [_, _, _, surplus, ..] => {
                return Err(source.expected("`NAME NAME COLOUR` and nothing else", surplus));
            }
        };
        let kind = graph.kind(directed, color);
        graph.edge(from, to, kind);
    }
    match graph.vertex_count() {
        0 => Err(source.expected("an edge `NAME NAME`", "")),
        _ => Ok(graph.finish(true)),
    }
}

/// An integer if it is one, else a text.
pub fn datum(text: &str) -> Datum {
    match text.parse::<i64>() {
        Ok(number) => Datum::Int(number.into()),
        Err(_) => Datum::Str(text.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, directed: bool) -> Result<Graph, String> {
        parse(&Source::new("a.edges", text), directed).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn names_colors_and_comments() {
        let graph =
            read("# x\nanna bob\nbob,anna\n\nbob carl 3\nbob carl red\ndora\n", false).unwrap();
        assert_eq!((graph.vertex_count(), graph.edge_count()), (4, 3));
        assert_eq!(read("a b\nb a\n", true).unwrap().edge_count(), 2);
        assert_eq!(read("a b\nb a\n", false).unwrap().edge_count(), 1);
        assert_eq!(read("a a\n", false).unwrap().edge_count(), 1);
    }

    #[test]
    fn what_is_wrong_is_pointed_at() {
        let wrong = read("a b\nc d 1 2\n", false).unwrap_err();
        assert!(
            wrong.starts_with(
                "a.edges:2:7: expected `NAME NAME COLOUR` and nothing else, found `2`"
            ),
            "{wrong}"
        );
        assert!(read("# nothing\n", false).unwrap_err().contains("expected an edge"));
        let binary = read("a b\na\0b c\n", false).unwrap_err();
        assert!(binary.starts_with("a.edges:2:1: expected a name without control"), "{binary}");
    }
}
