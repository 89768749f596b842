//! `manifest.json` of a run folder, format `pidlab-run/1`: what was run, where, and how it went.

use super::folder::Folder;
use super::overhead::Overhead;
use super::provenance::Provenance;
use crate::clock;
use crate::experiment::ScaleName;
use crate::plan::Plan;
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::path::Path;

pub const FORMAT: &str = "pidlab-run/1";
pub const FILE: &str = "manifest.json";

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub format: String,
    pub experiment: String,
    pub scale: ScaleName,
    pub seed: u64,
    pub backends: Vec<String>,
    /// Hex digest of experiment text, scale, seed and backends.
    pub plan: String,
    pub rows: u64,
    pub sessions: Vec<Session>,
}

/// One invocation of `pidlab run` on the folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    pub started: String,
    pub seconds: f64,
    pub workers: usize,
    pub rows: u64,
    pub lost_rows: u64,
    pub end: End,
    pub overhead: Overhead,
    pub provenance: Provenance,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    Running,
    Complete,
    Interrupted,
    Disagreement,
    Failed,
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
        }
    }

    /// How it went: its end, the rows it made and those among them that a worker did not survive.
    pub fn close(&mut self, end: End, rows: [u64; 2], overhead: Overhead, seconds: f64) {
        [self.rows, self.lost_rows] = rows;
        (self.end, self.overhead, self.seconds) = (end, overhead, seconds);
    }
}

impl Manifest {
    pub fn new(plan: &Plan) -> Manifest {
        Manifest {
            format: FORMAT.into(),
            experiment: plan.experiment.name.clone(),
            scale: plan.scale,
            seed: plan.seed,
            backends: plan.listed().to_vec(),
            plan: format!("{:016x}", plan.digest()),
            rows: plan.rows(),
            sessions: Vec::new(),
        }
    }

    pub fn exists(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    pub fn read(folder: &Path) -> anyhow::Result<Manifest> {
        let path = folder.join(FILE);
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("{} is no run folder (cannot read {FILE})", folder.display())
        })?;
        check_format(&text, &path)?;
        serde_json::from_str(&text).with_context(|| format!("{}", path.display()))
    }

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
        Some(other) => bail!(
            "{} has format `{other}`, this program writes `{FORMAT}`; use another --out folder, or --fresh to discard that run",
            path.display()
        ),
    }
}
