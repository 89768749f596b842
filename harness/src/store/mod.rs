//! A run folder: lock, manifest, copy of the experiment, row segments.
//!
//! ```text
//! RUN/pidlab-files.jsonl what we wrote there; nothing else is ever replaced or removed
//! RUN/manifest.json      what was run, where and how it went (pidlab-run/1)
//! RUN/experiment.toml    the experiment as it was
//! RUN/log/*.rows         row segments, append-only
//! RUN/log/*.messages     why rows failed
//! RUN/log/*.stderr       what workers said
//! RUN/rows.parquet, rows.csv, analysis.json, figures/, report.html    made from the above
//! ```
//! One process at a time works on a folder; a second one is refused with a message.

pub(crate) mod export;
pub mod failures;
pub(crate) mod folder;
pub(crate) mod machine;
pub mod manifest;
mod mapped;
pub(crate) mod messages;
pub mod overhead;
pub mod provenance;
pub(crate) mod record;
pub(crate) mod segment;
pub mod single;

pub use folder::{Folder, FolderError};

use self::manifest::Manifest;
use self::messages::Messages;
use self::record::Record;
use crate::experiment::{Experiment, library};
use crate::plan::Plan;
use crate::remedy::Remedy;
use anyhow::{Context, bail};
use rustc_hash::FxHashMap;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::path::{Path, PathBuf};

const LOCK: &str = "lock";
/// The copy of the experiment.
pub const EXPERIMENT: &str = "experiment.toml";
/// Claimed before the first row, so that no measurement ends in a folder that cannot take its table.
const FILES: [&str; 4] = [manifest::FILE, EXPERIMENT, "rows.parquet", "rows.csv"];

/// A run folder that this process works in.
pub struct Store {
    /// The folder.
    pub files: Folder,
    /// What was run in it.
    pub manifest: Manifest,
    digest: u64,
    /// Held as long as the store lives.
    _lock: File,
}

/// What earlier sessions left.
pub struct FoundRows {
    /// The rows.
    pub records: Vec<Record>,
    /// Their numbers.
    pub done: RowSet,
    /// Why rows failed.
    pub messages: FxHashMap<u64, String>,
    /// What had to be repaired, for the user.
    pub repairs: Vec<String>,
}

/// A set of row numbers.
pub struct RowSet {
    bits: Vec<u64>,
    /// How many they are.
    pub count: u64,
}

impl RowSet {
    /// No row of so many.
    pub fn new(rows: u64) -> RowSet {
        RowSet { bits: vec![0; rows.div_ceil(64) as usize], count: 0 }
    }

    /// Whether a row is in it.
    pub fn contains(&self, row: u64) -> bool {
        self.bits.get((row / 64) as usize).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Whether the row was new and in range.
    pub fn insert(&mut self, row: u64) -> bool {
        let Some(word) = self.bits.get_mut((row / 64) as usize) else { return false };
        let new = *word >> (row % 64) & 1 == 0;
        *word |= 1 << (row % 64);
        self.count += u64::from(new);
        new
    }
}

impl Store {
    /// Opens or creates the run folder of a plan. `fresh` discards an earlier run in it.
    pub fn open(folder: &Path, plan: &Plan, text: &str, fresh: bool) -> anyhow::Result<Store> {
        let files = Folder::open(folder)?;
        let names = files.names()?;
        let of_a_run = [LOCK, manifest::FILE].iter().any(|name| names.contains(*name));
        if !names.is_empty() && !of_a_run {
            let problem = format!("{} holds something else than a run", folder.display());
            return Err(Remedy::OtherFolder.refuse(problem));
        }
        let lock = take_lock(&files)?;
        if fresh {
            files.clear(&[LOCK])?;
        }
        files.claim(&FILES)?;
        files.make_parent("log/")?;
        let manifest = match Manifest::exists(folder) {
            true => {
                let manifest = matching(folder, plan)?;
                keep_told(&files, text)?;
                manifest
            }
            false => create(&files, plan, text)?,
        };
        Ok(Store { files, manifest, digest: plan.digest(), _lock: lock })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        self.files.path()
    }

    /// Lists the files of a new worker and says where its segment goes.
    pub fn new_segment(&self, session: usize, worker: &str) -> anyhow::Result<PathBuf> {
        let [rows, messages, stderr] = segment_files(session, worker);
        self.files.claim(&[&rows, &messages, &stderr])?;
        Ok(self.files.path_of(&rows))
    }

    /// Where a worker's standard error goes.
    pub fn new_stderr(&self, session: usize, worker: &str) -> anyhow::Result<(PathBuf, File)> {
        let [_, _, stderr] = segment_files(session, worker);
        Ok((self.files.path_of(&stderr), self.files.create(&stderr)?))
    }

    /// Removes what a worker without a single row left.
    pub fn remove_segment(&self, session: usize, worker: &str) -> anyhow::Result<()> {
        Ok(segment_files(session, worker).iter().try_for_each(|name| self.files.remove(name))?)
    }

    /// All rows so far, repaired where needed.
    pub fn scan(&self, rows: u64) -> anyhow::Result<FoundRows> {
        read_rows(&self.files, self.digest, rows)
    }

    /// Writes the manifest.
    pub fn save_manifest(&self) -> anyhow::Result<()> {
        self.manifest.write(&self.files)
    }
}

fn segment_files(session: usize, worker: &str) -> [String; 3] {
    [segment::ENDING, messages::ENDING, "stderr"]
        .map(|ending| format!("log/session-{session:03}-{worker}.{ending}"))
}

/// Reads the segments of a folder; a row written twice counts once, the first time.
fn read_rows(files: &Folder, digest: u64, rows: u64) -> anyhow::Result<FoundRows> {
    let mut found = FoundRows {
        records: Vec::new(),
        done: RowSet::new(rows),
        messages: FxHashMap::default(),
        repairs: Vec::new(),
    };
    for name in files.names()? {
        let ours = name.starts_with("log/") && name.ends_with(segment::ENDING);
        if ours && files.path_of(&name).exists() {
            found.add(&files.path_of(&name), digest)?;
        }
    }
    Ok(found)
}

impl FoundRows {
    fn add(&mut self, path: &Path, digest: u64) -> anyhow::Result<()> {
        let scan = segment::scan(path, digest)?;
        if scan.torn > 0 {
            self.repairs.push(format!(
                "{}: cut off an incomplete last row ({} bytes)",
                path.display(),
                scan.torn
            ));
        }
        if scan.damaged > 0 {
            self.repairs.push(format!(
                "{}: {} damaged rows left out, they will run again",
                path.display(),
                scan.damaged
            ));
        }
        let mut messages = Messages::read_beside(path);
        for record in scan.records {
            if self.done.insert(record.row) {
                self.messages.extend(messages.remove_entry(&record.row));
                self.records.push(record);
            }
        }
        Ok(())
    }
}

fn take_lock(files: &Folder) -> anyhow::Result<File> {
    let file = files.create_lock(LOCK)?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        let folder = files.path().display();
        let problem = format!("another pidlab process is working in {folder}; wait for it");
        return Err(Remedy::OtherFolder.refuse(problem));
    }
    Ok(file)
}

fn matching(folder: &Path, plan: &Plan) -> anyhow::Result<Manifest> {
    let manifest = Manifest::read(folder)?;
    let mut differences = Vec::new();
    let mut compare = |what: &str, old: String, new: String| {
        if old != new {
            differences.push(format!("{what} {old}, now {new}"));
        }
    };
    compare("experiment", manifest.experiment.clone(), plan.experiment.name.clone());
    compare("scale", manifest.scale.name().into(), plan.scale.name().into());
    compare("seed", manifest.seed.to_string(), plan.seed.to_string());
    compare("backends", manifest.backends.join(","), plan.listed().join(","));
    if differences.is_empty() && manifest.plan != format!("{:016x}", plan.digest()) {
        differences.push("the experiment file has changed since".into());
    }
    if !differences.is_empty() {
        let problem =
            format!("{} holds another run ({})", folder.display(), differences.join("; "));
        return Err(Remedy::OtherRun.refuse(problem));
    }
    Ok(manifest)
}

/// What is told about the same rows, a title or an analysis, may have changed: the newest counts.
fn keep_told(files: &Folder, text: &str) -> anyhow::Result<()> {
    let before = std::fs::read_to_string(files.path_of(EXPERIMENT)).unwrap_or_default();
    if before != text {
        files.write(EXPERIMENT, text.as_bytes())?;
    }
    Ok(())
}

fn create(files: &Folder, plan: &Plan, text: &str) -> anyhow::Result<Manifest> {
    files.write(EXPERIMENT, text.as_bytes())?;
    let manifest = Manifest::new(plan);
    manifest.write(files)?;
    Ok(manifest)
}

/// The experiment of a run folder, its text and the manifest. A folder that kept only its rows is one of a
/// built-in experiment.
pub fn experiment_of(folder: &Path) -> anyhow::Result<(Experiment, String, Manifest)> {
    let manifest = Manifest::read(folder)?;
    let path = folder.join("experiment.toml");
    let (experiment, text) = match path.exists() {
        true => Experiment::read(&path)?,
        false => {
            let source = library::find(&manifest.experiment)
                .with_context(|| format!("{} is missing", path.display()))?;
            (Experiment::parse(&source.text, &source.path)?, source.text)
        }
    };
    Ok((experiment, text, manifest))
}

/// The plan of an existing run folder.
pub fn plan_of(folder: &Path) -> anyhow::Result<(Plan, Manifest)> {
    let manifest = Manifest::read(folder)?;
    let path = folder.join(EXPERIMENT);
    let (experiment, text) = Experiment::read(&path)?;
    let plan = Plan::new(experiment, &text, manifest.scale, Some(manifest.seed))?
        .with_backends(manifest.backends.clone(), &text)?;
    if manifest.plan != format!("{:016x}", plan.digest()) {
        bail!("{} was changed after the run; restore it or run again", path.display());
    }
    Ok((plan, manifest))
}
