//! Who won: PAR-2, classes won and nearly won, the virtual best backend, every backend against every
//! other.
//!
//! PAR-2 is the score of the SAT competitions: the mean time, where what is not decided counts as twice
//! the limit. The virtual best takes for each instance the backend that was the fastest on it (Xu,
//! Hutter, Hoos and Leyton-Brown, "Evaluating component solver contributions to portfolio-based
//! algorithm selectors", SAT 2012). Known weakness: PAR-2 weighs slow instances most and depends on the
//! limit, and both scores depend on which families take part; so classes are counted beside it.

use super::field::{Class, Field, Instance};
use pidlab_stats::Interval;
use pidlab_stats::effect::{bootstrap, ratio};
use serde::Serialize;
use std::collections::BTreeMap;

pub const FORMAT: &str = "pidlab-tournament/1";

#[derive(Serialize)]
pub struct Standings {
    pub format: &'static str,
    pub limit_seconds: f64,
    pub instances: usize,
    pub classes: usize,
    /// Classes that no backend decides.
    pub open_classes: usize,
    /// Best first.
    pub backends: Vec<Standing>,
    pub virtual_best: VirtualBest,
    pub pairs: Vec<Duel>,
    pub by_class: Vec<ClassResult>,
}

#[derive(Serialize)]
pub struct Standing {
    pub rank: usize,
    pub backend: String,
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

#[derive(Serialize)]
pub struct VirtualBest {
    pub decided: usize,
    pub par2_seconds: Interval,
}

/// Two backends on the instances that at least one of them decides.
#[derive(Serialize)]
pub struct Duel {
    pub a: String,
    pub b: String,
    pub instances: usize,
    pub a_faster: usize,
    /// Time of `a` over time of `b` where both decide: median and 95 % interval.
    pub ratio: Option<Interval>,
}

#[derive(Serialize)]
pub struct ClassResult {
    pub family: String,
    pub size: u64,
    pub transformation: String,
    pub pids: f64,
    pub fastest: Option<String>,
    /// Median seconds of the backends that decide it.
    pub seconds: BTreeMap<String, f64>,
}

pub fn rank(field: &Field, seed: u64) -> Standings {
    let mut backends: Vec<Standing> =
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
        backends,
        virtual_best: virtual_best(field, seed),
        pairs: duels(field, seed),
        by_class: field.classes.iter().map(|class| class_result(field, class)).collect(),
    }
}

fn standing(field: &Field, at: usize, seed: u64) -> Standing {
    let backend = field.backends[at].clone();
    let of_backend = field.undecided.iter().filter(|((name, _), _)| *name == backend);
    Standing {
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
pub fn fastest(class: &Class) -> Option<usize> {
    least(&class.times)
}

fn first_best(instance: &Instance) -> Option<usize> {
    least(&instance.times)
}

fn least(times: &[f64]) -> Option<usize> {
    let finite = times.iter().enumerate().filter(|(_, time)| time.is_finite());
    finite.min_by(|a, b| a.1.total_cmp(b.1)).map(|(at, _)| at)
}

fn is_within_two(class: &Class, at: usize) -> bool {
    fastest(class).is_some_and(|best| class.times[at] <= 2.0 * class.times[best])
}

fn median_to_best(field: &Field, at: usize) -> Option<f64> {
    let decided = field.instances.iter().filter(|i| i.times[at].is_finite());
    let mut ratios: Vec<f64> = decided.map(|i| i.times[at] / i.best()).collect();
    (!ratios.is_empty()).then(|| pidlab_stats::order::median(&mut ratios))
}

/// The score of one instance.
pub fn penalised(time: f64, limit: f64) -> f64 {
    if time <= limit { time } else { 2.0 * limit }
}

/// Mean penalised time; base states are resampled, since the pairs of one state are alike.
fn par2(field: &Field, seed: u64, time: impl Fn(&Instance) -> f64) -> Interval {
    let mut states: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for instance in &field.instances {
        let sums = states.entry(instance.state).or_default();
        sums.0 += penalised(time(instance), field.limit);
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

fn duels(field: &Field, seed: u64) -> Vec<Duel> {
    let n = field.backends.len();
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    pairs.map(|(a, b)| duel(field, a, b, seed)).collect()
}

fn duel(field: &Field, a: usize, b: usize, seed: u64) -> Duel {
    let times: Vec<(f64, f64)> = field
        .instances
        .iter()
        .map(|i| (i.times[a], i.times[b]))
        .filter(|(x, y)| x.is_finite() || y.is_finite())
        .collect();
    let both: Vec<(f64, f64)> =
        times.iter().filter(|(x, y)| x.is_finite() && y.is_finite()).copied().collect();
    Duel {
        a: field.backends[a].clone(),
        b: field.backends[b].clone(),
        instances: times.len(),
        a_faster: times.iter().filter(|(x, y)| x < y).count(),
        ratio: ratio(&both, seed),
    }
}

fn class_result(field: &Field, class: &Class) -> ClassResult {
    let decided = field.backends.iter().zip(&class.times).filter(|(_, time)| time.is_finite());
    ClassResult {
        family: class.set.clone(),
        size: class.size,
        transformation: class.transformation.clone(),
        pids: class.p,
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
            .map(|i| Class {
                set: i.set.clone(),
                size: i.size,
                transformation: i.transformation.clone(),
                p: i.p,
                times: i.times.clone(),
            })
            .collect();
        let backends = ["a", "b", "c"].map(String::from).to_vec();
        Field { backends, instances, classes, limit: 5.0, undecided: BTreeMap::new() }
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
