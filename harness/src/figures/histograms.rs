//! Figure 6 of SACS'10: histograms of t/p, t/(p log p) and t/p² in four segments of growing p.

use super::Material;
use super::model::{Axis, Figure, Layer, Legend, Mark, Panel, time_unit};
use pidlab_stats::published::Column;

pub fn histograms(material: &Material<'_>) -> Option<Figure> {
    let series = material.analysis.series.iter().find(|s| s.published.is_some())?;
    let published = series.published.as_ref()?;
    let columns: [(&str, Option<&Column>); 3] = [
        ("C1: t / p", published.d1.as_ref()),
        ("C2: t / (p log p)", published.d2.as_ref()),
        ("C2: t / p²", published.d2_prime.as_ref()),
    ];
    let mut panels = Vec::new();
    for segment in 0..4 {
        for (title, column) in &columns {
            panels.push(match column {
                Some(column) => filled(title, column, segment),
                None => empty(title, segment),
            });
        }
    }
    Some(Figure {
        name: "histograms".into(),
        caption: format!(
            "Distributions of t/p in component C1 (left), t/(p log p) and t/p² in component C2 (middle, right) over four segments of equal number with growing p from top to bottom, backend {}; the vertical line is the segment's median. As figure 6 of SACS'10: alike means growth as in the denominator, a drift to the right more, to the left less. {:.0} % of the measurements with p ≥ 200 lie in C1.\n",
            series.backend,
            100.0 * published.lower_share
        ),
        columns: 3,
        panel: (280.0, 170.0),
        panels,
    })
}

fn filled(title: &str, column: &Column, segment: usize) -> Panel {
    let histogram = &column.histograms[segment];
    let high = histogram.edges(histogram.counts.len() - 1).1;
    let (unit, factor) = time_unit(high);
    let total: usize = histogram.counts.iter().sum();
    let share = |n: usize| 100.0 * n as f64 / total.max(1) as f64;
    let bars = (0..histogram.counts.len())
        .map(|bin| {
            let (left, right) = histogram.edges(bin);
            (left * factor, right * factor, share(histogram.counts[bin]))
        })
        .collect();
    let all = column.histograms.iter().flat_map(|h| {
        let total: usize = h.counts.iter().sum();
        h.counts.iter().map(move |&n| 100.0 * n as f64 / total.max(1) as f64)
    });
    let top = all.fold(1.0, f64::max) * 1.1;
    let median = column.segment_medians[segment] * factor;
    let axis = format!("{} ({unit})", title.rsplit(": ").next().unwrap_or(title));
    Panel {
        title: format!("{title}, segment {}", segment + 1),
        x: Axis::linear(&axis, histogram.low * factor, high * factor),
        y: Axis::linear("%", 0.0, top),
        layers: vec![
            Layer { name: String::new(), style: 5, mark: Mark::Bars(bars) },
            Layer {
                name: String::new(),
                style: 6,
                mark: Mark::Line(vec![(median, 0.0), (median, top)]),
            },
        ],
        legend: Legend::None,
    }
}

fn empty(title: &str, segment: usize) -> Panel {
    Panel {
        title: format!("{title}, segment {}: no component", segment + 1),
        x: Axis::linear("", 0.0, 1.0),
        y: Axis::linear("%", 0.0, 1.0),
        layers: Vec::new(),
        legend: Legend::None,
    }
}
