//! `tournament.html`: ranking, tables and figures on one self-contained page.

use super::standings::Standings;
use super::tables::millis;
use crate::experiment::QuestionKind;
use crate::figures::{WrittenFigure, escape};
use crate::grid::Grid;
use crate::report;
use crate::store::manifest::Manifest;
use std::fmt::Write;

pub fn render(
    standings: &Standings,
    grids: &[Grid],
    figures: &[WrittenFigure],
    (manifest, kind): (&Manifest, QuestionKind),
) -> String {
    let mut out = String::new();
    let source = format!("scale {} · seed {}", manifest.scale.name(), manifest.seed);
    let about = report::about_run(manifest);
    report::head(&format!("Tournament of {}", kind.answerers()), &source, &about, &mut out);
    write!(out, "<section class=\"box\">{}</section>", escape(&sentence(standings))).ok();
    for grid in grids {
        report::section(&capitalized(grid.name), report::Fold::Open, &mut out);
        write!(out, "<p>{}</p>", escape(&grid.caption)).ok();
        report::grid_table(grid, &mut out);
    }
    report::figures(figures, report::Linked::No, &mut out);
    report::machine(manifest, &mut out);
    report::foot(&mut out);
    out
}

/// A name as a title.
fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The result in one sentence.
pub fn sentence(standings: &Standings) -> String {
    let Some(first) = standings.backends.first() else { return "nobody took part".into() };
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
