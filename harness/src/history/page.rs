//! The page of a history: a sparkline for every series, the commits at every change; one HTML file that
//! needs no network. Machines have sections of their own.

use super::present::{NamedChange, changes, step};
use super::series::{CommitSeries, MachineHistory};
use crate::figures::escape;
use crate::report::{foot, head, table};
use pidlab_figures::{Axis, Dot, Figure, Guide, Labels, Layer, Legend, Mark, Panel, Stroke};
use std::fmt::Write;

/// By this a page is known to be ours and may be replaced.
pub const MARK: &str = "<title>pidlab: history</title>";
const TITLE: &str = "pidlab: history";

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 44.0;
/// The vertical range is at least this wide, so that noise of a per cent does not fill it.
const LEAST_RANGE: f64 = 0.2;

/// The page.
pub fn render(machines: &[MachineHistory]) -> String {
    let mut out = String::new();
    head(TITLE, "times of many commits", &mut out);
    let named = changes(machines);
    write!(
        out,
        "<section class=\"box\"><b>{}</b> changes of level in {} series on {} machines.</section>",
        named.len(),
        machines.iter().map(|machine| machine.series.len()).sum::<usize>(),
        machines.len()
    )
    .ok();
    changes_table(&named, &mut out);
    for machine in machines {
        section(machine, &mut out);
    }
    foot(&mut out);
    out
}

fn changes_table(named: &[NamedChange<'_>], out: &mut String) {
    if named.is_empty() {
        return;
    }
    out.push_str(
        "<h2>Changes</h2><p>A change came with the second commit, or between the two.</p>",
    );
    let rows = named.iter().map(|named| {
        let subject = &named.series.subject;
        vec![
            escape(&named.first.when),
            format!(
                "<code>{}</code> → <code>{}</code><br>{}",
                escape(&named.last.commit),
                escape(&named.first.commit),
                escape(&named.first.title)
            ),
            percent(step(named.change)),
            escape(&subject.experiment),
            escape(&subject.backend),
            escape(&subject.relations),
            escape(&subject.class),
            escape(&named.machine.machine.to_string()),
        ]
    });
    let names =
        ["date", "commits", "time", "experiment", "backend", "relations", "size", "machine"];
    table(&names, rows, out);
}

fn section(machine: &MachineHistory, out: &mut String) {
    write!(
        out,
        "<h2>{}</h2><p class=\"source\">{} commits; kernel {}. Lines are relative to the middle of their series; of three backends or more, what all share is a series of its own and the others show what is left.</p>",
        escape(&machine.machine.to_string()),
        machine.commits,
        escape(&machine.kernels.join(", "))
    )
    .ok();
    let rows = machine.series.iter().map(|series| {
        let subject = &series.subject;
        let last = series.values.last();
        let levels: Vec<String> = series
            .changes
            .iter()
            .map(|change| {
                let commit = escape(&series.values[change.at].commit);
                format!("{} at <code>{commit}</code>", percent(step(change)))
            })
            .collect();
        vec![
            escape(&subject.experiment),
            escape(&subject.backend),
            escape(&subject.relations),
            escape(&subject.class),
            format!("<figure>{}</figure>", sparkline(series)),
            last.map_or("–".into(), |value| format!("{:.1} µs", value.seconds * 1e6)),
            levels.join("<br>"),
        ]
    });
    let names = [
        "experiment",
        "backend",
        "relations",
        "size",
        "time, oldest to newest",
        "newest",
        "changes",
    ];
    table(&names, rows, out);
}

fn percent(step: f64) -> String {
    let class = if step > 0.0 { "not-reproduced" } else { "reproduced" };
    format!("<span class=\"v {class}\">{:+.1} %</span>", 100.0 * step)
}

/// Values as a line with a dot a commit, a dashed line at every change; nothing if it cannot be drawn.
fn sparkline(series: &CommitSeries) -> String {
    let levels: Vec<f64> = series.values.iter().map(|value| value.level).collect();
    let low = levels.iter().copied().fold(f64::INFINITY, f64::min);
    let high = levels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (middle, half) = ((low + high) / 2.0, (high - low).max(LEAST_RANGE) / 2.0);
    let (bottom, top) = (middle - half, middle + half);
    let mut layers: Vec<Layer> = series
        .changes
        .iter()
        .map(|change| {
            let at = change.at as f64 - 0.5;
            let points = vec![(at, bottom), (at, top)];
            let guide = Guide { points, label: String::new(), stroke: Stroke::Dashed };
            Layer::unnamed(0, Mark::Guide(guide))
        })
        .collect();
    let line = levels.iter().enumerate().map(|(i, &level)| (i as f64, level)).collect();
    layers.push(Layer::unnamed(0, Mark::Line(line)));
    let dots = series.values.iter().enumerate().map(|(i, value)| {
        let change = 100.0 * (value.level.exp() - 1.0);
        let time = value.seconds * 1e6;
        let note = format!(
            "{} {} {}: {time:.1} µs ({change:+.1} %)",
            value.when, value.commit, value.title
        );
        Dot { x: i as f64, y: value.level, note }
    });
    layers.push(Layer::unnamed(0, Mark::Dots(dots.collect())));
    let last = levels.len().max(2) as f64 - 1.0;
    let figure = Figure {
        name: String::new(),
        caption: String::new(),
        columns: 1,
        panel: (WIDTH, HEIGHT),
        labels: Labels::Bare,
        panels: vec![Panel {
            title: String::new(),
            x: Axis::linear("", 0.0, last),
            y: Axis::linear("", bottom, top),
            layers,
            legend: Legend::None,
        }],
    };
    pidlab_figures::svg(&figure).unwrap_or_default()
}
