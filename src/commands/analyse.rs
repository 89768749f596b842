//! `pidlab analyse`: fits, segments, components and verdicts of a run.

use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows, painted};
use pidlab_harness::analyse::{Analysis, Series};
use pidlab_harness::claims::{Decided, Judgement};
use pidlab_harness::pipeline;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Analyse a run: growth verdicts, the published segment procedure, claims; writes analysis.json
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab analyse results/local/sacs10-small
  pidlab analyse mine --json | jq '.claims[].verdict'")]
pub struct Args {
    /// Run folder, as `pidlab run` printed it
    run: PathBuf,
}

#[derive(Serialize)]
struct Analysed {
    format: &'static str,
    run: String,
    analysis: Analysis,
    claims: Vec<Decided>,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let finished = pipeline::analyse(&args.run)?;
    let analysed = Analysed {
        format: "pidlab-analysis-result/1",
        run: args.run.display().to_string(),
        analysis: finished.analysis,
        claims: finished.claims,
    };
    Ok(analysed.into())
}

impl Document for Analysed {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        self.analysis.series.iter().try_for_each(|series| write_growth(series, out))?;
        for failures in &self.analysis.failures {
            writeln!(out, "FAILED: {}", failures.sentence())?;
        }
        write_claims(&self.claims, out)?;
        writeln!(out, "\nall numbers: {}", Path::new(&self.run).join("analysis.json").display())
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of(
            "backend relations graph rows censored_states growth.states growth.exponent.value \
             growth.exponent.low growth.exponent.high",
            &self.analysis.series,
        )
    }
}

fn write_growth(series: &Series, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{} {{{}}} {}: ", series.backend, series.relations, series.graph)?;
    match &series.growth {
        Some(growth) => {
            let (verdict, states, of) = (growth.text(), growth.states, &growth.variable);
            writeln!(out, "exponent of {of} {}, {verdict} ({states} states)", growth.exponent)
        }
        None => writeln!(out, "too few states for a fit"),
    }?;
    if let Some(crossed) = &series.crossed {
        let (pids, vectors) = (crossed.pids, crossed.vectors);
        writeln!(
            out,
            "    apart: exponent of p {pids}, of vectors {vectors} ({} states)",
            crossed.states
        )?;
    }
    if let Some(building) = &series.building {
        write!(out, "    building: {:.0} % of the time", 100.0 * building.share)?;
        match building.exponent {
            Some(exponent) => writeln!(out, ", exponent {exponent}")?,
            None => writeln!(out)?,
        }
    }
    Ok(())
}

/// A claim that was not reproduced is a result, but not the one that was hoped for.
fn color(verdict: Judgement) -> Outcome {
    match verdict {
        Judgement::Reproduced | Judgement::Holds => Outcome::Yes,
        Judgement::NotReproduced | Judgement::DoesNotHold => Outcome::No,
        Judgement::Inconclusive => Outcome::Undecided,
    }
}

/// The verdict table: the paper's claim beside ours.
pub fn write_claims(claims: &[Decided], out: &mut dyn Write) -> io::Result<()> {
    for claim in claims {
        let verdict = painted(color(claim.verdict), claim.verdict.text());
        writeln!(out, "\n{verdict:<14} {}  [{}]", claim.id, claim.source)?;
        writeln!(out, "    claim:     {}", claim.claim)?;
        if let Some(program) = &claim.program {
            writeln!(out, "    program:   {program}")?;
        }
        writeln!(out, "    published: {}", claim.paper)?;
        writeln!(out, "    ours:      {}", claim.ours)?;
        if let Some(explanation) = &claim.explanation {
            writeln!(out, "    why:       {explanation}")?;
        }
    }
    Ok(())
}

const CLAIM_COLUMNS: &str = "id paper ours verdict claim experiment explanation interval.high \
    interval.low interval.value source program";

/// A record for each claim.
pub fn claim_rows(claims: &[Decided]) -> anyhow::Result<Rows> {
    Rows::of(CLAIM_COLUMNS, claims)
}
