//! Every backend on random states of growing size.

use crate::MeasureError;
use crate::clock::measure as measure_all;
use crate::clock::{Limit, Measured, Named, Pair, Time, is_wrong, known, median};
use pidlab_backends::Backend;
use pidlab_core::Relations;
use pidlab_generators::transform::TransformKind;
use pidlab_generators::{RandomParams, Rng, Transformation, apply, random_state};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// Numbers of pids.
    pub sizes: Vec<usize>,
    /// Ω*.
    pub relations: Relations,
    /// Pairs of each kind at each size below 10,000 pids; one beyond.
    pub pairs: u64,
    /// What one decision may take.
    pub timeout: Duration,
    /// Keep every backend to one thread.
    pub one_thread: bool,
    /// Seed of the states.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            sizes: vec![50, 200, 800, 1_800, 10_000, 100_000, 1_000_000],
            relations: Relations::default(),
            pairs: 5,
            timeout: Duration::from_secs(20),
            one_thread: false,
            seed: 1,
        }
    }
}

/// Equivalent pairs, and pairs that nearly are.
pub const KINDS: [&str; 2] = ["equivalent", "near-miss"];

/// All that was measured at one size: for each kind a row of each backend, in the same order.
pub struct Size {
    /// What each backend took.
    pub rows: Vec<Row>,
    /// `canon` beside the others, for each kind where both have times.
    pub ratios: Vec<Ratio>,
}

/// A backend on the pairs of a kind and size.
#[derive(Serialize)]
pub struct Row {
    /// The size.
    pub pids: usize,
    /// The kind.
    pub pair: &'static str,
    /// Its name.
    pub backend: String,
    /// `ok`, or why there are no times.
    pub status: String,
    /// How many pairs were decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<usize>,
    /// Median over the pairs.
    #[serde(flatten)]
    pub time: Option<Time>,
    /// Whether a verdict contradicts what is known of its pair.
    #[serde(skip)]
    pub wrong: bool,
}

/// The fastest other backend against `canon`.
#[derive(Serialize)]
pub struct Ratio {
    /// The size.
    pub pids: usize,
    /// The kind.
    pub pair: &'static str,
    /// The fastest other one from states to verdict.
    pub best_other: String,
    /// Its time over that of `canon`.
    pub ratio: f64,
    /// The fastest other one in deciding alone.
    pub best_other_decide: Option<String>,
    /// Its time over that of `canon`.
    pub decide_ratio: Option<f64>,
}

/// How the times of a backend grow.
#[derive(Serialize)]
pub struct Growth {
    /// Its name.
    pub backend: String,
    /// The kind of pairs.
    pub pair: &'static str,
    /// Slope of log time over log p, from 1,000 pids on.
    pub exponent: Option<f64>,
}

/// Measures size after size; a backend that fails is not tried on larger states.
pub fn measure(
    options: &Options,
    backends: &[Named],
    report: &dyn Fn(Size),
) -> Result<(), MeasureError> {
    let mut given_up: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for &size in &options.sizes {
        let mut rows = Vec::new();
        for (kind, pairs) in pairs(options, size)? {
            let able: Vec<&Named> = backends
                .iter()
                .filter(|(name, _)| !given_up.contains_key(&(name.as_str(), kind)))
                .collect();
            let mut measured = measure_pairs(options, size, (kind, &pairs), &able).into_iter();
            for (name, _) in backends {
                let row = match given_up.get(&(name.as_str(), kind)) {
                    None => measured.next(),
                    Some(at) => {
                        let why = format!("skipped: failed at {at} pids");
                        Some(Row::new((size, kind, name), Err(why)))
                    }
                };
                if row.as_ref().is_some_and(|row| row.time.is_none()) {
                    given_up.entry((name, kind)).or_insert(size);
                }
                rows.extend(row);
            }
        }
        let ratios = KINDS.iter().filter_map(|kind| ratio(&rows, kind)).collect();
        report(Size { rows, ratios });
    }
    Ok(())
}

fn measure_pairs(
    options: &Options,
    size: usize,
    (kind, pairs): (&'static str, &[Pair]),
    backends: &[&Named],
) -> Vec<Row> {
    let limit = Limit { time: options.timeout, one_thread: options.one_thread };
    let able: Vec<&dyn Backend> = backends.iter().map(|(_, backend)| &**backend).collect();
    let row = |(name, measured): (&str, Vec<Measured>)| {
        let times: Result<Vec<Time>, &str> = measured.iter().map(Measured::time).collect();
        let mut row = Row::new((size, kind, name), times.map_err(String::from));
        row.wrong = pairs.iter().zip(&measured).any(|(pair, found)| is_wrong(pair, found));
        row
    };
    let names = backends.iter().map(|(name, _)| name.as_str());
    names.zip(measure_all(&able, pairs, limit)).map(row).collect()
}

impl Row {
    fn new(
        (pids, pair, backend): (usize, &'static str, &str),
        times: Result<Vec<Time>, String>,
    ) -> Row {
        let (pairs, time, status) = match times {
            Ok(times) => (Some(times.len()), Some(median(&times)), "ok".into()),
            Err(why) => (None, None, why),
        };
        Row { pids, pair, backend: backend.into(), status, pairs, time, wrong: false }
    }
}

/// Equivalent pairs, and pairs that nearly are.
fn pairs(options: &Options, size: usize) -> Result<[(&'static str, Vec<Pair>); 2], MeasureError> {
    let count = if size < 10_000 { options.pairs } else { 1 };
    let mut pairs = KINDS.map(|kind| (kind, Vec::new()));
    for row in 0..count {
        let mut rng = Rng::new(options.seed, (size as u64) << 16 | row);
        let params =
            RandomParams { pids: size, vectors: Some(2 * size), ..RandomParams::default() };
        let q = random_state(&params, &mut rng)?;
        for (kind, pairs) in &mut pairs {
            let mut steps = vec![Transformation { kind: TransformKind::Rename, strength: 1.0 }];
            if *kind == "near-miss" {
                steps.push(Transformation { kind: TransformKind::NearMiss, strength: 1.0 });
            }
            let made = apply(&steps, &q, &mut rng).map_err(|source| MeasureError::Pair {
                kind,
                size,
                source,
            })?;
            let r = made.state.with_shuffled_vectors(|bound| rng.index(bound));
            let equivalent = known(&made.guarantee, options.relations);
            pairs.push(Pair { q: q.clone(), r, relations: options.relations, equivalent });
        }
    }
    Ok(pairs)
}

/// Of the rows of one size.
fn ratio(rows: &[Row], pair: &'static str) -> Option<Ratio> {
    let best = |of: fn(Time) -> f64| {
        let times = || {
            let rows = rows.iter().filter(|row| row.pair == pair);
            rows.filter_map(|row| Some((row.backend.as_str(), of(row.time?))))
        };
        let (_, canon) = times().find(|(name, _)| *name == "canon")?;
        times()
            // a backend that sees the difference while it builds its graphs has nothing left to decide
            .filter(|(name, time)| *name != "canon" && *name != "refine" && *time > 0.0)
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(name, time)| (name.to_string(), time / canon))
    };
    let pids = rows.first()?.pids;
    let (best_other, ratio) = best(|time| time.seconds)?;
    let (best_other_decide, decide_ratio) = best(|time| time.decide_seconds).unzip();
    Some(Ratio { pids, pair, best_other, ratio, best_other_decide, decide_ratio })
}

/// Of all rows.
pub fn growth(rows: &[Row]) -> Vec<Growth> {
    let names: BTreeSet<&str> = rows.iter().map(|row| row.backend.as_str()).collect();
    let growth = |backend: &str, pair| {
        let of = |row: &&Row| row.backend == backend && row.pair == pair && row.pids >= 1000;
        let point = |row: &Row| Some(((row.pids as f64).ln(), row.time?.seconds.ln()));
        let points: Vec<(f64, f64)> = rows.iter().filter(of).filter_map(point).collect();
        Growth { backend: backend.into(), pair, exponent: slope(&points) }
    };
    names.into_iter().flat_map(|name| KINDS.map(|pair| growth(name, pair))).collect()
}

/// Least squares.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let (mx, my) =
        (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let covariance: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    let variance: f64 = points.iter().map(|p| (p.0 - mx).powi(2)).sum();
    (points.len() >= 2).then(|| covariance / variance)
}
