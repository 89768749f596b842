//! An axis as plotters takes it: where values go, which of them are ticks, what these read.

use crate::axis::{Axis, Tick};
use crate::text::pretty;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// An axis with its ticks chosen.
#[derive(Clone)]
pub struct Ruler {
    axis: Axis,
    ticks: Vec<Tick>,
    reversed: bool,
}

impl Ruler {
    /// With at most so many ticks; names on a vertical axis go down.
    pub fn new(axis: &Axis, most: usize, reversed: bool) -> Ruler {
        Ruler { axis: axis.clone(), ticks: axis.ticks(most), reversed }
    }
}

impl Ranged for Ruler {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let at = self.axis.at(*value);
        let at = if self.reversed { 1.0 - at } else { at };
        from + (f64::from(to - from) * at.clamp(-1.0, 2.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // lines between ticks would be noise
        match hint.weight().allow_light_points() {
            true => Vec::new(),
            false => self.ticks.iter().map(|tick| tick.value).collect(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.axis.low..self.axis.high
    }
}

impl ValueFormatter<f64> for Ruler {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|tick| tick.value == *value);
        tick.map_or(String::new(), |tick| pretty(&tick.label))
    }
}
