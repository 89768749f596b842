//! Figure 5 of SACS'10: times against sizes, darker where measurements are more frequent, with the
//! curves and the dividing line; and its two components apart.

use super::model::{Axis, Cell, Dot, Figure, Layer, Legend, Mark, Panel, time_unit};
use super::{Material, series_name, size_label};
use crate::analyse::series::Rows;
use crate::analyse::{Series, parts};
use pidlab_stats::order::quantile;
use pidlab_stats::{Law, Observation, published};
use std::collections::BTreeMap;

const ACROSS: usize = 110;
const UP: usize = 70;
/// Below this many measurements each is drawn as a dot.
const FEW: usize = 400;
/// More series than this make a figure nobody reads.
const MOST_SERIES: usize = 6;

pub fn density(material: &Material<'_>) -> anyhow::Result<Option<Figure>> {
    let mut panels = Vec::new();
    for (series, (_, part)) in material.analysis.series.iter().zip(parts(material.table)?) {
        if panels.len() >= 2 * MOST_SERIES {
            break;
        }
        let rows = Rows::of(&part)?;
        if rows.finite().is_empty() {
            continue;
        }
        let name = series_name(material, series);
        for log in [false, true] {
            panels.push(panel(material, &rows, Some(series), &name, log, |_| true));
        }
    }
    Ok((!panels.is_empty()).then(|| Figure {
        name: "density".into(),
        caption: caption(material),
        columns: 2,
        panel: (420.0, 300.0),
        panels,
    }))
}

fn caption(material: &Material<'_>) -> String {
    let line = match material.experiment.analysis.segments {
        true => {
            " The dotted line divides the two components as in SACS'10 (t = 20p/1800 in the authors' unit)."
        }
        false => "",
    };
    format!(
        "Computation times against size, left with linear and right with logarithmic axes; darker cells hold more measurements. Curves are the growth laws fitted with overhead to the medians of the base states ({} rows, {} states).{line}\n",
        material.analysis.rows, material.analysis.states
    )
}

/// The two components of the first series.
pub fn components(material: &Material<'_>) -> anyhow::Result<Option<Figure>> {
    let Some((_, part)) = parts(material.table)?.into_iter().next() else { return Ok(None) };
    let rows = Rows::of(&part)?;
    let Some(slope) = published::line_slope(&rows.finite()) else { return Ok(None) };
    let below = |p: &Observation| p.time < slope * p.size;
    let large = |p: &Observation| p.size >= published::SMALLEST_P;
    let name = |c: &str| format!("{c}: {}", material.analysis.series[0].backend);
    let lower = panel(material, &rows, None, &name("C1"), false, |p| large(p) && below(p));
    let upper = panel(material, &rows, None, &name("C2"), false, |p| large(p) && !below(p));
    Ok(Some(Figure {
        name: "components".into(),
        caption: "The two components for p ≥ 200: C1 below the dividing line (left), C2 above it (right), as at the bottom of figure 5 of SACS'10.\n".into(),
        columns: 2,
        panel: (420.0, 280.0),
        panels: vec![lower, upper],
    }))
}

fn panel(
    material: &Material<'_>,
    rows: &Rows,
    series: Option<&Series>,
    title: &str,
    log: bool,
    keep: impl Fn(&Observation) -> bool,
) -> Panel {
    let chosen: Vec<usize> = (0..rows.len())
        .filter(|&i| rows.points[i].time.is_finite() && keep(&rows.points[i]))
        .collect();
    let (x, y, unit) = axes(material, rows, &chosen, log);
    let mut layers = vec![marks(rows, &chosen, &x, &y, unit)];
    if let Some(series) = series {
        layers.extend(curves(series, &x, unit));
        layers.extend(divider(series, &x, unit));
    }
    let legend = if layers.len() > 1 { Legend::Below } else { Legend::None };
    Panel { title: title.into(), x, y, layers, legend }
}

fn axes(material: &Material<'_>, rows: &Rows, chosen: &[usize], log: bool) -> (Axis, Axis, f64) {
    let mut times: Vec<f64> = chosen.iter().map(|&i| rows.points[i].time).collect();
    let sizes = || chosen.iter().map(|&i| rows.points[i].size);
    let low_size = sizes().fold(f64::INFINITY, f64::min).min(1e12);
    let high_size = sizes().fold(1.0, f64::max);
    // a few extreme rows must not flatten the linear picture; the logarithmic one has them all
    let top = if log { quantile(&mut times, 1.0) } else { 1.2 * quantile(&mut times, 0.95) };
    let top = if top.is_finite() { top } else { 1.0 };
    let (unit, factor) = time_unit(top);
    let label = format!("t ({unit})");
    let name = size_label(material.experiment);
    if log {
        let low = quantile(&mut times, 0.0) * factor * 0.8;
        let x = Axis::log(name, low_size * 0.9, high_size * 1.1);
        return (x, Axis::log(&label, low, top * factor * 1.3), factor);
    }
    (Axis::linear(name, 0.0, high_size * 1.02), Axis::linear(&label, 0.0, top * factor), factor)
}

fn marks(rows: &Rows, chosen: &[usize], x: &Axis, y: &Axis, unit: f64) -> Layer {
    let mark = match chosen.len() < FEW {
        true => Mark::Dots(chosen.iter().map(|&i| dot(rows, i, unit)).collect()),
        false => Mark::Cells(cells(rows, chosen, x, y, unit)),
    };
    Layer { name: "measurements".into(), style: 6, mark }
}

fn describe(rows: &Rows, i: usize) -> String {
    let point = &rows.points[i];
    format!(
        "row {}: size {}, t = {:.3e} s, {}, {}",
        rows.row[i], point.size, point.time, rows.transformation[i], rows.answer[i]
    )
}

fn dot(rows: &Rows, i: usize, unit: f64) -> Dot {
    let point = &rows.points[i];
    Dot { x: point.size, y: point.time * unit, note: describe(rows, i) }
}

fn cells(rows: &Rows, chosen: &[usize], x: &Axis, y: &Axis, unit: f64) -> Vec<Cell> {
    let mut counts: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    for &i in chosen {
        let (ax, ay) = (x.at(rows.points[i].size), y.at(rows.points[i].time * unit));
        if (0.0..1.0).contains(&ax) && (0.0..1.0).contains(&ay) {
            let key = ((ax * ACROSS as f64) as usize, (ay * UP as f64) as usize);
            counts.entry(key).or_insert((0, i)).0 += 1;
        }
    }
    let most = counts.values().map(|(n, _)| *n).max().unwrap_or(1) as f64;
    let edge = |axis: &Axis, k: usize, n: usize| {
        (axis.value(k as f64 / n as f64), axis.value((k + 1) as f64 / n as f64))
    };
    counts
        .into_iter()
        .map(|((cx, cy), (n, i))| Cell {
            x: edge(x, cx, ACROSS),
            y: edge(y, cy, UP),
            weight: (n as f64).ln_1p() / most.ln_1p(),
            note: format!("{n} measurements, such as {}", describe(rows, i)),
        })
        .collect()
}

/// The three curves of the figure: p, p log p and p².
fn curves(series: &Series, x: &Axis, unit: f64) -> Vec<Layer> {
    let Some(growth) = &series.growth else { return Vec::new() };
    let shown = [Law::Linear, Law::LinearLog, Law::Square];
    let tests = growth.laws.iter().filter(|test| shown.contains(&test.law));
    tests
        .enumerate()
        .map(|(style, test)| {
            let points = (0..=80)
                .map(|k| x.value(f64::from(k) / 80.0).max(1.0))
                .map(|p| (p, test.fit.at(p) * unit))
                .collect();
            Layer {
                name: format!("O({})", test.law.to_string().replace("^2", "²")),
                style,
                mark: Mark::Line(points),
            }
        })
        .collect()
}

fn divider(series: &Series, x: &Axis, unit: f64) -> Option<Layer> {
    let slope = series.published.as_ref()?.slope;
    let points =
        (0..=60).map(|k| x.value(f64::from(k) / 60.0)).map(|p| (p, slope * p * unit)).collect();
    Some(Layer { name: "dividing line".into(), style: 6, mark: Mark::Guide(points) })
}
