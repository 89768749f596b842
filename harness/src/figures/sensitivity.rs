//! Share below the dividing line by condition, a panel for each program: all transformations in equal parts, the range over all
//! mixes, and the mix that comes nearest to the published share.

use super::Material;
use crate::analyse::sensitivity::{Condition, Mix, PUBLISHED, TOLERANCE};
use crate::distinct::distinct;
use crate::report::reduction::letters;
use pidlab_figures::{Axis, Dot, Figure, Guide, Labels, Layer, Legend, Mark, Panel, Span, Stroke};

/// How the bounds of what counts as the published share are drawn, and what the caption calls it.
const GUIDE: Stroke = Stroke::Dashed;
/// Panels that a page holds.
const MOST: usize = 6;

pub fn figure(material: &Material<'_>) -> Option<Figure> {
    let conditions = &material.analysis.sensitivity;
    let backends = distinct(conditions.iter().map(|condition| condition.backend.as_str()));
    let of = |backend: &&str| -> Vec<&Condition> {
        conditions.iter().filter(|condition| condition.backend == **backend).collect()
    };
    let parts: Vec<Vec<&Condition>> = backends.iter().take(MOST).map(of).collect();
    let lines = parts.iter().map(Vec::len).max()?;
    Some(Figure {
        name: "sensitivity".into(),
        caption: format!(
            "Under which conditions do 78 and 22 % appear? Share of measurements below the dividing line: the bar is the range over all mixes of some of the transformations in equal parts, its round mark the mix of all of them. A second mark stands where the mix nearest to 78 % shows the published picture: two components, the lower one between the {} lines, {:.0} to {:.0} %. A condition is a set of relations (p parent, a ancestor, s adjacent-sibling, e elder-sibling), the strength of the transformations, and all rows or those that the solver decided.\n",
            GUIDE.name(),
            100.0 * (PUBLISHED - TOLERANCE),
            100.0 * (PUBLISHED + TOLERANCE),
        ),
        columns: parts.len().min(2),
        labels: Labels::Each,
        panel: (420.0, 110.0 + 17.0 * lines as f64),
        panels: parts.iter().map(|part| panel(part)).collect(),
    })
}

fn panel(conditions: &[&Condition]) -> Panel {
    let bottom = conditions.len() as f64 - 0.5;
    let guide = |share: f64| {
        let points = vec![(100.0 * share, -0.5), (100.0 * share, bottom)];
        Layer::unnamed(0, Mark::Guide(Guide { points, label: String::new(), stroke: GUIDE }))
    };
    let mut layers = vec![guide(PUBLISHED - TOLERANCE), guide(PUBLISHED + TOLERANCE)];
    let spans = conditions.iter().enumerate().map(|(at, condition)| Span {
        low: 100.0 * condition.range.0,
        value: 100.0 * condition.all.share,
        high: 100.0 * condition.range.1,
        at: at as f64,
        note: format!(
            "{}: {:.0} % with all, {:.0} to {:.0} % over mixes",
            condition.name(),
            100.0 * condition.all.share,
            100.0 * condition.range.0,
            100.0 * condition.range.1
        ),
    });
    layers.push(Layer::named("all, and range of mixes", 0, Mark::Spans(spans.collect())));
    let dots = as_published(conditions);
    if !dots.is_empty() {
        layers.push(Layer::named("a mix as published", 1, Mark::Dots(dots)));
    }
    Panel {
        title: conditions.first().map_or(String::new(), |condition| condition.backend.clone()),
        x: Axis::linear("share below the line (%)", 0.0, 100.0),
        y: Axis::names(conditions.iter().map(|condition| short(condition)).collect()),
        layers,
        legend: Legend::Below,
    }
}

/// Relations by their first letters, strength, and whose rows.
fn short(condition: &Condition) -> String {
    let strength = condition.strength.map_or(String::new(), |strength| format!(" {strength}"));
    let rows = if condition.solver_only { "solver" } else { "all" };
    format!("{}{strength} {rows}", letters(&condition.relations))
}

/// Mixes that show the published picture, the nearest of each condition.
fn as_published(conditions: &[&Condition]) -> Vec<Dot> {
    let dot = |(at, mix): (usize, &Mix)| Dot {
        x: 100.0 * mix.share,
        y: at as f64,
        note: format!("{:.1} %: {}", 100.0 * mix.share, mix.transformations.join(", ")),
    };
    let all = conditions.iter().map(|condition| &condition.nearest).enumerate();
    all.filter(|(_, mix)| mix.is_as_published()).map(dot).collect()
}
