//! The hard families, up to the size that the better of nauty and Traces still does within the limit.

use crate::MeasureError;
use crate::clock::measure as measure_all;
use crate::clock::{Limit, Measured, Named, Pair, is_wrong, known};
use pidlab_backends::Backend;
use pidlab_core::Relations;
use pidlab_generators::Generated;
use pidlab_generators::hard::{Family, FamilyInfo, HardError, REGISTRY, all_variants};
use serde::{Serialize, Serializer};
use std::time::Duration;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// All if there are none.
    pub families: Vec<Family>,
    /// Largest number of pids.
    pub most_pids: usize,
    /// What one decision may take.
    pub timeout: Duration,
    /// Seed of the instances.
    pub seed: u64,
}

impl Options {
    /// The families, in the order in which they are measured.
    pub fn chosen(&self) -> impl Iterator<Item = &'static FamilyInfo> {
        let is_chosen = |family| self.families.is_empty() || self.families.contains(&family);
        REGISTRY.iter().filter(move |entry| is_chosen(entry.family))
    }
}

/// The backends that make sense here: ours and the yardstick.
pub const BACKENDS: [&str; 4] = ["canon", "refine", "nauty", "traces"];

/// One instance: what each backend took on it.
#[derive(Serialize)]
pub struct Row {
    /// Its family.
    pub family: &'static str,
    /// Its size, in the unit of the family.
    pub size: usize,
    /// How large its states are.
    pub pids: usize,
    /// Equivalent, or a twin that is not.
    pub pair: &'static str,
    /// What each backend took.
    #[serde(serialize_with = "as_map")]
    pub backends: Vec<(String, Measured)>,
    /// Time of `canon` over that of the yardstick.
    pub canon_to_best: Option<f64>,
    /// Time of `refine` over that of the yardstick.
    pub refine_to_best: Option<f64>,
    /// Whether some backend contradicts what is known of the pair.
    #[serde(skip)]
    pub wrong: bool,
}

fn as_map<S: Serializer>(cells: &[(String, Measured)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(cells.iter().map(|(name, cell)| (name, cell)))
}

/// Measures family after family; one ends at the size that no backend of the yardstick (nauty, Traces)
/// does within the limit.
pub fn measure(
    options: &Options,
    backends: &[Named],
    report: &dyn Fn(Row),
) -> Result<(), MeasureError> {
    for entry in options.chosen() {
        for size in sizes(entry) {
            let Some(pairs) = pairs(entry, size, options.seed)? else { continue };
            if pairs[0].1.q.pid_count() > options.most_pids {
                break;
            }
            let mut yardstick_done = false;
            for (kind, pair) in pairs {
                let row = measure_pair((entry.name, size, kind), &pair, backends, options.timeout);
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
    timeout: Duration,
) -> Row {
    let limit = Limit { time: timeout, one_thread: false };
    let able: Vec<&dyn Backend> = backends.iter().map(|(_, b)| &**b).collect();
    let measured = measure_all(&able, std::slice::from_ref(pair), limit);
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
    seed: u64,
) -> Result<Option<Vec<(&'static str, Pair)>>, MeasureError> {
    let (base, equivalent, twin) = match all_variants(entry.family, size, seed) {
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
