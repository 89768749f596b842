//! What of a layer lies within the axes, and what does not.
//!
//! Lines are cut at the frame; points outside become arrows at the edge and are counted, so that nothing
//! vanishes without a word.

use crate::axis::Axis;
use crate::model::{Layer, Mark, Panel};
use crate::text::count;

/// A direction in which a point leaves the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Beyond the upper edge.
    Above,
    /// Beyond the lower edge.
    Below,
    /// Beyond the left edge.
    Left,
    /// Beyond the right edge.
    Right,
}

/// Room for rounding: a point on the frame is inside.
const EDGE: f64 = 1e-9;

/// Where a point lies relative to the frame; `None` is inside. A point outside on two sides counts as
/// above or below.
pub fn side(panel: &Panel, x: f64, y: f64) -> Option<Side> {
    let (x, y) = (panel.x.at(x), panel.y.at(y));
    let upright = [(y > 1.0 + EDGE, Side::Above), (y < -EDGE, Side::Below)];
    let level = [(x > 1.0 + EDGE, Side::Right), (x < -EDGE, Side::Left)];
    upright.into_iter().chain(level).find(|(outside, _)| *outside).map(|(_, side)| side)
}

/// The nearest value on the axis.
pub fn clamped(axis: &Axis, value: f64) -> f64 {
    value.clamp(axis.low, axis.high)
}

/// The pieces of a line within the frame, straight between points as they are drawn.
pub fn pieces(panel: &Panel, points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut open = false;
    let finite = |p: &&(f64, f64)| p.0.is_finite() && p.1.is_finite();
    let placed: Vec<(f64, f64)> =
        points.iter().filter(finite).map(|p| (panel.x.at(p.0), panel.y.at(p.1))).collect();
    for pair in placed.windows(2) {
        let Some((from, to)) = segment(pair[0], pair[1]) else {
            open = false;
            continue;
        };
        match pieces.last_mut() {
            Some(piece) if open => piece.push(to),
            _ => pieces.push(vec![from, to]),
        }
        open = to == pair[1];
    }
    let value = |(x, y): (f64, f64)| (panel.x.value(x), panel.y.value(y));
    pieces.into_iter().map(|piece| piece.into_iter().map(value).collect()).collect()
}

/// A segment cut to the unit square (Liang and Barsky, 1984).
fn segment(from: (f64, f64), to: (f64, f64)) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for (step, room) in [(-dx, from.0), (dx, 1.0 - from.0), (-dy, from.1), (dy, 1.0 - from.1)] {
        if step == 0.0 {
            if room < -EDGE {
                return None;
            }
        } else if step < 0.0 {
            enter = enter.max(room / step);
        } else {
            leave = leave.min(room / step);
        }
    }
    let at = |t: f64| match t {
        1.0 => to,
        t => (from.0 + t * dx, from.1 + t * dy),
    };
    (enter <= leave).then(|| (at(enter), at(leave)))
}

/// How many measurements lie outside, by side; intervals are drawn up to the edge and do not count
/// unless their value is outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    above: usize,
    below: usize,
    left: usize,
    right: usize,
}

impl Outside {
    /// Of all layers of a panel.
    pub fn of(panel: &Panel) -> Outside {
        let mut outside = Outside::default();
        panel.layers.iter().for_each(|layer| outside.count(panel, layer));
        outside
    }

    fn count(&mut self, panel: &Panel, layer: &Layer) {
        let mut add = |x: f64, y: f64, n: usize| match side(panel, x, y) {
            Some(Side::Above) => self.above += n,
            Some(Side::Below) => self.below += n,
            Some(Side::Left) => self.left += n,
            Some(Side::Right) => self.right += n,
            None => {}
        };
        match &layer.mark {
            Mark::Dots(dots) => dots.iter().for_each(|dot| add(dot.x, dot.y, 1)),
            Mark::Density(density) => density.beyond.iter().for_each(|b| add(b.x, b.y, b.count)),
            Mark::Spans(spans) => spans.iter().for_each(|span| add(span.value, span.at, 1)),
            Mark::Bars(bars) => {
                bars.iter().for_each(|bar| add((bar.left + bar.right) / 2.0, bar.height, 1));
            }
            Mark::Line(_) | Mark::Curve(_) | Mark::Guide(_) => {}
        }
    }

    /// Such as `outside: 12 above, 1 right`; empty if nothing is outside.
    pub fn text(&self) -> String {
        let sides = [
            (self.above, "above"),
            (self.below, "below"),
            (self.left, "left"),
            (self.right, "right"),
        ];
        let parts: Vec<String> = sides
            .into_iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, side)| format!("{} {side}", count(n)))
            .collect();
        match parts.is_empty() {
            true => String::new(),
            false => format!("outside: {}", parts.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Dot, Legend};

    fn panel(layers: Vec<Layer>) -> Panel {
        Panel {
            title: String::new(),
            x: Axis::linear("", 0.0, 10.0),
            y: Axis::log("", 1.0, 100.0),
            layers,
            legend: Legend::None,
        }
    }

    #[test]
    fn lines_are_cut_at_the_frame_and_not_bent() {
        let found = pieces(&panel(Vec::new()), &[(-5.0, 10.0), (5.0, 10.0), (15.0, 10.0)]);
        assert_eq!(found.len(), 1);
        let ends: Vec<i64> = found[0].iter().map(|p| (p.0 * 1e6).round() as i64).collect();
        assert_eq!(ends, [0, 5_000_000, 10_000_000]);
        // leaves through the top and comes back
        let found = pieces(&panel(Vec::new()), &[(0.0, 10.0), (5.0, 1e4), (10.0, 10.0)]);
        assert_eq!(found.len(), 2);
        assert!((found[0][1].1 - 100.0).abs() < 1e-6 && found[0][1].0 < 5.0);
        assert!(pieces(&panel(Vec::new()), &[(0.0, 1e3), (10.0, 1e4)]).is_empty());
    }

    #[test]
    fn points_outside_are_counted_by_side() {
        let dot = |x: f64, y: f64| Dot { x, y, note: String::new() };
        let dots =
            vec![dot(1.0, 1.0), dot(1.0, 1e3), dot(20.0, 1e3), dot(20.0, 2.0), dot(-1.0, 2.0)];
        let panel = panel(vec![Layer::unnamed(0, Mark::Dots(dots))]);
        assert_eq!(Outside::of(&panel).text(), "outside: 2 above, 1 left, 1 right");
        assert_eq!(Outside::default().text(), "");
    }
}
