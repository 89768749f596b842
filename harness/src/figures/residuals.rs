//! What a fit leaves: median times over the curve of the law that fits best, against size.
//!
//! A level band around 1 speaks for the law; a bend or a fan against it and against extrapolating.

use super::{Material, series_name, size_label};
use crate::analyse::parts;
use crate::analyse::series::{SeriesRows, fittable};
use pidlab_figures::{
    Axis, Dot, Figure, Guide, Labels, Layer, Legend, Mark, Panel, Stroke, pretty, short, thinned,
};

const MOST_PANELS: usize = 6;

pub fn residuals(material: &Material<'_>) -> anyhow::Result<Option<Figure>> {
    let mut panels = Vec::new();
    for (series, (_, part)) in material.analysis.series.iter().zip(parts(material.table)?) {
        let Some(growth) = &series.growth else { continue };
        let best = growth.laws.iter().min_by(|a, b| a.fit.rms.total_cmp(&b.fit.rms));
        let (Some(best), true) = (best, panels.len() < MOST_PANELS) else { continue };
        let typical = material.experiment.analysis.typical;
        let states = fittable(SeriesRows::of(&part)?.per_state(|_| true), typical).states;
        let dots: Vec<Dot> = states
            .iter()
            .filter(|state| state.time.is_finite())
            .map(|state| Dot {
                x: state.size,
                y: state.time / best.fit.at(state.size),
                note: format!(
                    "p = {}, t / fitted = {}, median t = {} ms",
                    state.size,
                    short(state.time / best.fit.at(state.size)),
                    short(state.time * 1e3)
                ),
            })
            .collect();
        let low = dots.iter().map(|d| d.y).fold(0.5, f64::min).max(0.01);
        let high = dots.iter().map(|d| d.y).fold(2.0, f64::max).min(100.0);
        let points = vec![(growth.smallest * 0.9, 1.0), (growth.largest * 1.1, 1.0)];
        let one = Guide { points, label: String::new(), stroke: Stroke::Solid };
        let title = format!("{}: {}", series_name(material, series), growth.text());
        panels.push(Panel {
            title: title.split(" (").next().unwrap_or("").to_string(),
            x: Axis::log(
                size_label(material.experiment),
                growth.smallest * 0.9,
                growth.largest * 1.1,
            ),
            y: Axis::log(
                &format!("t / fitted {}", best.law.of(&growth.variable)),
                low * 0.9,
                high * 1.1,
            ),
            layers: vec![
                Layer::unnamed(0, Mark::Dots(thinned(dots))),
                Layer::unnamed(0, Mark::Guide(one)),
            ],
            legend: Legend::None,
        });
    }
    Ok((!panels.is_empty()).then(|| Figure {
        name: "residuals".into(),
        caption: pretty("Median time of each base state over the curve of least error among the growth laws with overhead; the line is at 1. Beyond the largest size nothing was measured: a bend here forbids extrapolation. Of more than 3,000 points, evenly chosen ones are drawn.\n"),
        columns: 2,
        panel: (400.0, 260.0),
        labels: Labels::Each,
        panels,
    }))
}
