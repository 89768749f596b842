//! One session of `pidlab run`: open the folder, run what is missing, judge, export.

use crate::execute::schedule::{Scheduler, SessionEnd};
use crate::execute::signals::Signals;
use crate::experiment::library::ExperimentSource;
use crate::experiment::{Experiment, ScaleName};
use crate::kinds::{self, Finding};
use crate::plan::Plan;
use crate::remedy::Remedy;
use crate::shard::Shard;
use crate::store::failures::{self, Failures};
use crate::store::manifest::{End, Session};
use crate::store::overhead::Overhead;
use crate::store::provenance::Provenance;
use crate::store::{FoundRows, Store};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What a session is asked to do.
pub struct Request {
    /// The experiment.
    pub experiment: ExperimentSource,
    /// How much of it.
    pub scale: ScaleName,
    /// Another seed than the experiment's.
    pub seed: Option<u64>,
    /// Others than the experiment's backends.
    pub backends: Option<Vec<String>>,
    /// The part of the rows to measure, if not all.
    pub shard: Option<Shard>,
    /// Another run folder than [`default_folder`].
    pub out: Option<PathBuf>,
    /// Worker processes, if not one a core.
    pub workers: Option<usize>,
    /// Another time limit of a row than the experiment's.
    pub seconds: Option<f64>,
    /// Another memory limit.
    pub memory_mib: Option<u64>,
    /// Whether an earlier run in the folder is discarded.
    pub fresh: bool,
}

/// What it came to.
pub struct Report {
    /// The run folder.
    pub folder: PathBuf,
    /// The part of the rows that it is about, if not all.
    pub shard: Option<Shard>,
    /// How it ended.
    pub end: End,
    /// Rows that are there.
    pub rows: u64,
    /// Rows of the plan, or of the shard.
    pub rows_total: u64,
    /// Rows of this session that a worker did not survive.
    pub lost: u64,
    /// How long the session took.
    pub seconds: f64,
    /// What the harness itself cost.
    pub overhead: Overhead,
    /// Contradictions.
    pub findings: Vec<Finding>,
    /// Where the shrunk contradicting pairs are.
    pub reproducers: Vec<PathBuf>,
    /// Backends that failed.
    pub failures: Vec<Failures>,
}

impl Report {
    /// Whether the run is complete and has something to say of every backend.
    pub fn is_conclusive(&self) -> bool {
        self.end == End::Complete && !self.failures.iter().any(Failures::is_total)
    }
}

/// The plan that a request stands for, and the experiment's text.
pub fn plan(request: &Request) -> anyhow::Result<(Plan, String)> {
    let mut text = request.experiment.text.clone();
    let mut experiment = Experiment::parse(&text, &request.experiment.path)?;
    if request.seconds.is_some() || request.memory_mib.is_some() {
        text = with_budget(&text, &experiment, request)?;
        experiment = Experiment::parse(&text, &request.experiment.path)?;
    }
    let mut plan = Plan::new(experiment, &text, request.scale, request.seed)?;
    if let Some(backends) = &request.backends {
        plan = plan.with_backends(backends.clone(), &text)?;
    }
    if let Some(shard) = request.shard {
        plan = plan.with_shard(shard)?;
    }
    Ok((plan, text))
}

/// The experiment's text with other limits: the copy in the run folder must tell the truth.
fn with_budget(text: &str, experiment: &Experiment, request: &Request) -> anyhow::Result<String> {
    let mut table: toml::Table = toml::from_str(text)?;
    let mut budget = toml::Table::new();
    let old = &experiment.budget;
    let memory = request.memory_mib.unwrap_or(old.memory_mib);
    budget.insert("seconds".into(), request.seconds.unwrap_or(old.seconds).into());
    budget.insert("memory_mib".into(), i64::try_from(memory)?.into());
    budget.insert("grace_seconds".into(), old.grace_seconds.into());
    table.insert("budget".into(), budget.into());
    Ok(toml::to_string(&table)?)
}

/// Where a plan is run if nobody says where.
pub fn default_folder(plan: &Plan) -> PathBuf {
    let shard = plan.shard.map_or(String::new(), |shard| {
        format!("-shard-{}", shard.to_string().replace('/', "-of-"))
    });
    Path::new("results/local").join(format!(
        "{}-{}{shard}",
        plan.experiment.name,
        plan.scale.name()
    ))
}

/// Runs what is missing, stores it, and exports the table when all is there.
pub fn run(request: &Request) -> anyhow::Result<Report> {
    let (plan, text) = plan(request)?;
    kinds::open(&plan)?;
    chosen_workers(request.workers)?;
    let folder = request.out.clone().unwrap_or_else(|| default_folder(&plan));
    let mut store = Store::open(&folder, &plan, &text, request.fresh)?;
    let found = store.scan(plan.rows())?;
    found.repairs.iter().for_each(|repair| note!("repaired {repair}"));
    let ended = match found.done.count < plan.rows_here() {
        true => session(&plan, &mut store, found, request.workers)?,
        false => nothing_to_do(),
    };
    finish(&plan, &store, ended)
}

fn nothing_to_do() -> (SessionEnd, f64) {
    let ended = SessionEnd {
        end: End::Complete,
        rows: 0,
        lost: 0,
        overhead: Overhead::default(),
        findings: Vec::new(),
        failure: None,
    };
    (ended, 0.0)
}

fn session(
    plan: &Plan,
    store: &mut Store,
    found: FoundRows,
    workers: Option<usize>,
) -> anyhow::Result<(SessionEnd, f64)> {
    let number = store.manifest.sessions.len();
    let workers = chosen_workers(workers)?;
    if found.done.count > 0 {
        note!("resuming: {} of {} rows are there", found.done.count, plan.rows_here());
    }
    let provenance = Provenance::here().with_backends(&plan.backends);
    for (backend, name) in store.manifest.ask_names(&plan.backends) {
        note!(
            "`{backend}` calls itself `{name}`, as another backend is called: it goes by its command"
        );
    }
    store.manifest.sessions.push(Session::begun(workers, provenance).of_shard(plan.shard));
    store.save_manifest()?;
    let signals = Signals::listen().context("cannot listen for Ctrl-C")?;
    let clock = Instant::now();
    let ended = Scheduler::new(plan, store, number, found.done)?.run(workers, &signals)?;
    let seconds = clock.elapsed().as_secs_f64();
    if let Some(session) = store.manifest.sessions.last_mut() {
        session.close(ended.end, [ended.rows, ended.lost], ended.overhead, seconds);
    }
    match (store.save_manifest(), &ended.failure) {
        // why the run stopped says more than that this could not be written either
        (Err(_), Some(_)) | (Ok(()), _) => Ok((ended, seconds)),
        (Err(error), None) => Err(error),
    }
}

/// A worker is a process: more than this many would bring the machine down rather than use it.
const MOST_WORKERS: usize = 1024;

/// The number of workers that was asked for, or one a core.
pub fn chosen_workers(asked: Option<usize>) -> anyhow::Result<usize> {
    match asked {
        Some(workers) if !(1..=MOST_WORKERS).contains(&workers) => {
            let problem = format!("{workers} workers are asked for, expected 1 to {MOST_WORKERS}");
            Err(Remedy::Workers.refuse(problem))
        }
        Some(workers) => Ok(workers),
        None => Ok(default_workers()),
    }
}

/// Every core: the scheduler itself sleeps nearly all the time.
fn default_workers() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

fn finish(
    plan: &Plan,
    store: &Store,
    (mut ended, seconds): (SessionEnd, f64),
) -> anyhow::Result<Report> {
    if let Some(failure) = ended.failure {
        bail!(
            "the run stopped: {failure}\nrows so far are kept in {}; the same command continues",
            store.folder().display()
        );
    }
    let found = store.scan(plan.rows())?;
    found.repairs.iter().for_each(|repair| note!("repaired {repair}"));
    let mut reproducers = Vec::new();
    for finding in &mut ended.findings {
        finding.name = store.manifest.names.get(&finding.backend).cloned();
        reproducers.push(kinds::save_finding(plan, &store.files, finding)?);
    }
    if ended.end == End::Complete {
        store.export(plan, &found)?;
        store.describe(plan)?;
    }
    Ok(Report {
        folder: store.folder().to_path_buf(),
        shard: plan.shard,
        end: ended.end,
        rows: found.done.count,
        rows_total: plan.rows_here(),
        lost: ended.lost,
        seconds,
        overhead: ended.overhead,
        findings: ended.findings,
        reproducers,
        failures: failures::of_rows(plan, &found),
    })
}
