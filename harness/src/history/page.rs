//! The page of a history: a sparkline for every series, the commits at every change; one HTML file that
//! needs no network. Machines have sections of their own.

use super::present::{NamedChange, changes, step};
use super::series::{CommitSeries, CommitValue, MachineHistory};
use crate::figures::escape;
use crate::report::{Fold, cards, foot, head, section};
use pidlab_figures::{Axis, Dot, Figure, Guide, Labels, Layer, Legend, Mark, Panel, Stroke};
use std::collections::BTreeMap;
use std::fmt::Write;

/// By this a page is known to be ours and may be replaced.
pub const MARK: &str = "<title>pidlab: history</title>";
const TITLE: &str = "pidlab: history";

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 44.0;
/// The vertical range is at least this wide, so that noise of a per cent does not fill it.
const LEAST_RANGE: f64 = 0.2;

/// Where commits can be seen: an address that a commit's name is added to, if there is one.
#[derive(Clone, Debug, Default)]
pub struct CommitLinks(pub Option<String>);

impl CommitLinks {
    fn link(&self, commit: &str) -> String {
        let name = escape(commit);
        // a commit that was not committed (`…-dirty`) has no page
        match &self.0 {
            Some(base) if commit.chars().all(|c| c.is_ascii_hexdigit()) => {
                format!("<a href=\"{}{name}\"><code>{name}</code></a>", escape(base))
            }
            _ => format!("<code>{name}</code>"),
        }
    }
}

/// The page; `again` is the command that makes it.
pub fn render(machines: &[MachineHistory], commits: &CommitLinks, again: &str) -> String {
    let mut out = String::new();
    let newest = |machine: &MachineHistory| {
        machine.series.iter().filter_map(|series| Some(series.values.last()?.when.clone())).max()
    };
    let newest = machines.iter().filter_map(newest).max().unwrap_or_default();
    let about = [
        format!("Newest commit of {}.", escape(&newest)),
        format!("Makes it again, and adds runs named at its end: <code>{}</code>", escape(again)),
    ];
    head(TITLE, "times of many commits", &about, &mut out);
    let named = changes(machines);
    write!(
        out,
        "<section class=\"box\"><b>{}</b> of level in {} series on {}.</section>",
        plural(named.len(), "change"),
        machines.iter().map(|machine| machine.series.len()).sum::<usize>(),
        plural(machines.len(), "machine")
    )
    .ok();
    changes_table(&named, commits, &mut out);
    for machine in machines {
        machine_section(machine, commits, &mut out);
    }
    foot(&mut out);
    out
}

fn plural(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}

fn changes_table(named: &[NamedChange<'_>], commits: &CommitLinks, out: &mut String) {
    if named.is_empty() {
        return;
    }
    section("Changes", Fold::Open, out);
    out.push_str("<p>A change came with the second commit, or between the two.</p>");
    let rows = named.iter().map(|named| {
        let subject = &named.series.subject;
        vec![
            escape(&named.first.when),
            format!(
                "{} → {}<br>{}",
                commits.link(&named.last.commit),
                commits.link(&named.first.commit),
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
    cards(&names, rows, out);
}

fn machine_section(machine: &MachineHistory, commits: &CommitLinks, out: &mut String) {
    section(&escape(&machine.machine.to_string()), Fold::Open, out);
    write!(
        out,
        "<p class=\"source\">{}; kernel {}. Lines are relative to the middle of their series; of three backends or more, what all share is a series of its own and the others show what is left.</p>",
        plural(machine.commits, "commit"),
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
                let commit = commits.link(&series.values[change.at].commit);
                format!("{} at {commit}", percent(step(change)))
            })
            .collect();
        vec![
            escape(&subject.experiment),
            escape(&subject.backend),
            escape(&subject.relations),
            escape(&subject.class),
            scaled_sparkline(series),
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
    cards(&names, rows, out);
    commits_table(machine, commits, out);
}

/// Every commit that there is a value of, oldest first.
fn commits_table(machine: &MachineHistory, commits: &CommitLinks, out: &mut String) {
    let values = machine.series.iter().flat_map(|series| &series.values);
    let all: BTreeMap<_, _> =
        values.map(|value| ((&value.when, &value.commit), &value.title)).collect();
    let rows = all
        .into_iter()
        .map(|((when, commit), title)| vec![escape(when), commits.link(commit), escape(title)]);
    out.push_str("<details><summary>Commits</summary>");
    cards(&["date", "commit", "message"], rows, out);
    out.push_str("</details>");
}

fn percent(step: f64) -> String {
    let class = if step > 0.0 { "not-reproduced" } else { "reproduced" };
    format!("<span class=\"v {class}\">{:+.1} %</span>", 100.0 * step)
}

/// A line between the values of its upper and lower edge and above the days of its ends.
fn scaled_sparkline(series: &CommitSeries) -> String {
    let (low, high) = range(series);
    let percent = |level: f64| format!("{:+.0} %", 100.0 * (level.exp() - 1.0)).replace('-', "−");
    let day = |value: Option<&CommitValue>| -> String {
        value
            .map_or(String::new(), |value| escape(&value.when.chars().take(10).collect::<String>()))
    };
    format!(
        "<div class=\"spark\"><div class=\"ends\"><small>{}</small><small>{}</small></div><figure>{}</figure></div>\
         <small>{} to {}</small>",
        percent(high),
        percent(low),
        sparkline(series),
        day(series.values.first()),
        day(series.values.last())
    )
}

/// What is drawn: from the lowest to the highest value, and not less than noise.
fn range(series: &CommitSeries) -> (f64, f64) {
    let levels = || series.values.iter().map(|value| value.level);
    let low = levels().fold(f64::INFINITY, f64::min);
    let high = levels().fold(f64::NEG_INFINITY, f64::max);
    let (middle, half) = ((low + high) / 2.0, (high - low).max(LEAST_RANGE) / 2.0);
    (middle - half, middle + half)
}

/// Values as a line with a dot a commit, a dashed line at every change; nothing if it cannot be drawn.
fn sparkline(series: &CommitSeries) -> String {
    let levels: Vec<f64> = series.values.iter().map(|value| value.level).collect();
    let (bottom, top) = range(series);
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
        caption: {
            let of = [series.subject.backend.as_str(), &series.subject.class];
            let of: Vec<&str> = of.into_iter().filter(|part| !part.is_empty()).collect();
            format!("Times of {} at {}", of.join(" for "), plural(levels.len(), "commit"))
        },
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
