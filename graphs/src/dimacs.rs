//! DIMACS graph files with vertex colours, as bliss, saucy, dejavu and Traces' tools take them.
//!
//! Lines: `c` comment; one `p edge N M` (or `p col N M`) before all others; `n V COLOUR`, colour 0
//! where a vertex has no such line; `e U V`, an undirected edge, `U = V` is a loop. Vertices count from 1. An edge may be
//! given twice or in both directions, as many published files do; M is not checked for that reason.

use crate::MAX_VERTICES;
use crate::graph::{Graph, GraphBuilder};
use pidlab_core::datum::Datum;
use pidlab_syntax::{Diagnostic, Parsed, Source};

pub fn parse(source: &Source) -> Parsed<Graph> {
    let mut reader = Reader { source, graph: None };
    let mut fields = Vec::new();
    for line in source.text.lines() {
        source.budget().steps(1 + line.len() / 16)?;
        fields.clear();
        // no line that means anything has more than four
        fields.extend(line.split_ascii_whitespace().take(5));
        reader.line(&fields)?;
    }
    let missing = || source.expected("the problem line `p edge N M`", "");
    Ok(reader.graph.ok_or_else(missing)?.finish(true))
}

struct Reader<'s> {
    source: &'s Source,
    graph: Option<GraphBuilder>,
}

impl<'s> Reader<'s> {
    fn line(&mut self, fields: &[&'s str]) -> Parsed<()> {
        match *fields {
            [] | ["c", ..] => Ok(()),
            ["p", "edge" | "col", n, m] => self.problem(n, m),
            ["p", ..] => {
                Err(self.source.expected("`p edge N M`", fields.get(1).unwrap_or(&fields[0])))
            }
            ["n", vertex, color] => self.color(vertex, color),
            ["e", from, to] => self.edge(from, to),
            ["n", ..] => Err(self.wrong("`n VERTEX COLOUR`", fields)),
            ["e", ..] => Err(self.wrong("`e VERTEX VERTEX`", fields)),
            [other, ..] => Err(self
                .source
                .expected("`c`, `p edge N M`, `n VERTEX COLOUR` or `e VERTEX VERTEX`", other)),
        }
    }

    /// A line with too few or too many fields; the caret stands at the first that is too many.
    fn wrong(&self, what: &str, fields: &[&'s str]) -> Diagnostic {
        match fields.get(3) {
            Some(surplus) => self.source.expected(&format!("{what} and nothing else"), surplus),
            None => self.source.expected(what, fields[0]),
        }
    }

    fn problem(&mut self, n: &'s str, m: &'s str) -> Parsed<()> {
        let vertices: usize = self.number(n)?;
        let _: usize = self.number(m)?;
        if self.graph.is_some() {
            let message = "a second problem line; a file holds one graph";
            return Err(self.source.error(self.source.span_of(n), message));
        }
        if vertices > MAX_VERTICES {
            return Err(self.source.expected(&format!("at most {MAX_VERTICES} vertices"), n));
        }
        self.source.budget().reserve::<u32>(vertices)?;
        self.graph = Some(GraphBuilder::new(vertices));
        Ok(())
    }

    fn color(&mut self, vertex: &'s str, color: &'s str) -> Parsed<()> {
        let vertex = self.vertex(vertex)?;
        let color: i64 = self.number(color)?;
        self.graph(vertex, |graph, vertex| graph.paint(vertex, Datum::Int(color.into())))
    }

    fn edge(&mut self, from: &'s str, to: &'s str) -> Parsed<()> {
        let (from, to) = (self.vertex(from)?, self.vertex(to)?);
        self.graph(from, |graph, from| {
            let kind = graph.kind(false, None);
            graph.edge(from, to, kind);
        })
    }

    /// Changes the graph, which is there once a vertex was found in it.
    fn graph(&mut self, vertex: u32, change: impl FnOnce(&mut GraphBuilder, u32)) -> Parsed<()> {
        if let Some(graph) = &mut self.graph {
            change(graph, vertex);
        }
        Ok(())
    }

    fn vertex(&self, text: &'s str) -> Parsed<u32> {
        let Some(graph) = &self.graph else {
            return Err(self.source.expected("the problem line `p edge N M` first", text));
        };
        let count = graph.vertex_count();
        match text.parse::<u32>() {
            Ok(vertex) if vertex >= 1 && vertex as usize <= count => Ok(vertex - 1),
            _ => Err(self.source.expected(&format!("a vertex from 1 to {count}"), text)),
        }
    }

    fn number<T: std::str::FromStr>(&self, text: &'s str) -> Parsed<T> {
        text.parse().map_err(|_| self.source.expected("a number", text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Graph, String> {
        parse(&Source::new("a.col", text)).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn order_comments_and_repetition_do_not_matter() {
        let graph = read("p edge 4 3\nn 2 7\ne 1 2\ne 1 4\ne 2 3\n").unwrap();
        assert_eq!((graph.vertex_count(), graph.edge_count()), (4, 3));
        assert_eq!(*graph.color(1), Datum::Int(7));
        let same = "c x\n\np col 4 9\n e 2 1\ne 1  2\ne\t4 1\r\nn 2 7\ne 3 2";
        assert_eq!(read(same).unwrap(), graph);
        assert_eq!(read("p edge 2 1\ne 2 2\n").unwrap().edge_count(), 1, "a loop");
    }

    #[test]
    fn what_is_wrong_is_pointed_at() {
        for (text, expected) in [
            ("", "a.col:1:1: expected the problem line `p edge N M`, found nothing"),
            ("e 1 2", "1:3: expected the problem line `p edge N M` first, found `1`"),
            ("p edge 2 1\ne 1 3", "2:5: expected a vertex from 1 to 2, found `3`"),
            ("p edge 2 1\ne 0 1", "2:3: expected a vertex from 1 to 2, found `0`"),
            ("p edge 2 1\ne 1", "2:1: expected `e VERTEX VERTEX`, found `e`"),
            ("p edge 2 1\ne 1 2 3", "2:7: expected `e VERTEX VERTEX` and nothing else, found `3`"),
            ("p edge 2 1\nn 1 red", "2:5: expected a number, found `red`"),
            ("p edge 2 1\np edge 2 1", "2:8: a second problem line"),
            ("p edge x 1", "1:8: expected a number, found `x`"),
            ("p edge 99999999999 1", "1:8: expected at most 4194304 vertices"),
            ("p cnf 1 1", "1:3: expected `p edge N M`, found `cnf`"),
            ("q 1", "1:1: expected `c`, `p edge N M`"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
