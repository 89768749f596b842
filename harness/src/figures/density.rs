//! Figure 5 of SACS'10: times against sizes, darker where measurements are more frequent, with the
//! curves and the dividing line; and its two components apart.

use super::{Material, series_name};
use crate::analyse::series::SeriesRows;
use crate::analyse::{Series, parts};
use crate::experiment::Size;
use pidlab_figures::{
    Axis, Dot, Figure, Guide, Labels, Layer, Legend, Mark, Panel, Stroke, common_time_unit,
    density, short,
};
use pidlab_stats::growth::{Fit, Points};
use pidlab_stats::order::quantile;
use pidlab_stats::{DividingLine, Law, Observation, Procedure};

/// Below this many measurements each is drawn as a dot.
const FEW: usize = 400;
/// More series than this make a figure nobody reads.
const MOST_SERIES: usize = 6;
/// Curves that colours tell apart.
const MOST_CURVES: usize = 4;
/// How the dividing line is drawn, and what the caption calls it.
const DIVIDER: Stroke = Stroke::Dashed;

pub fn figure(material: &Material<'_>) -> anyhow::Result<Option<Figure>> {
    let mut drawn = Vec::new();
    for (series, (_, part)) in material.analysis.series.iter().zip(parts(material.table)?) {
        let rows = SeriesRows::of(&part)?;
        if !rows.finite().is_empty() && drawn.len() < MOST_SERIES {
            drawn.push((series, rows));
        }
    }
    let mut clouds: Vec<Cloud<'_>> = Vec::new();
    for (series, rows) in &drawn {
        let name = series_name(material, series);
        clouds.push(Cloud::new(rows, name.clone(), |_| true).with_curves(series));
        if clouds.len() < MOST_SERIES {
            clouds.extend(by_decider(rows, &name, series));
        }
    }
    Ok((!clouds.is_empty()).then(|| Figure {
        name: "density".into(),
        caption: caption(material),
        columns: 2,
        panel: (420.0, 300.0),
        labels: Labels::Each,
        panels: panels(material, &clouds, &[false, true]),
    }))
}

/// A cloud for each decider where there are several: a figure of all rows is one of several algorithms.
fn by_decider<'r>(rows: &'r SeriesRows, name: &str, series: &Series) -> Vec<Cloud<'r>> {
    let slope = series.published.as_ref().map(|published| published.slope);
    let cloud = |decided_by: &str| {
        let title = format!("{name}, decided by the {decided_by}");
        let mut cloud = Cloud::new(rows, title, |_| true);
        cloud.chosen.retain(|&i| rows.decided_by[i] == decided_by);
        Cloud { slope, ..cloud }
    };
    rows.deciders().into_iter().map(cloud).collect()
}

fn caption(material: &Material<'_>) -> String {
    let symbol = material.experiment.analysis.size().symbol();
    let line = match material.experiment.analysis.segments {
        Some(Procedure { line: DividingLine::TimesDensest(factor), .. }) => format!(
            " The {} line divides the two components: it lies {factor:.2} times above the densest t/{symbol} (SACS'10: t = 20p/1800, 2.47 times above).",
            DIVIDER.name()
        ),
        Some(Procedure { line: DividingLine::SecondsPerSize(slope), .. }) => {
            format!(
                " The {} line, t = {slope}·{symbol} s, divides the two components.",
                DIVIDER.name()
            )
        }
        None => String::new(),
    };
    format!(
        "Computation times against size, with linear and with logarithmic axes; cells stand out more the more measurements they hold, arrows at the edge stand for measurements outside. Curves are the growth laws fitted with overhead to the medians of the base states ({} rows, {} states). Where not all rows of a program were decided by its solver, rows are also drawn by who decided: counts (pre-check), building its structure (encoder) or the solver.{line}\n",
        material.analysis.rows, material.analysis.states
    )
}

/// The two components of the first series.
pub fn components(material: &Material<'_>) -> anyhow::Result<Option<Figure>> {
    let Some((_, part)) = parts(material.table)?.into_iter().next() else { return Ok(None) };
    let rows = SeriesRows::of(&part)?;
    let procedure = material.experiment.analysis.segments.unwrap_or_default();
    let Some(slope) = procedure.slope(&rows.finite()) else { return Ok(None) };
    let below = |p: &Observation| p.time < slope * p.size;
    let large = |p: &Observation| procedure.takes(p.size);
    let name = |c: &str| format!("{c}: {}", material.analysis.series[0].backend);
    let laws = curves(&material.experiment.analysis.laws);
    let mut clouds = [
        Cloud::new(&rows, name("C1"), |p| large(p) && below(p)).with_fits(&laws),
        Cloud::new(&rows, name("C2"), |p| large(p) && !below(p)).with_fits(&laws),
    ];
    clouds.iter_mut().for_each(|cloud| cloud.slope = Some(slope));
    Ok(Some(Figure {
        name: "components".into(),
        caption: format!(
            "The two components for {} ≥ {}: C1 below the dividing line ({}), C2 above it, as at the bottom of figure 5 of SACS'10. Curves are the growth laws fitted with overhead to all measurements of the component.\n",
            material.experiment.analysis.size().symbol(),
            procedure.from,
            DIVIDER.name()
        ),
        columns: 2,
        panel: (420.0, 280.0),
        labels: Labels::Each,
        panels: panels(material, &clouds, &[false]),
    }))
}

/// The laws that are drawn: as in figure 5 of the paper p^1.5 is left out, it would hide p log p.
fn curves(laws: &[Law]) -> Vec<Law> {
    laws.iter().copied().filter(|law| *law != Law::THREE_HALVES).take(MOST_CURVES).collect()
}

/// Measurements of one series, and what is drawn through them.
struct Cloud<'r> {
    title: String,
    rows: &'r SeriesRows,
    chosen: Vec<usize>,
    curves: Vec<(Law, Fit)>,
    slope: Option<f64>,
}

impl<'r> Cloud<'r> {
    fn new(rows: &'r SeriesRows, title: String, keep: impl Fn(&Observation) -> bool) -> Cloud<'r> {
        let kept = |i: &usize| rows.points[*i].time.is_finite() && keep(&rows.points[*i]);
        let chosen = (0..rows.len()).filter(kept).collect();
        Cloud { title, rows, chosen, curves: Vec::new(), slope: None }
    }

    /// The curves of the figure and the dividing line.
    fn with_curves(mut self, series: &Series) -> Cloud<'r> {
        let tests = series.growth.iter().flat_map(|growth| &growth.laws);
        let laws: Vec<Law> = tests.clone().map(|test| test.law).collect();
        let shown = curves(&laws);
        let tests = tests.filter(|test| shown.contains(&test.law));
        self.curves = tests.map(|test| (test.law, test.fit)).collect();
        self.slope = series.published.as_ref().map(|published| published.slope);
        self
    }

    /// Laws fitted to the measurements themselves.
    fn with_fits(mut self, laws: &[Law]) -> Cloud<'r> {
        let points: Vec<Observation> = self.points().copied().collect();
        if points.len() > 2 {
            let fit = |law: &Law| (*law, Points::new(*law, &points).fit_law());
            self.curves = laws.iter().map(fit).collect();
        }
        self
    }

    fn points(&self) -> impl Iterator<Item = &Observation> {
        self.chosen.iter().map(|&i| &self.rows.points[i])
    }

    /// A few extreme rows must not flatten the linear picture; the logarithmic one has them all.
    fn top(&self, log: bool) -> f64 {
        let mut times: Vec<f64> = self.points().map(|point| point.time).collect();
        let top = if log { quantile(&mut times, 1.0) } else { 1.2 * quantile(&mut times, 0.95) };
        if top.is_finite() { top } else { 1.0 }
    }

    fn axes(&self, size: &str, (unit, factor): (&str, f64), log: bool) -> (Axis, Axis) {
        let sizes = || self.points().map(|point| point.size);
        let high = sizes().fold(1.0, f64::max);
        let (top, label) = (self.top(log) * factor, format!("t ({unit})"));
        if !log {
            return (Axis::linear(size, 0.0, high * 1.02), Axis::linear(&label, 0.0, top));
        }
        let low = sizes().fold(f64::INFINITY, f64::min).min(1e12);
        let least = self.points().map(|point| point.time).fold(f64::INFINITY, f64::min) * factor;
        (Axis::log(size, low * 0.9, high * 1.1), Axis::log(&label, least.min(top) * 0.8, top * 1.3))
    }

    fn panel(&self, size: Size, unit: (&str, f64), log: bool) -> Panel {
        let (x, y) = self.axes(size.label(), unit, log);
        let variable = size.symbol();
        let factor = unit.1;
        let mut layers = vec![self.marks(&x, &y, unit, variable)];
        let curve = |at: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
            let sizes = (0..=80).map(|k| x.value(f64::from(k) / 80.0));
            sizes.map(|p| (p, at(p.max(1.0)) * factor)).collect()
        };
        layers.extend(self.curves.iter().enumerate().map(|(style, (law, fit))| {
            Layer::named(
                format!("O({})", law.of(variable)),
                style,
                Mark::Line(curve(&|p| fit.at(p))),
            )
        }));
        layers.extend(self.slope.map(|slope| {
            let points = curve(&|p| slope * p);
            let guide = Guide { points, label: String::new(), stroke: DIVIDER };
            Layer::named("dividing line", 0, Mark::Guide(guide))
        }));
        let legend = if layers.len() > 1 { Legend::Below } else { Legend::None };
        Panel { title: self.title.clone(), x, y, layers, legend }
    }

    fn marks(&self, x: &Axis, y: &Axis, unit: (&str, f64), variable: &str) -> Layer {
        let factor = unit.1;
        let points: Vec<(f64, f64)> =
            self.points().map(|point| (point.size, point.time * factor)).collect();
        let describe = |i: usize| describe(self.rows, self.chosen[i], unit, variable);
        let mark = match points.len() < FEW {
            true => {
                let dots = points.iter().enumerate();
                Mark::Dots(dots.map(|(i, &(x, y))| Dot { x, y, note: describe(i) }).collect())
            }
            false => Mark::Density(density(&points, x, y, describe)),
        };
        Layer::named("measurements", pidlab_figures::palette::MEASURED, mark)
    }
}

/// All panels have one unit of time.
fn panels(material: &Material<'_>, clouds: &[Cloud<'_>], scales: &[bool]) -> Vec<Panel> {
    let size = material.experiment.analysis.size();
    let unit = common_time_unit(clouds.iter().map(|cloud| cloud.top(false)));
    let panels = clouds.iter().flat_map(|cloud| scales.iter().map(move |&log| (cloud, log)));
    panels.map(|(cloud, log)| cloud.panel(size, unit, log)).collect()
}

/// In the units of the axes.
fn describe(rows: &SeriesRows, i: usize, (unit, factor): (&str, f64), variable: &str) -> String {
    let point = &rows.points[i];
    let time = short(point.time * factor);
    format!(
        "row {}: {variable} = {}, t = {time} {unit}, {}, {}",
        rows.row[i], point.size, rows.transformation[i], rows.answer[i]
    )
}
