//! DIMACS graph files with vertex colours, as bliss, saucy and Traces' `dretog` take them.
//!
//! Lines: `c` comment; one `p edge N M` (or `p col N M`) before all others; `n V COLOUR`, colour 0
//! where a vertex has no such line; `e U V`, an undirected edge. Vertices count from 1. An edge may be
//! given twice or in both directions, as many published files do; M is not checked for that reason.

use super::colored::ColoredGraph;
use std::fmt::Write;
use thiserror::Error;

/// What is wrong in which line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct DimacsError {
    /// Counted from 1.
    pub line: usize,
    /// What is expected there, and what was found.
    pub what: String,
}

/// A file may not announce more vertices than this: memory is taken before any of them is read, and a
/// line of twenty bytes must not take all there is.
const MAX_VERTICES: u64 = 1 << 22;

/// Reads a graph.
pub fn parse(text: &str) -> Result<ColoredGraph, DimacsError> {
    let mut reader = Reader::default();
    for (index, line) in text.lines().enumerate() {
        reader.line(line).map_err(|what| DimacsError { line: index + 1, what })?;
    }
    let missing =
        || DimacsError { line: 1, what: "there is no problem line `p edge N M`".to_string() };
    let colors = reader.colors.ok_or_else(missing)?;
    ColoredGraph::new(colors, reader.edges).ok_or_else(missing)
}

#[derive(Default)]
struct Reader {
    colors: Option<Vec<u32>>,
    edges: Vec<(u32, u32)>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        match fields.as_slice() {
            [] | ["c", ..] => Ok(()),
            ["p", "edge" | "col", n, m] => self.problem(n, m),
            ["p", ..] => Err("the problem line must be `p edge N M`".to_string()),
            ["n", vertex, color] => self.color(vertex, color),
            ["e", from, to] => self.edge(from, to),
            [other, ..] => Err(format!(
                "`{}` is none of c, p edge N M, n VERTEX COLOUR, e VERTEX VERTEX",
                crate::pid::excerpt(other)
            )),
        }
    }

    fn problem(&mut self, n: &str, m: &str) -> Result<(), String> {
        let n: u64 = number(n)?;
        let _: u64 = number(m)?;
        if self.colors.is_some() {
            return Err("there is a second problem line".to_string());
        }
        if n > MAX_VERTICES {
            return Err(format!(
                "{n} vertices are announced, more than the {MAX_VERTICES} that are read"
            ));
        }
        self.colors = Some(vec![0; n as usize]);
        Ok(())
    }

    fn color(&mut self, vertex: &str, color: &str) -> Result<(), String> {
        let vertex = self.vertex(vertex)?;
        let color = number(color)?;
        if let Some(colors) = &mut self.colors {
            colors[vertex as usize] = color;
        }
        Ok(())
    }

    fn edge(&mut self, from: &str, to: &str) -> Result<(), String> {
        let edge = (self.vertex(from)?, self.vertex(to)?);
        if edge.0 == edge.1 {
            return Err(format!("vertex {from} has an edge to itself; loops are not supported"));
        }
        self.edges.push(edge);
        Ok(())
    }

    fn vertex(&self, text: &str) -> Result<u32, String> {
        let Some(colors) = &self.colors else {
            return Err("the problem line `p edge N M` must come first".to_string());
        };
        let vertex: u32 = number(text)?;
        if vertex == 0 || vertex as usize > colors.len() {
            return Err(format!("vertex {vertex} is not among 1 to {}", colors.len()));
        }
        Ok(vertex - 1)
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| {
        format!(
            "`{}` is not a number, or too large, where one is expected",
            crate::pid::excerpt(text)
        )
    })
}

/// Writes a graph in the format read above.
pub fn write(graph: &ColoredGraph) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "p edge {} {}", graph.colors().len(), graph.edges().len());
    for (vertex, color) in graph.colors().iter().enumerate().filter(|&(_, &c)| c != 0) {
        let _ = writeln!(out, "n {} {color}", vertex + 1);
    }
    for (x, y) in graph.edges() {
        let _ = writeln!(out, "e {} {}", x + 1, y + 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let text = "p edge 4 3\nn 2 7\ne 1 2\ne 1 4\ne 2 3\n";
        assert_eq!(write(&parse(text).unwrap()), text);
        let same = "c x\n\np col 4 9\n e 2 1\ne 1 2\ne 4 1\nn 2 7\ne 3 2";
        assert_eq!(write(&parse(same).unwrap()), text);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, expected) in [
            ("", "line 1: there is no problem line"),
            ("e 1 2", "must come first"),
            ("p edge 2 1\ne 1 3", "line 2: vertex 3 is not among 1 to 2"),
            ("p edge 2 1\ne 0 1", "vertex 0"),
            ("p edge 2 1\ne 1 1", "itself"),
            ("p edge 2 1\np edge 2 1", "second problem line"),
            ("p edge x 1", "`x` is not a number"),
            ("p edge 99999999999 1", "more than"),
            ("q 1", "`q` is none of"),
        ] {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn a_graph_as_a_state() {
        let state = parse("p edge 3 1\nn 1 5\ne 1 2").unwrap().to_state().unwrap();
        assert_eq!((state.pid_count(), state.vector_count()), (3, 5));
        assert!(state.check_consistent().is_ok());
    }
}
