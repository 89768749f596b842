//! How a row of each kind of experiment is measured.
//!
//! A kind is one file (or folder) here that implements [`Asker`], its entries in the experiment file
//! ([`crate::experiment`]), its names of counts and answers ([`QuestionKind`]), and one line in [`open`]. Everything
//! else, from the plan to the report, is shared.

mod instances;
mod models;
pub(crate) mod pairs;

use crate::experiment::QuestionKind;
use crate::memory;
use crate::plan::{Place, Plan};
use crate::store::folder::Folder;
use crate::store::record::Record;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A contradiction between answers, or between an answer and the truth.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Number of the row.
    pub row: u64,
    /// Who answered.
    pub backend: String,
    /// What a program of the user's own calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What.
    pub answer: String,
    /// What contradicts it.
    pub against: String,
}

impl Finding {
    /// What tables, figures and people call who answered.
    pub fn shown(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.backend)
    }
}

/// What came of one row.
pub struct RowOutcome {
    /// The row.
    pub record: Record,
    /// What contradicts it.
    pub finding: Option<Finding>,
    /// Why whoever was asked failed.
    pub message: Option<String>,
    /// CPU time of this process in deciding, whoever decided.
    pub own_cpu: Duration,
    /// CPU time of this process in making the input, whoever made it.
    pub own_generating: Duration,
}

impl RowOutcome {
    /// A row that was decided in this process.
    fn here(record: Record, finding: Option<Finding>, message: Option<String>) -> RowOutcome {
        let own_generating = Duration::from_nanos(record.generate_ns);
        let own_cpu = Duration::from_nanos(record.cpu_ns);
        RowOutcome { record, finding, message, own_cpu, own_generating }
    }
}

/// Files that show a question: names and contents.
pub type Files = Vec<(String, String)>;

/// Asks the questions of a plan, one row at a time.
pub trait Asker {
    /// The rows that follow are about this block; answers to others are forgotten.
    fn begin(&mut self, block: u64);

    /// Measures a row and checks its answer. An error means that the experiment is wrong, not the answer.
    fn row(&mut self, row: u64, place: &Place) -> anyhow::Result<RowOutcome>;

    /// The input of a row: what a user needs to ask the question by hand.
    fn input(&mut self, place: &Place) -> anyhow::Result<Files>;

    /// What reproduces a finding, as small as it can be made; `folder` is where it will be.
    fn reproduce(&mut self, finding: &Finding, folder: &Path) -> anyhow::Result<Files>;
}

/// The asker of a plan's kind; fails if somebody whom the plan asks is not available.
pub fn open(plan: &Plan) -> anyhow::Result<Box<dyn Asker + '_>> {
    Ok(match plan.experiment.kind() {
        QuestionKind::Pairs => Box::new(pairs::Pairs::new(plan)?),
        QuestionKind::Models => Box::new(models::Models::new(plan)?),
        QuestionKind::Instances => Box::new(instances::Instances::new(plan)?),
    })
}

/// Saves what reproduces a finding under `RUN/disagreement-ROW/` and returns that folder.
pub fn save_finding(plan: &Plan, run: &Folder, finding: &Finding) -> anyhow::Result<PathBuf> {
    let folder = format!("disagreement-{}", finding.row);
    let shown = run.path_of(&folder);
    for (name, text) in open(plan)?.reproduce(finding, &shown)? {
        run.write(&format!("{folder}/{name}"), text.as_bytes())?;
    }
    Ok(shown)
}

/// High-water mark of resident memory in KiB; 0 where /proc is missing.
pub fn peak_memory() -> u32 {
    memory::kib("VmHWM:").and_then(|kib| kib.try_into().ok()).unwrap_or(0)
}

/// Nanoseconds as rows hold them.
pub(crate) fn nanos(duration: Duration) -> u64 {
    duration.as_nanos().min(u128::from(u64::MAX)) as u64
}
