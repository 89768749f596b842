//! `pidlab bench hard`: the hard families, up to the size that the better of nauty and Traces still
//! does within the limit.

use super::clock::{Limit, Pair, Time, backends, human, is_wrong, known, measure};
use super::watched;
use crate::outcome::Outcome;
use crate::output;
use pidlab_backends::Backend;
use pidlab_core::Relations;
use pidlab_generators::Generated;
use pidlab_generators::hard::{Family, FamilyInfo, HardError, REGISTRY, all_variants};
use serde_json::{Value, json};
use std::time::Duration;

/// Time the backends on the hard families at growing sizes
///
/// A family ends at the size that no backend of the yardstick (nauty, Traces) does within the limit.
#[derive(clap::Args, Clone)]
pub struct Args {
    /// Families; all if none are named
    #[arg(long, value_delimiter = ',')]
    families: Vec<Family>,
    /// Backends measured
    #[arg(long, value_delimiter = ',', default_values_t = ["canon".to_string(), "refine".into(), "nauty".into(), "traces".into()])]
    backends: Vec<String>,
    /// Seconds that one decision may take
    #[arg(long, default_value_t = 10)]
    limit: u64,
    /// Largest number of pids
    #[arg(long, default_value_t = 50_000)]
    most_pids: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One instance: what each backend took on it.
struct Row {
    family: &'static str,
    size: usize,
    pids: usize,
    pair: &'static str,
    cells: Vec<(String, Result<Time, String>)>,
    /// Whether some backend contradicts what is known of the pair.
    wrong: bool,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let backends = backends(&args.backends)?;
    let mut rows = Vec::new();
    let plan = args.clone();
    let complete = watched(
        move |report| measure_families(&plan, &backends, report),
        |row| {
            if !args.json {
                print(&row);
            }
            rows.push(row);
        },
        "the rows so far are shown",
    )?;
    let wrong = rows.iter().any(|row| row.wrong);
    if args.json {
        let rows: Vec<Value> = rows.iter().map(document).collect();
        output::json(&json!({"format": "pidlab-bench-hard/1", "seed": args.seed, "rows": rows}))?;
    }
    Ok(match (wrong, complete) {
        (true, _) => Outcome::Disagreement,
        (false, true) => Outcome::Yes,
        (false, false) => Outcome::Undecided,
    })
}

type Named = (String, Box<dyn Backend>);

fn measure_families(args: &Args, backends: &[Named], report: &dyn Fn(Row)) -> anyhow::Result<()> {
    let chosen =
        |entry: &&FamilyInfo| args.families.is_empty() || args.families.contains(&entry.family);
    for entry in REGISTRY.iter().filter(chosen) {
        for size in sizes(entry) {
            let Some(pairs) = pairs(entry, size, args)? else { continue };
            if pairs[0].1.q.pid_count() > args.most_pids {
                break;
            }
            let mut yardstick_done = false;
            for (kind, pair) in pairs {
                let row = measure_pair((entry.name, size, kind), &pair, backends, args.limit);
                yardstick_done |=
                    row.cells.iter().any(|(name, cell)| is_yardstick(name) && cell.is_ok());
                report(row);
            }
            if !yardstick_done {
                break;
            }
        }
    }
    Ok(())
}

fn measure_pair(
    (family, size, kind): (&'static str, usize, &'static str),
    pair: &Pair,
    backends: &[Named],
    seconds: u64,
) -> Row {
    let limit = Limit { time: Duration::from_secs(seconds), one_thread: false };
    let able: Vec<&dyn Backend> = backends.iter().map(|(_, b)| &**b).collect();
    let measured = measure(&able, std::slice::from_ref(pair), limit);
    let pids = pair.q.pid_count();
    let mut row = Row { family, size, pids, pair: kind, cells: Vec::new(), wrong: false };
    for ((name, _), measured) in backends.iter().zip(measured.into_iter().flatten()) {
        let wrong = is_wrong(pair, &measured);
        row.wrong |= wrong;
        let cell = if wrong { Err("wrong verdict".into()) } else { measured.time() };
        row.cells.push((name.clone(), cell));
    }
    row
}

fn is_yardstick(name: &str) -> bool {
    name.starts_with("nauty") || name.starts_with("traces")
}

/// Doubling sizes within the limits of the family.
fn sizes(entry: &FamilyInfo) -> impl Iterator<Item = usize> {
    let (least, largest) = entry.sizes;
    std::iter::successors(Some(least.max(10).min(largest)), move |&size| {
        (size < largest).then(|| (size * 2).min(largest))
    })
}

/// The equivalent pair and, where there is one, the hard pair that is not; `None` if the family has
/// no instance of that size.
fn pairs(
    entry: &FamilyInfo,
    size: usize,
    args: &Args,
) -> anyhow::Result<Option<Vec<(&'static str, Pair)>>> {
    let (base, equivalent, twin) = match all_variants(entry.family, size, args.seed) {
        Ok(variants) => variants,
        Err(HardError::NotFound { .. } | HardError::Odd { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let relations = if matches!(entry.family, Family::LongChain | Family::WideForest) {
        Relations::default()
    } else {
        Relations::NONE
    };
    let pair = |made: Generated| {
        let equivalent = known(&made.guarantee, relations);
        Pair { q: base.clone(), r: made.state, relations, equivalent }
    };
    let mut pairs = vec![("equivalent", pair(equivalent))];
    pairs.extend(twin.map(|twin| ("twin", pair(twin))));
    Ok(Some(pairs))
}

/// Time of a backend relative to the better of nauty and Traces.
fn ratio(row: &Row, name: &str) -> Option<f64> {
    let time = |wanted: &str| {
        row.cells
            .iter()
            .find(|(n, _)| n == wanted)
            .and_then(|(_, cell)| cell.as_ref().ok().map(|t| t.total))
    };
    let best = row
        .cells
        .iter()
        .filter(|(n, _)| is_yardstick(n))
        .filter_map(|(_, cell)| cell.as_ref().ok().map(|t| t.total))
        .min_by(f64::total_cmp)?;
    Some(time(name)? / best)
}

fn print(row: &Row) {
    let cells: Vec<String> = row
        .cells
        .iter()
        .map(|(name, cell)| match cell {
            Ok(time) => format!("{name} {}", human(time.total)),
            Err(why) => format!("{name}: {why}"),
        })
        .collect();
    let show = |name| ratio(row, name).map_or("-".into(), |r| format!("{r:.2}"));
    outln!(
        "{:<16} {:>7} {:>7} pids {:<10} canon/best {:>6} refine/best {:>6}   {}",
        row.family,
        row.size,
        row.pids,
        row.pair,
        show("canon"),
        show("refine"),
        cells.join(", ")
    );
}

fn document(row: &Row) -> Value {
    let cells: serde_json::Map<String, Value> = row
        .cells
        .iter()
        .map(|(name, cell)| match cell {
            Ok(time) => {
                (name.clone(), json!({"seconds": time.total, "decide_seconds": time.decide}))
            }
            Err(why) => (name.clone(), json!({"status": why})),
        })
        .collect();
    json!({"family": row.family, "size": row.size, "pids": row.pids, "pair": row.pair, "backends": cells,
        "canon_to_best": ratio(row, "canon"), "refine_to_best": ratio(row, "refine")})
}
