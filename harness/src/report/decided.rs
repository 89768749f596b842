//! The table of the report that says who decided, and by whose clock.

use super::{Fold, section, table};
use crate::analyse::Analysis;
use crate::figures::escape;

pub fn decided(analysis: &Analysis, out: &mut String) {
    if analysis.decided.is_empty() {
        return;
    }
    section("Who decided, by whose clock", Fold::Open, out);
    out.push_str(
        "<p>Only rows of the solver measure the program that a backend is named after: <i>encoder</i> means that building \
         its structure showed a difference, <i>pre-check</i> that a count did. <code>[measure] pre_checks = false</code> has the \
         solver see every pair, <code>[analysis] decided_by</code> analyses the rows of one of them.</p>",
    );
    let rows = analysis.decided.iter().map(|group| {
        vec![
            escape(&group.backend),
            escape(&group.decided_by),
            escape(&group.clock),
            group.rows.to_string(),
            group.median_seconds.map_or("–".into(), |seconds| format!("{:.1}", 1e6 * seconds)),
        ]
    });
    table(&["backend", "decided by", "clock", "rows", "median, µs"], rows, out);
    let parts = analysis.series.iter().flat_map(|s| s.deciders.iter().map(move |part| (s, part)));
    let rows = parts.map(|(series, part)| {
        let share =
            part.lower_share.map_or("–".into(), |share| format!("{:.0} %", 100.0 * share));
        let exponent = part.exponent.map_or("–".into(), |exponent| exponent.to_string());
        let names = [&series.backend, &series.relations, &series.graph, &part.decided_by];
        let names = names.into_iter().map(|name| escape(name));
        names.chain([part.rows.to_string(), share, exponent]).collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if !rows.is_empty() {
        out.push_str("<p>The same by series, rows of the analysis alone:</p>");
        let names =
            ["backend", "relations", "graph", "decided by", "rows", "below the line", "exponent"];
        table(&names, rows.into_iter(), out);
    }
}
