//! `pidlab report`: one self-contained HTML page for a run, or one table of the claims of many.

use super::analyse::claim_rows;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows};
use pidlab_harness::claims::Decided;
use pidlab_harness::pipeline;
use pidlab_harness::report::seeds::{self, Agreement, Repeated};
use pidlab_harness::report::summary;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Write the report of a run: one HTML file with claims, figures, fits, correctness and machine
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab report results/local/sacs10-small
  pidlab report seed-1 seed-2 seed-3 --claims")]
pub struct Args {
    /// Run folder, as `pidlab run` printed it; with --claims, a folder of run folders, or several such folders
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Instead, print one table of the claims of all runs in the folder, as Markdown; of several folders, with the same
    /// experiments each (other seeds, other machines), whether their verdicts agree: exit code 1 if they contradict each other
    #[arg(long)]
    claims: bool,
    /// With --claims: put the table between the lines `<!-- claims: begin -->` and `<!-- claims: end -->` of this file; that of
    /// several folders between `<!-- seeds: begin -->` and `<!-- seeds: end -->`
    #[arg(long, value_name = "FILE", requires = "claims")]
    into: Option<PathBuf>,
}

#[derive(Serialize)]
struct Reported {
    format: &'static str,
    run: String,
    report: String,
    claims: Vec<Decided>,
}

/// The claims of many runs.
#[derive(Serialize)]
struct Summary {
    format: &'static str,
    runs: Vec<String>,
    claims: Vec<Decided>,
    written: Option<PathBuf>,
    #[serde(skip)]
    table: String,
}

/// The claims of several folders beside each other.
#[derive(Serialize)]
struct Agreed {
    format: &'static str,
    folders: Vec<PathBuf>,
    claims: Vec<Repeated>,
    written: Option<PathBuf>,
}

fn compare(args: Args) -> anyhow::Result<Done> {
    let folders: Vec<_> =
        args.runs.iter().map(|folder| summary::read(folder)).collect::<anyhow::Result<_>>()?;
    let claims = seeds::repeated(&folders);
    if let Some(file) = &args.into {
        summary::put_into(file, "seeds", &seeds::markdown(&claims))?;
    }
    let format = "pidlab-claims-agreement/1";
    Ok(Agreed { format, folders: args.runs, claims, written: args.into }.into())
}

impl Document for Agreed {
    fn outcome(&self) -> Outcome {
        match self.claims.iter().any(|claim| claim.agreement == Agreement::Contradictory) {
            true => Outcome::No,
            false => Outcome::Yes,
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.written {
            Some(file) => writeln!(out, "{}: {}", file.display(), seeds::tally(&self.claims)),
            None => write!(out, "{}", seeds::markdown(&self.claims)),
        }
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("id experiment scale program claim verdicts agreement", &self.claims)
    }
}

fn summarize(args: Args, folder: &Path) -> anyhow::Result<Done> {
    let runs = summary::read(folder)?;
    let table = summary::markdown(&runs);
    if let Some(file) = &args.into {
        summary::put_into(file, "claims", &table)?;
    }
    let (names, claims): (Vec<_>, Vec<_>) =
        runs.into_iter().map(|(name, run)| (name, run.claims)).unzip();
    let claims = claims.into_iter().flatten().collect();
    let format = "pidlab-claims-table/1";
    Ok(Summary { format, runs: names, claims, written: args.into, table }.into())
}

impl Document for Summary {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.written {
            Some(file) => writeln!(out, "{}", file.display()),
            None => write!(out, "{}", self.table),
        }
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        claim_rows(&self.claims)
    }
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let folder = match args.runs.as_slice() {
        [folder] => folder.clone(),
        _ if args.claims => return compare(args),
        _ => {
            anyhow::bail!("a report is of one run; --claims compares the claims of several folders")
        }
    };
    if args.claims {
        return summarize(args, &folder);
    }
    let finished = pipeline::open(&folder)?;
    let report = finished.report(&finished.plot()?)?.display().to_string();
    let (run, claims) = (folder.display().to_string(), finished.claims);
    Ok(Reported { format: "pidlab-report/1", run, report, claims }.into())
}

impl Document for Reported {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.report)
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        claim_rows(&self.claims)
    }
}
