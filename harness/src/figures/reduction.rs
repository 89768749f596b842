//! Reduced state spaces under each set of relations beside the plain one: a panel per net, logarithmic.

use super::Material;
use crate::analyse::cells::CaseCount;
use crate::distinct::distinct;
use crate::report::reduction::{Reduction, letters};
use pidlab_figures::{Axis, Bar, Figure, Guide, Labels, Layer, Legend, Mark, Panel, Stroke, count};

/// How the plain search is drawn, and what the caption calls it.
const PLAIN: Stroke = Stroke::Dashed;

pub fn figure(material: &Material<'_>) -> Option<Figure> {
    let sets = distinct(material.analysis.cells.iter().map(|cell| cell.set.as_str()));
    let panels: Vec<Panel> =
        sets.into_iter().filter_map(|set| panel(&Reduction::of(material.analysis, set)?)).collect();
    (!panels.is_empty()).then(|| Figure {
        name: "reduction".into(),
        caption: format!(
            "States after identifying equivalent ones, by the relations that are kept: p parent, a ancestor, s adjacent-sibling, e elder-sibling, 0 none; sets that a guard of the net does not allow are left out. The {} line is the search without reduction, or what it had found at its limit (title: at least).\n",
            PLAIN.name()
        ),
        columns: panels.len().min(2),
        panel: (420.0, 260.0),
        labels: Labels::Each,
        panels,
    })
}

fn panel(reduction: &Reduction<'_>) -> Option<Panel> {
    let plain = reduction.plain?;
    let states = |cell: &CaseCount| cell.count("states").unwrap_or(0);
    let highest = reduction.merged.iter().map(|cell| states(cell)).chain([states(plain)]).max()?;
    let bars = reduction.merged.iter().enumerate().map(|(at, cell)| Bar {
        left: at as f64 - 0.4,
        right: at as f64 + 0.4,
        height: states(cell) as f64,
        label: count(states(cell) as usize),
        note: format!("{}: {} states", cell.relations, states(cell)),
    });
    let (end, height) = (reduction.merged.len() as f64 - 0.5, states(plain) as f64);
    let guide =
        Guide { points: vec![(-0.5, height), (end, height)], label: String::new(), stroke: PLAIN };
    let least = if plain.is_complete() { "" } else { "at least " };
    Some(Panel {
        title: format!("{}, plain: {least}{}", reduction.set, count(states(plain) as usize)),
        x: Axis::names(reduction.merged.iter().map(|cell| letters(&cell.relations)).collect()),
        y: Axis::log("states", 1.0, highest as f64 * 3.0),
        layers: vec![
            Layer::unnamed(0, Mark::Bars(bars.collect())),
            Layer::unnamed(0, Mark::Guide(guide)),
        ],
        legend: Legend::None,
    })
}
