//! `pidlab fuzz`: random inputs on which every exact method must agree with every other and with the checkers.

use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows};
use anyhow::{Context, Result, ensure};
use pidlab_differential::{Coverability, Finding, Heaps, Nets, Pairs, Report, Settings, examine};
use pidlab_harness::store::Folder;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Hold exact methods against each other on random inputs; keep what contradicts, made small
///
/// Case i is the same for every number of cores. Exit code 0 if nothing was found, 4 with the files of each
/// finding if something was, 3 if Ctrl-C came first.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab fuzz pairs --seconds 60
  pidlab fuzz cover --seconds 3600 --seed 7
  pidlab fuzz nets --first 1234 --cases 1     (one case again)")]
pub struct Args {
    /// What is drawn
    kind: Kind,
    /// How long
    #[arg(long, default_value_t = 30.0, value_name = "N")]
    seconds: f64,
    /// Seed of the cases
    #[arg(long, default_value_t = 2010)]
    seed: u64,
    /// The first case
    #[arg(long, default_value_t = 0, value_name = "N")]
    first: u64,
    /// So many cases and no more
    #[arg(long, value_name = "N")]
    cases: Option<u64>,
    /// Threads [default: one a core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Folder for what is found [default: results/local/fuzz-KIND]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// Two states: exact backends, guarantees, canonical forms, checker, all bijections
    Pairs,
    /// Nets: ways to search, and a search over states by the engine
    Nets,
    /// Heap programs: symmetries, visited sets, orders of search
    Heap,
    /// Coverability: algorithms, both readers, the checker, plain searches
    Cover,
}

impl Kind {
    fn examine(self, settings: &Settings) -> Report {
        match self {
            Kind::Pairs => examine(Pairs::default, settings),
            Kind::Nets => examine(|| Nets, settings),
            Kind::Heap => examine(|| Heaps, settings),
            Kind::Cover => examine(|| Coverability, settings),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Pairs => "pairs",
            Kind::Nets => "nets",
            Kind::Heap => "heap",
            Kind::Cover => "cover",
        }
    }
}

#[derive(Serialize)]
struct Fuzzed {
    format: &'static str,
    kind: Kind,
    seed: u64,
    first: u64,
    seconds: f64,
    complete: bool,
    cases: u64,
    comparisons: u64,
    findings: Vec<Kept>,
}

/// A finding and its files.
#[derive(Serialize)]
struct Kept {
    case: u64,
    what: &'static str,
    message: String,
    files: Vec<PathBuf>,
}

pub fn run(args: Args) -> Result<Done> {
    let begin = Instant::now();
    let time = Duration::try_from_secs_f64(args.seconds).ok().with_context(|| {
        format!("--seconds {}: expected a number of seconds, such as 30", args.seconds)
    })?;
    ensure!(args.threads != Some(0), "--threads 0: expected one thread at least");
    let mut settings = Settings::for_time(args.seed, time);
    settings.budget = settings.budget.interrupted_by(interrupt::flag());
    settings.cases = args.cases;
    settings.first = args.first;
    settings.threads = args.threads.unwrap_or(settings.threads).min(1024);
    let report = args.kind.examine(&settings);
    let findings = keep(&args, report.findings)?;
    Ok(Fuzzed {
        format: "pidlab-fuzz/1",
        kind: args.kind,
        seed: args.seed,
        first: args.first,
        seconds: begin.elapsed().as_secs_f64(),
        complete: !interrupt::pressed(),
        cases: report.cases,
        comparisons: report.comparisons,
        findings,
    }
    .into())
}

/// Writes every finding to a folder of its own; without one no folder is made.
fn keep(args: &Args, findings: Vec<Finding>) -> Result<Vec<Kept>> {
    if findings.is_empty() {
        return Ok(Vec::new());
    }
    let usual = || PathBuf::from(format!("results/local/fuzz-{}", args.kind.name()));
    let out = Folder::open(&args.out.clone().unwrap_or_else(usual))?;
    let write = |finding: Finding| {
        let folder = out.subfolder(&format!("seed-{}-case-{}", args.seed, finding.case))?;
        let files: Result<Vec<PathBuf>> =
            finding.files.iter().map(|(name, bytes)| folder.write(name, bytes)).collect();
        let (what, message) = (finding.contradiction.kind, finding.contradiction.message);
        folder.write("message.txt", format!("{what}: {message}\n").as_bytes())?;
        Ok(Kept { case: finding.case, what, message, files: files? })
    };
    findings.into_iter().map(write).collect()
}

impl Document for Fuzzed {
    fn outcome(&self) -> Outcome {
        match (self.findings.is_empty(), self.complete) {
            (true, true) => Outcome::Yes,
            (true, false) => Outcome::Undecided,
            _ => Outcome::Disagreement,
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for found in &self.findings {
            writeln!(out, "case {}: {}: {}", found.case, found.what, found.message)?;
            for file in &found.files {
                writeln!(out, "  {}", file.display())?;
            }
        }
        let Fuzzed { seed, seconds, cases, comparisons, findings, complete, .. } = self;
        let ended = if *complete { "" } else { ", interrupted" };
        writeln!(
            out,
            "{cases} cases, {comparisons} comparisons, {} findings in {seconds:.1} s (seed {seed}){ended}",
            findings.len()
        )
    }

    fn rows(&self) -> Result<Rows> {
        Rows::of("case what message files", &self.findings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use pidlab_differential::Contradiction;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn findings_are_kept_in_a_folder_of_ours() {
        let folder = std::env::temp_dir().join(format!("pidlab-fuzz-{}", std::process::id()));
        let out = folder.to_string_lossy().into_owned();
        let args = Line::parse_from(["fuzz", "nets", "--seed", "3", "--out", &out]).args;
        let finding = Finding {
            case: 12,
            contradiction: Contradiction { kind: "counts", message: "7, not 8".into() },
            files: vec![("net.tnet".into(), b"net x".to_vec())],
        };
        let kept = keep(&args, vec![finding]).unwrap();
        assert_eq!(kept[0].files, [folder.join("seed-3-case-12/net.tnet")]);
        assert_eq!(std::fs::read(&kept[0].files[0]).unwrap(), b"net x");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
