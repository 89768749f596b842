//! Forest plot: the exponent of each backend, transformation and component with its interval.

use super::Material;
use super::series_name;
use pidlab_figures::{
    Axis, Figure, Guide, Labels, Layer, Legend, Mark, Panel, Span, Stroke, short,
};

/// How the guides are drawn, and what the caption calls them.
const GUIDES: Stroke = Stroke::Dashed;

/// Series that marks and colours tell apart; more get lines of their own.
const FEW: usize = 5;

/// One interval: low, value and high, and where it belongs.
struct Interval {
    row: String,
    series: usize,
    span: (f64, f64, f64),
}

pub fn exponents(material: &Material<'_>) -> Option<Figure> {
    let names: Vec<String> =
        material.analysis.series.iter().map(|series| series_name(material, series)).collect();
    let intervals = intervals(material);
    let (rows, mut layers) = if names.len() <= FEW {
        side_by_side(&intervals, &names)
    } else {
        line_by_line(&intervals, &names)
    };
    if layers.is_empty() {
        return None;
    }
    let (low, high) = range(&layers);
    for law in [1.0, 1.5, 2.0].into_iter().filter(|law| (low..high).contains(law)) {
        let bottom = rows.len() as f64;
        let points = vec![(law, -0.5), (law, bottom - 0.5)];
        let guide = Guide { points, label: String::new(), stroke: GUIDES };
        layers.insert(0, Layer::unnamed(0, Mark::Guide(guide)));
    }
    let beside = if names.len() <= FEW { names.len() as f64 - 1.0 } else { 0.0 };
    Some(Figure {
        name: "exponents".into(),
        caption: format!(
            "Exponent e of t = a + b·size^e by backend and transformation (and component where the published line splits them), with 95 % intervals from a bootstrap over base states; {} guides at 1, 1.5 and 2. An arrow ends an interval that is wider than the axis.\n",
            GUIDES.name()
        ),
        columns: 1,
        labels: Labels::Each,
        panel: (640.0, 80.0 + 22.0 * rows.len() as f64 * (1.0 + 0.25 * beside)),
        panels: vec![Panel {
            title: "growth exponents".into(),
            x: Axis::linear("exponent", low, high),
            y: Axis::names(rows),
            layers,
            legend: Legend::Below,
        }],
    })
}

/// All intervals; the ones of single transformations only where there are several.
fn intervals(material: &Material<'_>) -> Vec<Interval> {
    let mut found = Vec::new();
    for (number, series) in material.analysis.series.iter().enumerate() {
        if let Some(growth) = &series.growth {
            let e = growth.exponent;
            let span = (e.low, e.value, e.high);
            found.push(Interval { row: "all".into(), series: number, span });
        }
        let parts = series.transformations.iter().map(|e| {
            let row = label(&e.transformation, &e.component);
            let e = e.exponent;
            Interval { row, series: number, span: (e.low, e.value, e.high) }
        });
        if series.transformations.len() > 1 {
            found.extend(parts);
        }
    }
    found
}

/// A row for each transformation, the series side by side in it.
fn side_by_side(intervals: &[Interval], names: &[String]) -> (Vec<String>, Vec<Layer>) {
    let mut rows: Vec<String> = intervals.iter().map(|i| i.row.clone()).collect();
    rows.sort_unstable_by_key(|row| (row != "all", row.clone()));
    rows.dedup();
    let layers = names.iter().enumerate().filter_map(|(style, name)| {
        let shift = (style as f64 - (names.len() as f64 - 1.0) / 2.0) * 0.6 / names.len() as f64;
        let spans: Vec<_> = intervals
            .iter()
            .filter(|interval| interval.series == style)
            .filter_map(|Interval { row, span: (low, value, high), .. }| {
                let row = rows.iter().position(|name| name == row)?;
                Some(span((*low, *value, *high), row as f64 + shift, name))
            })
            .collect();
        (!spans.is_empty()).then(|| Layer::named(name.clone(), style, Mark::Spans(spans)))
    });
    let layers = layers.collect();
    (rows, layers)
}

/// A row for each interval, transformation by transformation.
fn line_by_line(intervals: &[Interval], names: &[String]) -> (Vec<String>, Vec<Layer>) {
    let mut sorted: Vec<&Interval> = intervals.iter().collect();
    sorted.sort_by_key(|interval| (interval.row != "all", interval.row.clone(), interval.series));
    let name = |interval: &Interval| match interval.row.as_str() {
        "all" => names[interval.series].clone(),
        row => format!("{row}: {}", names[interval.series]),
    };
    let spans: Vec<_> = sorted
        .iter()
        .zip(0..)
        .map(|(interval, row)| span(interval.span, f64::from(row), &name(interval)))
        .collect();
    let rows = sorted.into_iter().map(name).collect();
    let layer = Layer::unnamed(0, Mark::Spans(spans));
    (rows, if intervals.is_empty() { Vec::new() } else { vec![layer] })
}

/// An interval at its place.
fn span((low, value, high): (f64, f64, f64), at: f64, name: &str) -> Span {
    let note = format!("{name}: exponent {} [{}, {}]", short(value), short(low), short(high));
    Span { low, value, high, at, note }
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
                low = low.min(span.low);
                high = high.max(span.high);
            }
        }
    }
    (low.max(-0.5) - 0.05, high.min(3.5) + 0.05)
}
