//! graph6, sparse6 and digraph6: a graph a line, six bits a byte (McKay, formats.txt of nauty).
//!
//! A line that starts with `:` is sparse6, with `&` digraph6, all others are graph6. Undirected graphs; in
//! sparse6 loops and parallel edges may occur, digraphs may have loops. The headers `>>graph6<<`, `>>sparse6<<`
//! and `>>digraph6<<` are let through. Incremental sparse6 (`;`) is not read. A message says at which byte of the
//! line something is wrong. Cost: linear in the line.

use crate::MAX_VERTICES;
use crate::graph::{Graph, GraphBuilder};
use pidlab_syntax::{Diagnostic, Parsed, Source, Span};
use std::ops::Range;

const HEADERS: [&str; 3] = [">>graph6<<", ">>sparse6<<", ">>digraph6<<"];

/// Where the graphs of a file are: its lines with content, headers left out.
pub fn records(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let skipped = HEADERS
            .iter()
            .filter(|header| line.starts_with(**header))
            .map(|header| header.len())
            .sum();
        let content = line[skipped..].trim_end_matches(['\n', '\r']);
        if !content.trim().is_empty() {
            found.push(start + skipped..start + skipped + content.len());
        }
        start += line.len();
    }
    found
}

pub fn parse(source: &Source, record: Range<usize>) -> Parsed<Graph> {
    let line = &source.text[record.clone()];
    let body = |skipped: usize| Bits {
        source,
        start: record.start,
        bytes: line.as_bytes(),
        at: skipped,
        left: 0,
    };
    match line.as_bytes().first() {
        Some(b':') => sparse(body(1)),
        Some(b'&') => dense(body(1), true),
        Some(b';') => Err(source.expected("graph6, sparse6 (`:`) or digraph6 (`&`)", &line[..1])),
        _ => dense(body(0), false),
    }
}

/// The bits of a line.
struct Bits<'s> {
    source: &'s Source,
    /// Where the line starts.
    start: usize,
    bytes: &'s [u8],
    at: usize,
    /// Bits of the current byte that are not read yet.
    left: u32,
}

impl Bits<'_> {
    fn error(&self, at: usize, message: String) -> Diagnostic {
        let span = Span { start: self.start + at, end: self.start + at + 1 };
        self.source.error(span, format!("byte {at} of the line: {message}"))
    }

    /// The value of a byte.
    fn value(&self, at: usize) -> Parsed<u32> {
        match self.bytes.get(at) {
            Some(&byte @ 63..=126) => Ok(u32::from(byte - 63)),
            Some(_) => Err(self.error(at, "expected a character from `?` to `~`".into())),
            None => Err(self.error(at, "expected more bytes, found the end of the line".into())),
        }
    }

    /// The number of vertices: one byte, or four or eight that start with `~`.
    fn vertices(&mut self) -> Parsed<usize> {
        let first = self.at;
        let (skipped, digits) = match self.bytes.get(first..first + 2) {
            Some(b"~~") => (2, 6),
            _ if self.bytes.get(first) == Some(&b'~') => (1, 3),
            _ => (0, 1),
        };
        self.at += skipped;
        let mut n = 0u64;
        for _ in 0..digits {
            n = n << 6 | u64::from(self.value(self.at)?);
            self.at += 1;
        }
        match usize::try_from(n) {
            Ok(n) if n <= MAX_VERTICES => Ok(n),
            _ => {
                Err(self
                    .error(first, format!("expected at most {MAX_VERTICES} vertices, found {n}")))
            }
        }
    }

    /// The next bit; `None` at the end of the line.
    fn bit(&mut self) -> Parsed<Option<bool>> {
        if self.left == 0 {
            if self.at == self.bytes.len() {
                return Ok(None);
            }
            self.value(self.at)?;
            self.at += 1;
            self.left = 6;
        }
        self.left -= 1;
        Ok(Some((self.value(self.at - 1)? >> self.left) & 1 == 1))
    }

    /// The next bits as a number; `None` if the line ends before the last.
    fn number(&mut self, bits: u32) -> Parsed<Option<u64>> {
        let mut number = 0;
        for _ in 0..bits {
            match self.bit()? {
                Some(bit) => number = number << 1 | u64::from(bit),
                None => return Ok(None),
            }
        }
        Ok(Some(number))
    }
}

/// A bit for each pair of vertices: the upper triangle column by column, or all rows of a digraph.
fn dense(mut bits: Bits<'_>, directed: bool) -> Parsed<Graph> {
    let n = bits.vertices()?;
    let pairs = if directed { n * n } else { n * n.saturating_sub(1) / 2 };
    let expected = bits.at + pairs.div_ceil(6);
    if bits.bytes.len() != expected {
        let at = bits.bytes.len().min(expected);
        let found = bits.bytes.len();
        return Err(bits.error(at, format!("{n} vertices take {expected} bytes, found {found}")));
    }
    bits.source.budget().reserve::<u32>(n)?;
    let mut graph = GraphBuilder::new(n);
    let kind = graph.kind(directed, None);
    for row in 0..n as u32 {
        bits.source.budget().steps(1 + n / 64)?;
        let columns = if directed { 0..n as u32 } else { 0..row };
        for column in columns {
            match (bits.bit()?, directed) {
                (Some(true), true) => graph.edge(row, column, kind),
                (Some(true), false) => graph.edge(column, row, kind),
                _ => {}
            }
        }
    }
    while bits.left > 0 {
        if bits.bit()? == Some(true) {
            return Err(
                bits.error(bits.at - 1, "expected zeros after the last pair of vertices".into())
            );
        }
    }
    Ok(graph.finish(true))
}

/// A list of edges as differences: each entry is a bit that says whether to go on to the next vertex, and the
/// number of a vertex.
fn sparse(mut bits: Bits<'_>) -> Parsed<Graph> {
    let n = bits.vertices()?;
    bits.source.budget().reserve::<u32>(n)?;
    let width = usize::BITS - n.saturating_sub(1).leading_zeros();
    let mut graph = GraphBuilder::new(n);
    let kind = graph.kind(false, None);
    let mut current = 0u64;
    while let Some(next) = bits.bit()? {
        bits.source.budget().step()?;
        let at = bits.at - 1;
        let Some(vertex) = bits.number(width)? else { break };
        current += u64::from(next);
        if vertex > current {
            current = vertex;
        } else if current < n as u64 {
            graph.edge(vertex as u32, current as u32, kind);
        }
        if current >= n as u64 {
            // what fills the last byte looks like an entry beyond the last vertex
            if at + 1 < bits.bytes.len() {
                return Err(bits.error(at, format!("expected an edge between {n} vertices")));
            }
            break;
        }
    }
    Ok(graph.finish(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Graph, String> {
        let source = Source::new("a.g6", line);
        parse(&source, 0..line.len()).map_err(|wrong| wrong.to_string())
    }

    fn edges(line: &str) -> Vec<(u32, u32)> {
        read(line).unwrap().edges().map(|(x, y, _)| (x, y)).collect()
    }

    /// The examples of formats.txt.
    #[test]
    fn published_examples() {
        assert_eq!(edges("DQc"), [(0, 2), (0, 4), (1, 3), (3, 4)]);
        assert_eq!(read("DQc").unwrap().vertex_count(), 5);
        assert_eq!(edges(":Fa@x^"), [(0, 1), (0, 2), (1, 2), (5, 6)]);
        assert_eq!(edges("&DI?AO?"), [(0, 2), (0, 4), (3, 1), (3, 4)]);
        assert_eq!(read("?").unwrap().vertex_count(), 0);
        assert_eq!(read("@").unwrap().vertex_count(), 1);
        let empty = format!("~?@?{}", "?".repeat(64 * 63 / 2 / 6));
        assert_eq!(read(&empty).unwrap().vertex_count(), 64);
    }

    #[test]
    fn lines_with_content_are_graphs() {
        let text = ">>graph6<<DQc\r\n\nBw\n>>sparse6<<:Fa@x^";
        let found: Vec<&str> = records(text).into_iter().map(|record| &text[record]).collect();
        assert_eq!(found, ["DQc", "Bw", ":Fa@x^"]);
    }

    #[test]
    fn what_is_wrong_is_pointed_at() {
        for (line, expected) in [
            ("DQ", "a.g6:1:3: byte 2 of the line: 5 vertices take 3 bytes, found 2"),
            ("DQcc", "byte 3 of the line: 5 vertices take 3 bytes, found 4"),
            ("DQ c", "byte 3 of the line: 5 vertices take 3 bytes, found 4"),
            ("D c", "a.g6:1:2: byte 1 of the line: expected a character from `?` to `~`"),
            ("Bx", "expected zeros after the last pair"),
            ("~", "byte 1 of the line: expected more bytes"),
            ("~~~~~~~~", "expected at most 4194304 vertices"),
            (":", "byte 1 of the line: expected more bytes"),
            (":Fa@x^~~~", "expected an edge between 7 vertices"),
            ("&", "expected more bytes"),
            (";Fa@x^", "expected graph6, sparse6 (`:`) or digraph6 (`&`), found `;`"),
        ] {
            let wrong = read(line).unwrap_err();
            assert!(wrong.contains(expected), "{line}: {wrong}");
        }
    }
}
