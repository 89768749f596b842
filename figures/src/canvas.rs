//! What a figure is drawn on: a plotters backend that may dash lines and attach notes.
//!
//! plotters places everything in whole numbers, which is too coarse at one a point; a [`Board`] is
//! counted in fractions of one. It turns the calls of plotters into the few that a [`Surface`] must
//! know, so that a file format is one short file.

use crate::font::{ASCENT, CAPITAL, DESCENT};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle, FontTransform,
};
use std::convert::Infallible;

pub use crate::font::Weight;

/// A plotters backend with what plotters has no calls for. A backend that cannot do these things may
/// leave them out: lines are solid then, and nothing can be hovered.
pub trait Canvas: DrawingBackend {
    /// Strokes and gaps of the lines that follow, in units; none for solid lines.
    fn dash(&mut self, _pattern: &[f64]) {}
    /// Hovering what follows, up to `end_note`, shows this text.
    fn note(&mut self, _text: &str) {}
    /// Ends what `note` began.
    fn end_note(&mut self) {}
    /// A circle that cannot be seen and shows a text when hovered.
    fn hover(&mut self, _center: BackendCoord, _radius: u32, _text: &str) {}
}

/// Red, green, blue, and how opaque it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Color {
    /// Red, green, blue.
    pub rgb: (u8, u8, u8),
    /// From 0 to 1.
    pub alpha: f64,
}

/// How a line is drawn.
#[derive(Clone, Debug)]
pub struct Pen {
    /// Its color.
    pub color: Color,
    /// Its width in units.
    pub width: u32,
    /// Strokes and gaps in units; none for a solid line.
    pub dash: Vec<f64>,
}

/// A shape is filled or outlined.
#[derive(Clone, Debug)]
pub enum Paint {
    /// Filled with a color.
    Fill(Color),
    /// Outlined.
    Outline(Pen),
}

/// A line of text.
#[derive(Clone, Debug)]
pub struct Line<'t> {
    /// What it says.
    pub text: &'t str,
    /// A point on the line that it stands on: its start, middle or end.
    pub at: BackendCoord,
    /// Which of these.
    pub anchor: Anchor,
    /// Size in units.
    pub size: f64,
    /// Weight.
    pub weight: Weight,
    /// Color.
    pub color: Color,
    /// Reads from below to above.
    pub upright: bool,
}

/// Which point of a text is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Where it begins.
    Start,
    /// Its middle.
    Middle,
    /// Where it ends.
    End,
}

impl Line<'_> {
    /// Where the text begins.
    pub fn start(&self) -> (f64, f64) {
        let width = self.size * self.weight.width(self.text);
        let back = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let (x, y) = (f64::from(self.at.0), f64::from(self.at.1));
        if self.upright { (x, y + back) } else { (x - back, y) }
    }
}

/// A file format: what a [`Board`] draws with. Coordinates grow to the right and down.
pub trait Surface {
    /// A line through points.
    fn path(&mut self, points: &[BackendCoord], pen: &Pen);
    /// A filled polygon.
    fn polygon(&mut self, points: &[BackendCoord], color: Color);
    /// A rectangle by two corners.
    fn rectangle(&mut self, from: BackendCoord, to: BackendCoord, paint: &Paint);
    /// A circle.
    fn circle(&mut self, center: BackendCoord, radius: u32, paint: &Paint);
    /// A text.
    fn text(&mut self, line: &Line<'_>);
    /// As [`Canvas::note`].
    fn note(&mut self, _text: &str) {}
    /// As [`Canvas::end_note`].
    fn end_note(&mut self) {}
    /// As [`Canvas::hover`].
    fn hover(&mut self, _center: BackendCoord, _radius: u32, _text: &str) {}
}

/// A surface as plotters sees it.
pub struct Board<'s, S> {
    surface: &'s mut S,
    size: (u32, u32),
    dash: Vec<f64>,
}

impl<'s, S: Surface> Board<'s, S> {
    /// Of a size in units.
    pub fn new(surface: &'s mut S, size: (u32, u32)) -> Board<'s, S> {
        Board { surface, size, dash: Vec::new() }
    }

    fn pen(&self, style: &impl BackendStyle) -> Pen {
        Pen {
            color: color(style.color()),
            width: style.stroke_width().max(1),
            dash: self.dash.clone(),
        }
    }

    fn paint(&self, style: &impl BackendStyle, fill: bool) -> Paint {
        match fill {
            true => Paint::Fill(color(style.color())),
            false => Paint::Outline(self.pen(style)),
        }
    }
}

fn color(of: BackendColor) -> Color {
    Color { rgb: of.rgb, alpha: of.alpha }
}

fn weight(style: &impl BackendTextStyle) -> Weight {
    match style.style() {
        FontStyle::Bold => Weight::Bold,
        _ => Weight::Regular,
    }
}

type BackendResult = Result<(), DrawingErrorKind<Infallible>>;

impl<S: Surface> DrawingBackend for Board<'_, S> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> BackendResult {
        Ok(())
    }

    fn present(&mut self) -> BackendResult {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, pixel: BackendColor) -> BackendResult {
        self.surface.rectangle((x, y), (x + 1, y + 1), &Paint::Fill(color(pixel)));
        Ok(())
    }

    fn draw_line<T: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &T,
    ) -> BackendResult {
        self.draw_path([from, to], style)
    }

    fn draw_rect<T: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &T,
        fill: bool,
    ) -> BackendResult {
        if style.color().alpha > 0.0 {
            let paint = self.paint(style, fill);
            self.surface.rectangle(from, to, &paint);
        }
        Ok(())
    }

    fn draw_path<T: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &T,
    ) -> BackendResult {
        let mut points: Vec<BackendCoord> = path.into_iter().collect();
        points.dedup();
        if style.color().alpha > 0.0 && points.len() > 1 {
            let pen = self.pen(style);
            self.surface.path(&points, &pen);
        }
        Ok(())
    }

    fn draw_circle<T: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &T,
        fill: bool,
    ) -> BackendResult {
        let paint = self.paint(style, fill);
        self.surface.circle(center, radius, &paint);
        Ok(())
    }

    fn fill_polygon<T: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        points: I,
        style: &T,
    ) -> BackendResult {
        let points: Vec<BackendCoord> = points.into_iter().collect();
        self.surface.polygon(&points, color(style.color()));
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &T,
        at: BackendCoord,
    ) -> BackendResult {
        let (size, position) = (style.size(), style.anchor());
        // from the given edge of the text to the line that it stands on
        let down = size
            * match position.v_pos {
                VPos::Top => ASCENT,
                VPos::Center => CAPITAL / 2.0,
                VPos::Bottom => -DESCENT,
            };
        let upright = matches!(style.transform(), FontTransform::Rotate270);
        let down = down.round() as i32;
        let at = if upright { (at.0 + down, at.1) } else { (at.0, at.1 + down) };
        let anchor = match position.h_pos {
            HPos::Left => Anchor::Start,
            HPos::Center => Anchor::Middle,
            HPos::Right => Anchor::End,
        };
        let (weight, color) = (weight(style), color(style.color()));
        self.surface.text(&Line { text, at, anchor, size, weight, color, upright });
        Ok(())
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let width = style.size() * weight(style).width(text);
        Ok((width.ceil() as u32, (style.size() * (ASCENT + DESCENT)).ceil() as u32))
    }
}

impl<S: Surface> Canvas for Board<'_, S> {
    fn dash(&mut self, pattern: &[f64]) {
        self.dash = pattern.to_vec();
    }

    fn note(&mut self, text: &str) {
        self.surface.note(text);
    }

    fn end_note(&mut self) {
        self.surface.end_note();
    }

    fn hover(&mut self, center: BackendCoord, radius: u32, text: &str) {
        self.surface.hover(center, radius, text);
    }
}
