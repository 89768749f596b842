//! Who won: PAR-2, classes won and nearly won, the virtual best backend, every backend against every
//! other.
//!
//! PAR-2 is the score of the SAT competitions: the mean time, where what is not decided counts as twice
//! the limit. The virtual best takes for each instance the backend that was the fastest on it (Xu,
//! Hutter, Hoos and Leyton-Brown, "Evaluating component solver contributions to portfolio-based
//! algorithm selectors", SAT 2012). Known weakness: PAR-2 weighs slow instances most and depends on the
//! limit, and both scores depend on which families take part; so classes are counted beside it.

use super::field::{Field, Instance, InstanceClass};
use crate::experiment::QuestionKind;
use pidlab_stats::Interval;
use pidlab_stats::effect::{bootstrap, ratio};
use serde::Serialize;
use std::collections::BTreeMap;

/// The format of `tournament.json`.
pub const FORMAT: &str = "pidlab-tournament/1";

/// Who won.
#[derive(Serialize)]
pub struct Standings {
    /// See [`FORMAT`].
    pub format: &'static str,
    /// Seconds that a decision may take.
    pub limit_seconds: f64,
    /// Questions that everybody was asked.
    pub instances: usize,
    /// Classes of questions that are alike.
    pub classes: usize,
    /// Classes that no backend decides.
    pub open_classes: usize,
    /// Instances that not everybody who takes part was asked about.
    pub left_out: usize,
    /// Best first.
    pub backends: Vec<Ranked>,
    /// Whoever is the fastest on each instance.
    pub virtual_best: VirtualBest,
    /// Every backend against every other.
    pub pairs: Vec<PairResult>,
    /// Every class.
    pub by_class: Vec<ClassResult>,
}

/// A backend's place.
#[derive(Serialize)]
pub struct Ranked {
    /// From 1.
    pub rank: usize,
    /// The backend.
    pub backend: String,
    /// Instances that it decides.
    pub decided: usize,
    /// Rows that ended otherwise, by status.
    pub undecided: BTreeMap<String, u64>,
    /// Mean seconds, undecided at twice the limit; 95 % interval over base states.
    pub par2_seconds: Interval,
    /// Classes in which its median is the least.
    pub fastest_classes: usize,
    /// Classes in which its median is at most twice the least.
    pub within_two_classes: usize,
    /// Instances on which the virtual best takes its time.
    pub virtual_best_share: usize,
    /// Median of its time over the best one, where it decides.
    pub median_to_best: Option<f64>,
}

/// The best of all, instance by instance.
#[derive(Serialize)]
pub struct VirtualBest {
    /// Instances that somebody decides.
    pub decided: usize,
    /// Its score.
    pub par2_seconds: Interval,
}

/// Two backends on the instances that at least one of them decides.
#[derive(Serialize)]
pub struct PairResult {
    /// One.
    pub a: String,
    /// The other.
    pub b: String,
    /// Instances that one of them decides.
    pub instances: usize,
    /// Of these, those on which the one is faster.
    pub a_faster: usize,
    /// Time of `a` over time of `b` where both decide: median and 95 % interval.
    pub ratio: Option<Interval>,
}

/// What came of a class.
#[derive(Serialize)]
pub struct ClassResult {
    /// Entry of the experiment file.
    pub family: String,
    /// Size asked for.
    pub size: u64,
    /// What was done to the states.
    pub transformation: String,
    /// The size of the question: `pids`, `states` or `places`.
    #[serde(flatten)]
    pub measure: BTreeMap<&'static str, f64>,
    /// Who is the fastest.
    pub fastest: Option<String>,
    /// Median seconds of the backends that decide it.
    pub seconds: BTreeMap<String, f64>,
}

/// Ranks who takes part.
pub fn rank(field: &Field, seed: u64) -> Standings {
    let mut backends: Vec<Ranked> =
        (0..field.backends.len()).map(|at| standing(field, at, seed)).collect();
    backends.sort_by(|a, b| a.par2_seconds.value.total_cmp(&b.par2_seconds.value));
    for (i, standing) in backends.iter_mut().enumerate() {
        standing.rank = i + 1;
    }
    Standings {
        format: FORMAT,
        limit_seconds: field.limit,
        instances: field.instances.len(),
        classes: field.classes.len(),
        open_classes: field.classes.iter().filter(|class| fastest(class).is_none()).count(),
        left_out: field.left_out,
        backends,
        virtual_best: virtual_best(field, seed),
        pairs: duels(field, seed),
        by_class: field.classes.iter().map(|class| class_result(field, class)).collect(),
    }
}

fn standing(field: &Field, at: usize, seed: u64) -> Ranked {
    let backend = field.backends[at].clone();
    let of_backend = field.undecided.iter().filter(|((name, _), _)| *name == backend);
    Ranked {
        rank: 0,
        decided: field.instances.iter().filter(|i| i.times[at].is_finite()).count(),
        undecided: of_backend.map(|((_, status), rows)| (status.clone(), *rows)).collect(),
        par2_seconds: par2(field, seed, |instance| instance.times[at]),
        fastest_classes: field.classes.iter().filter(|c| fastest(c) == Some(at)).count(),
        within_two_classes: field.classes.iter().filter(|c| is_within_two(c, at)).count(),
        virtual_best_share: field.instances.iter().filter(|i| first_best(i) == Some(at)).count(),
        median_to_best: median_to_best(field, at),
        backend,
    }
}

/// The backend with the least median of a class.
pub fn fastest(class: &InstanceClass) -> Option<usize> {
    least(&class.times)
}

fn first_best(instance: &Instance) -> Option<usize> {
    least(&instance.times)
}

fn least(times: &[f64]) -> Option<usize> {
    let finite = times.iter().enumerate().filter(|(_, time)| time.is_finite());
    finite.min_by(|a, b| a.1.total_cmp(b.1)).map(|(at, _)| at)
}

fn is_within_two(class: &InstanceClass, at: usize) -> bool {
    fastest(class).is_some_and(|best| class.times[at] <= 2.0 * class.times[best])
}

fn median_to_best(field: &Field, at: usize) -> Option<f64> {
    let decided = field.instances.iter().filter(|i| i.times[at].is_finite());
    let mut ratios: Vec<f64> = decided.map(|i| i.times[at] / i.best()).collect();
    (!ratios.is_empty()).then(|| pidlab_stats::order::median(&mut ratios))
}

/// The score of one instance.
pub fn penalized(time: f64, limit: f64) -> f64 {
    if time <= limit { time } else { 2.0 * limit }
}

/// Mean penalised time; base states are resampled, since the pairs of one state are alike.
fn par2(field: &Field, seed: u64, time: impl Fn(&Instance) -> f64) -> Interval {
    let mut states: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for instance in &field.instances {
        let sums = states.entry(instance.state).or_default();
        sums.0 += penalized(time(instance), field.limit);
        sums.1 += 1.0;
    }
    let sums: Vec<(f64, f64)> = states.into_values().collect();
    let mean = |sums: &[(f64, f64)]| {
        let (time, count) = sums.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        time / count
    };
    let never = Interval { value: f64::NAN, low: f64::NAN, high: f64::NAN };
    bootstrap(&sums, seed, mean).unwrap_or(never)
}

fn virtual_best(field: &Field, seed: u64) -> VirtualBest {
    VirtualBest {
        decided: field.instances.iter().filter(|i| i.best().is_finite()).count(),
        par2_seconds: par2(field, seed, Instance::best),
    }
}

fn duels(field: &Field, seed: u64) -> Vec<PairResult> {
    let n = field.backends.len();
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    pairs.map(|(a, b)| duel(field, a, b, seed)).collect()
}

fn duel(field: &Field, a: usize, b: usize, seed: u64) -> PairResult {
    let times: Vec<(f64, f64)> = field
        .instances
        .iter()
        .map(|i| (i.times[a], i.times[b]))
        .filter(|(x, y)| x.is_finite() || y.is_finite())
        .collect();
    let both: Vec<(f64, f64)> =
        times.iter().filter(|(x, y)| x.is_finite() && y.is_finite()).copied().collect();
    PairResult {
        a: field.backends[a].clone(),
        b: field.backends[b].clone(),
        instances: times.len(),
        a_faster: times.iter().filter(|(x, y)| x < y).count(),
        ratio: ratio(&both, seed),
    }
}

fn class_result(field: &Field, class: &InstanceClass) -> ClassResult {
    let decided = field.backends.iter().zip(&class.times).filter(|(_, time)| time.is_finite());
    let measure = match field.kind {
        QuestionKind::Pairs => "pids",
        other => other.counts()[0],
    };
    ClassResult {
        family: class.set.clone(),
        size: class.size,
        transformation: class.transformation.clone(),
        measure: BTreeMap::from([(measure, class.p)]),
        fastest: fastest(class).map(|at| field.backends[at].clone()),
        seconds: decided.map(|(backend, time)| (backend.clone(), *time)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const NEVER: f64 = f64::INFINITY;

    fn instance(state: u64, times: [f64; 3]) -> Instance {
        Instance {
            state,
            set: "s".into(),
            size: state,
            transformation: "equivalent".into(),
            p: 1.0,
            times: times.to_vec(),
        }
    }

    fn field() -> Field {
        let all = [[1.0, 2.0, NEVER], [3.0, 1.0, NEVER], [NEVER, 4.0, NEVER], [NEVER; 3]];
        let instances: Vec<Instance> =
            all.iter().enumerate().map(|(i, times)| instance(i as u64, *times)).collect();
        let classes = instances
            .iter()
            .map(|i| InstanceClass {
                set: i.set.clone(),
                size: i.size,
                transformation: i.transformation.clone(),
                p: i.p,
                times: i.times.clone(),
            })
            .collect();
        let backends = ["a", "b", "c"].map(String::from).to_vec();
        Field {
            kind: QuestionKind::Pairs,
            backends,
            instances,
            classes,
            limit: 5.0,
            left_out: 0,
            undecided: BTreeMap::new(),
        }
    }

    #[test]
    fn scores_by_hand() {
        let standings = rank(&field(), 1);
        let names: Vec<&str> = standings.backends.iter().map(|s| s.backend.as_str()).collect();
        assert_eq!(names, ["b", "a", "c"]);
        let values: Vec<f64> = standings.backends.iter().map(|s| s.par2_seconds.value).collect();
        assert_eq!(values, [17.0 / 4.0, 24.0 / 4.0, 40.0 / 4.0]);
        assert_eq!(standings.virtual_best.par2_seconds.value, 16.0 / 4.0);
        assert_eq!((standings.virtual_best.decided, standings.open_classes), (3, 1));
        let b = &standings.backends[0];
        assert_eq!((b.decided, b.fastest_classes, b.within_two_classes), (3, 2, 3));
        assert_eq!(b.median_to_best, Some(1.0));
        let a = &standings.backends[1];
        assert_eq!((a.decided, a.fastest_classes, a.within_two_classes), (2, 1, 1));
        let duel = &standings.pairs[0];
        assert_eq!((duel.instances, duel.a_faster), (3, 1));
    }
}
