//! Aldebaran `.aut`, as read by CADP and mCRL2: `des (first, transitions, states)`, then one line a
//! transition. A way to temporal logic over transition names: `ltsconvert graph.aut graph.lts` (mCRL2) or
//! `bcg_io graph.aut graph.bcg` (CADP).

use super::StateGraph;
use std::io::{self, Write};

pub fn write(graph: &StateGraph, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "des (0, {}, {})", graph.edges.len(), graph.nodes.len())?;
    for edge in &graph.edges {
        writeln!(out, "({}, \"{}\", {})", edge.0, graph.label(edge), edge.2)?;
    }
    Ok(())
}
