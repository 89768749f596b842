//! A run folder: lock, manifest, copy of the experiment, row segments.
//!
//! ```text
//! RUN/pidlab-files.jsonl what we wrote there; nothing else is ever replaced or removed
//! RUN/manifest.json      what was run, where and how it went (pidlab-run/1)
//! RUN/experiment.toml    the experiment as it was
//! RUN/inputs.json        the user's own inputs: where they are, sizes, hashes
//! RUN/log/*.rows         row segments, append-only
//! RUN/log/*.messages     why rows failed
//! RUN/log/*.stderr       what workers said
//! RUN/rows.parquet, rows.csv, columns.md, datapackage.json, analysis.json, figures/, report.html    made from the above
//! ```
//! One process at a time works on a folder; a second one is refused with a message.

pub mod columns;
pub(crate) mod export;
pub mod failures;
pub(crate) mod folder;
pub mod formats;
mod found;
pub(crate) mod machine;
pub mod manifest;
mod mapped;
pub(crate) mod messages;
pub mod overhead;
mod package;
mod parameters;
pub mod provenance;
pub(crate) mod record;
pub(crate) mod segment;
pub mod single;

pub use self::folder::{Folder, FolderError};
pub use self::found::{FoundRows, RowSet};

use self::found::segment_files;
use self::manifest::Manifest;
use self::messages::Messages;
use self::segment::Segment;
use crate::experiment::{Experiment, library};
use crate::plan::Plan;
use crate::remedy::Remedy;
use crate::shard::Shard;
use anyhow::{Context, bail};
use rustix::fs::{FlockOperation, flock};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::path::{Path, PathBuf};

const LOCK: &str = "lock";
/// The copy of the experiment.
pub const EXPERIMENT: &str = "experiment.toml";
/// Claimed before the first row, so that no measurement ends in a folder that cannot take its table.
const FILES: [&str; 6] =
    [manifest::FILE, EXPERIMENT, "rows.parquet", "rows.csv", "columns.md", package::FILE];

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

impl Store {
    /// Opens or creates the run folder of a plan. `fresh` discards an earlier run in it.
    pub fn open(folder: &Path, plan: &Plan, text: &str, fresh: bool) -> anyhow::Result<Store> {
        let (files, lock) = locked(folder)?;
        if fresh {
            files.clear(&[LOCK])?;
        }
        claim(&files)?;
        let manifest = match Manifest::exists(folder) {
            true => {
                let manifest = matching(folder, plan)?;
                keep_told(&files, text)?;
                keep_inputs(&files, plan)?;
                manifest
            }
            false => create(&files, plan, text)?,
        };
        Ok(Store { files, manifest, digest: plan.digest(), _lock: lock })
    }

    /// A new run folder for rows that are there already. The manifest is for [`Store::save_manifest`] to write: a
    /// folder without one, that a killed process left, holds no run.
    pub fn create(
        folder: &Path,
        manifest: Manifest,
        (plan, text): (&Plan, &str),
        fresh: bool,
    ) -> anyhow::Result<Store> {
        let (files, lock) = locked(folder)?;
        if Manifest::exists(folder) && !fresh {
            let problem = format!("{} holds a run already", folder.display());
            return Err(Remedy::OtherRun.refuse(problem));
        }
        files.clear(&[LOCK])?;
        claim(&files)?;
        files.write(EXPERIMENT, text.as_bytes())?;
        keep_inputs(&files, plan)?;
        Ok(Store { files, manifest, digest: plan.digest(), _lock: lock })
    }

    /// Writes rows that were measured elsewhere, a segment for each session.
    pub fn add_rows(&self, rows: &FoundRows) -> anyhow::Result<()> {
        let mut segments: BTreeMap<u32, (Segment, Messages)> = BTreeMap::new();
        for (record, &session) in rows.records.iter().zip(&rows.sessions) {
            let (segment, messages) = match segments.entry(session) {
                Entry::Occupied(begun) => begun.into_mut(),
                Entry::Vacant(none) => {
                    let path = self.new_segment(session as usize, "merged")?;
                    none.insert((Segment::create(&path, self.digest)?, Messages::beside(&path)))
                }
            };
            if let Some(message) = rows.messages.get(&record.row) {
                messages.add(record.row, message)?;
            }
            segment.append(record)?;
        }
        Ok(())
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
        FoundRows::scan(&self.files, self.digest, rows)
    }

    /// Writes the result table.
    pub fn export(&self, plan: &Plan, found: &FoundRows) -> anyhow::Result<()> {
        export::write(plan, found, &self.manifest, &self.files)
    }

    /// Writes what the columns of the table and the files of the folder are, once all of them are there.
    pub fn describe(&self, plan: &Plan) -> anyhow::Result<()> {
        export::describe(plan, &self.manifest, &self.files)
    }

    /// Writes the manifest.
    pub fn save_manifest(&self) -> anyhow::Result<()> {
        self.manifest.write(&self.files)
    }
}

/// Refuses a run folder that a process works in; nothing in it is changed.
pub fn refuse_at_work(folder: &Path) -> anyhow::Result<()> {
    let Ok(lock) = File::open(folder.join(LOCK)) else { return Ok(()) };
    match flock(&lock, FlockOperation::NonBlockingLockShared) {
        Err(rustix::io::Errno::WOULDBLOCK) => bail!("{}", at_work(folder)),
        // a disk that knows no locks has no process at work that we could know of
        _ => Ok(()),
    }
}

/// The folder of a run, or one that can become so, locked.
fn locked(folder: &Path) -> anyhow::Result<(Folder, File)> {
    let files = Folder::open(folder)?;
    let names = files.names()?;
    let of_a_run = [LOCK, manifest::FILE].iter().any(|name| names.contains(*name));
    if !names.is_empty() && !of_a_run {
        let problem = format!("{} holds something else than a run", folder.display());
        return Err(Remedy::OtherFolder.refuse(problem));
    }
    let lock = take_lock(&files)?;
    Ok((files, lock))
}

fn claim(files: &Folder) -> anyhow::Result<()> {
    files.claim(&FILES)?;
    Ok(files.make_parent("log/")?)
}

fn take_lock(files: &Folder) -> anyhow::Result<File> {
    let file = files.create_lock(LOCK)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(_) => Err(Remedy::OtherFolder.refuse(at_work(files.path()))),
    }
}

fn at_work(folder: &Path) -> String {
    format!("another pidlab process is working in {}; wait for it", folder.display())
}

fn matching(folder: &Path, plan: &Plan) -> anyhow::Result<Manifest> {
    let manifest = Manifest::read(folder)?;
    match differences(&manifest, plan) {
        None => Ok(manifest),
        Some(differences) => {
            let problem = format!("{} holds another run ({differences})", folder.display());
            Err(Remedy::OtherRun.refuse(problem))
        }
    }
}

/// What the run in a folder, if there is one, has of its own that the plan does not ask for.
pub fn other_run(folder: &Path, plan: &Plan) -> Option<String> {
    // what cannot be read may be the user's own, which only whoever writes there can refuse
    differences(&Manifest::read(folder).ok()?, plan)
}

fn differences(manifest: &Manifest, plan: &Plan) -> Option<String> {
    let mut differences = Vec::new();
    let mut compare = |what: &str, old: String, new: String| {
        if old != new {
            differences.push(format!("{what} {old}, now {new}"));
        }
    };
    compare("experiment", manifest.experiment.clone(), plan.experiment.name.clone());
    compare("scale", manifest.scale.name().into(), plan.scale.name().into());
    compare("seed", manifest.seed.to_string(), plan.seed.to_string());
    let shard = |shard: Option<Shard>| shard.map_or("all rows".into(), |s| format!("shard {s}"));
    compare("part", shard(manifest.shard), shard(plan.shard));
    compare("backends", manifest.backends.join(","), plan.listed().join(","));
    if differences.is_empty() && manifest.plan != format!("{:016x}", plan.digest()) {
        differences
            .push("the experiment file, a limit or one of its inputs has changed since".into());
    }
    (!differences.is_empty()).then(|| differences.join("; "))
}

/// What is told about the same rows, a title or an analysis, may have changed: the newest counts.
fn keep_told(files: &Folder, text: &str) -> anyhow::Result<()> {
    let before = std::fs::read_to_string(files.path_of(EXPERIMENT)).unwrap_or_default();
    if before != text {
        files.write(EXPERIMENT, text.as_bytes())?;
    }
    Ok(())
}

/// The same inputs may be in another place now.
fn keep_inputs(files: &Folder, plan: &Plan) -> anyhow::Result<()> {
    plan.experiment.inputs.as_ref().map_or(Ok(()), |inputs| inputs.write(files))
}

fn create(files: &Folder, plan: &Plan, text: &str) -> anyhow::Result<Manifest> {
    files.write(EXPERIMENT, text.as_bytes())?;
    keep_inputs(files, plan)?;
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
