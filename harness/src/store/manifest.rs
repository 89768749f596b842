//! `manifest.json` of a run folder, format `pidlab-run/1`: what was run, where, and how it went.

use super::folder::Folder;
use super::overhead::Overhead;
use super::provenance::{self, Provenance};
use crate::clock;
use crate::experiment::ScaleName;
use crate::plan::Plan;
use crate::remedy::Remedy;
use crate::shard::Shard;
use anyhow::Context;
use pidlab_backends::external::External;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The format of manifests.
pub const FORMAT: &str = "pidlab-run/1";
/// The name of the file.
pub const FILE: &str = "manifest.json";

/// What was run, where, and how it went.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// See [`FORMAT`].
    pub format: String,
    /// Name of the experiment.
    pub experiment: String,
    /// How much of it.
    pub scale: ScaleName,
    /// Of all states and orders.
    pub seed: u64,
    /// Who was asked to answer.
    pub backends: Vec<String>,
    /// Hex digest of experiment text, scale, seed and backends.
    pub plan: String,
    /// Rows of the plan.
    pub rows: u64,
    /// The part of the rows that was measured, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Whether times of several machines are analysed together, because the user said so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub across_machines: bool,
    /// What programs of the user's own call themselves, by backend: their names in the table.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, String>,
    /// What was run when.
    pub sessions: Vec<Session>,
}

/// One invocation of `pidlab run` on the folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// When, in UTC.
    pub started: String,
    /// How long.
    pub seconds: f64,
    /// Worker processes.
    pub workers: usize,
    /// Rows that it made.
    pub rows: u64,
    /// Rows that a worker did not survive.
    pub lost_rows: u64,
    /// How it ended.
    pub end: End,
    /// What the harness itself cost.
    pub overhead: Overhead,
    /// Where and with what.
    pub provenance: Provenance,
    /// The shard that it measured for; of shards and merged runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The name of the machine in its network; of shards and merged runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Not yet, or it was killed.
    Running,
    /// All rows are there.
    Complete,
    /// The user stopped it.
    Interrupted,
    /// Answers contradicted each other.
    Disagreement,
    /// It could not go on.
    Failed,
}

impl End {
    /// How a session ended: a contradiction weighs more than a failure, and that more than missing rows.
    pub(crate) fn of(contradicted: bool, failed: bool, complete: bool) -> End {
        match (contradicted, failed, complete) {
            (true, ..) => End::Disagreement,
            (_, true, _) => End::Failed,
            (.., true) => End::Complete,
            _ => End::Interrupted,
        }
    }
}

impl Session {
    /// A session that starts now.
    pub fn begun(workers: usize, provenance: Provenance) -> Session {
        Session {
            started: clock::utc_now(),
            seconds: 0.0,
            workers,
            rows: 0,
            lost_rows: 0,
            end: End::Running,
            overhead: Overhead::default(),
            provenance,
            shard: None,
            host: None,
        }
    }

    /// The same, of a shard.
    pub fn of_shard(self, shard: Option<Shard>) -> Session {
        Session { shard, host: shard.map(|_| provenance::host()), ..self }
    }

    /// How it went: its end, the rows it made and those among them that a worker did not survive.
    pub fn close(&mut self, end: End, rows: [u64; 2], overhead: Overhead, seconds: f64) {
        [self.rows, self.lost_rows] = rows;
        (self.end, self.overhead, self.seconds) = (end, overhead, seconds);
    }
}

impl Manifest {
    /// The manifest of a run that has not begun.
    pub fn new(plan: &Plan) -> Manifest {
        Manifest {
            format: FORMAT.into(),
            experiment: plan.experiment.name.clone(),
            scale: plan.scale,
            seed: plan.seed,
            backends: plan.listed().to_vec(),
            plan: format!("{:016x}", plan.digest()),
            rows: plan.rows(),
            shard: plan.shard,
            across_machines: false,
            names: BTreeMap::new(),
            sessions: Vec::new(),
        }
    }

    /// Asks the programs of the user's own for their names. A name that is another backend's is not taken; those are
    /// returned with the backends that gave them.
    pub fn ask_names(&mut self, backends: &[String]) -> Vec<(String, String)> {
        let mut refused = Vec::new();
        let asked: Vec<&String> =
            backends.iter().filter(|name| !self.names.contains_key(*name)).collect();
        for backend in asked {
            let external = backend.strip_prefix("external:").map(External::new);
            let Some(name) = external.and_then(Result::ok).and_then(|e| e.own_name()) else {
                continue;
            };
            let builtin = pidlab_backends::registry::list().iter().any(|info| info.name == name);
            if builtin || backends.contains(&name) || self.names.values().any(|n| *n == name) {
                refused.push((backend.clone(), name));
            } else {
                self.names.insert(backend.clone(), name);
            }
        }
        refused
    }

    /// What tables, figures and legends call a backend.
    pub fn shown<'n>(&'n self, backend: &'n str) -> &'n str {
        self.names.get(backend).map_or(backend, String::as_str)
    }

    /// Whether a folder has one.
    pub fn exists(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    /// Reads that of a folder.
    pub fn read(folder: &Path) -> anyhow::Result<Manifest> {
        let path = folder.join(FILE);
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("{} is not a run folder (cannot read {FILE})", folder.display())
        })?;
        check_format(&text, &path)?;
        serde_json::from_str(&text).with_context(|| format!("{}", path.display()))
    }

    /// Writes it to a folder of ours.
    pub fn write(&self, files: &Folder) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        files.write(FILE, text.as_bytes()).map(|_| ())
    }
}

fn check_format(text: &str, path: &Path) -> anyhow::Result<()> {
    let value: serde_json::Value =
        serde_json::from_str(text).with_context(|| format!("{}", path.display()))?;
    match value.get("format").and_then(|format| format.as_str()) {
        Some(FORMAT) | None => Ok(()),
        Some(other) => Err(Remedy::OtherRun.refuse(format!(
            "{} has format `{other}`, this program writes `{FORMAT}`",
            path.display()
        ))),
    }
}
