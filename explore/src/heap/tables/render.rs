//! A measured table in the paper's layout: one block per case, a column per symmetry, rows for states,
//! seen states, and memory and time of each compression. The paper's number stands in brackets.

use super::experiment::{Case, Experiment, Plan, Published, column};
use super::measure::Cell;
use crate::heap::run::Compression;
use crate::heap::symmetry::ThreadSymmetry;
use std::fmt::Write;

/// The whole table as text.
pub fn text(experiment: &Experiment, plan: &Plan<'_>, cells: &[Cell]) -> String {
    let mut out = format!("{}\n{}\n", experiment.title, experiment.source);
    if experiment.reconstructed {
        out += "model reconstructed: counts are not comparable with the paper's\n";
    }
    out += "ours [paper]; m: kilobytes of the visited set, t: seconds\n";
    for case in &plan.cases {
        out += &block(experiment, plan, case, cells);
    }
    out
}

fn block(experiment: &Experiment, plan: &Plan<'_>, case: &Case, cells: &[Cell]) -> String {
    let mut head = vec![case.label.clone()];
    head.extend(experiment.symmetries.iter().map(|&symmetry| column(symmetry)));
    let mut rows = vec![head];
    rows.push(count_row(experiment, case, cells, "s", |cell| cell.states, |paper| paper.states));
    rows.push(count_row(experiment, case, cells, "seen", |cell| cell.seen, |paper| paper.seen));
    for &compression in &plan.compressions {
        rows.extend(cost_rows(experiment, case, compression, cells));
    }
    align(&rows)
}

fn count_row(
    experiment: &Experiment,
    case: &Case,
    cells: &[Cell],
    name: &str,
    ours: impl Fn(&Cell) -> u64,
    paper: impl Fn(&Published) -> u64,
) -> Vec<String> {
    let mut row = vec![name.to_string()];
    for &symmetry in &experiment.symmetries {
        let found = find(cells, case, symmetry, None).map(|cell| ours(cell).to_string());
        let published =
            case.paper.get(&symmetry.to_string()).map(|numbers| paper(numbers).to_string());
        row.push(beside(found.unwrap_or_else(|| "-".into()), published));
    }
    row
}

fn cost_rows(
    experiment: &Experiment,
    case: &Case,
    compression: Compression,
    cells: &[Cell],
) -> [Vec<String>; 2] {
    let mut memory = vec![format!("{} m", label(compression))];
    let mut time = vec![format!("{} t", label(compression))];
    for &symmetry in &experiment.symmetries {
        let cell = find(cells, case, symmetry, Some(compression));
        let paper = case.paper.get(&symmetry.to_string());
        let paper = paper.and_then(|p| p.cost.get(&compression.to_string()));
        let shown = |value: Option<String>| value.unwrap_or_else(|| "-".into());
        memory.push(beside(
            shown(cell.map(|cell| format!("{:.1}", cell.bytes as f64 / 1024.0))),
            paper.map(|cost| cost[0].clone()),
        ));
        time.push(beside(
            shown(cell.map(|cell| format!("{:.3}", cell.seconds))),
            paper.map(|cost| cost[1].clone()),
        ));
    }
    [memory, time]
}

fn label(compression: Compression) -> &'static str {
    match compression {
        Compression::None => "NC",
        Compression::Bytes => "BYTES",
        Compression::Packed => "PACKED",
        Compression::Gzip => "GZIP",
        Compression::Collapse => "COLL",
        Compression::Tree => "TREE",
    }
}

fn find<'c>(
    cells: &'c [Cell],
    case: &Case,
    symmetry: ThreadSymmetry,
    compression: Option<Compression>,
) -> Option<&'c Cell> {
    cells.iter().find(|cell| {
        cell.case == case.label
            && cell.symmetry == symmetry
            && compression.is_none_or(|wanted| wanted == cell.compression)
    })
}

fn beside(ours: String, paper: Option<String>) -> String {
    match paper {
        Some(paper) => format!("{ours} [{paper}]"),
        None => ours,
    }
}

/// Rows with columns of equal width.
fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::from("\n");
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            let pad = widths[column] - cell.chars().count();
            match column {
                0 => _ = write!(out, "{cell}{}", " ".repeat(pad)),
                _ => _ = write!(out, "  {}{cell}", " ".repeat(pad)),
            }
        }
        out.push('\n');
    }
    out
}

/// One line per cell.
pub fn csv(cells: &[Cell]) -> String {
    let mut out = String::from(
        "case,symmetry,compression,states,seen,deadlocks,complete,bytes,bytes_per_state,seconds\n",
    );
    for cell in cells {
        _ = writeln!(
            out,
            "\"{}\",{},{},{},{},{},{},{},{:.3},{:.6}",
            cell.case,
            cell.symmetry,
            cell.compression,
            cell.states,
            cell.seen,
            cell.deadlocks,
            cell.complete,
            cell.bytes,
            cell.bytes_per_state(),
            cell.seconds
        );
    }
    out
}
