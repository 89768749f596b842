//! Legends below the panels, and the bar that explains shades.

use super::marks::{guide_dash, marker};
use super::{DrawResult, FRAME, Painted, Pencil};
use crate::axis::Axis;
use crate::canvas::Canvas;
use crate::layout::{self, Arrangement, GAP, LEGEND_LINE, SAMPLE, SCALE_WIDTH, Strip};
use crate::model::{Figure, Layer, Mark};
use crate::palette;
use crate::text::pretty;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::Rectangle;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, FontStyle, RGBColor, ShapeStyle};
use plotters_backend::BackendCoord;

/// Rectangles that make up the bar of shades.
const STEPS: usize = 30;
const SCALE_TEXT: &str = "measurements in a cell";

/// All legends of a figure.
pub fn draw<C: Canvas>(
    figure: &Figure,
    plan: &Arrangement,
    pencil: Pencil,
    root: &DrawingArea<C, Shift>,
) -> DrawResult<C> {
    let legend = Legend { pencil, root };
    for strip in &plan.strips {
        legend.strip(figure, strip)?;
    }
    match plan.scale {
        Some(at) => legend.scale(figure.densest(), at),
        None => Ok(()),
    }
}

struct Legend<'l, C: Canvas> {
    pencil: Pencil,
    root: &'l DrawingArea<C, Shift>,
}

impl<C: Canvas> Legend<'_, C> {
    fn strip(&self, figure: &Figure, strip: &Strip) -> DrawResult<C> {
        let panel = &figure.panels[strip.panel];
        let style = self.pencil.text(FontStyle::Normal, HPos::Left, VPos::Center);
        for (layer, line, x) in layout::legend_places(panel, strip.width) {
            let left = strip.at.0 + x;
            let middle = strip.at.1 + LEGEND_LINE * (line as f64 + 0.5);
            self.sample(layer, (left, middle))?;
            let at = self.pencil.point((left + SAMPLE + GAP, middle));
            self.root.draw_text(&pretty(&layer.name), &style, at)?;
        }
        Ok(())
    }

    fn sample(&self, layer: &Layer, (x, y): (f64, f64)) -> DrawResult<C> {
        let (color, shape) = (palette::color(layer.style), palette::marker(layer.style));
        let dash = palette::dash(layer.style);
        match &layer.mark {
            Mark::Bars(_) | Mark::Density(_) => {
                let corners = [(x + 6.0, y - 5.0), (x + 16.0, y + 5.0)];
                let corners = corners.map(|corner| self.pencil.point(corner));
                self.root.draw(&Rectangle::new(corners, color.filled()))
            }
            Mark::Guide(guide) => {
                self.line((x, y), self.pencil.line(FRAME, 1.2), guide_dash(guide.stroke))
            }
            Mark::Line(_) => self.line((x, y), self.pencil.line(color, 1.6), dash),
            Mark::Curve(_) => {
                self.line((x, y), self.pencil.line(color, 1.6), dash)?;
                self.marker((x, y), shape, color)
            }
            Mark::Spans(_) => {
                self.line((x, y), self.pencil.line(color, 1.5), &[])?;
                self.marker((x, y), shape, color)
            }
            Mark::Dots(_) => self.marker((x, y), shape, color),
        }
    }

    fn line(&self, (x, y): (f64, f64), style: ShapeStyle, dash: &[f64]) -> DrawResult<C> {
        let points = [(x, y), (x + SAMPLE, y)].map(|point| self.pencil.point(point)).to_vec();
        let dash = self.pencil.dash(dash);
        self.root.draw(&Painted {
            points,
            paint: |places: &[BackendCoord], canvas: &mut C| {
                canvas.dash(&dash);
                let drawn = canvas.draw_path(places.iter().copied(), &style);
                canvas.dash(&[]);
                drawn
            },
        })
    }

    fn marker(&self, (x, y): (f64, f64), shape: palette::Marker, color: RGBColor) -> DrawResult<C> {
        let points = vec![self.pencil.point((x + SAMPLE / 2.0, y))];
        self.root.draw(&Painted {
            points,
            paint: |places: &[BackendCoord], canvas: &mut C| {
                marker(canvas, places[0], self.pencil, shape, 3.2, color.to_rgba())
            },
        })
    }

    /// From one measurement to the most that a cell of the figure holds.
    fn scale(&self, densest: usize, (x, y): (f64, f64)) -> DrawResult<C> {
        let style = self.pencil.text(FontStyle::Normal, HPos::Left, VPos::Center);
        self.root.draw_text(SCALE_TEXT, &style, self.pencil.point((x, y + 5.0)))?;
        let left = x + layout::width_of(SCALE_TEXT) + 2.0 * GAP;
        let axis = Axis::log("", 1.0, (densest as f64).max(2.0));
        let width = SCALE_WIDTH / STEPS as f64;
        for step in 0..STEPS {
            let count = axis.value((step as f64 + 0.5) / STEPS as f64);
            let from = left + step as f64 * width;
            let reach = if step + 1 < STEPS { 0.6 } else { 0.0 };
            let corners = [(from, y), (from + width + reach, y + 10.0)];
            let corners = corners.map(|corner| self.pencil.point(corner));
            let shade = palette::shade(count.round() as usize, densest);
            self.root.draw(&Rectangle::new(corners, shade.filled()))?;
        }
        let frame = [(left, y), (left + SCALE_WIDTH, y + 10.0)];
        let frame = frame.map(|corner| self.pencil.point(corner));
        self.root.draw(&Rectangle::new(frame, self.pencil.line(FRAME, 0.8)))?;
        let style = self.pencil.text(FontStyle::Normal, HPos::Center, VPos::Top);
        for tick in axis.ticks(4) {
            let at = self.pencil.point((left + axis.at(tick.value) * SCALE_WIDTH, y + 14.0));
            self.root.draw_text(&tick.label, &style, at)?;
        }
        Ok(())
    }
}
