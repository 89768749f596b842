//! What a figure is, before it is drawn: panels with axes and layers.
//!
//! One model, one renderer on any canvas, and a writer for pgfplots, so that all forms show the same.
//! Layers differ in color, marker and dash, so a figure printed in grey stays readable.

use crate::axis::Axis;

/// A figure with its caption.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Names the files it is written to.
    pub name: String,
    /// What it shows, in sentences.
    pub caption: String,
    /// Panels side by side; a narrow print may have fewer.
    pub columns: usize,
    /// Width and height of one panel on a page, in pixels; in print their ratio counts.
    pub panel: (f64, f64),
    /// Where axes are labelled.
    pub labels: Labels,
    /// From left to right, then down.
    pub panels: Vec<Panel>,
}

impl Figure {
    /// For those who do not see it: what is set against what, and the first sentence of the caption.
    pub fn in_words(&self) -> String {
        let axes = self.panels.first().filter(|panel| !panel.x.label.is_empty());
        let axes = axes.map(|panel| format!("{} against {}", panel.y.label, panel.x.label));
        let titles: Vec<&str> = self
            .panels
            .iter()
            .map(|panel| panel.title.as_str())
            .filter(|t| !t.is_empty())
            .collect();
        let panels = (!titles.is_empty()).then(|| titles.join("; "));
        let caption = self.caption.split(". ").next().unwrap_or("").trim().trim_end_matches('.');
        let caption = (!caption.is_empty()).then(|| caption.to_string());
        [caption, axes, panels].into_iter().flatten().collect::<Vec<_>>().join(". ")
    }
}

/// Where the axes of a figure are labelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// At every panel.
    Each,
    /// Panels of a column share the horizontal axis, labelled below the last; vertical axes are named at
    /// the left edge of the figure.
    Outer,
    /// Nowhere: no frame, no margin, such as a line within a table.
    Bare,
}

/// Axes and what is drawn between them.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Above the frame.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Later ones lie on earlier ones.
    pub layers: Vec<Layer>,
    /// Where the names of the layers stand.
    pub legend: Legend,
}

/// Where the names of layers stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legend {
    /// Nowhere.
    None,
    /// In a strip below, where they cover nothing; one for the figure if its panels have the same.
    Below,
}

/// One series of a panel.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Shown in the legend if not empty.
    pub name: String,
    /// Number into the [palette](crate::palette): color, marker and dash.
    pub style: usize,
    /// What is drawn.
    pub mark: Mark,
}

impl Layer {
    /// A layer that the legend names.
    pub fn named(name: impl Into<String>, style: usize, mark: Mark) -> Layer {
        Layer { name: name.into(), style, mark }
    }

    /// A layer without an entry in the legend.
    pub fn unnamed(style: usize, mark: Mark) -> Layer {
        Layer::named("", style, mark)
    }
}

/// What a layer draws.
#[derive(Clone, Debug)]
pub enum Mark {
    /// A marker each.
    Dots(Vec<Dot>),
    /// A line through points.
    Line(Vec<(f64, f64)>),
    /// A line with a few markers on it, for where there are many.
    Curve(Vec<(f64, f64)>),
    /// A line that is not data.
    Guide(Guide),
    /// Rectangles that stand on the axis.
    Bars(Vec<Bar>),
    /// Where measurements are frequent.
    Density(Density),
    /// Values with intervals, as in a forest plot.
    Spans(Vec<Span>),
}

/// A measurement.
#[derive(Clone, Debug)]
pub struct Dot {
    /// Place on the horizontal axis.
    pub x: f64,
    /// Place on the vertical axis.
    pub y: f64,
    /// What hovering shows.
    pub note: String,
}

/// A line to read data by.
#[derive(Clone, Debug)]
pub struct Guide {
    /// From, over, to.
    pub points: Vec<(f64, f64)>,
    /// Stands where the line ends.
    pub label: String,
    /// How it is drawn.
    pub stroke: Stroke,
}

/// How a guide is drawn; captions name it with [`Stroke::name`], so that they tell the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// Without gaps.
    Solid,
    /// Long dashes.
    Dashed,
    /// Short dashes.
    Dotted,
}

impl Stroke {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Stroke::Solid => "solid",
            Stroke::Dashed => "dashed",
            Stroke::Dotted => "dotted",
        }
    }
}

/// A bar of a histogram or of a bar chart.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Left edge.
    pub left: f64,
    /// Right edge.
    pub right: f64,
    /// Upper edge.
    pub height: f64,
    /// Stands on the bar if not empty.
    pub label: String,
    /// What hovering shows.
    pub note: String,
}

/// A value with its interval.
#[derive(Clone, Debug)]
pub struct Span {
    /// Lower end.
    pub low: f64,
    /// The value.
    pub value: f64,
    /// Upper end.
    pub high: f64,
    /// Place on the vertical axis.
    pub at: f64,
    /// What hovering shows.
    pub note: String,
}

/// Measurements counted in cells.
#[derive(Clone, Debug, Default)]
pub struct Density {
    /// Cells that hold any.
    pub cells: Vec<DensityCell>,
    /// What lies outside the axes.
    pub beyond: Vec<Beyond>,
}

/// A rectangle of a density plot; the more it holds, the darker.
#[derive(Clone, Debug)]
pub struct DensityCell {
    /// Left and right edge.
    pub x: (f64, f64),
    /// Lower and upper edge.
    pub y: (f64, f64),
    /// Measurements within.
    pub count: usize,
    /// What hovering shows.
    pub note: String,
}

/// Measurements outside the axes, near each other.
#[derive(Clone, Debug)]
pub struct Beyond {
    /// Where one of them would lie.
    pub x: f64,
    /// Where one of them would lie.
    pub y: f64,
    /// How many they are.
    pub count: usize,
    /// What hovering shows.
    pub note: String,
}

impl Panel {
    /// Layers that the legend names.
    pub fn named(&self) -> impl Iterator<Item = &Layer> {
        let shown = self.legend == Legend::Below;
        self.layers.iter().filter(move |layer| shown && !layer.name.is_empty())
    }
}

impl Figure {
    /// The most measurements that a cell of the figure holds, which is drawn darkest; 0 without cells.
    pub fn densest(&self) -> usize {
        let layers = self.panels.iter().flat_map(|panel| &panel.layers);
        let cells = layers.filter_map(|layer| match &layer.mark {
            Mark::Density(density) => Some(&density.cells),
            _ => None,
        });
        cells.flatten().map(|cell| cell.count).max().unwrap_or(0)
    }
}

/// Most points of one kind in a panel: more say no more to the eye, and a figure must stay small.
const MOST_DOTS: usize = 3_000;

/// Evenly chosen points where there are too many.
pub fn thinned(dots: Vec<Dot>) -> Vec<Dot> {
    let stride = dots.len().div_ceil(MOST_DOTS).max(1);
    dots.into_iter().step_by(stride).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_points_are_thinned_evenly() {
        let dots = |n: u32| {
            thinned((0..n).map(|i| Dot { x: i.into(), y: 0.0, note: String::new() }).collect())
        };
        assert_eq!(dots(3_000).len(), 3_000);
        let few = dots(10_000);
        assert_eq!((few.len(), few[1].x, few[2_499].x), (2_500, 4.0, 9_996.0));
        assert!(dots(0).is_empty());
    }
}
