//! `pidlab bench engine`: every backend on random states of growing size.

use super::clock::{
    Limit, Measured, Pair, Time, backends, human, is_wrong, known, measure, median,
};
use super::{Common, outcome, watched};
use crate::arguments::Timeout;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, Stream};
use anyhow::Context;
use pidlab_backends::Backend;
use pidlab_core::Relations;
use pidlab_generators::transform::TransformKind;
use pidlab_generators::{RandomParams, Rng, Transformation, apply, random_state};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Time every backend on equivalent and near-miss pairs of random states
#[derive(clap::Args, Clone)]
pub struct Args {
    /// Numbers of pids
    #[arg(long, value_delimiter = ',', default_values_t = [50, 200, 800, 1_800, 10_000, 100_000, 1_000_000])]
    sizes: Vec<usize>,
    /// Ω*
    #[arg(long, value_name = "R", default_value_t)]
    relations: Relations,
    /// Pairs of each kind at each size below 10,000 pids; one beyond
    #[arg(long, default_value_t = 5)]
    pairs: u64,
    /// What one decision may take, such as 500ms; a backend that fails is not tried on larger states
    #[arg(long, value_name = "TIME", alias = "limit", default_value = "20s")]
    timeout: Timeout,
    #[command(flatten)]
    common: Common,
    /// Keep every backend to one thread; canon has one for each side of a large pair otherwise
    #[arg(long)]
    one_thread: bool,
}

const KINDS: [&str; 2] = ["equivalent", "near-miss"];

#[derive(Serialize)]
struct Measurements {
    format: &'static str,
    seed: u64,
    relations: String,
    one_thread: bool,
    rows: Vec<Row>,
    ratios: Vec<Ratio>,
    growth: Vec<Growth>,
    #[serde(skip)]
    outcome: Outcome,
}

/// A backend on the pairs of a kind and size.
#[derive(Serialize)]
struct Row {
    pids: usize,
    pair: &'static str,
    backend: String,
    /// `ok`, or why there are no times.
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<usize>,
    /// Median over the pairs.
    #[serde(flatten)]
    time: Option<Time>,
    #[serde(skip)]
    wrong: bool,
}

/// The fastest other backend against `canon`.
#[derive(Serialize)]
struct Ratio {
    pids: usize,
    pair: &'static str,
    best_other: String,
    ratio: f64,
    best_other_decide: Option<String>,
    decide_ratio: Option<f64>,
}

#[derive(Serialize)]
struct Growth {
    backend: String,
    pair: &'static str,
    exponent: Option<f64>,
}

pub fn run(args: Args, mut parts: Stream) -> anyhow::Result<Done> {
    let backends = backends(args.common.backends.chosen())?;
    let threads = if args.one_thread { ", one thread" } else { "" };
    let (seed, seconds) = (args.common.seed, args.timeout.0.as_secs_f64());
    note!("seed {seed}, relations {}, {seconds} s per decision{threads}", args.relations);
    let mut found = Measurements {
        format: "pidlab-bench-engine/1",
        seed,
        relations: args.relations.to_string(),
        one_thread: args.one_thread,
        rows: Vec::new(),
        ratios: Vec::new(),
        growth: Vec::new(),
        outcome: Outcome::Yes,
    };
    let complete = watched(
        move |report| measure_sizes(&args, &backends, report),
        |rows| {
            let ratios: Vec<Ratio> = KINDS.iter().filter_map(|kind| ratio(&rows, kind)).collect();
            parts.part(|out| write_size(&rows, &ratios, out))?;
            found.rows.extend(rows);
            found.ratios.extend(ratios);
            Ok(())
        },
        "the sizes so far are shown",
    )?;
    found.growth = growth(&found.rows);
    found.outcome = outcome(found.rows.iter().any(|row| row.wrong), complete);
    Ok(found.into())
}

type Named = (String, Box<dyn Backend>);

/// Measures size after size; a backend that fails is not tried on larger states.
fn measure_sizes(args: &Args, backends: &[Named], report: &dyn Fn(Vec<Row>)) -> anyhow::Result<()> {
    let mut given_up: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for &size in &args.sizes {
        let mut rows = Vec::new();
        for (kind, pairs) in pairs(args, size)? {
            let gave_up = |name: &str| given_up.get(&(name, kind)).copied();
            let able: Vec<&Named> =
                backends.iter().filter(|(name, _)| gave_up(name).is_none()).collect();
            let mut measured = measure_pairs(args, size, (kind, &pairs), &able).into_iter();
            for (name, _) in backends {
                match gave_up(name) {
                    None => rows.extend(measured.next()),
                    Some(at) => {
                        let why = format!("skipped: failed at {at} pids");
                        rows.push(Row::new((size, kind, name), Err(why)));
                    }
                }
            }
            for (name, _) in backends {
                let failed = |row: &Row| row.backend == *name && row.pair == kind && !row.is_ok();
                if rows.iter().any(failed) {
                    given_up.entry((name, kind)).or_insert(size);
                }
            }
        }
        report(rows);
    }
    Ok(())
}

fn measure_pairs(
    args: &Args,
    size: usize,
    (kind, pairs): (&'static str, &[Pair]),
    backends: &[&Named],
) -> Vec<Row> {
    let limit = Limit { time: args.timeout.0, one_thread: args.one_thread };
    let able: Vec<&dyn Backend> = backends.iter().map(|(_, backend)| &**backend).collect();
    let row = |(name, measured): (&str, Vec<Measured>)| {
        let times: Result<Vec<Time>, &str> = measured.iter().map(Measured::time).collect();
        let mut row = Row::new((size, kind, name), times.map_err(String::from));
        row.wrong = pairs.iter().zip(&measured).any(|(pair, found)| is_wrong(pair, found));
        if row.wrong {
            note!("{name} is wrong on a pair of {size} pids");
        }
        row
    };
    let names = backends.iter().map(|(name, _)| name.as_str());
    names.zip(measure(&able, pairs, limit)).map(row).collect()
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

    fn is_ok(&self) -> bool {
        self.time.is_some()
    }

    /// The whole and the decision alone, as text.
    fn cells(&self) -> [String; 2] {
        match self.time {
            Some(time) => [human(time.seconds), human(time.decide_seconds)],
            None => [self.status.clone(), String::new()],
        }
    }
}

/// Equivalent pairs, and pairs that nearly are.
fn pairs(args: &Args, size: usize) -> anyhow::Result<[(&'static str, Vec<Pair>); 2]> {
    let count = if size < 10_000 { args.pairs } else { 1 };
    let mut pairs = KINDS.map(|kind| (kind, Vec::new()));
    for row in 0..count {
        let mut rng = Rng::new(args.common.seed, (size as u64) << 16 | row);
        let params =
            RandomParams { pids: size, vectors: Some(2 * size), ..RandomParams::default() };
        let q = random_state(&params, &mut rng)?;
        for (kind, pairs) in &mut pairs {
            let mut steps = vec![Transformation { kind: TransformKind::Rename, strength: 1.0 }];
            if *kind == "near-miss" {
                steps.push(Transformation { kind: TransformKind::NearMiss, strength: 1.0 });
            }
            let made = apply(&steps, &q, &mut rng)
                .with_context(|| format!("no {kind} pair of {size} pids; try another --seed"))?;
            let r = made.state.with_shuffled_vectors(|bound| rng.index(bound));
            let equivalent = known(&made.guarantee, args.relations);
            pairs.push(Pair { q: q.clone(), r, relations: args.relations, equivalent });
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

fn write_size(rows: &[Row], ratios: &[Ratio], out: &mut dyn Write) -> io::Result<()> {
    let Some(Row { pids, .. }) = rows.first() else { return Ok(()) };
    writeln!(out, "{pids} pids")?;
    let line = |[a, b, c, d, e]: [&str; 5]| format!("  {a:<18} {b:>12} {c:>12} {d:>14} {e:>12}");
    writeln!(out, "{}", line(["", "equivalent", "decide only", "near-miss", "decide only"]))?;
    let (equivalent, near) = rows.split_at(rows.len() / KINDS.len());
    for (first, second) in equivalent.iter().zip(near) {
        let ([a, b], [c, d]) = (first.cells(), second.cells());
        writeln!(out, "{}", line([&first.backend, &a, &b, &c, &d]))?;
    }
    for Ratio { pair, best_other, ratio, best_other_decide, decide_ratio, .. } in ratios {
        let alone = match (best_other_decide, decide_ratio) {
            (Some(name), Some(ratio)) => format!("{name} {ratio:.1} ×"),
            _ => "decided while building".into(),
        };
        write!(out, "  {pair}: best other {best_other} takes {ratio:.1} × canon; ")?;
        writeln!(out, "deciding alone: {alone}")?;
    }
    Ok(())
}

fn growth(rows: &[Row]) -> Vec<Growth> {
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

impl Document for Measurements {
    fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The sizes have been shown one by one.
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "growth exponent from 1,000 pids on")?;
        let show = |growth: &Growth| growth.exponent.map_or("-".into(), |e| format!("{e:.2}"));
        for [equivalent, near] in self.growth.as_chunks().0 {
            let (name, first, second) = (&equivalent.backend, show(equivalent), show(near));
            writeln!(out, "  {name:<18} equivalent {first:>6}   near-miss {second:>6}")?;
        }
        Ok(())
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("pids pair backend seconds decide_seconds pairs status", &self.rows)
    }
}
