//! How a row of each kind of experiment is measured.
//!
//! A kind is one file (or folder) here that implements [`Asker`], its entries in the experiment file
//! ([`crate::experiment`]), its names of counts and answers ([`Kind`]), and one line in [`open`]. Everything
//! else, from the plan to the report, is shared.

mod instances;
mod models;
pub mod pairs;

use crate::experiment::Kind;
use crate::plan::{Place, Plan};
use crate::store::record::Record;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A contradiction between answers, or between an answer and the truth.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    pub row: u64,
    pub backend: String,
    pub answer: String,
    /// What contradicts it.
    pub against: String,
}

/// Asks the questions of a plan, one row at a time.
pub trait Asker {
    /// The rows that follow are about this block; answers to others are forgotten.
    fn begin(&mut self, block: u64);

    /// Measures a row and checks its answer. An error means that the experiment is wrong, not the answer.
    fn row(&mut self, row: u64, place: &Place) -> anyhow::Result<(Record, Option<Finding>)>;

    /// Writes the input of a row into a folder: what a user needs to ask the question by hand.
    fn save(&mut self, place: &Place, folder: &Path) -> anyhow::Result<()>;

    /// Writes what reproduces a finding into a folder, as small as it can be made.
    fn reproduce(&mut self, finding: &Finding, folder: &Path) -> anyhow::Result<()>;
}

/// The asker of a plan's kind; fails if somebody whom the plan asks is not available.
pub fn open(plan: &Plan) -> anyhow::Result<Box<dyn Asker + '_>> {
    Ok(match plan.experiment.kind() {
        Kind::Pairs => Box::new(pairs::Pairs::new(plan)?),
        Kind::Models => Box::new(models::Models::new(plan)?),
        Kind::Instances => Box::new(instances::Instances::new(plan)?),
    })
}

/// Saves what reproduces a finding under `RUN/disagreement-ROW/` and returns that folder.
pub fn save_finding(plan: &Plan, run: &Path, finding: &Finding) -> anyhow::Result<PathBuf> {
    let folder = run.join(format!("disagreement-{}", finding.row));
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    open(plan)?.reproduce(finding, &folder)?;
    Ok(folder)
}

/// High-water mark of resident memory in KiB; 0 where /proc is missing.
pub fn peak_memory() -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|text| text.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Nanoseconds as rows hold them.
fn nanos(duration: Duration) -> u64 {
    duration.as_nanos().min(u128::from(u64::MAX)) as u64
}

/// Writes a file into a folder of a finding.
fn write(folder: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let path = folder.join(name);
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}
