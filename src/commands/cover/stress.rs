//! `pidlab cover --stress`: random machines on which the published algorithm is incomplete.

use super::Args;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Open, Rows};
use pidlab_cover::{StressOptions, StressReport, stress};
use serde::Serialize;
use serde_json::json;
use std::io::{self, Write};

/// Seed of the random machines.
const SEED: u64 = 2001;

pub fn run(args: &Args) -> anyhow::Result<Done> {
    let (first, machines, seed) = (args.first, args.machines, args.run.seed.unwrap_or(SEED));
    let options = StressOptions { first, machines, seed, budget: args.run.limits.budget() };
    match stress(&options) {
        Ok(report) => Ok(Stressed(report).into()),
        Err(stop) => {
            let known = json!({"format": "pidlab-cover-stress/1", "seed": seed, "schedules": []});
            Ok(Open::new(Outcome::Undecided, stop.describe(&options.budget), known).into())
        }
    }
}

#[derive(Serialize)]
struct Stressed(StressReport);

impl Document for Stressed {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let report = &self.0;
        writeln!(out, "seed {}, {} machines", report.seed, report.machines)?;
        for row in &report.schedules {
            writeln!(
                out,
                "{:22} {:>6} incomplete, {:>6} lost a shared state, {:>6} never reached it",
                row.schedule, row.incomplete, row.lost_shared_state, row.never_met
            )?;
        }
        let (schedules, incomplete) = (report.finkel_schedules, report.finkel_incomplete);
        writeln!(out, "net of Finkel et al. 2005: {schedules} schedules, {incomplete} incomplete")?;
        for row in &report.schedules {
            if let (Some(example), Some(number)) = (&row.example, row.example_machine) {
                writeln!(out, "\n# {}: machine {number}\n{}", row.schedule, example.trim_end())?;
            }
        }
        Ok(())
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of(
            "schedule example example_machine incomplete lost_shared_state never_met",
            &self.0.schedules,
        )
    }
}
