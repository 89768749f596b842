//! `pidlab bench engine`: every backend on random states of growing size.

use super::{Common, human, outcome, watched};
use crate::arguments::Timeout;
use crate::heartbeat;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, Stream};
use pidlab_core::Relations;
use pidlab_measure::clock::backends;
use pidlab_measure::engine::{Growth, KINDS, Options, Ratio, Row, Size, growth, measure};
use serde::Serialize;
use std::io::{self, Write};

/// Time every backend on equivalent and near-miss pairs of random states
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab bench engine
  pidlab bench engine --sizes 50,200 --backend canon,nauty --timeout 1s")]
pub struct Args {
    /// Numbers of pids
    #[arg(long, value_delimiter = ',', default_values_t = Options::default().sizes)]
    sizes: Vec<usize>,
    /// Ω*
    #[arg(long, value_name = "R", default_value_t)]
    relations: Relations,
    /// Pairs of each kind at each size below 10,000 pids; one beyond
    #[arg(long, default_value_t = Options::default().pairs)]
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

pub fn run(args: Args, mut parts: Stream) -> anyhow::Result<Done> {
    let backends = backends(args.common.backends.chosen())?;
    let Args { sizes, relations, pairs, one_thread, .. } = args;
    let (seed, timeout) = (args.common.seed, args.timeout.0);
    let threads = if one_thread { ", one thread" } else { "" };
    note!("seed {seed}, relations {relations}, {timeout:?} per decision{threads}");
    let options = Options { sizes, relations, pairs, timeout, one_thread, seed };
    let (sizes, mut done) = (options.sizes.clone(), Vec::new());
    let (mut rows, mut ratios) = (Vec::new(), Vec::new());
    let complete = watched(
        move |report| Ok(measure(&options, &backends, report)?),
        |size: Size| {
            for Row { backend, pids, .. } in size.rows.iter().filter(|row| row.wrong) {
                heartbeat::pause(|| note!("{backend} is wrong on a pair of {pids} pids"));
            }
            heartbeat::pause(|| parts.part(|out| write_size(&size, out)))?;
            done.extend(size.rows.first().map(|row| row.pids));
            rows.extend(size.rows);
            ratios.extend(size.ratios);
            // times grow about as sizes do
            let share = done.iter().sum::<usize>() as f64 / sizes.iter().sum::<usize>() as f64;
            let far = format!("{} of {} sizes measured", done.len(), sizes.len());
            heartbeat::say_share(far, share);
            Ok(())
        },
        "the sizes so far are shown",
    )?;
    let measurements = Measurements {
        format: "pidlab-bench-engine/1",
        seed,
        relations: relations.to_string(),
        one_thread,
        growth: growth(&rows),
        outcome: outcome(rows.iter().any(|row| row.wrong), complete),
        rows,
        ratios,
    };
    Ok(measurements.into())
}

/// The whole and the decision alone, as text.
fn cells(row: &Row) -> [String; 2] {
    match row.time {
        Some(time) => [human(time.seconds), human(time.decide_seconds)],
        None => [row.status.clone(), String::new()],
    }
}

fn write_size(Size { rows, ratios }: &Size, out: &mut dyn Write) -> io::Result<()> {
    let Some(Row { pids, .. }) = rows.first() else { return Ok(()) };
    writeln!(out, "{pids} pids")?;
    let line = |[a, b, c, d, e]: [&str; 5]| format!("  {a:<18} {b:>12} {c:>12} {d:>14} {e:>12}");
    writeln!(out, "{}", line(["", "equivalent", "decide only", "near-miss", "decide only"]))?;
    let (equivalent, near) = rows.split_at(rows.len() / KINDS.len());
    for (first, second) in equivalent.iter().zip(near) {
        let ([a, b], [c, d]) = (cells(first), cells(second));
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
