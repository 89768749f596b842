//! `pidlab bench verdicts`: how often verdicts are wrong, on synthetic data of known truth.

use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, Stream};
use crate::{heartbeat, interrupt};
use pidlab_harness::claims;
use pidlab_harness::claims::Interval;
use pidlab_harness::claims::rates::{self, Rates, coverage, share};
use pidlab_harness::experiment::{ScaleName, library};
use serde::Serialize;
use std::io::{self, Write};

/// Simulate every claim about times at the design of its experiment: rates of wrong verdicts, coverage of intervals
///
/// Times are drawn in worlds where the claim is true and in worlds where it is false by little. Exit code 1 means that a
/// rate of wrong verdicts is above 5 %, or the coverage of the 95 % intervals outside 93 to 97 %, by more than chance explains.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab bench verdicts sacs10
  pidlab bench verdicts --scale smoke --runs 20 --csv")]
pub struct Args {
    /// Only claims of this experiment
    experiment: Option<String>,
    #[arg(long, value_enum, default_value = "small")]
    scale: ScaleName,
    /// Simulated runs in each world
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Serialize)]
struct Verdicts {
    format: &'static str,
    scale: ScaleName,
    runs: u32,
    seed: u64,
    worlds: Vec<Rates>,
    /// Verdicts "reproduced" where the claim is false.
    falsely_reproduced: Option<Interval>,
    /// Verdicts "not reproduced" where the claim is true.
    falsely_not_reproduced: Option<Interval>,
    coverage: Option<Interval>,
}

/// Highest rate of wrong verdicts of a kind.
const MOST_WRONG: f64 = 0.05;
/// Coverage of intervals.
const COVERAGE: (f64, f64) = (0.93, 0.97);

pub fn run(args: Args, mut parts: Stream) -> anyhow::Result<Done> {
    interrupt::end_with("what has been shown holds");
    heartbeat::start("simulating");
    let experiments = library::all()?;
    let mut worlds = Vec::new();
    let mut claims = claims::all()?;
    claims.retain(|claim| {
        let wanted = args.experiment.as_ref().is_none_or(|name| *name == claim.experiment);
        wanted && rates::is_simulated(claim)
    });
    for (number, claim) in claims.iter().enumerate() {
        let about = experiments.iter().find(|experiment| experiment.name == claim.experiment);
        let Some(experiment) = about else { continue };
        let runs = args.runs as usize;
        let far = format!("simulating {}, claim {} of {}", claim.id, number + 1, claims.len());
        heartbeat::say_share(far, number as f64 / claims.len() as f64);
        for rates in rates::rates(claim, experiment, args.scale, runs, args.seed) {
            heartbeat::pause(|| parts.part(|out| write_rates(&rates, out)))?;
            worlds.push(rates);
        }
    }
    anyhow::ensure!(!worlds.is_empty(), "no claim about times belongs to that experiment");
    let wrong = |holds: bool| {
        let of: Vec<&Rates> = worlds.iter().filter(|rates| rates.holds == holds).collect();
        let count = |value: &dyn Fn(&Rates) -> usize| of.iter().map(|rates| value(rates)).sum();
        share(count(&Rates::wrong), count(&|rates| rates.runs))
    };
    let (falsely_reproduced, falsely_not_reproduced) = (wrong(false), wrong(true));
    let (format, coverage) = ("pidlab-verdict-rates/1", coverage(&worlds));
    let (scale, runs, seed) = (args.scale, args.runs, args.seed);
    let found = Verdicts {
        format,
        scale,
        runs,
        seed,
        worlds,
        falsely_reproduced,
        falsely_not_reproduced,
        coverage,
    };
    Ok(found.into())
}

fn percent(of: Option<Interval>) -> String {
    of.map_or("–".into(), |share| {
        let [value, low, high] = [share.value, share.low, share.high].map(|x| 100.0 * x);
        format!("{value:.1} % [{low:.1}, {high:.1}]")
    })
}

fn write_rates(rates: &Rates, out: &mut dyn Write) -> io::Result<()> {
    let claim = if rates.holds { "true" } else { "false" };
    write!(out, "{}, {} states, {} (claim {claim}): ", rates.claim, rates.states, rates.truth)?;
    write!(out, "wrong {}", percent(share(rates.wrong(), rates.runs)))?;
    let decided = rates.reproduced + rates.not_reproduced;
    write!(out, ", decided {} of {}", decided, rates.runs)?;
    match share(rates.covered, rates.intervals) {
        Some(covered) => writeln!(out, ", interval holds the truth in {}", percent(Some(covered))),
        None => writeln!(out),
    }
}

impl Verdicts {
    /// No world is worse than the bars by more than chance explains.
    fn keeps_the_bars(&self) -> bool {
        let world = |rates: &Rates| {
            share(rates.wrong(), rates.runs).is_none_or(|wrong| wrong.low <= MOST_WRONG)
        };
        let covers = self.coverage.is_none_or(|c| c.high >= COVERAGE.0 && c.low <= COVERAGE.1);
        self.worlds.iter().all(world) && covers
    }
}

impl Document for Verdicts {
    fn outcome(&self) -> Outcome {
        if self.keeps_the_bars() { Outcome::Yes } else { Outcome::No }
    }

    /// The worlds have been shown one by one.
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "\nscale {}, {} runs a world, seed {}",
            self.scale.name(),
            self.runs,
            self.seed
        )?;
        writeln!(out, "falsely \"reproduced\": {} (bar: 5 %)", percent(self.falsely_reproduced))?;
        let not = percent(self.falsely_not_reproduced);
        writeln!(out, "falsely \"not reproduced\": {not} (bar: 5 %)")?;
        writeln!(
            out,
            "95 % intervals hold the truth in {} (bar: 93 to 97 %)",
            percent(self.coverage)
        )
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of(
            "claim truth holds states runs reproduced not_reproduced covered intervals",
            &self.worlds,
        )
    }
}
