//! The figures of a tournament: cactus plot, performance profile, scatters of pairs.
//!
//! A performance profile (Dolan and Moré, "Benchmarking optimization software with performance
//! profiles", 2002) shows for each backend the share of instances on which it takes at most τ times the
//! time of the best. Backends are drawn a few to a panel, best first, so that curves can be told apart
//! in grey print; the virtual best is in every panel of the cactus plot.

use super::field::Field;
use super::standings::Standings;
use super::tables::by_rank;
use crate::experiment::QuestionKind;
use crate::figures::{WrittenFigure, versus, write};
use crate::names;
use crate::store::folder::Folder;
use pidlab_figures::palette::BLACK;
use pidlab_figures::{Axis, Cactus, Figure, Labels, Layer, Legend, Mark, Panel, Solved, count};

/// As many styles as the palette has colors, less the one of the virtual best.
const A_PANEL: usize = BLACK;

pub fn draw(
    field: &Field,
    standings: &Standings,
    files: &Folder,
) -> anyhow::Result<Vec<WrittenFigure>> {
    let ranked = by_rank(field, standings);
    let mut figures = vec![cactus(field, &ranked), profile(field, &ranked)];
    figures.extend((0..ranked.len()).map(|i| scatter(field, ranked[i], &ranked[i + 1..])));
    figures.iter().flatten().map(|figure| write(figure, files)).collect()
}

/// Panels of a few backends each.
fn panels(ranked: &[usize], panel: impl Fn(usize, &[usize]) -> Panel) -> Vec<Panel> {
    ranked.chunks(A_PANEL).enumerate().map(|(i, chunk)| panel(i, chunk)).collect()
}

fn cactus(field: &Field, ranked: &[usize]) -> Option<Figure> {
    let best: Vec<f64> = field.instances.iter().map(|instance| instance.best()).collect();
    let fastest = best.iter().copied().fold(f64::INFINITY, f64::min);
    let axes = Cactus {
        what: "instances".into(),
        of: field.instances.len(),
        range: (fastest, field.limit),
    };
    let panel = |i: usize, chunk: &[usize]| {
        let times = |at: usize| field.instances.iter().map(|i| i.times[at]).collect();
        let backends = chunk.iter().enumerate();
        let mut solved: Vec<Solved> =
            backends.map(|(style, &at)| of(&field.backends[at], style, times(at))).collect();
        solved.push(of("virtual best", BLACK, best.clone()));
        axes.panel(&title(field.kind, i, chunk.len(), ranked.len()), &solved)
    };
    let panels = panels(ranked, panel);
    fastest.is_finite().then(|| Figure {
        name: "cactus".into(),
        caption: format!(
            "Instances decided if each may take at most so long, of {}; further right and lower is better. The legend gives the number decided within {} s.\n",
            count(field.instances.len()),
            field.limit
        ),
        columns: panels.len().min(2),
        panel: (440.0, 330.0),
        labels: Labels::Each,
        panels,
    })
}

/// A backend with the number of instances that it decides.
fn of(name: &str, style: usize, times: Vec<f64>) -> Solved {
    let decided = times.iter().filter(|time| time.is_finite()).count();
    Solved { name: format!("{name} ({})", count(decided)), style, times }
}

fn sorted(times: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut finite: Vec<f64> = times.filter(|time| time.is_finite()).collect();
    finite.sort_unstable_by(f64::total_cmp);
    finite
}

fn title(kind: QuestionKind, panel: usize, in_panel: usize, all: usize) -> String {
    let first = panel * A_PANEL + 1;
    match all <= A_PANEL {
        true => format!("all {}", kind.answerers()),
        false => format!("ranks {first} to {}", first + in_panel - 1),
    }
}

fn profile(field: &Field, ranked: &[usize]) -> Option<Figure> {
    let decided: Vec<_> = field.instances.iter().filter(|i| i.best().is_finite()).collect();
    if decided.is_empty() {
        return None;
    }
    let ratios = |at: usize| -> Vec<f64> { sorted(decided.iter().map(|i| i.times[at] / i.best())) };
    let largest = ranked.iter().filter_map(|&at| ratios(at).last().copied()).fold(10.0, f64::max);
    let panel = |i: usize, chunk: &[usize]| Panel {
        title: title(field.kind, i, chunk.len(), ranked.len()),
        x: Axis::log("τ (time over the best time)", 1.0, largest),
        y: Axis::linear("share of instances within τ", 0.0, 1.02),
        layers: chunk
            .iter()
            .enumerate()
            .map(|(style, &at)| {
                let curve = steps(&ratios(at), decided.len(), largest);
                Layer::named(field.backends[at].clone(), style, Mark::Curve(curve))
            })
            .collect(),
        legend: Legend::Below,
    };
    let panels = panels(ranked, panel);
    Some(Figure {
        name: "profile".into(),
        caption: format!(
            "Performance profile: share of the {} instances that some backend decides on which a backend takes at most τ times the best time. At τ = 1: how often it is the fastest; at the right edge: how much it decides.\n",
            decided.len()
        ),
        columns: panels.len().min(2),
        panel: (440.0, 330.0),
        labels: Labels::Each,
        panels,
    })
}

/// The profile as a staircase from τ = 1 to the right edge.
fn steps(ratios: &[f64], of: usize, edge: f64) -> Vec<(f64, f64)> {
    let share = |count: usize| count as f64 / of as f64;
    let fastest = ratios.iter().filter(|ratio| **ratio <= 1.0).count();
    let mut points = vec![(1.0, share(fastest))];
    for (i, &ratio) in ratios.iter().enumerate().skip(fastest) {
        points.extend([(ratio, share(i)), (ratio, share(i + 1))]);
    }
    points.push((edge, share(ratios.len())));
    points
}

/// One backend against those that rank below it.
fn scatter(field: &Field, a: usize, others: &[usize]) -> Option<Figure> {
    let times = |b: usize| -> Vec<(String, f64, f64)> {
        let both = field.instances.iter().map(|i| (i.label(), i.times[a], i.times[b]));
        both.collect()
    };
    let name = |at: usize| field.backends[at].as_str();
    let panels: Vec<Panel> = others
        .iter()
        .filter_map(|&b| versus::panel(name(a), name(b), &times(b), field.limit))
        .collect();
    (!panels.is_empty()).then(|| Figure {
        name: format!("versus-{}", names::plain(name(a))),
        caption: format!(
            "Time of each instance with {} and with each backend that ranks below it; {}. Points on the upper or right edge were not decided within {} s.\n",
            name(a),
            versus::legend(),
            field.limit
        ),
        columns: panels.len().min(3),
        panel: (320.0, 310.0),
        labels: Labels::Each,
        panels,
    })
}
