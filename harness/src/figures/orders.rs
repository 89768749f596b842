//! Spread over vertex orders: how much longer the unluckiest order of a question takes than the luckiest.

use super::Material;
use crate::analyse::spread;
use pidlab_figures::{Axis, Figure, Labels, Layer, Legend, Mark, Panel};

pub fn orders(material: &Material<'_>) -> anyhow::Result<Option<Figure>> {
    if material.experiment.orders < 2 {
        return Ok(None);
    }
    let mut layers = Vec::new();
    let mut largest: f64 = 2.0;
    for (style, backend) in material.table.distinct("backend")?.into_iter().enumerate() {
        let mut spread = spread(&material.table.only("backend", &backend)?, "order")?;
        spread.sort_unstable_by(f64::total_cmp);
        let Some(&last) = spread.last() else { continue };
        largest = largest.max(last);
        let n = spread.len() as f64;
        let step = spread.len().div_ceil(200).max(1);
        let mut points: Vec<(f64, f64)> = (0..spread.len())
            .step_by(step)
            .map(|i| (spread[i], 100.0 * (i + 1) as f64 / n))
            .collect();
        points.push((last, 100.0));
        layers.push(Layer::named(backend, style, Mark::Curve(points)));
    }
    Ok((!layers.is_empty()).then(|| Figure {
        name: "orders".into(),
        caption: format!(
            "Share of questions whose slowest of {} vertex orders takes at most so many times as long as the fastest; further left is better.\n",
            material.experiment.orders
        ),
        columns: 1,
        panel: (480.0, 320.0),
        labels: Labels::Each,
        panels: vec![Panel {
            title: "spread over vertex orders".into(),
            x: Axis::log("slowest / fastest order", 1.0, largest * 1.1),
            y: Axis::linear("questions (%)", 0.0, 102.0),
            layers,
            legend: Legend::Below,
        }],
    }))
}
