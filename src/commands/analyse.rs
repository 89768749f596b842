//! `pidlab analyse`: fits, segments, components and verdicts of a run.

use crate::outcome::Outcome;
use crate::output;
use pidlab_harness::claims::Decided;
use pidlab_harness::pipeline::{self, Finished};
use serde_json::json;
use std::path::PathBuf;

/// Analyse a run: growth verdicts, the published segment procedure, claims; writes analysis.json
#[derive(clap::Args)]
pub struct Args {
    /// Run folder, as `pidlab run` printed it
    run: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let finished = pipeline::analyse(&args.run)?;
    if args.json {
        let document = json!({
            "format": "pidlab-analysis-result/1",
            "run": args.run.display().to_string(),
            "analysis": finished.analysis,
            "claims": finished.claims,
        });
        output::pretty(&document)?;
        return Ok(Outcome::Yes);
    }
    print_growth(&finished);
    print_claims(&finished.claims);
    outln!("\nall numbers: {}", args.run.join("analysis.json").display());
    Ok(Outcome::Yes)
}

fn print_growth(finished: &Finished) {
    for series in &finished.analysis.series {
        let name = format!("{} {{{}}} {}", series.backend, series.relations, series.graph);
        match &series.growth {
            Some(growth) => outln!(
                "{name}: exponent {}, {} ({} states)",
                growth.exponent,
                growth.verdict.text(),
                growth.states
            ),
            None => outln!("{name}: too few states for a fit"),
        }
    }
    for failures in &finished.analysis.failures {
        outln!("FAILED: {}", failures.sentence());
    }
}

/// The verdict table: the paper's claim beside ours.
pub fn print_claims(claims: &[Decided]) {
    for claim in claims {
        outln!("\n{:<14} {}  [{}]", claim.verdict.text(), claim.id, claim.source);
        outln!("    claim:     {}", claim.claim);
        outln!("    published: {}", claim.paper);
        outln!("    ours:      {}", claim.ours);
        if let Some(explanation) = &claim.explanation {
            outln!("    why:       {explanation}");
        }
    }
}
