//! Bytes per state as a bar chart (SVG): a group per symmetry, a bar per compression, on a logarithmic
//! scale. Colours are those of Okabe and Ito; every bar also carries its number.

use super::experiment::column;
use super::measure::Cell;
use crate::heap::run::Compression;
use crate::heap::symmetry::ThreadSymmetry;
use std::fmt::Write;

const COLORS: [&str; 6] = ["#000000", "#CC79A7", "#E69F00", "#56B4E9", "#009E73", "#D55E00"];
const HEIGHT: f64 = 260.0;
const TOP: f64 = 60.0;
const LEFT: f64 = 60.0;
const BAR: f64 = 30.0;
const GAP: f64 = 24.0;

/// The chart of one case; nothing if it was not run.
pub fn svg(title: &str, case: &str, cells: &[Cell]) -> Option<String> {
    let cells: Vec<&Cell> = cells.iter().filter(|cell| cell.case == case).collect();
    let largest = cells.iter().map(|cell| cell.bytes_per_state()).fold(0.0, f64::max);
    if largest <= 1.0 {
        return None;
    }
    let mut symmetries: Vec<ThreadSymmetry> = Vec::new();
    for cell in &cells {
        if !symmetries.contains(&cell.symmetry) {
            symmetries.push(cell.symmetry);
        }
    }
    let decades = largest.log10().ceil();
    let mut body = axis(decades);
    let mut x = LEFT + GAP;
    for symmetry in symmetries {
        let start = x;
        for cell in cells.iter().filter(|cell| cell.symmetry == symmetry) {
            body += &bar(x, cell, decades);
            x += BAR;
        }
        let middle = (start + x) / 2.0;
        let base = TOP + HEIGHT + 18.0;
        _ = writeln!(
            body,
            r#"<text x="{middle}" y="{base}" text-anchor="middle">{}</text>"#,
            column(symmetry)
        );
        x += GAP;
    }
    let (width, height) = (x.max(480.0), TOP + HEIGHT + 40.0);
    let legend = legend(&cells);
    Some(format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="white"/>
<text x="{LEFT}" y="18" font-size="14">{title}: bytes per state, {case}</text>
{legend}{body}</svg>
"#
    ))
}

fn place(bytes: f64, decades: f64) -> f64 {
    TOP + HEIGHT * (1.0 - bytes.max(1.0).log10() / decades)
}

fn axis(decades: f64) -> String {
    let mut out = String::new();
    for decade in 0..=decades as i32 {
        let bytes = 10f64.powi(decade);
        let y = place(bytes, decades);
        _ = writeln!(
            out,
            r##"<line x1="{LEFT}" x2="100%" y1="{y}" y2="{y}" stroke="#ddd"/><text x="{}" y="{}" text-anchor="end">{bytes}</text>"##,
            LEFT - 6.0,
            y + 4.0
        );
    }
    out
}

fn color(compression: Compression) -> &'static str {
    let at = Compression::ALL.iter().position(|&known| known == compression);
    COLORS[at.unwrap_or(0) % COLORS.len()]
}

fn bar(x: f64, cell: &Cell, decades: f64) -> String {
    let y = place(cell.bytes_per_state(), decades);
    format!(
        r#"<rect x="{x}" y="{y}" width="{}" height="{}" fill="{}"/><text x="{}" y="{}" text-anchor="middle">{:.0}</text>
"#,
        BAR - 4.0,
        TOP + HEIGHT - y,
        color(cell.compression),
        x + BAR / 2.0 - 2.0,
        y - 4.0,
        cell.bytes_per_state()
    )
}

fn legend(cells: &[&Cell]) -> String {
    // in the order of the bars
    let mut used: Vec<Compression> = Vec::new();
    for cell in cells {
        if !used.contains(&cell.compression) {
            used.push(cell.compression);
        }
    }
    let mut out = String::new();
    for (index, compression) in used.into_iter().enumerate() {
        let x = LEFT + 85.0 * index as f64;
        _ = writeln!(
            out,
            r#"<rect x="{x}" y="28" width="10" height="10" fill="{}"/><text x="{}" y="37">{compression}</text>"#,
            color(compression),
            x + 14.0
        );
    }
    out
}
