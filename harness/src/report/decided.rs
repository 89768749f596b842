//! The table of the report that says who decided, and by whose clock.

use super::{Fold, section, table};
use crate::analyse::Analysis;
use crate::figures::escape;

pub fn decided(analysis: &Analysis, out: &mut String) {
    if analysis.decided.is_empty() {
        return;
    }
    section("Who decided, by whose clock", Fold::Closed, out);
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
            group.median_seconds.map_or("–".into(), |seconds| format!("{seconds:.6}")),
        ]
    });
    table(&["backend", "decided by", "clock", "rows", "median, s"], rows, out);
}
