//! Measurements counted in cells of equal size on the paper, whatever the scales of the axes.

use crate::axis::Axis;
use crate::model::{Beyond, Density, DensityCell};
use crate::text::count;
use std::collections::BTreeMap;

const ACROSS: usize = 110;
const UP: usize = 70;
/// Arrows at the edge stand for what lies beyond a stretch of so many cells.
const STRETCH: usize = 5;

/// Counts points between two axes; `describe` tells of one point by its number. Points outside are kept
/// apart, so that the figure can say so.
pub fn density(
    points: &[(f64, f64)],
    x: &Axis,
    y: &Axis,
    describe: impl Fn(usize) -> String,
) -> Density {
    let mut inside: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    let mut outside: BTreeMap<(i64, i64), (usize, usize)> = BTreeMap::new();
    for (number, &(px, py)) in points.iter().enumerate() {
        let (ax, ay) = (x.at(px), y.at(py));
        if (0.0..=1.0).contains(&ax) && (0.0..=1.0).contains(&ay) {
            let key = (cell_number(ax, ACROSS), cell_number(ay, UP));
            inside.entry(key).or_insert((0, number)).0 += 1;
        } else if !ax.is_nan() && !ay.is_nan() {
            let key = (stretch_number(ax, ACROSS), stretch_number(ay, UP));
            outside.entry(key).or_insert((0, number)).0 += 1;
        }
    }
    let edge = |axis: &Axis, k: usize, n: usize| {
        (axis.value(k as f64 / n as f64), axis.value((k + 1) as f64 / n as f64))
    };
    let note = |n: usize, example: usize| match n {
        1 => describe(example),
        n => format!("{} measurements, such as {}", count(n), describe(example)),
    };
    let cells = inside.into_iter().map(|((cx, cy), (n, example))| DensityCell {
        x: edge(x, cx, ACROSS),
        y: edge(y, cy, UP),
        count: n,
        note: note(n, example),
    });
    let beyond = outside.into_values().map(|(n, example)| {
        let (x, y) = points[example];
        Beyond { x, y, count: n, note: note(n, example) }
    });
    Density { cells: cells.collect(), beyond: beyond.collect() }
}

fn cell_number(at: f64, of: usize) -> usize {
    ((at * of as f64) as usize).min(of - 1)
}

/// Stretches along the edge; what lies outside in this direction is one stretch.
fn stretch_number(at: f64, of: usize) -> i64 {
    let cells = (at.clamp(-0.001, 1.001) * of as f64 / STRETCH as f64).floor();
    cells as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_counted_inside_or_beyond() {
        let mut points: Vec<(f64, f64)> =
            (0..100).map(|i| (f64::from(i), f64::from(i * i))).collect();
        points.push((1.0, f64::INFINITY));
        let (x, y) = (Axis::linear("", 0.0, 99.0), Axis::linear("", 0.0, 50.0 * 50.0));
        let found = density(&points, &x, &y, |i| format!("point {i}"));
        let inside: usize = found.cells.iter().map(|cell| cell.count).sum();
        let beyond: usize = found.beyond.iter().map(|beyond| beyond.count).sum();
        assert_eq!((inside, beyond), (51, 50));
        assert!(found.beyond.len() < 15, "{}", found.beyond.len());
        assert_eq!(found.cells[0].note, "point 0");
        assert_eq!(found.beyond[0].note, "point 100");
        assert!(found.beyond[1].note.contains("measurements, such as point 51"));
    }

    #[test]
    fn cells_meet_without_gaps() {
        let (x, y) = (Axis::log("", 1.0, 1e4), Axis::linear("", 0.0, 1.0));
        let points: Vec<(f64, f64)> =
            (0..1000).map(|i| (10f64.powf(f64::from(i) / 250.0), 0.5)).collect();
        let cells = density(&points, &x, &y, |_| String::new()).cells;
        assert!(cells.windows(2).all(|pair| pair[0].x.1 == pair[1].x.0));
    }
}
