//! Forest plot: the exponent of each backend, transformation and component with its interval.

use super::Material;
use super::model::{Axis, Figure, Layer, Legend, Mark, Panel};
use super::series_name;

pub fn exponents(material: &Material<'_>) -> Option<Figure> {
    let mut names: Vec<String> = Vec::new();
    for series in &material.analysis.series {
        for exponent in &series.transformations {
            let name = label(&exponent.transformation, &exponent.component);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names.sort_unstable();
    names.insert(0, "all".into());
    let mut layers = Vec::new();
    let count = material.analysis.series.len().max(1) as f64;
    for (style, series) in material.analysis.series.iter().enumerate() {
        let shift = (style as f64 - (count - 1.0) / 2.0) * 0.6 / count;
        let mut spans: Vec<_> = series
            .transformations
            .iter()
            .filter_map(|e| {
                let row =
                    names.iter().position(|n| *n == label(&e.transformation, &e.component))?;
                Some((e.exponent.low, e.exponent.value, e.exponent.high, row as f64 + shift))
            })
            .collect();
        if let Some(growth) = &series.growth {
            let e = growth.exponent;
            spans.push((e.low, e.value, e.high, shift));
        }
        if !spans.is_empty() {
            layers.push(Layer {
                name: series_name(material, series),
                style,
                mark: Mark::Spans(spans),
            });
        }
    }
    if layers.is_empty() {
        return None;
    }
    let (low, high) = range(&layers);
    for law in [1.0, 1.5, 2.0].into_iter().filter(|law| (low..high).contains(law)) {
        let bottom = names.len() as f64;
        let mark = Mark::Guide(vec![(law, -0.5), (law, bottom - 0.5)]);
        layers.insert(0, Layer { name: String::new(), style: 6, mark });
    }
    Some(Figure {
        name: "exponents".into(),
        caption: "Exponent e of t = a + b·size^e by backend and transformation (and component where the published line splits them), with 95 % intervals from a bootstrap over base states; dashed guides at 1, 1.5 and 2.\n".into(),
        columns: 1,
        panel: (640.0, 80.0 + 22.0 * names.len() as f64 * (1.0 + 0.25 * (count - 1.0).min(4.0))),
        panels: vec![Panel {
            title: "growth exponents".into(),
            x: Axis::linear("exponent", low, high),
            y: Axis::names(names),
            layers,
            legend: Legend::Below,
        }],
    })
}

fn label(transformation: &str, component: &str) -> String {
    match component {
        "all" => transformation.to_string(),
        other => format!("{transformation}, {other}"),
    }
}

/// Wide intervals of tiny samples are cut, so that the others stay readable.
fn range(layers: &[Layer]) -> (f64, f64) {
    let mut low: f64 = 0.8;
    let mut high: f64 = 2.1;
    for layer in layers {
        if let Mark::Spans(spans) = &layer.mark {
            for span in spans {
                low = low.min(span.0);
                high = high.max(span.2);
            }
        }
    }
    (low.max(-0.5) - 0.05, high.min(3.5) + 0.05)
}
