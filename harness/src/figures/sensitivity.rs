//! Share below the dividing line by condition: all transformations in equal parts, and the range over all mixes.

use super::Material;
use crate::analyse::sensitivity::{Condition, PUBLISHED};
use pidlab_figures::{Axis, Figure, Guide, Labels, Layer, Legend, Mark, Panel, Span, Stroke};

/// How the published share is drawn, and what the caption calls it.
const GUIDE: Stroke = Stroke::Dashed;
/// Lines that a page holds.
const MOST: usize = 48;

pub fn figure(material: &Material<'_>) -> Option<Figure> {
    let conditions = &material.analysis.sensitivity;
    let shown: Vec<&Condition> = conditions.iter().take(MOST).collect();
    if shown.is_empty() {
        return None;
    }
    let spans = |two: bool| -> Vec<Span> {
        let chosen = shown.iter().enumerate().filter(|(_, c)| (c.all.components == Some(2)) == two);
        chosen
            .map(|(at, condition)| Span {
                low: 100.0 * condition.range.0,
                value: 100.0 * condition.all.share,
                high: 100.0 * condition.range.1,
                at: at as f64,
                note: note(condition),
            })
            .collect()
    };
    let bottom = shown.len() as f64 - 0.5;
    let published = 100.0 * PUBLISHED;
    let points = vec![(published, -0.5), (published, bottom)];
    let guide = Guide { points, label: String::new(), stroke: GUIDE };
    let mut layers = vec![Layer::unnamed(0, Mark::Guide(guide))];
    for (style, (name, two)) in
        [("two components", true), ("other numbers", false)].into_iter().enumerate()
    {
        let spans = spans(two);
        if !spans.is_empty() {
            layers.push(Layer::named(name, style, Mark::Spans(spans)));
        }
    }
    Some(Figure {
        name: "sensitivity".into(),
        caption: format!(
            "Share of measurements below the dividing line by condition: the mark is the mix of all transformations in equal parts, the bar the range over all mixes of some of them; the {} line is the published 78 %. Marks tell whether the mix of all falls into two components.\n",
            GUIDE.name()
        ),
        columns: 1,
        labels: Labels::Each,
        panel: (640.0, 90.0 + 20.0 * shown.len() as f64),
        panels: vec![Panel {
            title: "share below the line".into(),
            x: Axis::linear("share (%)", 0.0, 100.0),
            y: Axis::names(shown.iter().map(|condition| condition.name()).collect()),
            layers,
            legend: Legend::Below,
        }],
    })
}

fn note(condition: &Condition) -> String {
    format!(
        "{}: {:.0} % with all, {:.0} to {:.0} % over mixes",
        condition.name(),
        100.0 * condition.all.share,
        100.0 * condition.range.0,
        100.0 * condition.range.1
    )
}
