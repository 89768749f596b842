//! `pidlab bench hard`: the hard families, up to the size that the better of nauty and Traces still
//! does within the limit.

use super::{Common, human, outcome, watched};
use crate::arguments::Timeout;
use crate::heartbeat;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, Stream};
use pidlab_generators::hard::Family;
use pidlab_measure::clock::{Measured, backends};
use pidlab_measure::hard::{BACKENDS, Options, Row, measure};
use serde::Serialize;
use std::io::{self, Write};

/// Time the backends on the hard families at growing sizes
///
/// A family ends at the size that no backend of the yardstick (nauty, Traces) does within the limit.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab bench hard --timeout 1s
  pidlab bench hard --family cfi,cubic --most-pids 1000 --csv")]
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

#[derive(Serialize)]
struct Measurements {
    format: &'static str,
    seed: u64,
    rows: Vec<Row>,
    #[serde(skip)]
    outcome: Outcome,
}

pub fn run(args: Args, mut parts: Stream) -> anyhow::Result<Done> {
    let named = args.common.backends.chosen();
    let backends = backends(Some(named.unwrap_or_else(|| BACKENDS.map(String::from).to_vec())))?;
    let (timeout, seed) = (args.timeout.0, args.common.seed);
    let options = Options { families: args.families, most_pids: args.most_pids, timeout, seed };
    let families = options.chosen().count();
    let (mut rows, mut begun): (Vec<Row>, usize) = (Vec::new(), 0);
    let complete = watched(
        move |report| Ok(measure(&options, &backends, report)?),
        |row: Row| {
            heartbeat::pause(|| parts.part(|out| write_row(&row, out)))?;
            begun += usize::from(rows.last().is_none_or(|last| last.family != row.family));
            rows.push(row);
            let far = format!("{} pairs measured, family {begun} of {families}", rows.len());
            // each family ends about where the limit is
            heartbeat::say_share(far, (begun - 1) as f64 / families as f64);
            Ok(())
        },
        "the rows so far are shown",
    )?;
    let outcome = outcome(rows.iter().any(|row| row.wrong), complete);
    Ok(Measurements { format: "pidlab-bench-hard/1", seed, rows, outcome }.into())
}

fn write_row(row: &Row, out: &mut dyn Write) -> io::Result<()> {
    let Row { family, size, pids, pair, .. } = row;
    let show = |ratio: Option<f64>| ratio.map_or("-".into(), |r| format!("{r:.2}"));
    let (canon, refine) = (show(row.canon_to_best), show(row.refine_to_best));
    write!(out, "{family:<16} {size:>7} {pids:>7} pids {pair:<10} ")?;
    write!(out, "canon/best {canon:>6} refine/best {refine:>6}   ")?;
    let cell = |(name, cell): &(String, Measured)| match cell.time() {
        Ok(time) => format!("{name} {}", human(time.seconds)),
        Err(why) => format!("{name}: {why}"),
    };
    writeln!(out, "{}", row.backends.iter().map(cell).collect::<Vec<_>>().join(", "))
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
