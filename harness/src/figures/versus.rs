//! Backend against backend on the same states, with guides at 2× and 10× and a band for limits.

use super::Material;
use super::model::{Axis, Dot, Figure, Layer, Legend, Mark, Panel, thinned};
use crate::analyse::by_state;
use pidlab_stats::Observation;
use std::collections::BTreeMap;

const MOST_PANELS: usize = 6;

type Medians = BTreeMap<u64, Observation>;

pub fn versus(material: &Material<'_>) -> anyhow::Result<Option<Figure>> {
    let backends = material.table.distinct("backend")?;
    let mut medians: Vec<(String, Medians)> = Vec::new();
    for backend in backends {
        let states = by_state(material.table, &backend)?;
        medians.push((backend, states));
    }
    let mut panels = Vec::new();
    for (i, a) in medians.iter().enumerate() {
        for b in &medians[i + 1..] {
            if panels.len() < MOST_PANELS {
                panels.extend(panel(&a.0, &b.0, &both(&a.1, &b.1), f64::INFINITY));
            }
        }
    }
    Ok((!panels.is_empty()).then(|| Figure {
        name: "versus".into(),
        caption: "Median time of each base state with one backend against another; dotted line: equal, dashed: 2× and 10×. Points on the upper or right edge hit a limit. Of more than 3,000 points, evenly chosen ones are drawn.\n".into(),
        columns: panels.len().min(2),
        panel: (380.0, 340.0),
        panels,
    }))
}

/// States that both backends have.
fn both(a: &Medians, b: &Medians) -> Vec<(String, f64, f64)> {
    let times = |(state, x): (&u64, &Observation)| {
        Some((format!("state {state}"), x.time, b.get(state)?.time))
    };
    a.iter().filter_map(times).collect()
}

/// One backend against another: label and seconds of each point. Without a limit the edge lies at twice
/// the largest time.
pub fn panel(a: &str, b: &str, points: &[(String, f64, f64)], limit: f64) -> Option<Panel> {
    let finite = || points.iter().flat_map(|(_, x, y)| [*x, *y]).filter(|t| t.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(0.0, f64::max));
    if !low.is_finite() || high <= 0.0 {
        return None;
    }
    let (low, edge) = (low * 700.0, high.max(if limit.is_finite() { limit } else { 0.0 }) * 2e3);
    let dots = points
        .iter()
        .filter(|(_, x, y)| x.is_finite() || y.is_finite())
        .map(|(label, x, y)| {
            let (x, y) = (x * 1e3, y * 1e3);
            let note = format!("{label}: {a} {x:.4} ms, {b} {y:.4} ms");
            Dot { x: x.min(edge), y: y.min(edge), note }
        })
        .collect();
    let mut layers = vec![Layer { name: String::new(), style: 0, mark: Mark::Dots(thinned(dots)) }];
    for factor in [0.1, 0.5, 2.0, 10.0] {
        // from edge to edge of the square, so that nothing is bent by clipping
        let (from, to) = (f64::max(low, low / factor), f64::min(edge, edge / factor));
        let points = vec![(from, from * factor), (to, to * factor)];
        layers.push(Layer { name: String::new(), style: 6, mark: Mark::Guide(points) });
    }
    layers.push(Layer {
        name: String::new(),
        style: 6,
        mark: Mark::Line(vec![(low, low), (edge, edge)]),
    });
    Some(Panel {
        title: format!("{b} against {a}"),
        x: Axis::log(&format!("{a} (ms)"), low, edge * 1.1),
        y: Axis::log(&format!("{b} (ms)"), low, edge * 1.1),
        layers,
        legend: Legend::None,
    })
}
