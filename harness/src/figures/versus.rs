//! Backend against backend on the same states, with guides at 1×, 2× and 10×; what hit a limit lies on the
//! upper or right edge.

use super::Material;
use crate::analyse::by_state;
use pidlab_figures::{
    Axis, Dot, Figure, Guide, Labels, Layer, Legend, Mark, Panel, Stroke, short, thinned,
};
use pidlab_stats::Observation;
use std::collections::BTreeMap;

const MOST_PANELS: usize = 6;

/// Guides by factor: how they are drawn, and what captions call them.
const GUIDES: [(f64, Stroke); 3] =
    [(1.0, Stroke::Solid), (2.0, Stroke::Dashed), (10.0, Stroke::Dotted)];

/// Which guide is which, for a caption.
pub fn legend() -> String {
    let [equal, two, ten] = GUIDES.map(|(_, stroke)| stroke.name());
    format!("{equal} line: equal, {two}: 2×, {ten}: 10×")
}

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
        caption: format!(
            "Median time of each base state with one backend against another; {}. Points on the upper or right edge hit a limit. Of more than 3,000 points, evenly chosen ones are drawn.\n",
            legend()
        ),
        columns: panels.len().min(2),
        panel: (380.0, 350.0),
        labels: Labels::Each,
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
            let note = format!("{label}: {a} {} ms, {b} {} ms", short(x), short(y));
            Dot { x: x.min(edge), y: y.min(edge), note }
        })
        .collect();
    let high = edge * 1.1;
    let mut layers: Vec<Layer> =
        GUIDES.into_iter().flat_map(|(factor, stroke)| guides(low, high, factor, stroke)).collect();
    layers.push(Layer::unnamed(0, Mark::Dots(thinned(dots))));
    Some(Panel {
        title: format!("{b} against {a}"),
        x: Axis::log(&format!("{a} (ms)"), low, high),
        y: Axis::log(&format!("{b} (ms)"), low, high),
        layers,
        legend: Legend::None,
    })
}

/// Lines from edge to edge of the square where one time is so many times the other.
fn guides(low: f64, high: f64, factor: f64, stroke: Stroke) -> Vec<Layer> {
    let line = |factor: f64, label: String| {
        let (from, to) = (f64::max(low, low / factor), f64::min(high, high / factor));
        let points = vec![(from, from * factor), (to, to * factor)];
        Layer::unnamed(0, Mark::Guide(Guide { points, label, stroke }))
    };
    if factor <= 1.0 {
        return vec![line(1.0, String::new())];
    }
    vec![line(1.0 / factor, format!("{factor}×")), line(factor, format!("{factor}×"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guides_are_named_and_drawn_as_the_caption_says() {
        let points = [("one".to_string(), 1e-3, 2e-3), ("late".to_string(), 1e-2, f64::INFINITY)];
        let panel = panel("a", "b", &points, f64::INFINITY).unwrap();
        let mut guides = Vec::new();
        for layer in &panel.layers {
            match &layer.mark {
                Mark::Guide(guide) => guides.push((guide.label.as_str(), guide.stroke.name())),
                Mark::Dots(dots) => {
                    // what hit a limit lies within the frame, at its edge
                    assert!(dots.iter().all(|dot| (0.0..=1.0).contains(&panel.y.at(dot.y))));
                }
                _ => panic!("neither guide nor dots"),
            }
        }
        let [two, ten] = [("2×", "dashed"), ("10×", "dotted")];
        assert_eq!(guides, [("", "solid"), two, two, ten, ten]);
        assert_eq!(legend(), "solid line: equal, dashed: 2×, dotted: 10×");
    }
}
