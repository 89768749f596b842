//! Cactus plots: how many questions are decided if each may take at most so long.

use crate::axis::{Axis, time_unit};
use crate::model::{Layer, Legend, Mark, Panel};

/// More points of a curve say no more to the eye.
const POINTS: usize = 200;

/// The times in seconds in which one solver decided questions; what is not finite was not decided.
pub struct Solved {
    /// Shown in the legend.
    pub name: String,
    /// Number into the palette.
    pub style: usize,
    /// In any order.
    pub times: Vec<f64>,
}

/// The axes of a cactus plot.
pub struct Cactus {
    /// What is counted, such as "rows".
    pub what: String,
    /// How many there are.
    pub of: usize,
    /// Shortest and longest time in seconds.
    pub range: (f64, f64),
}

impl Cactus {
    /// Axes that hold all of these; `None` if nothing was decided.
    pub fn around(what: &str, solved: &[Solved]) -> Option<Cactus> {
        let times = || solved.iter().flat_map(|one| decided(&one.times));
        let low = times().fold(f64::INFINITY, f64::min);
        let of = solved.iter().map(|one| decided(&one.times).count()).max()?;
        let range = (low, times().fold(0.0, f64::max));
        low.is_finite().then(|| Cactus { what: what.into(), of, range })
    }

    /// One panel with a curve for each solver.
    pub fn panel(&self, title: &str, solved: &[Solved]) -> Panel {
        let (low, high) = self.range;
        let (unit, factor) = time_unit((low * high).sqrt());
        Panel {
            title: title.into(),
            x: Axis::linear(&format!("{} decided", self.what), 0.0, self.of as f64 * 1.02),
            y: Axis::log(
                &format!("time limit for each ({unit})"),
                low * factor * 0.8,
                high * factor * 1.3,
            ),
            layers: solved.iter().filter_map(|one| curve(one, factor)).collect(),
            legend: Legend::Below,
        }
    }
}

fn decided(times: &[f64]) -> impl Iterator<Item = f64> {
    times.iter().copied().filter(|time| time.is_finite() && *time > 0.0)
}

/// The sorted times as a curve of at most [`POINTS`] points and its end.
fn curve(solved: &Solved, factor: f64) -> Option<Layer> {
    let mut times: Vec<f64> = decided(&solved.times).map(|time| time * factor).collect();
    times.sort_unstable_by(f64::total_cmp);
    let last = times.len().checked_sub(1)?;
    let step = times.len().div_ceil(POINTS).max(1);
    let places = (0..last).step_by(step).chain([last]);
    let points = places.map(|i| ((i + 1) as f64, times[i])).collect();
    Some(Layer::named(solved.name.clone(), solved.style, Mark::Curve(points)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_ends_at_the_number_decided() {
        let times: Vec<f64> = (1..=1000).rev().map(|i| f64::from(i) * 1e-3).collect();
        let never = Solved { name: "never".into(), style: 1, times: vec![f64::INFINITY] };
        let solved = [Solved { name: "all".into(), style: 0, times }, never];
        let panel = Cactus::around("rows", &solved).unwrap().panel("", &solved);
        assert_eq!((panel.layers.len(), panel.x.label.as_str()), (1, "rows decided"));
        let Mark::Curve(points) = &panel.layers[0].mark else { panic!("not a curve") };
        assert_eq!(points.last(), Some(&(1000.0, 1000.0)));
        assert!(points.len() <= POINTS + 1 && points.windows(2).all(|p| p[0].1 < p[1].1));
        assert!(Cactus::around("rows", &solved[1..]).is_none());
    }
}
