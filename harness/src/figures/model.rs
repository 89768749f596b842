//! What a figure is, before it is drawn: panels with axes and layers.
//!
//! One model, two writers: [`svg`](super::svg) for pages and [`tex`](super::tex) for papers, so both show
//! the same. Layers differ in colour, marker and dash, so a figure printed in grey stays readable.

/// A figure with its caption.
pub struct Figure {
    pub name: String,
    pub caption: String,
    pub columns: usize,
    /// Width and height of one panel, in points of the drawing.
    pub panel: (f64, f64),
    pub panels: Vec<Panel>,
}

pub struct Panel {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub layers: Vec<Layer>,
    pub legend: Legend,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Legend {
    None,
    /// In a strip below the panel, where it covers nothing.
    Below,
}

#[derive(Clone)]
pub struct Axis {
    pub label: String,
    pub scale: Scale,
    pub low: f64,
    pub high: f64,
}

#[derive(Clone, PartialEq)]
pub enum Scale {
    Linear,
    Log,
    /// Names at 0, 1, 2, … from the top.
    Names(Vec<String>),
}

pub struct Layer {
    /// Shown in the legend if not empty.
    pub name: String,
    /// Number into the palette: colour, marker and dash.
    pub style: usize,
    pub mark: Mark,
}

pub enum Mark {
    Dots(Vec<Dot>),
    Line(Vec<(f64, f64)>),
    /// A line with a few markers on it, for where there are many.
    Curve(Vec<(f64, f64)>),
    /// A thin line that is no data: a guide.
    Guide(Vec<(f64, f64)>),
    /// Left, right, height.
    Bars(Vec<(f64, f64, f64)>),
    Cells(Vec<Cell>),
    /// Low, value, high at one height.
    Spans(Vec<(f64, f64, f64, f64)>),
}

#[derive(Clone)]
pub struct Dot {
    pub x: f64,
    pub y: f64,
    /// What hovering shows.
    pub note: String,
}

/// Most points of one kind in a panel: more say no more to the eye, and a figure must stay small.
const MOST_DOTS: usize = 3_000;

/// Evenly chosen points where there are too many.
pub fn thinned(dots: Vec<Dot>) -> Vec<Dot> {
    let stride = dots.len().div_ceil(MOST_DOTS).max(1);
    dots.into_iter().step_by(stride).collect()
}

/// A rectangle of a density plot.
#[derive(Clone)]
pub struct Cell {
    pub x: (f64, f64),
    pub y: (f64, f64),
    /// From 0 (pale) to 1 (dark).
    pub weight: f64,
    pub note: String,
}

impl Axis {
    pub fn linear(label: &str, low: f64, high: f64) -> Axis {
        Axis { label: label.into(), scale: Scale::Linear, low, high: high.max(low + 1e-12) }
    }

    pub fn log(label: &str, low: f64, high: f64) -> Axis {
        let low = low.max(1e-12);
        Axis { label: label.into(), scale: Scale::Log, low, high: high.max(low * 1.01) }
    }

    pub fn names(names: Vec<String>) -> Axis {
        let high = names.len() as f64 - 0.5;
        Axis { label: String::new(), scale: Scale::Names(names), low: -0.5, high }
    }

    /// Place of a value along the axis: 0 at the low end, 1 at the high end.
    pub fn at(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value.max(1e-300) / self.low).ln() / (self.high / self.low).ln(),
            Scale::Names(_) => 1.0 - (value - self.low) / (self.high - self.low),
        }
    }

    /// The value at a place between 0 and 1.
    pub fn value(&self, at: f64) -> f64 {
        match self.scale {
            Scale::Log => self.low * (self.high / self.low).powf(at),
            _ => self.low + at * (self.high - self.low),
        }
    }

    /// Labelled ticks inside the axis.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        match &self.scale {
            Scale::Linear => linear_ticks(self.low, self.high),
            Scale::Log => log_ticks(self.low, self.high),
            Scale::Names(names) => {
                names.iter().enumerate().map(|(i, name)| (i as f64, name.clone())).collect()
            }
        }
    }
}

fn linear_ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    let raw = (high - low) / 5.0;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= raw * 0.999);
    let step = step.unwrap_or(raw);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).map(|v| (v, number(v, step))).collect()
}

fn log_ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    let decades = (high / low).log10();
    let steps: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let first = low.log10().floor() as i32;
    let last = high.log10().ceil() as i32;
    let every = ((decades / 6.0).ceil() as i32).max(1);
    let mut ticks = Vec::new();
    for power in (first..=last).filter(|p| p.rem_euclid(every) == 0) {
        for step in steps {
            let value = step * 10f64.powi(power);
            if value >= low * 0.999 && value <= high * 1.001 {
                ticks.push((value, number(value, value)));
            }
        }
    }
    ticks
}

/// A tick label with as many digits as its step needs.
fn number(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let size = value.abs();
    if !(1e-3..1e5).contains(&size) {
        let power = size.log10().floor();
        let mantissa = value / 10f64.powf(power);
        let digits = usize::from((mantissa - mantissa.round()).abs() > 0.01);
        return format!("{mantissa:.digits$}e{power}");
    }
    let digits = (-step.abs().log10().floor()).max(0.0) as usize;
    format!("{value:.digits$}")
}

/// Seconds as the axis of a time: picks the unit that suits the largest value.
pub fn time_unit(largest: f64) -> (&'static str, f64) {
    match largest {
        t if t >= 1.0 => ("s", 1.0),
        t if t >= 1e-3 => ("ms", 1e3),
        _ => ("µs", 1e6),
    }
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

    #[test]
    fn ticks_lie_inside_and_read_well() {
        let labels =
            |axis: &Axis| -> Vec<String> { axis.ticks().into_iter().map(|t| t.1).collect() };
        assert_eq!(labels(&Axis::linear("", 0.0, 1800.0)), ["0", "500", "1000", "1500"]);
        assert_eq!(
            labels(&Axis::log("", 10.0, 1000.0)),
            ["10", "20", "50", "100", "200", "500", "1000"]
        );
        assert_eq!(labels(&Axis::log("", 1e-6, 10.0)).len(), 4);
    }
}
