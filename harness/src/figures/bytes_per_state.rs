//! Bytes per state of the visited set: a panel for each case, a line for each configuration (Bogor'03).

use super::Material;
use super::model::{Axis, Figure, Layer, Legend, Mark, Panel};
use crate::analyse::cells::Cell;

pub fn figure(material: &Material<'_>) -> Option<Figure> {
    let complete = |cell: &&Cell| cell.is_complete() && cell.bytes_per_state().is_some();
    let cells: Vec<&Cell> = material.analysis.cells.iter().filter(complete).collect();
    let mut sets: Vec<&str> = cells.iter().map(|cell| &*cell.set).collect();
    sets.dedup();
    let panels: Vec<Panel> = sets.into_iter().map(|set| panel(set, &cells)).collect();
    (!panels.is_empty()).then(|| Figure {
        name: "bytes-per-state".into(),
        caption: "Bytes of the visited set for each stored state, keys and index, on a logarithmic scale; further left is better. Compressions are the colors, symmetries the groups.\n".into(),
        columns: 2,
        panel: (360.0, 300.0),
        panels,
    })
}

fn panel(set: &str, cells: &[&Cell]) -> Panel {
    let cells: Vec<&&Cell> = cells.iter().filter(|cell| cell.set == set).collect();
    let bytes = |cell: &Cell| cell.bytes_per_state().unwrap_or(1.0);
    let most = cells.iter().map(|cell| bytes(cell)).fold(1.0, f64::max);
    let least = cells.iter().map(|cell| bytes(cell)).fold(most, f64::min);
    let names: Vec<String> = cells.iter().map(|cell| short(&cell.backend)).collect();
    let compression = |cell: &Cell| cell.backend.split('+').nth(1).unwrap_or("").to_string();
    let mut used: Vec<String> = cells.iter().map(|cell| compression(cell)).collect();
    used.sort();
    used.dedup();
    let layers = used.into_iter().enumerate().map(|(style, name)| {
        let points = cells.iter().enumerate().filter(|(_, cell)| compression(cell) == name);
        let spans = points.map(|(at, cell)| (bytes(cell), bytes(cell), bytes(cell), at as f64));
        Layer { style, mark: Mark::Spans(spans.collect()), name }
    });
    Panel {
        title: set.into(),
        x: Axis::log("bytes per state", least * 0.7, most * 1.4),
        y: Axis::names(names),
        layers: layers.collect(),
        legend: Legend::Below,
    }
}

/// Without the order of the search, where there is only one.
fn short(backend: &str) -> String {
    backend.trim_end_matches("+dfs").replace('+', ", ")
}
