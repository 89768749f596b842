//! Beacon'01 on Rockall, reproduced: the paper's numbers beside ours.

use crate::answer::{Certificate, Document, Verdict};
use crate::budget::Budget;
use crate::net::Net;
use crate::parse::bp::{self, Machine};
use crate::solve::{Options, SolveError, solve};
use crate::stress::{StressOptions, stress};
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::Duration;

/// How much to spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Smoke,
    Small,
    Paper,
}

impl Scale {
    /// Seconds for the growth of explicit search, and random machines for the completeness claim.
    fn limits(self) -> (u64, u64) {
        match self {
            Scale::Smoke => (1, 5_000),
            Scale::Small => (8, 200_000),
            Scale::Paper => (60, 1_000_000),
        }
    }
}

/// The report of a reproduction.
#[derive(Clone, Debug, Serialize)]
pub struct Reproduction {
    pub format: String,
    pub name: String,
    pub claims: Vec<Claim>,
    pub variants: Vec<Variant>,
    /// Growth of the explicit search with the number of threads.
    pub bounded: Vec<BoundedRow>,
    pub algorithms: Vec<AlgorithmRow>,
}

/// A statement of the paper beside what we find.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    pub id: String,
    pub paper: String,
    pub ours: String,
    pub verdict: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct Variant {
    pub model: String,
    pub expected: Verdict,
    pub verdict: Verdict,
    pub algorithm: String,
    pub threads: Option<u64>,
    pub steps: Option<usize>,
    pub seconds: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct BoundedRow {
    pub threads: u32,
    pub markings: u64,
    pub seconds: f64,
    pub finished: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct AlgorithmRow {
    pub algorithm: String,
    pub verdict: Verdict,
    pub explored: u64,
    pub kept: u64,
    pub seconds: f64,
}

/// Why a reproduction could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    #[error("{model}: {source}")]
    Model { model: String, source: crate::error::ParseError },
    #[error(transparent)]
    Solve(#[from] SolveError),
    #[error("the reproduction was stopped: {0}")]
    Stopped(#[from] crate::error::Stop),
}

macro_rules! model {
    ($name:literal, $expected:ident) => {
        ($name, Verdict::$expected, include_str!(concat!("../../models/", $name)))
    };
}

/// Name, verdict it must have, and source of every Rockall model.
pub const MODELS: [(&str, Verdict, &str); 11] = [
    model!("rockall.bp", Safe),
    model!("rockall-strict.bp", Safe),
    model!("rockall-no-find-lock.bp", Safe),
    model!("rockall-no-newpage-lock.bp", Safe),
    model!("rockall-no-lock-B0_New.bp", Unsafe),
    model!("rockall-no-lock-B0_Delete.bp", Unsafe),
    model!("rockall-no-lock-FetchFromB1.bp", Unsafe),
    model!("rockall-no-lock-B1_New.bp", Unsafe),
    model!("rockall-no-lock-GiveToB1.bp", Unsafe),
    model!("rockall-no-lock-B1_Delete.bp", Unsafe),
    model!("rockall-no-subdivided-check.bp", Unsafe),
];

/// More memory than this no part of a reproduction takes, whatever the budget says.
const MEMORY: u64 = 8 << 30;

/// Runs the whole reproduction; a budget that ends leaves nothing, since claims need all parts.
pub fn reproduce_rockall(
    scale: Scale,
    seed: u64,
    budget: &Budget,
) -> Result<Reproduction, ReproduceError> {
    let budget = &budget.capped(MEMORY);
    let (seconds, machines) = scale.limits();
    let machine = load(MODELS[0].0, MODELS[0].2)?;
    let algorithms = full_searches(&machine, seconds, budget)?;
    let bounded = growth(&machine, Duration::from_secs(seconds), budget)?;
    let variants = MODELS.iter().map(|model| run_variant(model, budget));
    let variants = variants.collect::<Result<Vec<_>, _>>()?;
    let mut claims = machine_claims(&machine, &algorithms);
    claims.push(limit_claim(&bounded));
    claims.push(variant_claim(&variants));
    claims.push(completeness_claim(machines, seed, budget)?);
    Ok(Reproduction {
        format: "pidlab-reproduce/1".into(),
        name: "beacon-rockall".into(),
        claims,
        variants,
        bounded,
        algorithms: algorithms.into_iter().map(|a| a.0).collect(),
    })
}

fn load(name: &str, source: &str) -> Result<Machine, ReproduceError> {
    bp::build(source).map_err(|source| ReproduceError::Model { model: name.into(), source })
}

/// Decides within `time` of the budget, which must still be good afterwards.
fn decide(
    net: &Net,
    algorithm: &str,
    time: Duration,
    reduce: bool,
    budget: &Budget,
) -> Result<Document, ReproduceError> {
    let options = Options { algorithm: algorithm.into(), budget: budget.slice(time), reduce };
    let document = solve(net, &options)?;
    budget.poll()?;
    Ok(document)
}

/// Every algorithm on the whole machine, nothing merged or forgotten: what the paper's tool did.
fn full_searches(
    machine: &Machine,
    seconds: u64,
    budget: &Budget,
) -> Result<Vec<(AlgorithmRow, Document)>, ReproduceError> {
    ["beacon", "beacon:bfs", "mp", "backward", "karp-miller"]
        .into_iter()
        .map(|name| {
            let document = decide(&machine.net, name, Duration::from_secs(seconds), false, budget)?;
            let row = AlgorithmRow {
                algorithm: name.into(),
                verdict: document.verdict,
                explored: document.explored,
                kept: document.kept,
                seconds: document.seconds,
            };
            Ok((row, document))
        })
        .collect()
}

fn growth(
    machine: &Machine,
    time: Duration,
    budget: &Budget,
) -> Result<Vec<BoundedRow>, ReproduceError> {
    let start = std::time::Instant::now();
    let mut rows = Vec::new();
    for threads in 1.. {
        let left = time.saturating_sub(start.elapsed());
        let algorithm = format!("bounded:{threads}");
        let document = decide(&machine.net, &algorithm, left, false, budget)?;
        let finished = document.reason.as_ref().is_some_and(|r| r.contains("no violation"));
        let (markings, seconds) = (document.kept, document.seconds);
        rows.push(BoundedRow { threads, markings, seconds, finished });
        if !finished {
            break;
        }
    }
    Ok(rows)
}

fn run_variant(model: &(&str, Verdict, &str), budget: &Budget) -> Result<Variant, ReproduceError> {
    let &(name, expected, source) = model;
    let start = std::time::Instant::now();
    let machine = load(name, source)?;
    let document = decide(&machine.net, "auto", Duration::from_secs(60), true, budget)?;
    Ok(Variant {
        model: name.into(),
        expected,
        verdict: document.verdict,
        algorithm: document.algorithm,
        threads: document.trace.as_ref().map(|t| t.threads),
        steps: document.trace.as_ref().map(|t| t.steps.len()),
        seconds: start.elapsed().as_secs_f64(),
    })
}

fn claim(id: &str, paper: &str, ours: String, verdict: &str) -> Claim {
    Claim { id: id.into(), paper: paper.into(), ours, verdict: verdict.into() }
}

fn machine_claims(machine: &Machine, runs: &[(AlgorithmRow, Document)]) -> Vec<Claim> {
    let (beacon, document) = &runs[0];
    let safe = runs.iter().all(|(row, _)| row.verdict != Verdict::Unsafe)
        && beacon.verdict == Verdict::Safe;
    let reached = reachable_shared(document);
    vec![
        claim(
            "safety",
            "safe for any number of threads",
            format!("{:?} (checked certificate)", beacon.verdict).to_lowercase(),
            if safe { "confirmed" } else { "refuted" },
        ),
        claim(
            "shared-states",
            "2048 (11 variables)",
            format!("{} declared, {reached} reachable", machine.shared_declared),
            if machine.shared_declared == 2048 { "confirmed" } else { "differs" },
        ),
        claim(
            "local-states",
            "256 (8 variables, control included)",
            format!("{} used (program point and live variables)", machine.local_used),
            "model reconstructed, counts not comparable",
        ),
        claim(
            "configurations",
            "about 2 million explored",
            format!("{} explored, {} in the closed set", beacon.explored, beacon.kept),
            "fewer: no dead local bits are enumerated",
        ),
        claim(
            "time",
            "240 minutes (800 MHz Pentium III)",
            format!("{:.3} s", beacon.seconds),
            "shown, hardware not comparable",
        ),
    ]
}

/// Shared states that occur in a forward certificate.
fn reachable_shared(document: &Document) -> usize {
    let Some(Certificate::Forward { configurations, .. }) = &document.certificate else {
        return 0;
    };
    let places = configurations.iter().flat_map(|c| c.keys());
    places.filter(|name| name.starts_with("shared{")).collect::<BTreeSet<_>>().len()
}

fn limit_claim(rows: &[BoundedRow]) -> Claim {
    let last = rows.iter().rfind(|row| row.finished);
    let ours = last.map_or("none finished".into(), |row| {
        format!("{} threads finished, {} markings", row.threads, row.markings)
    });
    let beyond = last.is_some_and(|row| row.threads > 4);
    let verdict = match beyond {
        true => "explicit search goes further but never covers all numbers",
        false => "similar limit",
    };
    claim("explicit-limit", "SMV stops beyond 4 threads", ours, verdict)
}

fn variant_claim(variants: &[Variant]) -> Claim {
    let right = variants.iter().filter(|v| v.verdict == v.expected).count();
    let slowest = variants.iter().map(|v| v.seconds).fold(0.0, f64::max);
    let verdict = if right == variants.len() { "as expected" } else { "differs" };
    let ours = format!("{right} of {} as expected, slowest {slowest:.3} s", variants.len());
    claim("broken-variants", "not in the paper", ours, verdict)
}

/// A machine on which the breadth-first schedule misses a reachable shared state.
const LOST_BREADTH_FIRST: &str = include_str!("../../models/beacon-bfs-incomplete.lgfsm");

fn completeness_claim(machines: u64, seed: u64, budget: &Budget) -> Result<Claim, ReproduceError> {
    let model = |source| ReproduceError::Model { model: "beacon-bfs-incomplete".into(), source };
    let stored = crate::parse::lgfsm::parse(LOST_BREADTH_FIRST).map_err(model)?;
    let time = Duration::from_secs(10);
    let breadth_first = decide(&stored, "beacon:bfs", time, false, budget)?.verdict;
    let truth = decide(&stored, "auto", time, false, budget)?.verdict;
    let refuted = breadth_first == Verdict::Unknown && truth == Verdict::Unsafe;
    let report = stress(&StressOptions { first: 0, machines, seed, budget: budget.detached() })?;
    let counts: Vec<String> =
        report.schedules.iter().map(|s| format!("{}: {}", s.schedule, s.incomplete)).collect();
    let depth_first = report.schedules[0].incomplete == 0;
    let verdict = match (depth_first, refuted) {
        (false, _) => "refuted",
        (true, true) => "holds depth-first, fails breadth-first",
        (true, false) => "no counterexample",
    };
    let ours = format!(
        "breadth-first misses a reachable state of the stored machine: {refuted}; incomplete runs \
         among {machines} random machines: {}",
        counts.join(", ")
    );
    Ok(claim("completeness", "complete for every worklist order (appendix B)", ours, verdict))
}
