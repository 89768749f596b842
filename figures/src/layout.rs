//! Where everything of a figure goes, for a width and a size of text.
//!
//! All measures here are pixels of a page with text of 11; in print they shrink with the text, and what
//! is left goes to the data. Frames of one figure have one size, so that panels can be compared.

use crate::axis::{Axis, Scale};
use crate::clip::Outside;
use crate::font::Weight;
use crate::model::{Figure, Guide, Labels, Layer, Mark, Panel};
use crate::text::pretty;

/// Size of text on a page.
pub const TEXT: f64 = 11.0;
/// From the line of one text to the next.
pub const LINE: f64 = 14.0;
/// Height of a line of the legend.
pub const LEGEND_LINE: f64 = 16.0;
/// A sample in the legend, and the gaps after it and after its text.
pub const SAMPLE: f64 = 22.0;
/// Between a sample and its name, and half of that between entries.
pub const GAP: f64 = 5.0;
/// Width of the bar that explains shades.
pub const SCALE_WIDTH: f64 = 150.0;
/// Height of what explains shades: a bar with numbers below.
const SCALE_HEIGHT: f64 = 30.0;
/// Between the frame and the labels of its ticks.
const TICK_ROOM: f64 = 8.0;
/// Margin of a figure without axes.
const BARE_MARGIN: f64 = 5.0;
/// A panel narrower than this is not worth a column of its own.
const NARROWEST: f64 = 150.0;

/// The paper: how wide, how large the text, how fine the grid.
#[derive(Clone, Copy, Debug)]
pub struct Sheet {
    /// In points, or in pixels of a page.
    pub width: f64,
    /// Size of the text in the same measure.
    pub text: f64,
    /// Units of the drawing in one of these.
    pub unit: f64,
    /// Panels side by side.
    pub columns: usize,
}

/// Widths of figures in print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// One of two columns of a paper: 84 mm.
    Column,
    /// The whole width of a paper: 174 mm.
    Full,
}

impl Width {
    /// In points.
    pub fn points(self) -> f64 {
        let millimeters = match self {
            Width::Column => 84.0,
            Width::Full => 174.0,
        };
        millimeters * 72.0 / 25.4
    }

    /// What files of this width are called.
    pub fn name(self) -> &'static str {
        match self {
            Width::Column => "84mm",
            Width::Full => "174mm",
        }
    }
}

/// Text in print is never smaller than this.
pub const PRINT_TEXT: f64 = 7.0;

impl Sheet {
    /// For a page in a browser.
    pub fn page(figure: &Figure) -> Sheet {
        let columns = figure.columns.max(1);
        Sheet { width: figure.panel.0 * columns as f64, text: TEXT, unit: 10.0, columns }
    }

    /// For print, with so many units a point.
    pub fn print(figure: &Figure, width: Width, unit: f64) -> Sheet {
        let mut sheet = Sheet { width: width.points(), text: PRINT_TEXT, unit, columns: 1 };
        let most = match figure.labels {
            Labels::Outer => figure.columns,
            _ => (sheet.inner_width() / NARROWEST) as usize,
        };
        sheet.columns = figure.columns.min(most).max(1);
        sheet
    }

    /// The width in the measure of this module.
    pub fn inner_width(&self) -> f64 {
        self.width * TEXT / self.text
    }

    /// From the measure of this module to units.
    pub fn units(&self, length: f64) -> f64 {
        length * self.text / TEXT * self.unit
    }
}

/// Where the parts of a panel go.
#[derive(Clone, Debug)]
pub struct Place {
    /// Upper left corner of the frame.
    pub at: (f64, f64),
    /// Width and height of the frame.
    pub size: (f64, f64),
    /// The title in lines.
    pub title: Vec<String>,
    /// How many measurements are outside, in words.
    pub outside: String,
    /// Where these words begin: at the left edge of the frame if they fit there.
    pub outside_at: f64,
    /// Room between title and frame for these words and the names of guides.
    pub notes: f64,
    /// The horizontal axis, if it is labelled here.
    pub x: Option<Label>,
    /// The vertical axis, if it is labelled here.
    pub y: Option<Label>,
    /// Most ticks, horizontally and vertically.
    pub ticks: (usize, usize),
}

/// The label of an axis.
#[derive(Clone, Debug)]
pub struct Label {
    /// In lines.
    pub lines: Vec<String>,
    /// Between the frame and these lines.
    pub room: f64,
}

/// A legend: the first panel whose layers it names, and where it goes.
#[derive(Clone, Debug)]
pub struct Strip {
    /// Number of the panel.
    pub panel: usize,
    /// Upper left corner.
    pub at: (f64, f64),
    /// Width to fill.
    pub width: f64,
}

/// Where everything goes.
#[derive(Clone, Debug)]
pub struct Arrangement {
    /// The paper.
    pub sheet: Sheet,
    /// Width and height.
    pub size: (f64, f64),
    /// One for each panel.
    pub places: Vec<Place>,
    /// Legends.
    pub strips: Vec<Strip>,
    /// Where the bar that explains shades goes, if there are any.
    pub scale: Option<(f64, f64)>,
}

impl Arrangement {
    /// Lays out a figure.
    pub fn new(figure: &Figure, sheet: Sheet) -> Arrangement {
        match figure.labels {
            Labels::Bare => bare(figure, sheet),
            _ => Layout::new(figure, sheet).plan(),
        }
    }

    /// Size in units.
    pub fn units(&self) -> (u32, u32) {
        let units = |length: f64| self.sheet.units(length).round() as u32;
        (units(self.size.0), units(self.size.1))
    }
}

/// Nothing but the data.
fn bare(figure: &Figure, sheet: Sheet) -> Arrangement {
    let (width, height) = figure.panel;
    let place = Place {
        at: (BARE_MARGIN, BARE_MARGIN),
        size: (width - 2.0 * BARE_MARGIN, height - 2.0 * BARE_MARGIN),
        title: Vec::new(),
        outside: String::new(),
        outside_at: 0.0,
        notes: 0.0,
        x: None,
        y: None,
        ticks: (0, 0),
    };
    let places = vec![place; figure.panels.len().min(1)];
    Arrangement { sheet, size: (width, height), places, strips: Vec::new(), scale: None }
}

/// Width of a text.
pub fn width_of(text: &str) -> f64 {
    TEXT * Weight::Regular.width(&pretty(text))
}

/// A text in as many lines as a width asks for, broken at blanks.
pub fn wrapped(text: &str, weight: Weight, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if TEXT * weight.width(&pretty(&format!("{line} {word}"))) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// Ticks whose labels fit side by side.
fn ticks_across(axis: &Axis, width: f64) -> usize {
    let fits = |most: &usize| {
        let widest = axis.ticks(*most).iter().map(|t| width_of(&t.label)).fold(0.0, f64::max);
        (widest + 12.0) * *most as f64 <= width * 1.1
    };
    (2..=8).rev().find(fits).unwrap_or(2)
}

fn ticks_up(height: f64) -> usize {
    ((height / 30.0) as usize).clamp(3, 8)
}

/// Labels of guides that end at the right and at the upper edge.
pub fn guides(panel: &Panel) -> impl Iterator<Item = &Guide> {
    panel.layers.iter().filter_map(|layer| match &layer.mark {
        Mark::Guide(guide) if !guide.label.is_empty() => Some(guide),
        _ => None,
    })
}

/// Entries of a legend with their places in lines; the last number is where the next line begins.
pub fn legend_places(panel: &Panel, width: f64) -> Vec<(&Layer, usize, f64)> {
    let (mut line, mut x) = (0, 0.0);
    let mut places = Vec::new();
    for layer in entries(panel) {
        let need = SAMPLE + GAP + width_of(&layer.name);
        if x > 0.0 && x + need > width {
            line += 1;
            x = 0.0;
        }
        places.push((layer, line, x));
        x += need + 3.0 * GAP;
    }
    places
}

/// Layers with a sample in the legend; shades have a bar of their own.
fn entries(panel: &Panel) -> impl Iterator<Item = &Layer> {
    panel.named().filter(|layer| !matches!(layer.mark, Mark::Density(_)))
}

fn legend_height(panel: &Panel, width: f64) -> f64 {
    legend_places(panel, width).last().map_or(0.0, |(_, line, _)| (line + 1) as f64 * LEGEND_LINE)
}

/// Whether all panels would have the same legend.
fn one_legend(figure: &Figure) -> bool {
    let looks = |panel: &Panel| -> Vec<(String, usize)> {
        entries(panel).map(|layer| (layer.name.clone(), layer.style)).collect()
    };
    figure.panels.windows(2).all(|pair| looks(&pair[0]) == looks(&pair[1]))
}

/// What is common to all panels.
struct Layout<'f> {
    figure: &'f Figure,
    sheet: Sheet,
    frame: (f64, f64),
    left: f64,
    right: f64,
    /// Room above a frame, and the part of it below the title.
    header: f64,
    notes: f64,
}

impl<'f> Layout<'f> {
    fn new(figure: &'f Figure, sheet: Sheet) -> Layout<'f> {
        let mut layout = Layout {
            figure,
            sheet,
            frame: (0.0, 0.0),
            left: 0.0,
            right: 0.0,
            header: 0.0,
            notes: 0.0,
        };
        layout.measure();
        layout
    }

    fn panel_width(&self) -> f64 {
        self.sheet.inner_width() / self.sheet.columns as f64
    }

    /// The frame depends on the margins, these on the ticks, and they on the frame: twice is enough.
    fn measure(&mut self) {
        let panels = &self.figure.panels;
        self.frame = (0.7 * self.panel_width(), 0.5 * self.panel_width());
        for _ in 0..2 {
            let most = |of: &dyn Fn(&Panel) -> f64| panels.iter().map(of).fold(0.0, f64::max);
            self.left = most(&|panel| self.left_of(panel));
            self.right = most(&|panel| self.right_of(panel));
            let titles = most(&|panel| self.title(panel).len() as f64);
            let notes = most(&|panel| f64::from(u8::from(has_notes(panel))));
            self.notes = (LINE - 1.0) * notes;
            self.header = 8.0 + LINE * titles + self.notes;
            let columns = self.sheet.columns as f64;
            let inner = self.sheet.inner_width() - self.outer_labels();
            let width = inner / columns - self.left - self.right;
            self.frame = (width.max(40.0), self.frame_height(width.max(40.0)));
        }
    }

    /// Names need room each; everything else keeps its ratio, but for narrow print that is not flat.
    fn frame_height(&self, width: f64) -> f64 {
        const MARGINS: f64 = 64.0;
        let (wide, high) = self.figure.panel;
        match self.figure.panels.first().map(|panel| &panel.y.scale) {
            Some(Scale::Names(_)) => high - MARGINS,
            _ => (self.panel_width() * high / wide - MARGINS).max((0.65 * width).min(170.0)),
        }
    }

    fn title(&self, panel: &Panel) -> Vec<String> {
        wrapped(&panel.title, Weight::Bold, self.panel_width() - 16.0)
    }

    fn y_ticks_room(&self, panel: &Panel) -> f64 {
        let ticks = panel.y.ticks(ticks_up(self.frame.1));
        TICK_ROOM + ticks.iter().map(|tick| width_of(&tick.label)).fold(0.0, f64::max)
    }

    fn y_lines(&self, panel: &Panel) -> Vec<String> {
        wrapped(&panel.y.label, Weight::Regular, self.frame.1 * 1.1)
    }

    fn left_of(&self, panel: &Panel) -> f64 {
        let label = match self.figure.labels {
            Labels::Outer => 0.0,
            _ => LINE * self.y_lines(panel).len() as f64,
        };
        self.y_ticks_room(panel) + label + 6.0
    }

    /// Room for names of vertical axes that stand at the left edge of the figure alone.
    fn outer_labels(&self) -> f64 {
        let lines = self.figure.panels.iter().map(|panel| self.y_lines(panel).len());
        match self.figure.labels {
            Labels::Outer => LINE * lines.max().unwrap_or(0) as f64,
            _ => 0.0,
        }
    }

    fn right_of(&self, panel: &Panel) -> f64 {
        let beside = guides(panel).filter(|guide| ends_right(panel, guide));
        let labels = beside.map(|guide| width_of(&guide.label) + 8.0).fold(0.0, f64::max);
        let last = panel.x.ticks(ticks_across(&panel.x, self.frame.0)).pop();
        let tick = last.map_or(0.0, |tick| {
            width_of(&tick.label) / 2.0 - (1.0 - panel.x.at(tick.value)) * self.frame.0
        });
        labels.max(tick + 4.0).max(12.0)
    }

    fn x_label(&self, panel: &Panel) -> Label {
        let lines = wrapped(&panel.x.label, Weight::Regular, self.frame.0 + self.left);
        Label { lines, room: TICK_ROOM + LINE }
    }

    fn place(&self, number: usize, at: (f64, f64)) -> Place {
        let panel = &self.figure.panels[number];
        let outer = self.figure.labels == Labels::Outer;
        let last_row = number + self.sheet.columns >= self.figure.panels.len();
        let first_column = number.is_multiple_of(self.sheet.columns);
        let lines = if first_column || !outer { self.y_lines(panel) } else { Vec::new() };
        let beside = if first_column { self.outer_labels() } else { 0.0 };
        let y = Label { lines, room: self.left + beside - 4.0 };
        let outside = Outside::of(panel).text();
        let last = at.0 + self.frame.0 + self.right - width_of(&outside) - 2.0;
        Place {
            at,
            size: self.frame,
            title: self.title(panel),
            outside_at: at.0.min(last).max(at.0 - self.left),
            outside,
            notes: self.notes,
            x: (!outer || last_row).then(|| self.x_label(panel)),
            y: Some(y),
            ticks: (ticks_across(&panel.x, self.frame.0), ticks_up(self.frame.1)),
        }
    }

    fn plan(self) -> Arrangement {
        let (columns, panels) = (self.sheet.columns, &self.figure.panels);
        let shared = one_legend(self.figure);
        let (mut places, mut strips) = (Vec::new(), Vec::new());
        let (outer, step) = (self.outer_labels(), self.left + self.frame.0 + self.right);
        let mut y = 0.0;
        for (row, of_row) in panels.chunks(columns).enumerate() {
            let (mut footer, mut legend) = (0.0f64, 0.0f64);
            for (column, panel) in of_row.iter().enumerate() {
                let (number, x) = (row * columns + column, column as f64 * step);
                let place = self.place(number, (outer + x + self.left, y + self.header));
                let label = |label: &Label| label.room + LINE * label.lines.len() as f64;
                footer = footer.max(place.x.as_ref().map_or(0.0, label));
                places.push(place);
                if !shared {
                    legend = legend.max(6.0 + legend_height(panel, step - 16.0));
                }
            }
            y += self.header + self.frame.1 + footer.max(4.0);
            if !shared {
                let strip = |column: usize| Strip {
                    panel: row * columns + column,
                    at: (column as f64 * step + 8.0, y + 6.0),
                    width: step - 16.0,
                };
                strips.extend((0..of_row.len()).map(strip));
            }
            y += legend;
        }
        let width = self.sheet.inner_width();
        if shared && panels.first().is_some_and(|panel| entries(panel).next().is_some()) {
            strips.push(Strip { panel: 0, at: (8.0, y + 6.0), width: width - 16.0 });
            y += 6.0 + panels.first().map_or(0.0, |panel| legend_height(panel, width - 16.0));
        }
        let scale = (self.figure.densest() > 0).then_some((8.0, y + 4.0));
        y += if scale.is_some() { SCALE_HEIGHT + 4.0 } else { 0.0 };
        Arrangement { sheet: self.sheet, size: (width, y + 4.0), places, strips, scale }
    }
}

/// Whether there are words between title and frame.
fn has_notes(panel: &Panel) -> bool {
    !Outside::of(panel).text().is_empty() || guides(panel).any(|guide| ends_above(panel, guide))
}

/// Whether a guide leaves the frame through the right edge.
pub fn ends_right(panel: &Panel, guide: &Guide) -> bool {
    guide.points.last().is_some_and(|end| panel.x.at(end.0) > 0.985)
}

/// Whether a guide leaves the frame through the upper edge.
pub fn ends_above(panel: &Panel, guide: &Guide) -> bool {
    guide.points.last().is_some_and(|end| panel.y.at(end.1) > 0.985) && !ends_right(panel, guide)
}
