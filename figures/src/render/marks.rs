//! Layers: dots, lines, guides, bars, cells and intervals.

use super::{DrawResult, FRAME, INK, Painted, Pencil, Ruler};
use crate::canvas::Canvas;
use crate::clip::{self, Side};
use crate::font::Weight;
use crate::layout::TEXT;
use crate::model::{Bar, Beyond, Density, Dot, Guide, Layer, Mark, Panel, Span, Stroke};
use crate::palette::{self, Marker, Shape};
use crate::text::{pretty, short};
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::DrawingArea;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, FontStyle, FontTransform, RGBAColor, RGBColor, ShapeStyle, WHITE};
use plotters_backend::{BackendCoord, DrawingErrorKind};
use std::collections::HashSet;

/// Half the size of a marker among many, and of one on a line.
const DOT: f64 = 2.2;
const MARKER: f64 = 3.2;
const LINE: f64 = 1.6;
/// Guides are thinner than data and thick enough to be seen on dark cells.
const GUIDE: f64 = 1.2;
/// White on both sides of a line that crosses shades.
const CASING: f64 = 0.8;
/// Distance between the markers of a curve.
const EVERY: f64 = 70.0;
/// Most places of a curve that can be hovered.
const STOPS: usize = 60;

type Painting<C> = Result<(), DrawingErrorKind<<C as plotters_backend::DrawingBackend>::ErrorType>>;

/// Draws the layers of one panel.
pub struct Painter<'p, C: Canvas> {
    pub pencil: Pencil,
    pub panel: &'p Panel,
    /// Measurements in the darkest cell.
    pub densest: usize,
    /// Lines get a white edge, because they cross shades.
    pub cased: bool,
    pub area: &'p DrawingArea<C, Cartesian2d<Ruler, Ruler>>,
}

impl<C: Canvas> Painter<'_, C> {
    /// All layers in their order; lines that cross shades lie on top, each on a white edge that covers
    /// no other line.
    pub fn layers(&self) -> DrawResult<C> {
        if !self.cased {
            return self.panel.layers.iter().try_for_each(|layer| self.layer(layer));
        }
        let (lines, areas): (Vec<&Layer>, Vec<&Layer>) =
            self.panel.layers.iter().partition(|layer| line_of(layer).is_some());
        areas.iter().try_for_each(|layer| self.layer(layer))?;
        lines.iter().try_for_each(|layer| self.edge(layer))?;
        lines.iter().try_for_each(|layer| self.layer(layer))
    }

    fn layer(&self, layer: &Layer) -> DrawResult<C> {
        match &layer.mark {
            Mark::Dots(dots) => dots.iter().try_for_each(|dot| self.dot(layer, dot)),
            Mark::Line(points) => self.data_line(layer, points, false),
            Mark::Curve(points) => self.data_line(layer, points, true),
            Mark::Guide(guide) => self.guide(guide),
            Mark::Bars(bars) => bars.iter().try_for_each(|bar| self.bar(layer, bar)),
            Mark::Density(density) => self.density(density),
            Mark::Spans(spans) => spans.iter().try_for_each(|span| self.span(layer, span)),
        }
    }

    /// White on both sides of where a line will be.
    fn edge(&self, layer: &Layer) -> DrawResult<C> {
        let Some((points, width)) = line_of(layer) else { return Ok(()) };
        let mut style = self.pencil.line(WHITE, width + 2.0 * CASING);
        style.color = WHITE.mix(0.85);
        let pieces = clip::pieces(self.panel, points);
        pieces.into_iter().try_for_each(|piece| self.stroke(piece, style, Vec::new()))
    }

    fn paint<F>(&self, points: Vec<(f64, f64)>, paint: F) -> DrawResult<C>
    where
        F: Fn(&[BackendCoord], &mut C) -> Painting<C>,
    {
        self.area.draw(&Painted { points, paint })
    }

    fn dot(&self, layer: &Layer, dot: &Dot) -> DrawResult<C> {
        if dot.x.is_nan() || dot.y.is_nan() {
            return Ok(());
        }
        if let Some(side) = clip::side(self.panel, dot.x, dot.y) {
            return self.arrow((dot.x, dot.y), side, palette::color(layer.style), &dot.note);
        }
        let color = palette::color(layer.style).mix(0.7);
        self.paint(vec![(dot.x, dot.y)], |places, canvas| {
            noted(canvas, &dot.note, |canvas| {
                marker(canvas, places[0], self.pencil, palette::marker(layer.style), DOT, color)
            })
        })
    }

    /// At the edge of the frame, pointing to what lies outside.
    fn arrow(&self, at: (f64, f64), side: Side, color: RGBColor, note: &str) -> DrawResult<C> {
        let at = (clip::clamped(&self.panel.x, at.0), clip::clamped(&self.panel.y, at.1));
        let [long, wide] = [7.0, 3.5].map(|length| self.pencil.units(length));
        self.paint(vec![at], |places, canvas| {
            let (x, y) = places[0];
            let corners = match side {
                Side::Above => [(x, y), (x - wide, y + long), (x + wide, y + long)],
                Side::Below => [(x, y), (x - wide, y - long), (x + wide, y - long)],
                Side::Left => [(x, y), (x + long, y - wide), (x + long, y + wide)],
                Side::Right => [(x, y), (x - long, y - wide), (x - long, y + wide)],
            };
            noted(canvas, note, |canvas| canvas.fill_polygon(corners, &color.to_backend_color()))
        })
    }

    fn data_line(&self, layer: &Layer, points: &[(f64, f64)], markers: bool) -> DrawResult<C> {
        let color = palette::color(layer.style);
        let dash = self.pencil.dash(palette::dash(layer.style));
        for piece in clip::pieces(self.panel, points) {
            self.stroke(piece.clone(), self.pencil.line(color, LINE), dash.clone())?;
            if markers {
                self.markers_along(layer.style, piece)?;
            }
        }
        // a single point is not a line, but must not vanish
        if let ([only], true) = (points, markers) {
            self.markers_along(layer.style, vec![*only])?;
        }
        self.stops(layer, points)
    }

    fn stroke(&self, points: Vec<(f64, f64)>, style: ShapeStyle, dash: Vec<f64>) -> DrawResult<C> {
        self.paint(points, |places, canvas| {
            canvas.dash(&dash);
            let drawn = canvas.draw_path(places.iter().copied(), &style);
            canvas.dash(&[]);
            drawn
        })
    }

    fn markers_along(&self, style: usize, points: Vec<(f64, f64)>) -> DrawResult<C> {
        let every = f64::from(self.pencil.units(EVERY));
        let color = palette::color(style).to_rgba();
        self.paint(points, |places, canvas| {
            along(places, every, style).into_iter().try_for_each(|at| {
                marker(canvas, at, self.pencil, palette::marker(style), MARKER, color)
            })
        })
    }

    /// Unseen marks along a named curve, so that hovering it tells its values.
    fn stops(&self, layer: &Layer, points: &[(f64, f64)]) -> DrawResult<C> {
        if layer.name.is_empty() {
            return Ok(());
        }
        let inside = |point: &&(f64, f64)| clip::side(self.panel, point.0, point.1).is_none();
        let step = points.len().div_ceil(STOPS).max(1);
        let radius = self.pencil.units(4.0).max(1) as u32;
        for &(x, y) in points.iter().step_by(step).filter(inside) {
            let (across, up) = (&self.panel.x.label, &self.panel.y.label);
            let text = format!("{}: {across} {}, {up} {}", layer.name, short(x), short(y));
            self.paint(vec![(x, y)], |places, canvas| {
                canvas.hover(places[0], radius, &pretty(&text));
                Ok(())
            })?;
        }
        Ok(())
    }

    fn guide(&self, guide: &Guide) -> DrawResult<C> {
        let dash = self.pencil.dash(guide_dash(guide.stroke));
        clip::pieces(self.panel, &guide.points)
            .into_iter()
            .try_for_each(|piece| self.stroke(piece, self.pencil.line(FRAME, GUIDE), dash.clone()))
    }

    fn bar(&self, layer: &Layer, bar: &Bar) -> DrawResult<C> {
        let top = clip::clamped(&self.panel.y, bar.height);
        if top <= self.panel.y.low {
            return Ok(());
        }
        let gap = self.pencil.units(0.6).max(1);
        let (x, y) = (&self.panel.x, &self.panel.y);
        let corners = vec![(clip::clamped(x, bar.left), top), (clip::clamped(x, bar.right), y.low)];
        let color = palette::color(layer.style);
        self.paint(corners, |places, canvas| {
            let (from, to) = (places[0], places[1]);
            let to = ((to.0 - gap).max(from.0 + 1), to.1);
            noted(canvas, &bar.note, |canvas| {
                canvas.draw_rect(from, to, &color.to_backend_color(), true)
            })?;
            self.bar_label(canvas, &bar.label, from, to)
        })?;
        match clip::side(self.panel, (bar.left + bar.right) / 2.0, bar.height) {
            Some(side) => {
                self.arrow(((bar.left + bar.right) / 2.0, bar.height), side, INK, &bar.note)
            }
            None => Ok(()),
        }
    }

    /// On the bar; upright if the bar is too narrow.
    fn bar_label(
        &self,
        canvas: &mut C,
        label: &str,
        from: BackendCoord,
        to: BackendCoord,
    ) -> Painting<C> {
        if label.is_empty() {
            return Ok(());
        }
        let middle = (from.0 + to.0) / 2;
        let above = from.1 - self.pencil.units(2.0);
        let width = self.pencil.sheet.units(TEXT * Weight::Regular.width(label));
        if width <= f64::from(to.0 - from.0) * 1.15 {
            let style = self.pencil.text(FontStyle::Normal, HPos::Center, VPos::Bottom);
            return canvas.draw_text(label, &style, (middle, above));
        }
        let style = self.pencil.text(FontStyle::Normal, HPos::Left, VPos::Center);
        canvas.draw_text(label, &style.transform(FontTransform::Rotate270), (middle, above))
    }

    /// Cells reach a little under their right and upper neighbors, which are drawn later, so that no
    /// white shows between them.
    fn density(&self, density: &Density) -> DrawResult<C> {
        let corner = |x: f64, y: f64| (x.to_bits(), y.to_bits());
        let corners: HashSet<(u64, u64)> =
            density.cells.iter().map(|cell| corner(cell.x.0, cell.y.0)).collect();
        let under = self.pencil.units(0.6).max(1);
        for cell in &density.cells {
            let right = corners.contains(&corner(cell.x.1, cell.y.0));
            let above = corners.contains(&corner(cell.x.0, cell.y.1));
            let reach = (if right { under } else { 0 }, if above { under } else { 0 });
            let color = palette::shade(cell.count, self.densest).to_backend_color();
            let points = vec![(cell.x.0, cell.y.1), (cell.x.1, cell.y.0)];
            self.paint(points, |places, canvas| {
                let from = (places[0].0, places[0].1 - reach.1);
                let to = (places[1].0 + reach.0, places[1].1);
                noted(canvas, &cell.note, |canvas| canvas.draw_rect(from, to, &color, true))
            })?;
        }
        density.beyond.iter().try_for_each(|beyond| self.beyond(beyond))
    }

    fn beyond(&self, beyond: &Beyond) -> DrawResult<C> {
        match clip::side(self.panel, beyond.x, beyond.y) {
            Some(side) => self.arrow((beyond.x, beyond.y), side, palette::COLORS[1], &beyond.note),
            None => Ok(()),
        }
    }

    /// An interval that leaves the frame ends in an arrow.
    fn span(&self, layer: &Layer, span: &Span) -> DrawResult<C> {
        let color = palette::color(layer.style);
        let ends = [span.low, span.high].map(|end| (clip::clamped(&self.panel.x, end), span.at));
        let value = (clip::clamped(&self.panel.x, span.value), span.at);
        let inside = clip::side(self.panel, span.value, span.at).is_none();
        let line = self.pencil.line(color, 1.5);
        self.paint(vec![ends[0], ends[1], value], |places, canvas| {
            noted(canvas, &span.note, |canvas| {
                canvas.draw_path(places[..2].iter().copied(), &line)?;
                match inside {
                    true => marker(
                        canvas,
                        places[2],
                        self.pencil,
                        palette::marker(layer.style),
                        MARKER,
                        color.to_rgba(),
                    ),
                    false => Ok(()),
                }
            })
        })?;
        for end in [span.low, span.high] {
            if let Some(side) = clip::side(self.panel, end, span.at) {
                self.arrow((end, span.at), side, color, &span.note)?;
            }
        }
        Ok(())
    }
}

/// The line of a layer and its width; `None` for other marks.
fn line_of(layer: &Layer) -> Option<(&[(f64, f64)], f64)> {
    match &layer.mark {
        Mark::Line(points) | Mark::Curve(points) => Some((points, LINE)),
        Mark::Guide(guide) => Some((&guide.points, GUIDE)),
        _ => None,
    }
}

/// How guides are dashed.
pub fn guide_dash(stroke: Stroke) -> &'static [f64] {
    match stroke {
        Stroke::Solid => &[],
        Stroke::Dashed => &[6.0, 3.0],
        Stroke::Dotted => &[1.5, 2.5],
    }
}

/// Draws something that shows a note when hovered.
fn noted<C: Canvas>(
    canvas: &mut C,
    note: &str,
    draw: impl FnOnce(&mut C) -> Painting<C>,
) -> Painting<C> {
    if note.is_empty() {
        return draw(canvas);
    }
    canvas.note(note);
    let drawn = draw(canvas);
    canvas.end_note();
    drawn
}

/// Points at even distances along a line, shifted by style so that markers of near lines do not meet; the
/// end of a line that is too short for that.
fn along(places: &[BackendCoord], every: f64, style: usize) -> Vec<BackendCoord> {
    let mut next = every * (0.15 + 0.13 * (style % 7) as f64);
    let mut found = Vec::new();
    for pair in places.windows(2) {
        let [(x0, y0), (x1, y1)] = [pair[0], pair[1]].map(|(x, y)| (f64::from(x), f64::from(y)));
        let length = (x1 - x0).hypot(y1 - y0);
        while length > 0.0 && next <= length {
            let part = next / length;
            let (x, y) = (x0 + part * (x1 - x0), y0 + part * (y1 - y0));
            found.push((x.round() as i32, y.round() as i32));
            next += every;
        }
        next -= length;
    }
    if found.is_empty() {
        found.extend(places.last());
    }
    found
}

/// A marker around a point.
pub fn marker<C: Canvas>(
    canvas: &mut C,
    (x, y): BackendCoord,
    pencil: Pencil,
    kind: Marker,
    half: f64,
    color: RGBAColor,
) -> Painting<C> {
    let r = pencil.units(half).max(1);
    let width = pencil.units(1.2).max(1) as u32;
    let line = ShapeStyle { color, filled: false, stroke_width: width };
    let corners: Vec<BackendCoord> = match kind.shape {
        Shape::Circle => return canvas.draw_circle((x, y), r as u32, &line, kind.filled),
        Shape::Cross => {
            canvas.draw_path([(x - r, y - r), (x + r, y + r)], &line)?;
            canvas.draw_path([(x - r, y + r), (x + r, y - r)], &line)?;
            return if kind.filled {
                Ok(())
            } else {
                canvas.draw_circle((x, y), r as u32, &line, false)
            };
        }
        Shape::Plus => {
            canvas.draw_path([(x - r, y), (x + r, y)], &line)?;
            canvas.draw_path([(x, y - r), (x, y + r)], &line)?;
            return if kind.filled {
                Ok(())
            } else {
                canvas.draw_circle((x, y), r as u32, &line, false)
            };
        }
        Shape::Square => vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)],
        Shape::Triangle => vec![(x, y - r), (x + r, y + r), (x - r, y + r)],
        Shape::Diamond => vec![(x, y - r), (x + r, y), (x, y + r), (x - r, y)],
        Shape::Wedge => vec![(x, y + r), (x + r, y - r), (x - r, y - r)],
    };
    match kind.filled {
        true => canvas.fill_polygon(corners, &color.to_backend_color()),
        false => {
            let first = corners[0];
            canvas.draw_path(corners.into_iter().chain([first]), &line)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_of_near_lines_do_not_meet() {
        let line = [(0, 0), (100, 0), (100, 100)];
        let of = |style: usize| along(&line, 70.0, style);
        assert_eq!(of(0).len(), 3);
        assert_ne!(of(0)[0], of(1)[0]);
        assert_eq!(of(0)[2].0, 100);
        assert_eq!(along(&[(3, 4)], 70.0, 0), [(3, 4)]);
    }
}
