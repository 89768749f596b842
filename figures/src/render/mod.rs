//! The one renderer: axes, ticks, layers, legends and notes of a figure, drawn through plotters on any
//! [`Canvas`].

mod legend;
mod marks;
mod ruler;

use crate::axis::Scale;
use crate::canvas::Canvas;
use crate::layout::{self, Arrangement, Label, Place, Sheet, TEXT};
use crate::model::{Figure, Guide, Labels, Mark, Panel};
use crate::text::pretty;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Drawable, PointCollection, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    FontDesc, FontFamily, FontStyle, FontTransform, RGBColor, ShapeStyle, TRANSPARENT, TextStyle,
};
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};
use ruler::Ruler;

const GRID: RGBColor = RGBColor(225, 225, 225);
const FRAME: RGBColor = RGBColor(68, 68, 68);
const INK: RGBColor = RGBColor(0, 0, 0);

/// What drawing may end with.
pub type DrawResult<C> = Result<(), DrawingAreaErrorKind<<C as DrawingBackend>::ErrorType>>;

type Chart<'a, C> = ChartContext<'a, C, Cartesian2d<Ruler, Ruler>>;

/// Draws a figure as planned.
pub fn render<C: Canvas>(figure: &Figure, plan: &Arrangement, canvas: C) -> DrawResult<C> {
    let root = canvas.into_drawing_area();
    let pencil = Pencil { sheet: plan.sheet };
    for (panel, place) in figure.panels.iter().zip(&plan.places) {
        let mut drawing = Drawing { pencil, root: &root, figure, panel, place };
        drawing.panel()?;
    }
    legend::draw(figure, plan, pencil, &root)?;
    root.present()
}

/// Measures of the page in units, and what is made of them.
#[derive(Clone, Copy)]
struct Pencil {
    sheet: Sheet,
}

impl Pencil {
    fn units(self, length: f64) -> i32 {
        self.sheet.units(length).round() as i32
    }

    fn point(self, (x, y): (f64, f64)) -> BackendCoord {
        (self.units(x), self.units(y))
    }

    fn line(self, color: RGBColor, width: f64) -> ShapeStyle {
        let stroke_width = self.units(width).max(1) as u32;
        ShapeStyle { color: color.into(), filled: false, stroke_width }
    }

    fn text(self, style: FontStyle, h: HPos, v: VPos) -> TextStyle<'static> {
        let font = FontDesc::new(FontFamily::SansSerif, self.sheet.units(TEXT), style);
        TextStyle::from(font).color(&INK).pos(Pos::new(h, v))
    }

    fn dash(self, pattern: &[f64]) -> Vec<f64> {
        pattern.iter().map(|length| self.sheet.units(*length)).collect()
    }
}

/// An element that draws with the means of the canvas once plotters has found the places of its points.
struct Painted<P, F> {
    points: Vec<P>,
    paint: F,
}

impl<'a, P, F> PointCollection<'a, P> for &'a Painted<P, F> {
    type Point = &'a P;
    type IntoIter = &'a [P];

    fn point_iter(self) -> &'a [P] {
        &self.points
    }
}

impl<C, P, F> Drawable<C> for Painted<P, F>
where
    C: Canvas,
    F: Fn(&[BackendCoord], &mut C) -> Result<(), DrawingErrorKind<C::ErrorType>>,
{
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        places: I,
        canvas: &mut C,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<C::ErrorType>> {
        let places: Vec<BackendCoord> = places.collect();
        (self.paint)(&places, canvas)
    }
}

/// One panel being drawn.
struct Drawing<'d, C: Canvas> {
    pencil: Pencil,
    root: &'d DrawingArea<C, Shift>,
    figure: &'d Figure,
    panel: &'d Panel,
    place: &'d Place,
}

impl<C: Canvas> Drawing<'_, C> {
    fn panel(&mut self) -> DrawResult<C> {
        let mut chart = self.chart()?;
        if self.figure.labels != Labels::Bare {
            self.axes(&mut chart)?;
            self.words()?;
        }
        self.layers(&chart)
    }

    /// The frame with room for the labels of ticks to the left and below.
    fn chart(&self) -> Result<Chart<'static, C>, DrawingAreaErrorKind<C::ErrorType>> {
        let (place, pencil) = (self.place, self.pencil);
        let room = |label: &Option<Label>| label.as_ref().map_or(0, |l| pencil.units(l.room));
        let (left, below) = (room(&place.y), room(&place.x));
        let (x, y) = pencil.point(place.at);
        // plotters counts pixels: the last one belongs to the frame
        let (width, height) = pencil.point(place.size);
        let area = self.root.clone().shrink((x - left, y), (width + left + 1, height + below + 1));
        let rulers = (
            Ruler::new(&self.panel.x, place.ticks.0, false),
            Ruler::new(&self.panel.y, place.ticks.1, matches!(self.panel.y.scale, Scale::Names(_))),
        );
        ChartBuilder::on(&area)
            .x_label_area_size(below)
            .y_label_area_size(left)
            .build_cartesian_2d(rulers.0, rulers.1)
    }

    fn axes(&self, chart: &mut Chart<'static, C>) -> DrawResult<C> {
        let pencil = self.pencil;
        let mut mesh = chart.configure_mesh();
        if matches!(self.panel.x.scale, Scale::Names(_)) {
            mesh.disable_x_mesh();
        }
        mesh.bold_line_style(pencil.line(GRID, 0.8))
            .light_line_style(TRANSPARENT)
            .axis_style(pencil.line(FRAME, 1.0))
            .set_all_tick_mark_size(pencil.units(3.0))
            .label_style(pencil.text(FontStyle::Normal, HPos::Center, VPos::Center))
            .draw()?;
        let corner = pencil.point(self.place.at);
        let size = pencil.point(self.place.size);
        let opposite = (corner.0 + size.0, corner.1 + size.1);
        self.root.draw(&Rectangle::new([corner, opposite], pencil.line(FRAME, 1.0)))
    }

    /// Title, names of the axes, and what lies outside.
    fn words(&self) -> DrawResult<C> {
        let (place, pencil) = (self.place, self.pencil);
        let ((x, y), (width, height)) = (place.at, place.size);
        let bold = pencil.text(FontStyle::Bold, HPos::Center, VPos::Bottom);
        let plain = |h: HPos, v: VPos| pencil.text(FontStyle::Normal, h, v);
        let mut up = y - 4.0 - place.notes;
        for line in place.title.iter().rev() {
            self.write(line, &bold, (x + width / 2.0, up))?;
            up -= layout::LINE;
        }
        if !place.outside.is_empty() {
            let style = plain(HPos::Left, VPos::Bottom).color(&FRAME);
            self.write(&place.outside, &style, (place.outside_at, y - 2.0))?;
        }
        if let Some(label) = &place.x {
            let style = plain(HPos::Center, VPos::Top);
            for (number, line) in label.lines.iter().enumerate() {
                let down = y + height + label.room + layout::LINE * number as f64;
                self.write(line, &style, (x + width / 2.0, down))?;
            }
        }
        if let Some(label) = &place.y {
            let style = plain(HPos::Center, VPos::Top).transform(FontTransform::Rotate270);
            for (number, line) in label.lines.iter().enumerate() {
                let left = x - label.room + layout::LINE * number as f64;
                self.write(line, &style, (left, y + height / 2.0))?;
            }
        }
        self.guide_labels()
    }

    /// Names of guides where they end, outside the frame; one that would cover another is left out.
    fn guide_labels(&self) -> DrawResult<C> {
        let outside = self.place.outside_at;
        let mut taken: Vec<(bool, f64, f64)> =
            vec![(true, outside, outside + layout::width_of(&self.place.outside) + 4.0)];
        for guide in layout::guides(self.panel) {
            let Some((above, at)) = self.guide_end(guide) else { continue };
            let half = if above { layout::width_of(&guide.label) / 2.0 + 2.0 } else { TEXT / 2.0 };
            let middle = if above { at.0 } else { at.1 };
            let (from, to) = (middle - half, middle + half);
            if taken.iter().any(|(side, low, high)| *side == above && from < *high && *low < to) {
                continue;
            }
            taken.push((above, from, to));
            let (h, v) = match above {
                true => (HPos::Center, VPos::Bottom),
                false => (HPos::Left, VPos::Center),
            };
            self.write(&guide.label, &self.pencil.text(FontStyle::Normal, h, v), at)?;
        }
        Ok(())
    }

    /// Whether a guide ends above, and where its name goes.
    fn guide_end(&self, guide: &Guide) -> Option<(bool, (f64, f64))> {
        let end = guide.points.last()?;
        let (x, y) = (self.panel.x.at(end.0), self.panel.y.at(end.1));
        let ((left, top), (width, height)) = (self.place.at, self.place.size);
        match layout::ends_above(self.panel, guide) {
            true => Some((true, (left + x * width, top - 2.0))),
            false => Some((false, (left + width + 4.0, top + (1.0 - y) * height))),
        }
    }

    fn write(&self, text: &str, style: &TextStyle<'_>, at: (f64, f64)) -> DrawResult<C> {
        self.root.draw_text(&pretty(text), style, self.pencil.point(at))
    }

    fn layers(&self, chart: &Chart<'static, C>) -> DrawResult<C> {
        let has_shades =
            self.panel.layers.iter().any(|layer| matches!(layer.mark, Mark::Density(_)));
        let painter = marks::Painter {
            pencil: self.pencil,
            panel: self.panel,
            densest: self.figure.densest(),
            cased: has_shades,
            area: chart.plotting_area(),
        };
        painter.layers()
    }
}
