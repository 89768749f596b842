//! `pidlab bench hard`: the hard families, up to the size that the better of nauty and Traces still
//! does within the limit.

use super::clock::{Limit, Measured, Pair, backends, human, is_wrong, known, measure};
use super::{Common, outcome, watched};
use crate::arguments::Timeout;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, Stream};
use pidlab_backends::Backend;
use pidlab_core::Relations;
use pidlab_generators::Generated;
use pidlab_generators::hard::{Family, FamilyInfo, HardError, REGISTRY, all_variants};
use serde::{Serialize, Serializer};
use std::io::{self, Write};

/// Time the backends on the hard families at growing sizes
///
/// A family ends at the size that no backend of the yardstick (nauty, Traces) does within the limit.
#[derive(clap::Args, Clone)]
pub struct Args {
    /// Families; repeat or separate by commas; all if none are named
    #[arg(long = "family", alias = "families", value_name = "NAME", value_delimiter = ',')]
    families: Vec<Family>,
    /// Largest number of pids
    #[arg(long, default_value_t = 50_000)]
    most_pids: usize,
    /// What one decision may take, such as 500ms
    #[arg(long, value_name = "TIME", alias = "limit", default_value = "10s")]
    timeout: Timeout,
    #[command(flatten)]
    common: Common,
}

/// The backends measured if none are named.
const BACKENDS: [&str; 4] = ["canon", "refine", "nauty", "traces"];

#[derive(Serialize)]
struct Measurements {
    format: &'static str,
    seed: u64,
    rows: Vec<Row>,
    #[serde(skip)]
    outcome: Outcome,
}

/// One instance: what each backend took on it.
#[derive(Serialize)]
struct Row {
    family: &'static str,
    size: usize,
    pids: usize,
    pair: &'static str,
    #[serde(serialize_with = "as_map")]
    backends: Vec<(String, Measured)>,
    canon_to_best: Option<f64>,
    refine_to_best: Option<f64>,
    /// Whether some backend contradicts what is known of the pair.
    #[serde(skip)]
    wrong: bool,
}

fn as_map<S: Serializer>(cells: &[(String, Measured)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(cells.iter().map(|(name, cell)| (name, cell)))
}

pub fn run(args: Args, mut parts: Stream) -> anyhow::Result<Done> {
    let named = args.common.backends.chosen();
    let backends = backends(Some(named.unwrap_or_else(|| BACKENDS.map(String::from).to_vec())))?;
    let mut rows = Vec::new();
    let plan = args.clone();
    let complete = watched(
        move |report| measure_families(&plan, &backends, report),
        |row: Row| {
            parts.part(|out| row.write(out))?;
            rows.push(row);
            Ok(())
        },
        "the rows so far are shown",
    )?;
    let measurements = Measurements {
        format: "pidlab-bench-hard/1",
        seed: args.common.seed,
        outcome: outcome(rows.iter().any(|row| row.wrong), complete),
        rows,
    };
    Ok(measurements.into())
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
                let row = measure_pair((entry.name, size, kind), &pair, backends, args.timeout);
                yardstick_done |= row
                    .backends
                    .iter()
                    .any(|(name, cell)| is_yardstick(name) && cell.time().is_ok());
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
    timeout: Timeout,
) -> Row {
    let limit = Limit { time: timeout.0, one_thread: false };
    let able: Vec<&dyn Backend> = backends.iter().map(|(_, b)| &**b).collect();
    let measured = measure(&able, std::slice::from_ref(pair), limit);
    let (mut cells, mut any_wrong) = (Vec::new(), false);
    for ((name, _), measured) in backends.iter().zip(measured.into_iter().flatten()) {
        let wrong = is_wrong(pair, &measured);
        any_wrong |= wrong;
        let cell = match wrong {
            true => Measured::Not { status: "wrong verdict".into() },
            false => measured,
        };
        cells.push((name.clone(), cell));
    }
    Row {
        family,
        size,
        pids: pair.q.pid_count(),
        pair: kind,
        canon_to_best: ratio(&cells, "canon"),
        refine_to_best: ratio(&cells, "refine"),
        backends: cells,
        wrong: any_wrong,
    }
}

/// Time of a backend relative to the better of nauty and Traces.
fn ratio(cells: &[(String, Measured)], name: &str) -> Option<f64> {
    let least = |wanted: &dyn Fn(&str) -> bool| {
        let wanted = cells.iter().filter(|(name, _)| wanted(name));
        wanted.filter_map(|(_, cell)| cell.time().ok()).map(|t| t.seconds).min_by(f64::total_cmp)
    };
    Some(least(&|other| other == name)? / least(&is_yardstick)?)
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
    let (base, equivalent, twin) = match all_variants(entry.family, size, args.common.seed) {
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

impl Row {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Row { family, size, pids, pair, .. } = self;
        let show = |ratio: Option<f64>| ratio.map_or("-".into(), |r| format!("{r:.2}"));
        let (canon, refine) = (show(self.canon_to_best), show(self.refine_to_best));
        write!(out, "{family:<16} {size:>7} {pids:>7} pids {pair:<10} ")?;
        write!(out, "canon/best {canon:>6} refine/best {refine:>6}   ")?;
        let cell = |(name, cell): &(String, Measured)| match cell.time() {
            Ok(time) => format!("{name} {}", human(time.seconds)),
            Err(why) => format!("{name}: {why}"),
        };
        writeln!(out, "{}", self.backends.iter().map(cell).collect::<Vec<_>>().join(", "))
    }
}

impl Document for Measurements {
    fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The rows have been shown one by one.
    fn text(&self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("family size pids pair *", &self.rows)
    }
}
