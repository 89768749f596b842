//! The figures of a tournament: cactus plot, performance profile, scatters of pairs.
//!
//! A performance profile (Dolan and Moré, "Benchmarking optimization software with performance
//! profiles", 2002) shows for each backend the share of instances on which it takes at most τ times the
//! time of the best. Backends are drawn a few to a panel, best first, so that curves can be told apart
//! in grey print; the virtual best is in every panel of the cactus plot.

use super::field::Field;
use super::standings::Standings;
use super::tables::by_rank;
use crate::figures::model::{Axis, Figure, Layer, Legend, Mark, Panel};
use crate::figures::{Drawn, versus, write};
use crate::names;
use crate::store::folder::Folder;

/// As many styles as the palette has, less the one of the virtual best.
const A_PANEL: usize = 6;
const VIRTUAL_BEST: usize = 6;

pub fn draw(field: &Field, standings: &Standings, files: &Folder) -> anyhow::Result<Vec<Drawn>> {
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
    let best: Vec<f64> = sorted(field.instances.iter().map(|instance| instance.best()));
    let low = best.first()? * 1e3;
    let panel = |i: usize, chunk: &[usize]| {
        let mut layers: Vec<Layer> = chunk
            .iter()
            .enumerate()
            .map(|(style, &at)| {
                let times = sorted(field.instances.iter().map(|instance| instance.times[at]));
                curve(&field.backends[at], style, &times)
            })
            .collect();
        layers.push(curve("virtual best", VIRTUAL_BEST, &best));
        Panel {
            title: title(i, chunk.len(), ranked.len()),
            x: Axis::linear("instances decided", 0.0, field.instances.len() as f64 * 1.02),
            y: Axis::log("time limit per instance (ms)", low * 0.8, field.limit * 1.2e3),
            layers,
            legend: Legend::Below,
        }
    };
    let panels = panels(ranked, panel);
    Some(Figure {
        name: "cactus".into(),
        caption: format!(
            "Instances decided if each may take at most so long, of {}; further right and lower is better. The legend gives the number decided within {} s.\n",
            field.instances.len(),
            field.limit
        ),
        columns: panels.len().min(2),
        panel: (440.0, 330.0),
        panels,
    })
}

fn sorted(times: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut finite: Vec<f64> = times.filter(|time| time.is_finite()).collect();
    finite.sort_unstable_by(f64::total_cmp);
    finite
}

fn curve(name: &str, style: usize, times: &[f64]) -> Layer {
    let points = times.iter().enumerate().map(|(i, time)| ((i + 1) as f64, time * 1e3)).collect();
    Layer { name: format!("{name} ({})", times.len()), style, mark: Mark::Curve(points) }
}

fn title(panel: usize, in_panel: usize, all: usize) -> String {
    let first = panel * A_PANEL + 1;
    match all <= A_PANEL {
        true => "all backends".into(),
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
        title: title(i, chunk.len(), ranked.len()),
        x: Axis::log("τ (time over the best time)", 1.0, largest),
        y: Axis::linear("share of instances within τ", 0.0, 1.02),
        layers: chunk
            .iter()
            .enumerate()
            .map(|(style, &at)| Layer {
                name: field.backends[at].clone(),
                style,
                mark: Mark::Curve(steps(&ratios(at), decided.len(), largest)),
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
            "Time of each instance with {} and with each backend that ranks below it; dotted line: equal, dashed: 2× and 10×. Points on the upper or right edge were not decided within {} s.\n",
            name(a),
            field.limit
        ),
        columns: panels.len().min(3),
        panel: (320.0, 300.0),
        panels,
    })
}
