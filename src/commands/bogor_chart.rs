//! Bytes per state as a bar chart: a group per symmetry, a bar per compression, on a logarithmic axis.
//! Every bar carries its number.

use pidlab_explore::heap::run::Compression;
use pidlab_explore::heap::tables::experiment::column;
use pidlab_explore::heap::tables::measure::Cell;
use pidlab_figures::{Axis, Bar, Figure, Labels, Layer, Legend, Mark, Panel, count};

/// Share of a group's place that its bars fill.
const FILLED: f64 = 0.86;

/// The chart of one case; nothing if it was not run.
pub fn figure(name: &str, title: &str, case: &str, cells: &[Cell]) -> Option<Figure> {
    let cells: Vec<&Cell> = cells.iter().filter(|cell| cell.case == case).collect();
    let largest = cells.iter().map(|cell| cell.bytes_per_state()).fold(0.0, f64::max);
    if largest <= 1.0 {
        return None;
    }
    let groups = distinct(cells.iter().map(|cell| column(cell.symmetry)));
    let series = distinct(cells.iter().map(|cell| cell.compression));
    let layers = series.iter().enumerate().map(|(at, &compression)| {
        let of_series = cells.iter().filter(|cell| cell.compression == compression);
        let bars = of_series.filter_map(|cell| {
            let group = groups.iter().position(|group| *group == column(cell.symmetry))?;
            Some(bar(cell, group, at, series.len()))
        });
        Layer::named(compression.to_string(), style(compression), Mark::Bars(bars.collect()))
    });
    let slug: String = case.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    Some(Figure {
        name: format!("{name}-{slug}"),
        caption: format!("{title}: bytes per state, {case}, by symmetry and compression.\n"),
        columns: 1,
        panel: (560.0, 340.0),
        labels: Labels::Each,
        panels: vec![Panel {
            title: format!("{title}: {case}"),
            layers: layers.collect(),
            x: Axis::names(groups),
            // room for the numbers on the bars
            y: Axis::log("bytes per state", 1.0, largest * 4.0),
            legend: Legend::Below,
        }],
    })
}

fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// A compression looks the same in all charts.
fn style(compression: Compression) -> usize {
    Compression::ALL.iter().position(|&known| known == compression).unwrap_or(0)
}

fn bar(cell: &Cell, group: usize, at: usize, of: usize) -> Bar {
    let width = FILLED / of as f64;
    let left = group as f64 - FILLED / 2.0 + width * at as f64;
    let bytes = cell.bytes_per_state();
    Bar {
        left,
        right: left + width,
        height: bytes,
        label: format!("{bytes:.0}"),
        note: format!(
            "{}, {}: {} bytes, {} states",
            cell.symmetry,
            cell.compression,
            count(cell.bytes as usize),
            count(cell.states as usize)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_explore::heap::symmetry::ThreadSymmetry;

    fn cell(symmetry: &str, compression: Compression, bytes: u64) -> Cell {
        let symmetry: ThreadSymmetry = symmetry.parse().unwrap();
        let (states, seen, deadlocks) = (10, 10, 0);
        let case = "N=5".to_string();
        Cell {
            case,
            symmetry,
            compression,
            states,
            seen,
            deadlocks,
            complete: true,
            bytes,
            seconds: 0.1,
        }
    }

    #[test]
    fn every_cell_has_a_bar_with_its_number_on_a_labelled_axis() {
        let [first, second] = [Compression::ALL[0], Compression::ALL[1]];
        let cells =
            [cell("none", first, 2000), cell("none", second, 500), cell("exact", first, 900)];
        let figure = figure("t", "title", "N=5", &cells).unwrap();
        assert_eq!(figure.name, "t-N5");
        let svg = pidlab_figures::svg(&figure).unwrap();
        for text in [">200<", ">50<", ">90<", ">bytes per state<", ">100<", ">1<"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert!(super::figure("t", "title", "N=6", &cells).is_none());
    }
}
