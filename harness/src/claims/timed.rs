//! Claims about times, and how each is decided from intervals.
//!
//! A claim says that a number lies between two bounds. It is reproduced where the whole interval does, not reproduced
//! where the whole interval lies outside, and inconclusive otherwise, with about how many states would decide. So
//! either error happens no more often than an interval misses the truth; `pidlab bench verdicts` measures it.

use super::Value;
use crate::analyse::components::PartTrend;
use crate::analyse::{Analysis, LinePart, Series, sensitivity};
use crate::experiment::{Experiment, QuestionKind, ScaleName};
use pidlab_core::Relations;
use pidlab_stats::published::Shift;
use pidlab_stats::trend::{Drift, Trend};
use pidlab_stats::verdict::Growth;
use pidlab_stats::{Interval, Law};
use serde::Deserialize;

/// How far above the first segment the last may lie in what "does not rise" allows.
pub(super) const LEVEL: f64 = 1.1;

/// Claims about times.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TimeRule {
    /// How t / law moves with the size within a component of the dividing line.
    Drift { backend: String, component: LinePart, law: Law, expect: Expect },
    /// Share of measurements below the line, within a tolerance.
    LowerShare { backend: String, share: f64, tolerance: f64 },
    /// Number of components of the mixture; undecided unless random halves of the states agree.
    Components { backend: String, count: usize },
    /// The free exponent of the size lies within these bounds.
    Exponent { backend: String, low: f64, high: f64 },
    /// The exponent of pids or of vectors, the other held fixed, lies within these bounds.
    CrossedExponent { backend: String, of: CrossedSize, low: f64, high: f64 },
    /// Time of `a` over time of `b` is below 1.
    Faster { a: String, b: String },
    /// Time rises (or falls) with a parameter of the states.
    Factor { backend: String, factor: String, rises: bool },
    /// Time with more relations over time with fewer, the same states, is at most a bound.
    Relations { backend: String, more: String, fewer: String, bound: f64 },
    /// Some mix of the transformations gives two components with the published share.
    Mix,
    /// Every exact backend gave the answer known by construction or by its peers.
    Agreement,
}

/// What is expected of t / law with growing size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expect {
    /// It rises: time grows faster than the law.
    Up,
    /// It falls: time grows slower than the law.
    Down,
    /// It rises by a tenth at most: time grows as the law, or slower.
    NotUp,
}

/// One of two sizes that vary independently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CrossedSize {
    /// Distinct pids.
    Pids,
    /// Vectors.
    Vectors,
}

impl TimeRule {
    /// The program that decides it.
    pub fn program(&self) -> Option<String> {
        match self {
            TimeRule::Drift { backend, .. }
            | TimeRule::LowerShare { backend, .. }
            | TimeRule::Components { backend, .. }
            | TimeRule::Exponent { backend, .. }
            | TimeRule::CrossedExponent { backend, .. }
            | TimeRule::Factor { backend, .. }
            | TimeRule::Relations { backend, .. } => Some(backend.clone()),
            TimeRule::Faster { a, b } => Some(format!("{a}, {b}")),
            TimeRule::Mix | TimeRule::Agreement => None,
        }
    }

    /// Problems with what the rule names in an experiment.
    pub fn check(&self, experiment: &Experiment) -> Result<(), String> {
        if experiment.kind() != QuestionKind::Pairs && !matches!(self, TimeRule::Agreement) {
            return Err("claims about times need an experiment with [[states]]".into());
        }
        match self {
            TimeRule::Faster { a, b } => {
                [a, b].into_iter().try_for_each(|name| known(name, experiment))?
            }
            _ => self.program().map_or(Ok(()), |name| known(&name, experiment))?,
        }
        match self {
            TimeRule::Drift { law, .. } if !experiment.analysis.laws.contains(law) => {
                Err(format!("the law `{}` is not among `analysis.laws`", law.name()))
            }
            TimeRule::Drift { .. } | TimeRule::LowerShare { .. } | TimeRule::Components { .. }
                if experiment.analysis.segments.is_none() =>
            {
                Err("it needs `segments` under [analysis]".into())
            }
            TimeRule::LowerShare { share, tolerance, .. } => {
                ordered(share - tolerance, share + tolerance)
            }
            TimeRule::Exponent { low, high, .. } | TimeRule::CrossedExponent { low, high, .. } => {
                ordered(*low, *high)
            }
            TimeRule::Factor { factor, .. } if !experiment.analysis.factors.contains(factor) => {
                Err(format!("the parameter `{factor}` is not among `analysis.factors`"))
            }
            TimeRule::Relations { more, fewer, bound, .. } => {
                for name in [more, fewer] {
                    let set: Relations = name.parse().map_err(|error| format!("{error}"))?;
                    if !experiment.relations.contains(&set) {
                        return Err(format!("`{name}` is not among `relations`"));
                    }
                }
                ordered(0.0, *bound)
            }
            _ => Ok(()),
        }
    }
}

fn known(backend: &str, experiment: &Experiment) -> Result<(), String> {
    let scales = [ScaleName::Smoke, ScaleName::Small, ScaleName::Paper];
    let names: Vec<String> =
        scales.iter().flat_map(|&scale| experiment.backends_at(scale)).collect();
    match names.iter().any(|name| name == backend) {
        true => Ok(()),
        false => Err(format!("the backend `{backend}` takes no part in the experiment")),
    }
}

fn ordered(low: f64, high: f64) -> Result<(), String> {
    match low.is_finite() && high.is_finite() && low < high {
        true => Ok(()),
        false => Err(format!("bounds are {low} and {high}, expected two numbers in order")),
    }
}

/// What the analysis says about the rule.
pub fn value(rule: &TimeRule, analysis: &Analysis) -> Option<Value> {
    match rule {
        TimeRule::Drift { backend, component, law, expect } => {
            let series = analysis.series_of(backend)?;
            let part = series.components.as_ref()?.trend(*component, *law)?;
            let variable = series.growth.as_ref().map_or("p", |growth| growth.variable.as_str());
            let (text, shift, agrees) = by_drift(part, &law.of(variable), *expect);
            let eye = series.published.as_ref().and_then(|p| p.column(*law));
            let eye = eye.map_or(String::new(), |c| by_eye(c.shift, &part.trend));
            Some((text + &eye, shift, agrees))
        }
        TimeRule::LowerShare { backend, share, tolerance } => {
            let components = analysis.series_of(backend)?.components.as_ref()?;
            let (ours, states) = (components.lower_share, components.states);
            let what = "share below the line";
            Some(by_bounds(ours, share - tolerance, share + tolerance, what, states))
        }
        TimeRule::Components { backend, count } => {
            by_components(analysis.series_of(backend)?, *count)
        }
        TimeRule::Exponent { backend, low, high } => {
            Some(by_exponent(analysis.series_of(backend)?.growth.as_ref()?, *low, *high))
        }
        TimeRule::CrossedExponent { backend, of, low, high } => {
            let crossed = analysis.series_of(backend)?.crossed.as_ref()?;
            let (ours, what) = match of {
                CrossedSize::Pids => (crossed.pids, "exponent of p, vectors held fixed,"),
                CrossedSize::Vectors => (crossed.vectors, "exponent of vectors, p held fixed,"),
            };
            Some(by_bounds(ours, *low, *high, what, crossed.states))
        }
        TimeRule::Faster { a, b } => {
            let (ratio, states) = ratio(analysis, a, b)?;
            Some(by_bounds(ratio, 0.0, 1.0, &format!("time of {a} over time of {b}"), states))
        }
        TimeRule::Factor { backend, factor, rises } => {
            let mut found = analysis.factors.iter();
            let effect = found.find(|f| f.backend == *backend && f.factor == *factor)?;
            let (low, high) = if *rises { (1.0, f64::INFINITY) } else { (0.0, 1.0) };
            let what = format!("time at the highest over the lowest {factor}");
            Some(by_bounds(effect.effect.ratio, low, high, &what, effect.effect.states))
        }
        TimeRule::Relations { backend, more, fewer, bound } => {
            let (ratio, states) = relation_ratio(analysis, backend, more, fewer)?;
            let what = format!("time under {more} over time under {fewer}");
            Some(by_bounds(ratio, 0.0, *bound, &what, states))
        }
        TimeRule::Mix => {
            let conditions = &analysis.sensitivity;
            let (mut text, shown) =
                (sensitivity::answer(conditions)?, sensitivity::is_shown(conditions));
            if shown.is_none() {
                text.push_str("; too few states to exclude it");
            }
            Some((text, None, shown))
        }
        TimeRule::Agreement => {
            let c = &analysis.correctness;
            let text = format!(
                "{} answers, {} accepted, {} rejected, {} known by construction",
                c.answers, c.accepted, c.rejected, c.by_construction
            );
            Some((text, None, Some(c.rejected == 0 && c.answers > 0)))
        }
    }
}

fn by_components(series: &Series, count: usize) -> Option<Value> {
    let (found, stability) = (series.mixture.as_ref()?.lines.len(), series.stability.as_ref()?);
    let (halves, decided) = (stability.text(), stability.supports(found));
    let open = if decided { "" } else { "; the halves disagree, more states would decide" };
    let text = format!("{found} component(s) by mixture of regressions ({halves}){open}");
    Some((text, None, decided.then_some(found == count)))
}

/// What t / law does, and what follows for the growth of t. The trend test and the shift must not contradict, and what the line
/// may have cut off must not decide.
pub(super) fn by_drift(part: &PartTrend, law: &str, expect: Expect) -> Value {
    let (trend, shift) = (&part.trend, part.trend.shift);
    let (moves, so) = match trend.drift {
        Drift::Up => ("rises", format!("time grows faster than {law}")),
        Drift::Down => ("falls", format!("time grows slower than {law}")),
        Drift::None => ("shows no trend", format!("growth as {law} is not excluded")),
    };
    let (low, high) = match expect {
        Expect::Up => (1.0, f64::INFINITY),
        Expect::Down => (0.0, 1.0),
        Expect::NotUp => (0.0, LEVEL),
    };
    let what = format!(
        "t / ({law}) {moves} with size, so {so}; median of the last of {} segments over the first",
        trend.segments
    );
    let (text, interval, agrees) = by_bounds(shift, low, high, &what, trend.states);
    let (factor, value) = (part.cut_off.factor, shift.value);
    let widened = Interval { value, low: shift.low / factor, high: shift.high * factor };
    if agrees.is_some() && by_bounds(widened, low, high, "", trend.states).2.is_none() {
        return (text + &cut_off(part), interval, None);
    }
    let against = match (agrees, expect) {
        (Some(true), Expect::Up) | (Some(false), Expect::Down | Expect::NotUp) => Drift::Down,
        (Some(true), Expect::Down) | (Some(false), Expect::Up) => Drift::Up,
        _ => return (text, interval, agrees),
    };
    (text, interval, agrees.filter(|_| trend.drift != against))
}

/// Why a drift decides nothing.
fn cut_off(part: &PartTrend) -> String {
    let (first, last) = part.cut_off.close;
    format!(
        "; undecided, because the line runs through the {} component ({:.0} % of its rows in the first segment and {:.0} % in the \
         last lie close to it), which may change the ratio by a factor of {:.2}; a line between the components (`segments` under \
         [analysis]), or sizes where they are apart, would decide",
        part.component.name(),
        100.0 * first,
        100.0 * last,
        part.cut_off.factor
    )
}

/// What the histograms of all rows show, as the paper looks at them.
fn by_eye(shift: Shift, trend: &Trend) -> String {
    let same = matches!(
        (shift, trend.drift),
        (Shift::Right, Drift::Up) | (Shift::Left, Drift::Down) | (Shift::Alike, Drift::None)
    );
    match same {
        true => format!("; histograms of all our rows, read as in the paper, {} too", shift.text()),
        false => format!(
            "; histograms of all our rows, read as in the paper, {}, which one median a state does not confirm",
            shift.text()
        ),
    }
}

pub(super) fn by_exponent(growth: &Growth, low: f64, high: f64) -> Value {
    let what = format!("exponent of {}", growth.variable);
    let (text, interval, agrees) = by_bounds(growth.exponent, low, high, &what, growth.states);
    (format!("{text}; {}", growth.text()), interval, agrees.filter(|_| growth.determined))
}

/// Inside, outside, or across the bounds; then with what would decide.
pub(super) fn by_bounds(ours: Interval, low: f64, high: f64, what: &str, states: usize) -> Value {
    let agrees = if !ours.contains(ours.value) {
        None
    } else if ours.low >= low && ours.high <= high {
        Some(true)
    } else if ours.high < low || ours.low > high {
        Some(false)
    } else {
        None
    };
    let text = match agrees {
        Some(_) => format!("{what} {ours}"),
        None => format!("{what} {ours} ({})", would_decide(ours, low, high, states)),
    };
    (text, Some(ours), agrees)
}

/// The interval shrinks with the root of the number of states and must come to one side of the nearest bound.
fn would_decide(ours: Interval, low: f64, high: f64, states: usize) -> String {
    let side = |bound: f64, end: f64| {
        let (gap, reach) = ((ours.value - bound).abs(), (ours.value - end).abs());
        (bound.is_finite() && (ours.low..=ours.high).contains(&bound)).then(|| reach / gap)
    };
    let toward = |bound: f64| side(bound, if bound < ours.value { ours.low } else { ours.high });
    let factor = [low, high].into_iter().filter_map(toward).fold(1.0, f64::max);
    let needed = states as f64 * factor * factor * 1.1;
    match needed.is_finite() && needed < 1e7 {
        true => format!("{states} states do not decide, about {needed:.0} would"),
        false => {
            format!("{states} states do not decide, nor would more: the value lies at a bound")
        }
    }
}

fn ratio(analysis: &Analysis, a: &str, b: &str) -> Option<(Interval, usize)> {
    let all = &analysis.ratios;
    let straight = all.iter().find(|r| r.a == a && r.b == b).map(|r| (r.ratio, r.states));
    straight.or_else(|| {
        let turned = all.iter().find(|r| r.a == b && r.b == a)?;
        Some((turned.ratio.map(|x| 1.0 / x), turned.states))
    })
}

fn relation_ratio(
    analysis: &Analysis,
    backend: &str,
    more: &str,
    fewer: &str,
) -> Option<(Interval, usize)> {
    let (more, fewer): (Relations, Relations) = (more.parse().ok()?, fewer.parse().ok()?);
    let is = |text: &str, wanted: Relations| text.parse() == Ok(wanted);
    let mut all = analysis.relation_ratios.iter().filter(|r| r.backend == backend);
    all.find_map(|r| {
        if is(&r.a, more) && is(&r.b, fewer) {
            Some((r.ratio, r.states))
        } else if is(&r.a, fewer) && is(&r.b, more) {
            Some((r.ratio.map(|x| 1.0 / x), r.states))
        } else {
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::components::CutOff;

    #[test]
    fn bounds_decide_three_ways_and_say_what_would() {
        let ours = Interval { value: 1.0, low: 0.9, high: 1.1 };
        assert_eq!(by_bounds(ours, 0.5, 1.5, "", 100).2, Some(true));
        assert_eq!(by_bounds(ours, 1.2, 1.5, "", 100).2, Some(false));
        let open = by_bounds(ours, 0.95, 1.5, "", 100);
        assert!(open.2.is_none() && open.0.contains("about 440 would"), "{}", open.0);
        let never = by_bounds(ours, 1.0, 1.5, "", 100);
        assert!(never.2.is_none() && never.0.contains("nor would more"), "{}", never.0);
        let outside = Interval { value: 7.9, low: -0.3, high: 0.5 };
        assert_eq!(by_bounds(outside, -1.0, 1.0, "", 16).2, None);
    }

    fn moving(drift: Drift, low: f64, value: f64, high: f64) -> PartTrend {
        let shift = Interval { value, low, high };
        let tests = Vec::new();
        let trend = Trend { tests, drift, unanimous: true, segments: 4, shift, states: 100 };
        let (component, law) = (LinePart::Upper, Law::LINEAR);
        PartTrend { component, law, trend, cut_off: CutOff::default() }
    }

    #[test]
    fn a_component_that_the_line_runs_through_decides_only_by_much() {
        let cut_off = CutOff { close: (0.3, 0.0), factor: 1.4 };
        let little = PartTrend { cut_off, ..moving(Drift::Down, 0.7, 0.8, 0.9) };
        let found = by_drift(&little, "p", Expect::Down);
        assert!(found.2.is_none() && found.0.contains("30 % of its rows"), "{}", found.0);
        let much = PartTrend { cut_off, ..moving(Drift::Down, 0.3, 0.4, 0.5) };
        assert_eq!(by_drift(&much, "p", Expect::Down).2, Some(true));
    }

    #[test]
    fn a_drift_says_how_time_grows_and_absence_of_evidence_decides_nothing() {
        let up = by_drift(&moving(Drift::Up, 1.2, 1.3, 1.4), "p log p", Expect::Up);
        assert!(
            up.0.contains("rises") && up.0.contains("time grows faster than p log p"),
            "{}",
            up.0
        );
        assert_eq!(up.2, Some(true));
        assert_eq!(by_drift(&moving(Drift::Up, 1.2, 1.3, 1.4), "p", Expect::NotUp).2, Some(false));
        assert_eq!(by_drift(&moving(Drift::None, 0.8, 1.0, 1.3), "p", Expect::NotUp).2, None);
        assert_eq!(
            by_drift(&moving(Drift::None, 0.97, 1.0, 1.05), "p", Expect::NotUp).2,
            Some(true)
        );
        assert_eq!(by_drift(&moving(Drift::Down, 1.01, 1.1, 1.3), "p", Expect::Up).2, None);
    }
}
