//! Bytes per state as bar charts (Bogor'03): a panel per case, a group per symmetry, a bar per compression, on a
//! logarithmic axis. Every bar carries its number.

use super::Material;
use crate::analyse::cells::CaseCount;
use crate::claims::name;
use crate::distinct::distinct;
use pidlab_figures::{Axis, Bar, Figure, Labels, Layer, Legend, Mark, Panel, count};

/// Share of a group's place that its bars fill.
const FILLED: f64 = 0.86;

pub fn figure(material: &Material<'_>) -> Option<Figure> {
    let complete = |cell: &&CaseCount| cell.is_complete() && cell.bytes_per_state().is_some();
    let cells: Vec<&CaseCount> = material.analysis.cells.iter().filter(complete).collect();
    let compressions = distinct(cells.iter().map(|cell| part(cell, 1)));
    let sets = distinct(cells.iter().map(|cell| cell.set.as_str()));
    let panels: Vec<Panel> =
        sets.into_iter().map(|set| panel(set, &cells, &compressions)).collect();
    (!panels.is_empty()).then(|| Figure {
        name: "bytes-per-state".into(),
        caption: format!(
            "{}: bytes of the visited set for each stored state, keys and index, by symmetry and compression.\n",
            material.experiment.title
        ),
        columns: panels.len().min(2),
        panel: (560.0, 340.0),
        labels: Labels::Each,
        panels,
    })
}

fn panel(set: &str, cells: &[&CaseCount], compressions: &[&str]) -> Panel {
    let cells: Vec<&&CaseCount> = cells.iter().filter(|cell| cell.set == set).collect();
    let largest = cells.iter().filter_map(|cell| cell.bytes_per_state()).fold(1.0, f64::max);
    let groups = distinct(cells.iter().map(|cell| part(cell, 0)));
    let layers = compressions.iter().enumerate().map(|(at, &compression)| {
        let of_series = cells.iter().filter(|cell| part(cell, 1) == compression);
        let bars = of_series.filter_map(|cell| {
            let group = groups.iter().position(|group| *group == part(cell, 0))?;
            bar(cell, group, at, compressions.len())
        });
        Layer::named(compression, at, Mark::Bars(bars.collect()))
    });
    Panel {
        title: set.into(),
        layers: layers.collect(),
        x: Axis::names(groups.iter().map(|symmetry| name(symmetry)).collect()),
        // room for the numbers on the bars
        y: Axis::log("bytes per state", 1.0, largest * 4.0),
        legend: Legend::Below,
    }
}

/// A part of a configuration's name: its symmetry (0) or its compression (1).
fn part(cell: &CaseCount, at: usize) -> &str {
    cell.backend.split('+').nth(at).unwrap_or_default()
}

fn bar(cell: &CaseCount, group: usize, at: usize, of: usize) -> Option<Bar> {
    let width = FILLED / of as f64;
    let left = group as f64 - FILLED / 2.0 + width * at as f64;
    let bytes = cell.bytes_per_state()?;
    let number = |column| cell.count(column).map(|n| count(n as usize));
    Some(Bar {
        left,
        right: left + width,
        height: bytes,
        label: format!("{bytes:.0}"),
        note: format!("{}: {} bytes, {} states", cell.backend, number("bytes")?, number("states")?),
    })
}
