//! Axes: what lies where, which ticks they carry and how these read.
//!
//! All labels of one axis have one notation: plain numbers with commas where all of them fit into five
//! places, powers of ten otherwise.

use crate::text::{grouped, pretty};

/// One axis of a panel.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows, with its unit.
    pub label: String,
    /// How values lie on it.
    pub scale: Scale,
    /// The value at its beginning.
    pub low: f64,
    /// The value at its end.
    pub high: f64,
}

/// How values lie along an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// Equal steps, equal distances.
    Linear,
    /// Equal factors, equal distances.
    Log,
    /// Names at 0, 1, 2, …: from the top on a vertical axis, from the left on a horizontal one.
    Names(Vec<String>),
}

/// A labelled place of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where it is.
    pub value: f64,
    /// What it reads.
    pub label: String,
}

impl Axis {
    /// From `low` to `high`.
    pub fn linear(label: &str, low: f64, high: f64) -> Axis {
        Axis { label: label.into(), scale: Scale::Linear, low, high: high.max(low + 1e-12) }
    }

    /// From `low` to `high`, both above 0.
    pub fn log(label: &str, low: f64, high: f64) -> Axis {
        let low = low.max(1e-12);
        Axis { label: label.into(), scale: Scale::Log, low, high: high.max(low * 1.01) }
    }

    /// A place for every name.
    pub fn names(names: Vec<String>) -> Axis {
        let high = names.len() as f64 - 0.5;
        Axis { label: String::new(), scale: Scale::Names(names), low: -0.5, high }
    }

    /// Place of a value along the axis: 0 at the low end, 1 at the high end.
    pub fn at(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Log => (value.max(1e-300) / self.low).ln() / (self.high / self.low).ln(),
            _ => (value - self.low) / (self.high - self.low),
        }
    }

    /// The value at a place between 0 and 1.
    pub fn value(&self, at: f64) -> f64 {
        match self.scale {
            Scale::Log => self.low * (self.high / self.low).powf(at),
            _ => self.low + at * (self.high - self.low),
        }
    }

    /// The densest labelled ticks of which there are at most `most`; names are never left out. An axis
    /// without an end has none.
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        if !self.low.is_finite() || !self.high.is_finite() {
            return Vec::new();
        }
        match &self.scale {
            Scale::Names(names) => {
                let places = names.iter().enumerate();
                places.map(|(i, name)| Tick { value: i as f64, label: name.clone() }).collect()
            }
            Scale::Linear => self.labeled(linear_ticks(self.low, self.high, most)),
            Scale::Log => {
                let ticks = log_ticks(self.low, self.high, most);
                match ticks.len() {
                    // less than a decade: powers of ten say nothing
                    0 | 1 => self.labeled(linear_ticks(self.low, self.high, most)),
                    _ => self.labeled(ticks),
                }
            }
        }
    }

    fn labeled(&self, values: Vec<f64>) -> Vec<Tick> {
        let sizes = || values.iter().map(|v| v.abs()).filter(|v| *v > 0.0);
        let (least, largest) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
        let plain = least >= 1e-3 * 0.999 && largest < 1e6;
        let step = match self.scale {
            Scale::Log => None,
            _ => values.windows(2).map(|pair| pair[1] - pair[0]).next(),
        };
        let label = |value: f64| match plain {
            true => plain_number(value, step.unwrap_or(value)),
            false => power_of_ten(value),
        };
        values.iter().map(|&value| Tick { value, label: label(value) }).collect()
    }
}

fn linear_ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let most = most.max(2);
    let mut power = 10f64.powf(((high - low) / most as f64).log10().floor());
    loop {
        for step in [1.0, 2.0, 5.0].map(|digit| digit * power) {
            let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
            if last - first < most as f64 {
                return (first as i64..=last as i64).map(|i| i as f64 * step).collect();
            }
        }
        power *= 10.0;
    }
}

fn log_ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let ticks = |digits: &[f64], every: i32| -> Vec<f64> {
        let powers = (first..=last).filter(|power| power.rem_euclid(every) == 0);
        let values = powers.flat_map(|power| digits.iter().map(move |d| d * 10f64.powi(power)));
        values.filter(|v| *v >= low * 0.999 && *v <= high * 1.001).collect()
    };
    let fits = |ticks: &Vec<f64>| ticks.len() <= most.max(2);
    let dense = [&[1.0, 2.0, 5.0][..], &[1.0, 3.0]].into_iter().map(|digits| ticks(digits, 1));
    dense.chain((1..).map(|every| ticks(&[1.0], every))).find(fits).unwrap_or_default()
}

/// With as many digits as the step between ticks needs.
fn plain_number(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let digits = (-step.abs().log10() - 1e-9).ceil().max(0.0) as usize;
    grouped(&format!("{value:.digits$}"))
}

fn power_of_ten(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let power = (value.abs().log10() + 1e-9).floor();
    let digits = value / 10f64.powf(power);
    let text = format!("{digits:.2}");
    let digits = text.trim_end_matches('0').trim_end_matches('.');
    match digits {
        "1" => pretty(&format!("10^{power}")),
        digits => pretty(&format!("{digits}·10^{power}")),
    }
}

/// The unit that suits a time in seconds, and how many of it make a second.
pub fn time_unit(seconds: f64) -> (&'static str, f64) {
    match seconds {
        t if t >= 1.0 => ("s", 1.0),
        t if t >= 1e-3 => ("ms", 1e3),
        t if t >= 1e-6 => ("µs", 1e6),
        _ => ("ns", 1e9),
    }
}

/// One unit for the panels of a figure: it suits the geometric mean of their largest times, so that
/// panels can be compared and neither the fast nor the slow ones drown in digits.
pub fn common_time_unit(largest: impl IntoIterator<Item = f64>) -> (&'static str, f64) {
    let logs: Vec<f64> =
        largest.into_iter().filter(|t| *t > 0.0 && t.is_finite()).map(f64::ln).collect();
    time_unit((logs.iter().sum::<f64>() / logs.len().max(1) as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, most: usize) -> Vec<String> {
        axis.ticks(most).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_lie_inside_and_are_as_dense_as_asked() {
        assert_eq!(labels(&Axis::linear("", 0.0, 1800.0), 5), ["0", "500", "1,000", "1,500"]);
        assert_eq!(labels(&Axis::linear("", 0.0, 1800.0), 3), ["0", "1,000"]);
        assert_eq!(labels(&Axis::linear("", 0.8, 2.1), 4), ["1.0", "1.5", "2.0"]);
        assert_eq!(
            labels(&Axis::log("", 10.0, 1000.0), 7),
            ["10", "20", "50", "100", "200", "500", "1,000"]
        );
        assert_eq!(labels(&Axis::log("", 10.0, 1000.0), 4), ["10", "100", "1,000"]);
        assert_eq!(labels(&Axis::log("", 20.0, 70.0), 5), ["20", "50"]);
        assert_eq!(labels(&Axis::log("", 52.0, 70.0), 5), ["55", "60", "65", "70"]);
    }

    #[test]
    fn an_axis_without_an_end_has_no_ticks() {
        assert!(labels(&Axis::linear("", 0.0, f64::INFINITY), 5).is_empty());
        assert!(labels(&Axis::linear("", f64::NAN, 1.0), 5).is_empty());
        assert!(labels(&Axis::log("", 1.0, f64::INFINITY), 5).is_empty());
    }

    #[test]
    fn one_axis_has_one_notation() {
        assert_eq!(labels(&Axis::linear("", 0.0, 1e5), 3), ["0", "50,000", "100,000"]);
        assert_eq!(labels(&Axis::linear("", 0.0, 2e6), 3), ["0", "10⁶", "2·10⁶"]);
        assert_eq!(labels(&Axis::log("", 1e-5, 10.0), 4), ["10⁻⁴", "10⁻²", "10⁰"]);
        assert_eq!(
            labels(&Axis::linear("", 0.0, 0.004), 5),
            ["0", "0.001", "0.002", "0.003", "0.004"]
        );
    }

    #[test]
    fn the_unit_of_a_figure_lies_between_its_panels() {
        assert_eq!(common_time_unit([2.0, 2e-6]).0, "ms");
        assert_eq!(common_time_unit([2e-6, f64::INFINITY]).0, "µs");
    }
}
