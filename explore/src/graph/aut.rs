//! Aldebaran `.aut`, as read by CADP, mCRL2 and LTSmin: `des (first, transitions, states)`, then one line a
//! transition. A way to temporal logic over transition names: `ltsconvert graph.aut graph.lts` (mCRL2) or
//! `bcg_io graph.aut graph.bcg` (CADP).

use super::{StateGraph, one_line};
use std::io::{self, Write};

pub fn write(graph: &StateGraph, out: &mut impl Write) -> io::Result<()> {
    let first = graph.start()?;
    writeln!(out, "des ({first}, {}, {})", graph.edges.len(), graph.nodes.len())?;
    for edge in &graph.edges {
        let label = one_line(graph.label(edge));
        writeln!(out, "({}, \"{label}\", {})", edge.0, edge.2)?;
    }
    Ok(())
}
