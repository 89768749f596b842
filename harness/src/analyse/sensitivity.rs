//! Under which conditions do two components of 78 and 22 % appear? (SACS'10, section 5, does not print its mix.)
//!
//! A condition is a backend, a set of relations, a graph, a strength of the transformations, and either all rows or those that a
//! solver decided. Within it every mix that takes some of the transformations in equal parts is looked at: the
//! line is found anew for each, and the share below it counted. The mix of all transformations and the one nearest to the
//! published share are also split into components and tested for drift. Cost: 2^k sorts for k transformations
//! (at most 10) a condition.

use super::series::SeriesRows;
use crate::experiment::Experiment;
use pidlab_analysis::Table;
use pidlab_core::Relations;
use pidlab_stats::mixture::split;
use pidlab_stats::trend::trend;
use pidlab_stats::{Interval, Law, Observation, Procedure};
use serde::{Deserialize, Serialize};

/// The share that the paper reports.
pub const PUBLISHED: f64 = 0.78;
/// How near to it counts.
pub const TOLERANCE: f64 = 0.05;
/// More transformations have too many mixes.
const MOST: usize = 10;
/// Rows of a transformation that say something.
const FEWEST: usize = 10;

/// What one condition gives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Condition {
    /// The program.
    pub backend: String,
    /// The relations.
    pub relations: String,
    /// The kind of graph.
    pub graph: String,
    /// Strength of the transformations that have one.
    pub strength: Option<f64>,
    /// Whether only rows that a solver decided are taken.
    pub solver_only: bool,
    /// All transformations in equal parts.
    pub all: Mix,
    /// The mix whose share is nearest to the published one.
    pub nearest: Mix,
    /// Least and largest share of any mix.
    pub range: (f64, f64),
}

/// Some transformations in equal parts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mix {
    /// Which.
    pub transformations: Vec<String>,
    /// Different states among its rows; 0 in analyses of older versions.
    #[serde(default)]
    pub states: usize,
    /// Share of rows below the line.
    pub share: f64,
    /// Components of a mixture of regressions; none with too few rows.
    pub components: Option<usize>,
    /// t/p of the last segment over the first, below the line.
    pub lower_shift: Option<Interval>,
    /// t/(p log p) of the last segment over the first, above it.
    pub upper_shift: Option<Interval>,
}

impl Condition {
    /// In words.
    pub fn name(&self) -> String {
        format!("{} {}", self.backend, self.setting())
    }

    /// The same without the program.
    pub fn setting(&self) -> String {
        let strength =
            self.strength.map_or(String::new(), |strength| format!(", strength {strength}"));
        let rows = if self.solver_only { "solver's rows" } else { "all rows" };
        let relations = match self.relations.parse::<Relations>() {
            Ok(set) if set == Relations::ALL => "all",
            _ => &self.relations,
        };
        format!("{{{relations}}}{strength}, {rows}")
    }
}

impl Mix {
    /// Whether it shows the published picture: two components, the lower one with about 78 %.
    pub fn is_as_published(&self) -> bool {
        self.components == Some(2) && (self.share - PUBLISHED).abs() <= TOLERANCE
    }

    /// Whether more states would not change that the published picture is not there: the share is further from the
    /// published one than its own error explains, or there are so many states that the number of components counts.
    pub fn is_surely_other(&self) -> bool {
        let error = 1.96 * (PUBLISHED * (1.0 - PUBLISHED) / self.states.max(1) as f64).sqrt();
        let far = (self.share - PUBLISHED).abs() > TOLERANCE + error;
        !self.is_as_published() && (far || error <= TOLERANCE)
    }
}

/// Rows of one transformation that are large enough.
struct Part {
    name: String,
    states: Vec<u64>,
    points: Vec<Observation>,
}

/// All conditions of a run.
pub fn conditions(table: &Table, experiment: &Experiment) -> anyhow::Result<Vec<Condition>> {
    let procedure = experiment.analysis.segments.unwrap_or_default();
    let strengths = strengths(experiment);
    let mut found = Vec::new();
    for ((backend, relations, graph), rows) in super::parts(table)? {
        for solver_only in [false, true] {
            let rows = match solver_only {
                false => rows.clone(),
                true if rows.columns().iter().any(|name| name == "decided_by") => {
                    rows.only("decided_by", "solver")?
                }
                true => continue,
            };
            let rows = SeriesRows::of(&rows)?;
            for &strength in &strengths {
                let parts = parts_of(&rows, experiment, strength, &procedure);
                let Some((all, nearest, range)) = mixes(&parts, &procedure) else { continue };
                let (backend, relations) = (backend.clone(), relations.clone());
                let graph = graph.clone();
                found.push(Condition {
                    backend,
                    relations,
                    graph,
                    strength,
                    solver_only,
                    all,
                    nearest,
                    range,
                });
            }
        }
    }
    Ok(found)
}

/// The strengths that the experiment varies; one entry without a value if it varies none.
fn strengths(experiment: &Experiment) -> Vec<Option<f64>> {
    let mut all: Vec<f64> = experiment.transformations.iter().filter_map(|v| v.varied()).collect();
    all.sort_unstable_by(f64::total_cmp);
    all.dedup();
    if all.is_empty() { vec![None] } else { all.into_iter().map(Some).collect() }
}

/// Large rows by transformation; of those that vary in strength, the ones of this strength.
fn parts_of(
    rows: &SeriesRows,
    experiment: &Experiment,
    strength: Option<f64>,
    procedure: &Procedure,
) -> Vec<Part> {
    let mut parts = Vec::new();
    for variation in &experiment.transformations {
        let fits = strength.is_none() || variation.varied().is_none_or(|own| Some(own) == strength);
        if !fits || parts.len() == MOST {
            continue;
        }
        let inside = |&i: &usize| {
            let point = &rows.points[i];
            rows.transformation[i] == variation.label
                && procedure.takes(point.size)
                && point.time.is_finite()
        };
        let chosen: Vec<usize> = (0..rows.len()).filter(inside).collect();
        if chosen.len() >= FEWEST {
            parts.push(Part {
                name: variation.label.clone(),
                states: chosen.iter().map(|&i| rows.state[i]).collect(),
                points: chosen.iter().map(|&i| rows.points[i]).collect(),
            });
        }
    }
    parts
}

type Found = (Mix, Mix, (f64, f64));

fn mixes(parts: &[Part], procedure: &Procedure) -> Option<Found> {
    if parts.is_empty() {
        return None;
    }
    let masks = 1u32..1 << parts.len();
    let shares: Vec<(u32, f64)> = masks
        .filter_map(|mask| {
            let chosen: Vec<&Part> = chosen(parts, mask).collect();
            Some((mask, share(&chosen, procedure)?))
        })
        .collect();
    let far = |share: f64| (share - PUBLISHED).abs();
    // of equally near ones that with the most transformations
    let order = |a: &&(u32, f64), b: &&(u32, f64)| {
        let near = (100.0 * far(a.1)).round().total_cmp(&(100.0 * far(b.1)).round());
        near.then(b.0.count_ones().cmp(&a.0.count_ones())).then(far(a.1).total_cmp(&far(b.1)))
    };
    let nearest = shares.iter().min_by(order)?;
    let low = shares.iter().map(|found| found.1).fold(f64::INFINITY, f64::min);
    let high = shares.iter().map(|found| found.1).fold(f64::NEG_INFINITY, f64::max);
    let all = shares.last()?;
    let whole = |found: &(u32, f64)| mix(parts, *found, procedure);
    Some((whole(all), whole(nearest), (low, high)))
}

fn chosen(parts: &[Part], mask: u32) -> impl Iterator<Item = &Part> {
    parts.iter().enumerate().filter(move |(at, _)| mask >> at & 1 == 1).map(|(_, part)| part)
}

/// Share below the line, transformations in equal parts however many of their rows are left.
fn share(parts: &[&Part], procedure: &Procedure) -> Option<f64> {
    let points: Vec<Observation> = parts.iter().flat_map(|part| &part.points).copied().collect();
    let slope = procedure.slope(&points)?;
    let below = |part: &&Part| {
        let low = part.points.iter().filter(|o| o.time < slope * o.size).count();
        low as f64 / part.points.len() as f64
    };
    Some(parts.iter().map(below).sum::<f64>() / parts.len() as f64)
}

fn mix(parts: &[Part], (mask, share): (u32, f64), procedure: &Procedure) -> Mix {
    let mut rows = SeriesRows::default();
    for part in chosen(parts, mask) {
        part.states.iter().zip(&part.points).for_each(|(state, point)| rows.push(*state, *point));
    }
    let slope = procedure.slope(&rows.points).unwrap_or(f64::INFINITY);
    let shift = |upper: bool, law: Law| {
        let states = rows.per_state(|i| {
            let point = &rows.points[i];
            (point.time >= slope * point.size) == upper
        });
        let found = trend(&states, procedure.number, |o| o.time / law.at(o.size));
        found.map(|trend| trend.shift)
    };
    let mut states = rows.state.clone();
    states.sort_unstable();
    states.dedup();
    Mix {
        states: states.len(),
        transformations: chosen(parts, mask).map(|part| part.name.clone()).collect(),
        share,
        components: split(&rows.points).map(|mixture| mixture.lines.len()),
        lower_shift: shift(false, Law::LINEAR),
        upper_shift: shift(true, Law::LINEAR_LOG),
    }
}

/// Whether some condition shows the published picture; nothing where more states might show it.
pub fn is_shown(conditions: &[Condition]) -> Option<bool> {
    if conditions.iter().any(|condition| condition.nearest.is_as_published()) {
        return Some(true);
    }
    conditions.iter().all(|condition| condition.nearest.is_surely_other()).then_some(false)
}

/// The answer in one sentence.
pub fn answer(conditions: &[Condition]) -> Option<String> {
    let as_published = |mix: fn(&Condition) -> &Mix| {
        conditions.iter().filter(|c| mix(c).is_as_published()).count()
    };
    let (all, some) = (as_published(|c| &c.all), as_published(|c| &c.nearest));
    let far = |c: &&Condition| {
        let two = c.nearest.components == Some(2);
        (!two, (c.nearest.share - PUBLISHED).abs())
    };
    let order = |a: &&Condition, b: &&Condition| {
        far(a).0.cmp(&far(b).0).then(far(a).1.total_cmp(&far(b).1))
    };
    let best = conditions.iter().min_by(order)?;
    let components = best.nearest.components.map_or("unknown".into(), |n| n.to_string());
    let mix = best.nearest.transformations.join(", ");
    Some(format!(
        "two components with {:.0} ± {:.0} % below appear in {all} of {n} conditions with all transformations in equal \
         parts, in {some} of {n} with some of them; nearest: {}, mix of {mix}: {:.1} % below, {components} component(s)",
        100.0 * PUBLISHED,
        100.0 * TOLERANCE,
        best.name(),
        100.0 * best.nearest.share,
        n = conditions.len(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_random::Rng;

    fn part(name: &str, level: f64, draws: &mut Rng) -> Part {
        let point = |i: u64| {
            let size = 200.0 + 8.0 * i as f64;
            let time = 1e-6 * level * size * (0.1 * draws.normal()).exp();
            Observation { size, time }
        };
        Part {
            name: name.into(),
            states: (0..100).collect(),
            points: (0..100).map(point).collect(),
        }
    }

    #[test]
    fn the_mix_that_gives_the_published_share_is_found() {
        let mut draws = Rng::for_analysis(1, 2);
        // four quick transformations and two slow ones: four and one give 80 %
        let parts: Vec<Part> =
            [("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 1.0), ("e", 9.0), ("f", 9.0)]
                .map(|(name, level)| part(name, level, &mut draws))
                .into();
        let (all, nearest, range) = mixes(&parts, &Procedure::default()).unwrap();
        assert!((all.share - 4.0 / 6.0).abs() < 0.01 && !all.is_as_published(), "{all:?}");
        assert!((nearest.share - 0.8).abs() < 0.01 && nearest.is_as_published(), "{nearest:?}");
        assert_eq!(nearest.transformations.len(), 5);
        assert!(range.0 < 0.51 && range.1 > 0.99, "{range:?}");
        // none of these mixes has 78 % below: 24 states might still have it, 300 do not, and further off 24 will do
        let other = |states, share| Mix { states, share, ..nearest.clone() }.is_surely_other();
        assert!(!other(24, 0.85) && other(300, 0.85) && other(24, 0.5) && !other(300, 0.8));
        let one = Mix { components: Some(1), states: 24, ..nearest.clone() };
        assert!(!one.is_surely_other() && Mix { states: 300, ..one }.is_surely_other());
    }
}
