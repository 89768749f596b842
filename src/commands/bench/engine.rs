//! `pidlab bench engine`: every backend on random states of growing size.

use super::clock::{Limit, Measured, Pair, Time, backends, human, is_wrong, known, measure};
use super::watched;
use crate::outcome::Outcome;
use crate::output;
use anyhow::Context;
use pidlab_backends::Backend;
use pidlab_core::Relations;
use pidlab_generators::transform::TransformKind;
use pidlab_generators::{RandomParams, Rng, Transformation, apply, random_state};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Time every backend on equivalent and near-miss pairs of random states
#[derive(clap::Args, Clone)]
pub struct Args {
    /// Numbers of pids
    #[arg(long, value_delimiter = ',', default_values_t = [50, 200, 800, 1_800, 10_000, 100_000, 1_000_000])]
    sizes: Vec<usize>,
    /// Backends; all exact ones if none are named
    #[arg(long, value_delimiter = ',')]
    backends: Vec<String>,
    /// Ω*
    #[arg(long, value_name = "R", default_value_t)]
    relations: Relations,
    /// Pairs of each kind at each size below 10,000 pids; one beyond
    #[arg(long, default_value_t = 5)]
    pairs: u64,
    /// Seconds that one decision may take; a backend that fails is not tried on larger states
    #[arg(long, default_value_t = 20)]
    limit: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keep every backend to one thread; canon has one for each side of a large pair otherwise
    #[arg(long)]
    one_thread: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const KINDS: [&str; 2] = ["equivalent", "near-miss"];

/// (size, kind, backend) → times over the pairs, or why there are none.
type Table = BTreeMap<(usize, &'static str, String), Result<Vec<Time>, String>>;

/// All that was measured at one size, and the backends that were wrong.
struct AtSize {
    size: usize,
    cells: Table,
    wrong: Vec<String>,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let backends = backends(&args.backends)?;
    let threads = if args.one_thread { ", one thread" } else { "" };
    note!(
        "seed {}, relations {}, {} s per decision{threads}",
        args.seed,
        args.relations,
        args.limit
    );
    let mut table = Table::new();
    let mut outcome = Outcome::Yes;
    let plan = args.clone();
    let complete = watched(
        move |report| measure_sizes(&plan, &backends, report),
        |AtSize { size, cells, wrong }| {
            table.extend(cells);
            for name in wrong {
                note!("{name} is wrong on a pair of {size} pids");
                outcome = Outcome::Disagreement;
            }
            if !args.json {
                print_size(&table, size);
            }
        },
        "the sizes so far are shown",
    )?;
    if args.json {
        output::json(&document(&args, &table))?;
    } else {
        print_growth(&table);
    }
    Ok(if complete || outcome == Outcome::Disagreement { outcome } else { Outcome::Undecided })
}

type Named = (String, Box<dyn Backend>);

/// Measures size after size; a backend that fails is not tried on larger states.
fn measure_sizes(args: &Args, backends: &[Named], report: &dyn Fn(AtSize)) -> anyhow::Result<()> {
    let limit = Limit { time: Duration::from_secs(args.limit), one_thread: args.one_thread };
    let mut given_up: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for &size in &args.sizes {
        let mut found = AtSize { size, cells: Table::new(), wrong: Vec::new() };
        for (kind, pairs) in pairs(args, size)? {
            let mut able = Vec::new();
            for (name, backend) in backends {
                match given_up.get(&(name.clone(), kind)) {
                    None => able.push((name, &**backend)),
                    Some(at) => {
                        let why = format!("skipped: failed at {at} pids");
                        found.cells.insert((size, kind, name.clone()), Err(why));
                    }
                }
            }
            let (names, able): (Vec<&String>, Vec<&dyn Backend>) = able.into_iter().unzip();
            for (name, measured) in names.into_iter().zip(measure(&able, &pairs, limit)) {
                if pairs.iter().zip(&measured).any(|(pair, measured)| is_wrong(pair, measured)) {
                    found.wrong.push(name.clone());
                }
                let times: Result<Vec<Time>, String> =
                    measured.into_iter().map(Measured::time).collect();
                if times.is_err() {
                    given_up.insert((name.clone(), kind), size);
                }
                found.cells.insert((size, kind, name.clone()), times);
            }
        }
        report(found);
    }
    Ok(())
}

/// Equivalent pairs, and pairs that nearly are.
fn pairs(args: &Args, size: usize) -> anyhow::Result<[(&'static str, Vec<Pair>); 2]> {
    let count = if size < 10_000 { args.pairs } else { 1 };
    let mut pairs = KINDS.map(|kind| (kind, Vec::new()));
    for row in 0..count {
        let mut rng = Rng::new(args.seed, (size as u64) << 16 | row);
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

fn median(times: &[Time], of: fn(&Time) -> f64) -> f64 {
    let mut values: Vec<f64> = times.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The fastest other backend against `canon`: ratio and name.
fn ratio(
    table: &Table,
    size: usize,
    kind: &'static str,
    of: fn(&Time) -> f64,
) -> Option<(f64, String)> {
    let time = |name: &str| match table.get(&(size, kind, name.to_string())) {
        Some(Ok(times)) => Some(median(times, of)),
        _ => None,
    };
    let canon = time("canon")?;
    table
        .keys()
        .filter(|(s, k, name)| *s == size && *k == kind && name != "canon" && name != "refine")
        // a backend that sees the difference while it builds its graphs has nothing left to decide
        .filter_map(|(.., name)| Some((time(name).filter(|&t| t > 0.0)? / canon, name.clone())))
        .min_by(|a, b| a.0.total_cmp(&b.0))
}

fn print_size(table: &Table, size: usize) {
    outln!("{size} pids");
    outln!(
        "  {:<18} {:>12} {:>12} {:>14} {:>12}",
        "",
        "equivalent",
        "decide only",
        "near-miss",
        "decide only"
    );
    let names: Vec<&String> = table
        .keys()
        .filter(|(s, k, _)| *s == size && *k == KINDS[0])
        .map(|(.., name)| name)
        .collect();
    for name in names {
        let cell = |kind: &'static str| match &table[&(size, kind, name.clone())] {
            Ok(times) => (human(median(times, |t| t.total)), human(median(times, |t| t.decide))),
            Err(why) => (why.clone(), String::new()),
        };
        let ((a, b), (c, d)) = (cell(KINDS[0]), cell(KINDS[1]));
        outln!("  {name:<18} {a:>12} {b:>12} {c:>14} {d:>12}");
    }
    for kind in KINDS {
        let whole = ratio(table, size, kind, |t| t.total);
        let decide = ratio(table, size, kind, |t| t.decide);
        let Some((whole, best)) = whole else { continue };
        let alone =
            decide.map_or("decided while building".into(), |(d, name)| format!("{name} {d:.1} ×"));
        outln!("  {kind}: best other {best} takes {whole:.1} × canon; deciding alone: {alone}");
    }
}

/// Least-squares slope of log time over log p, from 1,000 pids on.
fn exponent(table: &Table, name: &str, kind: &'static str) -> Option<f64> {
    let points: Vec<(f64, f64)> = table
        .iter()
        .filter(|((size, k, n), _)| *size >= 1000 && *k == kind && n == name)
        .filter_map(|((size, ..), times)| {
            Some(((*size as f64).ln(), median(times.as_ref().ok()?, |t| t.total).ln()))
        })
        .collect();
    let n = points.len() as f64;
    let (mx, my) =
        (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let covariance: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    let variance: f64 = points.iter().map(|p| (p.0 - mx).powi(2)).sum();
    (points.len() >= 2).then(|| covariance / variance)
}

fn names(table: &Table) -> Vec<String> {
    let mut names: Vec<String> = table.keys().map(|(.., name)| name.clone()).collect();
    names.sort();
    names.dedup();
    names
}

fn print_growth(table: &Table) {
    outln!("growth exponent from 1,000 pids on");
    for name in names(table) {
        let show = |kind| exponent(table, &name, kind).map_or("-".into(), |e| format!("{e:.2}"));
        outln!("  {name:<18} equivalent {:>6}   near-miss {:>6}", show(KINDS[0]), show(KINDS[1]));
    }
}

fn document(args: &Args, table: &Table) -> Value {
    let rows: Vec<Value> = table
        .iter()
        .map(|((size, kind, backend), times)| match times {
            Ok(times) => json!({"pids": size, "pair": kind, "backend": backend, "status": "ok", "pairs": times.len(),
                "seconds": median(times, |t| t.total), "decide_seconds": median(times, |t| t.decide)}),
            Err(why) => json!({"pids": size, "pair": kind, "backend": backend, "status": why}),
        })
        .collect();
    let ratios: Vec<Value> = args
        .sizes
        .iter()
        .flat_map(|&size| KINDS.map(|kind| (size, kind)))
        .filter_map(|(size, kind)| {
            let (whole, best) = ratio(table, size, kind, |t| t.total)?;
            let decide = ratio(table, size, kind, |t| t.decide);
            Some(json!({"pids": size, "pair": kind, "best_other": best, "ratio": whole,
                "best_other_decide": decide.as_ref().map(|d| &d.1), "decide_ratio": decide.as_ref().map(|d| d.0)}))
        })
        .collect();
    let growth: Vec<Value> = names(table)
        .into_iter()
        .flat_map(|name| KINDS.map(|kind| json!({"backend": name, "pair": kind, "exponent": exponent(table, &name, kind)})))
        .collect();
    json!({"format": "pidlab-bench-engine/1", "seed": args.seed, "relations": args.relations.to_string(), "one_thread": args.one_thread,
        "rows": rows, "ratios": ratios, "growth": growth})
}
