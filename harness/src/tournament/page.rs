//! `tournament.html`: ranking, tables and figures on one self-contained page.

use super::standings::Standings;
use super::tables::millis;
use crate::figures::{Drawn, escape};
use crate::grid::Grid;
use crate::report;
use crate::store::manifest::Manifest;
use std::fmt::Write;

pub fn render(
    standings: &Standings,
    grids: &[Grid],
    figures: &[Drawn],
    manifest: &Manifest,
) -> String {
    let mut out = String::new();
    let source = format!("scale {} · seed {}", manifest.scale.name(), manifest.seed);
    report::head("Tournament of backends", &source, &mut out);
    write!(out, "<section class=\"box\">{}</section>", escape(&sentence(standings))).ok();
    for grid in grids {
        report::section(grid.name, &mut out);
        write!(out, "<p>{}</p>", escape(&grid.caption)).ok();
        let names: Vec<String> = grid.columns.iter().map(|name| escape(name)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let cell = |cell: &crate::grid::Cell| match cell.bold {
            true => format!("<b>{}</b>", escape(&cell.text)),
            false => escape(&cell.text),
        };
        let rows = grid.rows.iter().map(|row| row.iter().map(cell).collect());
        report::table(&names, rows, &mut out);
    }
    report::figures(figures, &mut out);
    report::machine(manifest, &mut out);
    report::foot(&mut out);
    out
}

/// The result in one sentence.
pub fn sentence(standings: &Standings) -> String {
    let Some(first) = standings.backends.first() else { return "no backend took part".into() };
    let second = standings.backends.get(1).map_or(String::new(), |second| {
        let overlap = second.par2_seconds.low <= first.par2_seconds.high;
        let near = if overlap { ", too near to tell apart" } else { "" };
        let time = millis(second.par2_seconds.value);
        format!("; second is {} with {time} ms{near}", second.backend)
    });
    format!(
        "{} has the best PAR-2, {} ms{second}. It is the fastest on {} of {} classes, within 2× of the best on {} of {}, and decides {} of {} instances; the virtual best decides {} with PAR-2 {} ms.",
        first.backend,
        millis(first.par2_seconds.value),
        first.fastest_classes,
        standings.classes,
        first.within_two_classes,
        standings.classes,
        first.decided,
        standings.instances,
        standings.virtual_best.decided,
        millis(standings.virtual_best.par2_seconds.value),
    )
}
