//! Figure 6 of SACS'10: histograms of t/p, t/(p log p) and t/p² in four segments of growing p.

use super::Material;
use pidlab_figures::{
    Axis, Bar, Figure, Guide, Labels, Layer, Legend, Mark, Panel, Stroke, common_time_unit, count,
    short,
};
use pidlab_stats::histogram::Histogram;
use pidlab_stats::published::Column;

/// How medians are drawn, and what the caption calls them.
const MEDIAN: Stroke = Stroke::Dashed;

pub fn histograms(material: &Material<'_>) -> Option<Figure> {
    let series = material.analysis.series.iter().find(|s| s.published.is_some())?;
    let published = series.published.as_ref()?;
    let columns: [(&str, &str, Option<&Column>); 3] = [
        ("C1", "t / p", published.d1.as_ref()),
        ("C2", "t / (p log p)", published.d2.as_ref()),
        ("C2", "t / p²", published.d2_prime.as_ref()),
    ];
    let unit =
        common_time_unit(columns.iter().filter_map(|(.., column)| Some(right(column.as_ref()?))));
    let segments = published.d1.as_ref().or(published.d2.as_ref())?.histograms.len();
    let mut panels = Vec::new();
    for segment in 0..segments {
        for (component, ratio, column) in &columns {
            panels.push(match column {
                Some(column) => filled(component, ratio, column, segment, unit),
                None => empty(component, ratio),
            });
        }
    }
    Some(Figure {
        name: "histograms".into(),
        caption: format!(
            "Distributions of t/p in component C1 (left), t/(p log p) and t/p² in component C2 (middle, right) over {segments} segments of equal number with growing p from top to bottom, backend {}; the {} line is the segment's median. As figure 6 of SACS'10: alike means growth as in the denominator, a drift to the right more, to the left less. {:.0} % of the measurements with p ≥ {} lie in C1.\n",
            series.backend,
            MEDIAN.name(),
            100.0 * published.lower_share,
            published.procedure.from
        ),
        columns: 3,
        panel: (280.0, 160.0),
        labels: Labels::Outer,
        panels,
    })
}

/// The right end of a column, in seconds.
fn right(column: &Column) -> f64 {
    let histogram = &column.histograms[0];
    histogram.edges(histogram.counts.len() - 1).1
}

/// Height of each bar: the share of the segment in per cent.
fn shares(histogram: &Histogram) -> impl Iterator<Item = f64> {
    let total = histogram.counts.iter().sum::<usize>().max(1) as f64;
    histogram.counts.iter().map(move |&n| 100.0 * n as f64 / total)
}

fn filled(
    component: &str,
    ratio: &str,
    column: &Column,
    segment: usize,
    (unit, factor): (&str, f64),
) -> Panel {
    let histogram = &column.histograms[segment];
    let (from, to) = column.segment_sizes[segment];
    let bars = shares(histogram).enumerate().map(|(bin, height)| {
        let (left, right) = histogram.edges(bin);
        let (left, right) = (left * factor, right * factor);
        let note = format!(
            "{ratio} from {} to {} {unit}: {height:.1} % of p {from} to {to}",
            short(left),
            short(right)
        );
        Bar { left, right, height, label: String::new(), note }
    });
    let top = column.histograms.iter().flat_map(shares).fold(1.0, f64::max) * 1.1;
    let median = column.segment_medians[segment] * factor;
    let guide =
        Guide { points: vec![(median, 0.0), (median, top)], label: String::new(), stroke: MEDIAN };
    Panel {
        title: format!("{component}, p {}–{}", count(from as usize), count(to as usize)),
        x: Axis::linear(
            &format!("{ratio} ({unit})"),
            histogram.low * factor,
            right(column) * factor,
        ),
        y: Axis::linear("share (%)", 0.0, top),
        layers: vec![
            Layer::unnamed(5, Mark::Bars(bars.collect())),
            Layer::unnamed(0, Mark::Guide(guide)),
        ],
        legend: Legend::None,
    }
}

fn empty(component: &str, ratio: &str) -> Panel {
    Panel {
        title: format!("{component}: too few"),
        x: Axis::linear(ratio, 0.0, 1.0),
        y: Axis::linear("share (%)", 0.0, 1.0),
        layers: Vec::new(),
        legend: Legend::None,
    }
}
