//! Cactus plot: how many rows each backend decides if each may take at most so long.

use super::Material;
use super::model::{Axis, Figure, Layer, Legend, Mark, Panel};
use crate::analyse::series::Rows;

const POINTS: usize = 200;

pub fn cactus(material: &Material<'_>) -> anyhow::Result<Option<Figure>> {
    let mut layers = Vec::new();
    let (mut low, mut high, mut most) = (f64::INFINITY, 0.0f64, 1.0f64);
    for (style, backend) in material.table.distinct("backend")?.into_iter().enumerate() {
        let rows = Rows::of(&material.table.only("backend", &backend)?)?;
        let mut times: Vec<f64> = rows.finite().into_iter().map(|point| point.time * 1e3).collect();
        if times.is_empty() {
            continue;
        }
        times.sort_unstable_by(f64::total_cmp);
        low = low.min(times[0]);
        high = high.max(times[times.len() - 1]);
        most = most.max(times.len() as f64);
        let name = format!("{backend} ({} of {})", times.len(), rows.len());
        layers.push(Layer { name, style, mark: Mark::Line(steps(&times)) });
    }
    Ok((!layers.is_empty()).then(|| Figure {
        name: "cactus".into(),
        caption: "Rows decided within a time limit per row, by backend; further right and lower is better. The legend gives rows decided of rows tried.\n".into(),
        columns: 1,
        panel: (520.0, 320.0),
        panels: vec![Panel {
            title: "rows decided".into(),
            x: Axis::linear("rows decided", 0.0, most * 1.02),
            y: Axis::log("time limit per row (ms)", low * 0.8, high * 1.3),
            layers,
            legend: Legend::Below,
        }],
    }))
}

/// The sorted times as a curve of at most [`POINTS`] points.
fn steps(times: &[f64]) -> Vec<(f64, f64)> {
    let step = times.len().div_ceil(POINTS).max(1);
    let last = times.len() - 1;
    let mut points: Vec<(f64, f64)> =
        (0..=last).step_by(step).map(|i| ((i + 1) as f64, times[i])).collect();
    points.push(((last + 1) as f64, times[last]));
    points
}
