//! How often verdicts are wrong: every rule about times on synthetic data of known truth, at the design of its experiment.
//!
//! For each claim the numbers of sizes, states and rows are those of its experiment at a scale; times are drawn from laws
//! with overhead, noise between states and noise between rows of a state. In some worlds the claim is true, in
//! others false by little: the value lies a hundredth outside the bounds, which is where errors are most frequent. Everything from
//! there on is what `analyse` does: the same medians, line, bootstrap and rule. Cost: some hundredths of a second a run.

use super::timed::{self, Expect, TimeRule};
use super::{Claim, ClaimRule, Value};
use crate::analyse::LinePart;
use crate::analyse::components::{CutOff, Divider, PartTrend};
use crate::analyse::crossed::{Crossing, regressed};
use crate::analyse::series::{SeriesRows, fittable};
use crate::experiment::{Experiment, ScaleName};
use pidlab_random::Rng;
use pidlab_stats::effect::{Factored, factor_effect, ratio};
use pidlab_stats::mixture::{split, stability};
use pidlab_stats::order::median;
use pidlab_stats::trend::{segments, trend};
use pidlab_stats::{Interval, Law, Observation};
use serde::Serialize;

/// How the verdicts of one claim fared in one world.
#[derive(Clone, Debug, Serialize)]
pub struct Rates {
    /// The claim.
    pub claim: String,
    /// What is true in the world.
    pub truth: String,
    /// Whether the claim is.
    pub holds: bool,
    /// Base states of the design.
    pub states: usize,
    /// Simulated runs.
    pub runs: usize,
    /// Verdicts "reproduced".
    pub reproduced: usize,
    /// Verdicts "not reproduced".
    pub not_reproduced: usize,
    /// Intervals that hold the truth, of those with one.
    pub covered: usize,
    /// Runs with an interval.
    pub intervals: usize,
}

impl Rates {
    /// Verdicts that contradict the truth.
    pub fn wrong(&self) -> usize {
        if self.holds { self.not_reproduced } else { self.reproduced }
    }
}

/// A true value, and whether the claim holds there.
struct World {
    value: f64,
    holds: bool,
    /// How far the components are apart at the smallest size that takes part.
    apart: f64,
}

/// Whether a claim has a verdict that can be simulated.
pub fn is_simulated(claim: &Claim) -> bool {
    matches!(&claim.decide, ClaimRule::Timed(rule) if !matches!(rule, TimeRule::Mix | TimeRule::Agreement))
}

/// The rates of a claim in each of its worlds.
pub fn rates(
    claim: &Claim,
    experiment: &Experiment,
    scale: ScaleName,
    runs: usize,
    seed: u64,
) -> Vec<Rates> {
    let ClaimRule::Timed(rule) = &claim.decide else { return Vec::new() };
    let design = Design::of(experiment, scale);
    let mut found = Vec::new();
    for (number, world) in worlds(rule, &design).into_iter().enumerate() {
        let mut rates = Rates {
            claim: claim.id.clone(),
            truth: describe(rule, &world),
            holds: world.holds,
            states: design.states.len(),
            runs,
            reproduced: 0,
            not_reproduced: 0,
            covered: 0,
            intervals: 0,
        };
        let stream = 0xE0 + number as u64;
        let truth = design.truth(rule, &world, &mut Rng::for_analysis(seed, stream | 0x100));
        for run in 0..runs as u64 {
            let mut draws = Rng::for_analysis(seed + run, stream);
            let Some(value) = design.judge(rule, &world, &mut draws, run) else { continue };
            let (_, interval, agrees): Value = value;
            rates.reproduced += usize::from(agrees == Some(true));
            rates.not_reproduced += usize::from(agrees == Some(false));
            if let (Some(interval), Some(truth)) = (interval, truth) {
                rates.intervals += 1;
                rates.covered += usize::from(interval.contains(truth));
            }
        }
        found.push(rates);
    }
    found
}

/// By how much a value lies outside the bounds in the worlds where a claim is false by little.
const OUTSIDE: f64 = 0.01;
/// Exponent over the law that counts as a clear drift.
const CLEAR: f64 = 0.3;

fn worlds(rule: &TimeRule, design: &Design<'_>) -> Vec<World> {
    let inside = |value| World { value, holds: true, apart: APART };
    let outside = |value| World { value, holds: false, apart: APART };
    let drifts = |within: f64, without: f64| {
        let crossing = [(within, true), (without, false)].map(|(value, holds)| World {
            value,
            holds,
            apart: CROSSING,
        });
        [inside(within), outside(without)].into_iter().chain(crossing).collect()
    };
    match rule {
        TimeRule::Drift { expect: Expect::Up, .. } => drifts(CLEAR, -OUTSIDE),
        TimeRule::Drift { expect: Expect::Down, .. } => drifts(-CLEAR, OUTSIDE),
        TimeRule::Drift { expect: Expect::NotUp, .. } => drifts(0.0, design.rising()),
        TimeRule::LowerShare { share, tolerance, .. } => vec![
            inside(*share),
            outside(share - tolerance - OUTSIDE),
            outside(share + tolerance + OUTSIDE),
        ],
        TimeRule::Components { count, .. } => {
            vec![inside(*count as f64), outside(if *count == 1 { 2.0 } else { 1.0 })]
        }
        TimeRule::Exponent { low, high, .. } | TimeRule::CrossedExponent { low, high, .. } => {
            vec![inside((low + high) / 2.0), outside(low - OUTSIDE), outside(high + OUTSIDE)]
        }
        TimeRule::Faster { .. } => vec![inside(0.5), outside(1.0 + OUTSIDE)],
        TimeRule::Factor { rises: true, .. } => vec![inside(1.5), outside(1.0 - OUTSIDE)],
        TimeRule::Factor { rises: false, .. } => vec![inside(0.67), outside(1.0 + OUTSIDE)],
        TimeRule::Relations { bound, .. } => vec![inside(bound / 1.5), outside(bound + OUTSIDE)],
        TimeRule::Mix | TimeRule::Agreement => Vec::new(),
    }
}

fn describe(rule: &TimeRule, &World { value, apart, .. }: &World) -> String {
    match rule {
        TimeRule::Drift { law, .. } if apart == CROSSING => {
            format!("t grows as {law} times p^{value:.2}, a component crosses the line")
        }
        TimeRule::Drift { law, .. } => format!("t grows as {law} times p^{value:.2}"),
        TimeRule::LowerShare { .. } => format!("share {value:.2}"),
        TimeRule::Components { .. } => format!("{value} component(s)"),
        TimeRule::Exponent { .. } | TimeRule::CrossedExponent { .. } => {
            format!("exponent {value:.2}")
        }
        _ => format!("ratio {value:.2}"),
    }
}

/// What an experiment measures at a scale: sizes of its base states, and rows of each.
struct Design<'e> {
    experiment: &'e Experiment,
    /// Pids, vectors and number of the set of each state.
    states: Vec<(f64, f64, usize)>,
    rows: usize,
}

/// Noise between states, and between rows of a state, in log t.
const STATE_NOISE: f64 = 0.2;
const ROW_NOISE: f64 = 0.15;
/// Overhead as a share of the law at the smallest size.
const OVERHEAD: f64 = 0.5;
/// How far the upper component lies above the lower one at the smallest size that takes part: the papers cut where the
/// components are clearly apart.
const APART: f64 = 6.0;
/// The same where the upper component crosses the line: it loses rows to the other side there, and its drift with them. What
/// intervals should hold is not defined then, verdicts are counted all the same.
const CROSSING: f64 = 2.0;

/// Simulated runs whose states together show the true shift of a world.
const TRUTH_RUNS: usize = 50;

/// What a run shows of one component: the median of each base state in it, and what the line cuts off.
struct Drifting {
    states: Vec<Observation>,
    cut_off: CutOff,
}

impl<'e> Design<'e> {
    fn of(experiment: &'e Experiment, scale: ScaleName) -> Design<'e> {
        let given = experiment.scale(scale);
        let mut states = Vec::new();
        for (number, set) in experiment.states.iter().enumerate() {
            // arcs times vertices grow as the square of what makes the net grow
            let power = if set.explored.is_some() { 2 } else { 1 };
            let own = set.sizes.clone().unwrap_or_else(|| given.sizes.values());
            for size in own {
                let pids = f64::from(size).powi(power);
                let vectors = pids * set.vectors_per_pid.unwrap_or(1.0);
                states.extend((0..given.states).map(|_| (pids, vectors, number)));
            }
        }
        let rows = experiment.transformations.len().max(1) * given.variants as usize;
        Design { experiment, states, rows }
    }

    /// The exponent that takes the last segment of the design a little further above the first than "does not rise" allows.
    fn rising(&self) -> f64 {
        let procedure = self.experiment.analysis.segments.unwrap_or_default();
        let mut sizes: Vec<f64> = self.states.iter().map(|state| state.0).collect();
        sizes.retain(|size| procedure.takes(*size));
        sizes.sort_unstable_by(f64::total_cmp);
        let parts = segments(&sizes, procedure.number.max(1));
        let [first, last] = [0, parts.len() - 1].map(|at| median(&mut parts[at].to_vec()));
        (timed::LEVEL * (1.0 + OUTSIDE)).ln() / (last / first).ln()
    }

    /// The value that intervals should hold, if there is one: that of a shift is what very many states would show, since
    /// noise moves the median of times that drift within their segment.
    fn truth(&self, rule: &TimeRule, world: &World, draws: &mut Rng) -> Option<f64> {
        match rule {
            TimeRule::Drift { .. } if world.apart == CROSSING => None,
            TimeRule::Drift { component, law, .. } => {
                let number = self.experiment.analysis.segments?.number;
                let runs = (0..TRUTH_RUNS).map(|_| self.drifting(*component, *law, world, draws));
                let states: Vec<Observation> = runs.flatten().flat_map(|run| run.states).collect();
                Some(trend(&states, number, |o| o.time / law.at(o.size))?.shift.value)
            }
            TimeRule::Components { .. } | TimeRule::Mix | TimeRule::Agreement => None,
            _ => Some(world.value),
        }
    }

    /// The verdict in one simulated run.
    fn judge(&self, rule: &TimeRule, world: &World, draws: &mut Rng, seed: u64) -> Option<Value> {
        let truth = world.value;
        match rule {
            TimeRule::Exponent { low, high, .. } => {
                let states = self.medians(draws, &|p, _| p.powf(truth));
                let states = fittable(states, self.experiment.analysis.typical);
                let found = states.growth(&[Law::LINEAR], "p", seed)?;
                Some(timed::by_exponent(&found, *low, *high))
            }
            TimeRule::CrossedExponent { of, low, high, .. } => {
                let pids = matches!(of, timed::CrossedSize::Pids);
                let law = |p: f64, v: f64| match pids {
                    true => p.powf(truth) * v.powf(0.5),
                    false => p.powf(0.5) * v.powf(truth),
                };
                let times = self.medians(draws, &law);
                let rows: Vec<Crossing> = self
                    .states
                    .iter()
                    .zip(&times)
                    .map(|((p, v, _), o)| ([*p, *v], o.time))
                    .collect();
                let found = regressed(&rows, self.experiment.analysis.typical, seed)?;
                let ours = found.exponents[usize::from(!pids)];
                Some(timed::by_bounds(ours, *low, *high, "", found.states))
            }
            TimeRule::Drift { component, law, expect, .. } => {
                self.drift((*component, *law, *expect), world, draws)
            }
            TimeRule::LowerShare { share, tolerance, .. } => {
                let rows = self.two_components(1.0 - truth, draws);
                let line = Divider::of(&rows, &self.experiment.analysis)?;
                let (ours, states) = line.lower_share(&rows, seed)?;
                let (low, high) = (share - tolerance, share + tolerance);
                Some(timed::by_bounds(ours, low, high, "", states))
            }
            TimeRule::Components { count, .. } => {
                let upper = if truth >= 2.0 { 0.22 } else { 0.0 };
                let rows = self.two_components(upper, draws);
                let line = Divider::of(&rows, &self.experiment.analysis)?;
                let large = line.large(&rows);
                let points: Vec<Observation> = large.iter().map(|&i| rows.points[i]).collect();
                let states: Vec<u64> = large.iter().map(|&i| rows.state[i]).collect();
                let found = split(&points)?.lines.len();
                let sure = stability(&points, &states, seed)?.supports(found);
                Some((String::new(), None, sure.then_some(found == *count)))
            }
            TimeRule::Faster { .. } => self.ratio(truth, 1.0, draws, seed),
            TimeRule::Relations { bound, .. } => self.ratio(truth, *bound, draws, seed),
            TimeRule::Factor { factor, rises, .. } => {
                self.factor(factor, *rises, truth, draws, seed)
            }
            TimeRule::Mix | TimeRule::Agreement => None,
        }
    }

    /// One median a state of times that follow a law with overhead.
    fn medians(&self, draws: &mut Rng, law: &dyn Fn(f64, f64) -> f64) -> Vec<Observation> {
        let laws = self.states.iter().map(|(p, v, _)| law(*p, *v));
        let overhead = OVERHEAD * laws.fold(f64::INFINITY, f64::min);
        let noise = (STATE_NOISE.powi(2) + ROW_NOISE.powi(2) / self.rows as f64).sqrt();
        let state = |(p, v, _): &(f64, f64, usize)| {
            let time = 1e-7 * (overhead + law(*p, *v)) * (noise * draws.normal()).exp();
            Observation { size: *p, time }
        };
        self.states.iter().map(state).collect()
    }

    /// Rows of two components: t linear, and above it t as p^1.3.
    fn two_components(&self, upper_share: f64, draws: &mut Rng) -> SeriesRows {
        self.components((upper_share, APART), &|p| p, &|p| p.powf(1.3), draws)
    }

    fn components(
        &self,
        (upper_share, apart): (f64, f64),
        lower: &dyn Fn(f64) -> f64,
        upper: &dyn Fn(f64) -> f64,
        draws: &mut Rng,
    ) -> SeriesRows {
        let smallest = self.experiment.analysis.segments.unwrap_or_default().from.max(1.0);
        let (low, high) = (lower(smallest), upper(smallest));
        let mut rows = SeriesRows::default();
        for (number, (p, ..)) in self.states.iter().enumerate() {
            let of_state = STATE_NOISE * draws.normal();
            for _ in 0..self.rows {
                let is_upper = draws.unit() < upper_share;
                let law = if is_upper { apart * upper(*p) / high } else { lower(*p) / low };
                let noise = (of_state + ROW_NOISE * draws.normal()).exp();
                rows.push(number as u64, Observation { size: *p, time: 1e-3 * law * noise });
            }
        }
        rows
    }

    /// A run in which t / law drifts as p^ε on one side of the line.
    fn drifting(
        &self,
        component: LinePart,
        law: Law,
        world: &World,
        draws: &mut Rng,
    ) -> Option<Drifting> {
        let moved = |p: f64| law.at(p) * p.powf(world.value);
        let mix = (0.22, world.apart);
        let rows = match component {
            LinePart::Lower => self.components(mix, &moved, &|p| moved(p) * p.powf(0.2), draws),
            LinePart::Upper => self.components(mix, &|p| p, &moved, draws),
        };
        let line = Divider::of(&rows, &self.experiment.analysis)?;
        let states = rows.per_state(|i| line.part(&rows.points[i]) == Some(component));
        Some(Drifting { cut_off: line.cut_off(&rows, component, law), states })
    }

    fn drift(
        &self,
        (component, law, expect): (LinePart, Law, Expect),
        world: &World,
        draws: &mut Rng,
    ) -> Option<Value> {
        let number = self.experiment.analysis.segments?.number;
        let Drifting { states, cut_off } = self.drifting(component, law, world, draws)?;
        let trend = trend(&states, number, |o| o.time / law.at(o.size))?;
        Some(timed::by_drift(&PartTrend { component, law, trend, cut_off }, "p", expect))
    }

    /// Two series over the same states, one so many times the other.
    fn ratio(&self, truth: f64, bound: f64, draws: &mut Rng, seed: u64) -> Option<Value> {
        let mut noise = || (STATE_NOISE * draws.normal()).exp();
        let pairs: Vec<(f64, f64)> =
            self.states.iter().map(|(p, ..)| (truth * p * noise(), p * noise())).collect();
        let ours = ratio(&pairs, seed)?;
        Some(timed::by_bounds(ours, 0.0, bound, "", pairs.len()))
    }

    /// Sets whose parameter is highest take so many times as long as those where it is lowest.
    fn factor(
        &self,
        factor: &str,
        rises: bool,
        truth: f64,
        draws: &mut Rng,
        seed: u64,
    ) -> Option<Value> {
        let values = self.experiment.factor_values(factor);
        let known = || values.iter().flatten().copied();
        let (low, high) = (known().fold(f64::MAX, f64::min), known().fold(f64::MIN, f64::max));
        let mut rows = Vec::new();
        for (p, _, set) in &self.states {
            let Some(value) = values[*set] else { continue };
            let effect = truth.powf((value - low) / (high - low).max(1e-9));
            let time = p * effect * (STATE_NOISE * draws.normal()).exp();
            rows.push(Factored { size: *p, factor: value, time });
        }
        let found = factor_effect(&rows, seed)?;
        let (low, high) = if rises { (1.0, f64::INFINITY) } else { (0.0, 1.0) };
        Some(timed::by_bounds(found.ratio, low, high, "", found.states))
    }
}

/// Of all intervals, how many hold the truth.
pub fn coverage(rates: &[Rates]) -> Option<Interval> {
    let (covered, all) = rates.iter().fold((0, 0), |(c, a), r| (c + r.covered, a + r.intervals));
    share(covered, all)
}

/// A share with the 95 % interval of Wilson (1927).
pub fn share(hits: usize, all: usize) -> Option<Interval> {
    if all == 0 {
        return None;
    }
    let (n, p, z) = (all as f64, hits as f64 / all as f64, 1.959_964_f64);
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    Some(Interval { value: p, low: (middle - half).max(0.0), high: (middle + half).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_of_known_shares() {
        let found = share(5, 100).unwrap();
        assert!((found.low - 0.0215).abs() < 1e-3 && (found.high - 0.1118).abs() < 1e-3, "{found}");
        assert!(share(0, 0).is_none() && share(0, 50).unwrap().high < 0.08);
    }
}
