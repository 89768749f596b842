//! Spread over vertex orders: how much longer the unluckiest order of a question takes than the luckiest.

use super::Material;
use pidlab_figures::{Axis, Figure, Labels, Layer, Legend, Mark, Panel};
use std::collections::BTreeMap;

pub fn orders(material: &Material<'_>) -> anyhow::Result<Option<Figure>> {
    if material.experiment.orders < 2 {
        return Ok(None);
    }
    let mut layers = Vec::new();
    let mut largest: f64 = 2.0;
    for (style, backend) in material.table.distinct("backend")?.into_iter().enumerate() {
        let mut spread = spreads(material, &backend)?;
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

fn spreads(material: &Material<'_>, backend: &str) -> anyhow::Result<Vec<f64>> {
    let part = material.table.only("backend", backend)?;
    let (t, pair, repetition) =
        (part.numbers("t")?, part.numbers("pair")?, part.numbers("repetition")?);
    let relations = part.texts("relations")?;
    let mut groups: BTreeMap<(u64, &str, u64), (f64, f64)> = BTreeMap::new();
    for i in (0..t.len()).filter(|&i| t[i].is_finite()) {
        let key = (pair[i].to_bits(), relations[i], repetition[i] as u64);
        let range = groups.entry(key).or_insert((f64::INFINITY, 0.0));
        *range = (range.0.min(t[i]), range.1.max(t[i]));
    }
    Ok(groups.into_values().filter(|(low, _)| *low > 0.0).map(|(low, high)| high / low).collect())
}
